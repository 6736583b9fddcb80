/**
 * How long things may take, in milliseconds, so that a row ends within 20 seconds. On a slow or busy machine peers would be reported
 * as absent that only need more time: BENCH_PATIENCE=4 makes the limits four times as long, all but that of the rounds.
 */
const patience = Number(process.env.BENCH_PATIENCE ?? 1);

export const limits = {
  /** The row, but for a last round. */
  row: 14_000 * patience,
  /** Loading all libraries and making their arrays. */
  load: 8_000 * patience,
  /** All rounds. */
  rounds: 8_000,
  /** One answer of a contestant. */
  call: 4_000 * patience,
} as const;
