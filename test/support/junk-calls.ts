/**
 * Calls of public functions with arguments that no type allows, drawn from a fixed list with a seed. A call passes if
 * it returns, or throws an error of this library: an engine's own TypeError names neither the function nor the rule.
 */
import { InternalError, StridewiseError } from "../../src/base/errors.ts";

/** One argument, and its source text. */
export interface Junk {
  readonly text: string;
  readonly value: unknown;
}

/** A function to call, and its name in reports. */
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

/** True if the error identifies the wrong call: it is this library's, and not reported as its bug. */
const isNamed = (error: unknown): boolean => error instanceof StridewiseError && !(error instanceof InternalError);

/** Calls a function, and returns a line that reports an error of the engine, if any; a promise is awaited. */
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

/**
 * Every list of at most one argument, then `count` lists of 2 to 4 drawn by `draw`; half of those start like a valid
 * call.
 */
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
