/** What holds for the length of a call does not hold for a promise: it goes on after its first await, when the call is over. */
import { StridewiseError } from "../base/errors.ts";

/** True for a promise. Its rejection is handled: what it does from now on is of no interest. */
export function silencePromise(value: unknown): boolean {
  if (typeof (value as { then?: unknown } | null)?.then !== "function") return false;
  (value as PromiseLike<unknown>).then(undefined, () => undefined);
  return true;
}

/** The result of a function that ran under something that is over now; refuses a promise. */
export function refusePromise<T>(
  who: string,
  result: T,
  remedy = `Await before: const data = await load(); ${who}(() => ...)`,
): T {
  if (!silencePromise(result)) return result;
  throw new StridewiseError(
    `${who}: the function returned a promise, and after its first await it runs outside of ${who}. ${remedy}`,
  );
}
