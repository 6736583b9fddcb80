/**
 * The method. Every contestant warms up and its result is checked. Then come rounds in which everyone has one turn,
 * each round in a different order, so that a busy moment of the machine affects all of them. A turn is as many calls as
 * fill `turnNanoseconds`. The medians of the turns count; minima are kept. Much slower contestants have fewer turns, so
 * that the time is spent where the race is close. Rounds end with the row's time limit, after everyone has had one
 * turn.
 */
import { setTimeout as pause } from "node:timers/promises";
import { median } from "../harness.ts";
import { type Contestant, element, product, type Row } from "../rows/row.ts";
import { limits } from "./limits.ts";
import type { Runner } from "./process.ts";
import type { Entrant } from "./start.ts";

/** Nanoseconds of one call. */
export interface Time {
  readonly name: Contestant;
  readonly version: string;
  readonly median: number;
  readonly minimum: number;
}
export interface Result {
  readonly times: readonly Time[];
  readonly absent: readonly { readonly name: Contestant; readonly absent: string }[];
}

const turnNanoseconds = 25e6;
const maxRounds = 25;
/** A call of this length is the contestant's only turn. */
const verySlow = 1e9;
/** A contestant slower than the fastest by this factor has turns of this total length, but at least one. */
const farBehind = { times: 3, nanoseconds: 0.5e9 } as const;

interface Racer {
  readonly name: Contestant;
  readonly runner: Runner;
  readonly calls: number;
  /** Nanoseconds of the fastest call during the warm-up. */
  readonly each: number;
  readonly samples: number[];
  /** Whether it has died or does not answer. */
  left: boolean;
}

export async function race(row: Row, entrants: readonly Entrant[], end: number): Promise<Result> {
  const absent: Result["absent"][number][] = [];
  const racers: Racer[] = [];
  const check = resultCheck(row);
  for (const entrant of entrants) {
    if ("absent" in entrant) absent.push(entrant);
    else await warmUp(row, entrant, end, check).then((racer) => racers.push(racer), leave(entrant));
  }
  const stop = Math.min(end, performance.now() + limits.rounds);
  const fastest = Math.min(...racers.map(({ each }) => each));
  for (let round = 0; round === 0 || (round < maxRounds && performance.now() < stop); round++) {
    for (let turn = 0; turn < racers.length; turn++) {
      const racer = racers[(round + turn) % racers.length] as Racer;
      const more = racer.samples.length < (performance.now() < stop ? turnsOf(racer, fastest) : 1);
      if (more && !racer.left) await takeTurn(racer).catch(leave(racer));
    }
  }
  for (const entrant of entrants) if ("runner" in entrant) entrant.runner.stop();
  return { times: racers.filter(({ left }) => !left).map(timeOf), absent };

  function leave(who: Pick<Racer, "name" | "runner"> & { left?: boolean }): (error: Error) => void {
    return (error) => {
      who.left = true;
      who.runner.stop();
      absent.push({ name: who.name, absent: error.message });
    };
  }
}

function turnsOf({ each, calls }: Racer, fastest: number): number {
  if (each <= farBehind.times * fastest) return maxRounds;
  return Math.min(maxRounds, Math.max(1, Math.floor(farBehind.nanoseconds / (each * calls))));
}

const timeOf = ({ name, runner, samples }: Racer): Time => ({
  name,
  version: runner.version,
  median: median(samples),
  minimum: Math.min(...samples),
});

/** Pause first: the previous contestant may still be collecting garbage on its own threads. */
async function takeTurn({ runner, calls, samples }: Racer): Promise<void> {
  await pause(2);
  samples.push((await runner.run(calls, limits.call)) / calls);
}

/**
 * Runs until the engine has had time to optimize and the calls fill a turn. The fastest run counts, because the machine
 * may have delayed a slow one.
 */
async function warmUp(
  row: Row,
  { name, runner }: Pick<Racer, "name" | "runner">,
  end: number,
  check: (runner: Runner) => Promise<void>,
): Promise<Racer> {
  let calls = 1;
  let each = await runner.run(1, limits.call);
  await check(runner);
  const isVerySlow = each > verySlow;
  const enough = (row.warmMilliseconds ?? 200) * 1e6;
  for (let spent = 0; !isVerySlow && performance.now() < end; ) {
    if (spent > enough && 2 * calls * each >= turnNanoseconds) break;
    calls = Math.ceil(Math.min(4 * calls, turnNanoseconds / each));
    const all = await runner.run(calls, limits.call);
    each = Math.min(each, all / calls);
    spent += all;
  }
  return { name, runner, calls, each, samples: isVerySlow ? [each] : [], left: false };
}

/** Returns a function that excludes a contestant whose result is wrong. Without expected values, the first result is right. */
function resultCheck(row: Row): (runner: Runner) => Promise<void> {
  const count = product(row.result);
  const indices = Array.from({ length: 64 }, (_, step) => Math.floor((step * (count - 1)) / 63));
  let right = row.expected === undefined ? null : indices.map((index) => expectedAt(row, index));
  return async (runner) => {
    const { length, values } = await runner.probe(indices, limits.call);
    if (length !== count) throw new Error(`its result has ${length} elements, not ${count}`);
    right ??= values.map((value) => value ?? Number.NaN);
    for (const [step, index] of indices.entries()) {
      const expected = right[step] as number;
      const value = values[step] ?? Number.NaN;
      if (!(Math.abs(value - expected) <= (row.tolerance ?? 2e-6) * Math.max(1, Math.abs(expected))))
        throw new Error(`its result is wrong: element ${index} is ${value}, not ${expected}`);
    }
  };
}

function expectedAt(row: Row, index: number): number {
  return (row.expected as NonNullable<Row["expected"]>)(coordOf(index, row.result), (name, at) =>
    element(
      name,
      at.reduce((offset, i, axis) => offset * (row.inputs[name]?.[axis] ?? 1) + i, 0),
    ),
  );
}

/** Row-major. */
function coordOf(index: number, shape: readonly number[]): readonly number[] {
  let rest = index;
  return shape
    .toReversed()
    .map((size) => {
      const i = rest % size;
      rest = Math.floor(rest / size);
      return i;
    })
    .reverse();
}
