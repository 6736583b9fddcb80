/**
 * Compares several ways to do one thing. Rounds are interleaved, each in a different order of contenders, so that a
 * busy moment of the machine affects all of them. The median of the rounds counts; the ratio to the first contender is
 * more reliable than the times. Results are kept alive, so that no contender is optimized away.
 */
import os from "node:os";

export type Contender = () => unknown;

export interface CompareOptions {
  readonly rounds?: number;
  /** The minimum time of one contender in one round. */
  readonly sampleMilliseconds?: number;
}

export interface Measurement {
  readonly name: string;
  readonly nanoseconds: number;
  /** Its time over the first contender's time. */
  readonly ratio: number;
}

let lastResult: unknown;

/** The machine, the runtime and the load: times are meaningless without them. */
export function describeMachine(): string {
  const cpus = os.cpus();
  const load = os.loadavg().map((average) => average.toFixed(2));
  return `${cpus[0]?.model.trim() ?? "unknown CPU"} x ${cpus.length}, node ${process.version}, load ${load.join(" ")}`;
}

/** Measures the contenders, prints one row for each, and returns the rows. A contender may return a promise. */
export async function compare(
  title: string,
  contenders: Readonly<Record<string, Contender>>,
  { rounds = 15, sampleMilliseconds = 20 }: CompareOptions = {},
): Promise<readonly Measurement[]> {
  const entrants = [];
  for (const [name, contender] of Object.entries(contenders)) {
    entrants.push({
      name,
      contender,
      calls: await callsToFill(contender, sampleMilliseconds),
      samples: [] as number[],
    });
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entrants.length; turn++) {
      const entrant = entrants[(round + turn) % entrants.length];
      if (entrant) entrant.samples.push((await timeCalls(entrant.contender, entrant.calls)) / entrant.calls);
    }
  }
  const medians = entrants.map(({ samples }) => median(samples));
  const measurements = entrants.map(({ name }, index) => {
    const nanoseconds = medians[index] ?? Number.NaN;
    return { name, nanoseconds, ratio: nanoseconds / (medians[0] ?? Number.NaN) };
  });
  printTable(title, measurements);
  return measurements;
}

/** Returns the nanoseconds for `calls` calls. */
async function timeCalls(contender: Contender, calls: number): Promise<number> {
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) {
    lastResult = contender();
    if (lastResult instanceof Promise) lastResult = await lastResult;
  }
  return Number(process.hrtime.bigint() - start);
}

/** Doubles the number of calls until they fill a sample, which also warms up the contender. */
async function callsToFill(contender: Contender, sampleMilliseconds: number): Promise<number> {
  let calls = 1;
  while ((await timeCalls(contender, calls)) < sampleMilliseconds * 1e6) calls *= 2;
  return calls;
}

/** The middle of the sorted samples. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function printTable(title: string, measurements: readonly Measurement[]): void {
  const width = Math.max(...measurements.map(({ name }) => name.length));
  console.log(`\n${title}\n${describeMachine()}`);
  for (const { name, nanoseconds, ratio } of measurements) {
    console.log(`  ${name.padEnd(width)}  ${readable(nanoseconds).padStart(10)}  ${ratio.toFixed(2).padStart(7)}x`);
  }
}

function readable(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(1)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(1)} µs`;
  return `${(nanoseconds / 1e6).toFixed(2)} ms`;
}
