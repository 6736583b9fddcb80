/**
 * Calls of public functions with arguments that no type would allow, drawn from a fixed list with a seed.
 * A call ends well if it returns, or throws an error of this library: an engine's own TypeError names neither the function nor the rule.
 */
import { InternalError, StridewiseError } from "../../src/base/errors.ts";

/** One argument, and how a program writes it. */
export interface Junk {
  readonly text: string;
  readonly value: unknown;
}

/** A function to call, and the name to report it by. */
export interface Target {
  readonly name: string;
  readonly call: (...args: readonly unknown[]) => unknown;
}

/** Uniform integers below a bound: the multiplicative generator of Park and Miller. */
export function drawsFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
}

/** True if a stranger can tell from the error which call was wrong: it is this library's, and not reported as its bug. */
const isNamed = (error: unknown): boolean => error instanceof StridewiseError && !(error instanceof InternalError);

/** Calls a function, and returns the line that reports it if an error of the engine came out; a promise is awaited. */
export async function callWith({ name, call }: Target, args: readonly Junk[]): Promise<string | null> {
  try {
    const result = call(...args.map(({ value }) => value));
    if (result instanceof Promise) await result;
    return null;
  } catch (error) {
    if (isNamed(error)) return null;
    return `${name}(${args.map(({ text }) => text).join(", ")}): ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}

/** Every list of at most one argument, then `count` lists of 2 to 4 that `draw` chooses; half of those start as a valid call does. */
export function* argumentLists(
  junk: readonly Junk[],
  valid: readonly Junk[],
  count: number,
  draw: (bound: number) => number,
): Generator<readonly Junk[]> {
  const all = [...junk, ...valid];
  const one = (of: readonly Junk[]): Junk => of[draw(of.length)] as Junk;
  yield [];
  yield [{ text: "null", value: null }];
  for (const junk of all) yield [junk];
  for (let i = 0; i < count; i++)
    yield [one(draw(2) === 0 ? valid : all), ...Array.from({ length: 1 + draw(3) }, () => one(all))];
}
