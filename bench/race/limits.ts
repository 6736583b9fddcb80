/**
 * Time limits in milliseconds, chosen so that a row ends within 20 seconds. On a slow or busy machine, peers that only
 * need more time would be reported as absent: BENCH_PATIENCE=4 multiplies all limits by four, except that of the
 * rounds.
 */
const patience = Number(process.env.BENCH_PATIENCE ?? 1);

export const limits = {
  /** The row, except for a last round. */
  row: 14_000 * patience,
  /** Loading all libraries and allocating their arrays. */
  load: 8_000 * patience,
  /** All rounds. */
  rounds: 8_000,
  /** One answer of a contestant. */
  call: 4_000 * patience,
} as const;
