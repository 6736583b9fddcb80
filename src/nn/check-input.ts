/**
 * Checks of the inputs and settings of layers. Errors name the layer, the expected and the actual value, and what to do.
 */
import { ShapeError, StridewiseError, Tensor } from "../index.ts";
import { foreign, shown } from "./print.ts";

const show = (t: Tensor): string => `[${t.shape.join(", ")}]`;

/** Throws unless the input is a tensor. */
export function checkTensor(who: string, x: unknown): void {
  if (x instanceof Tensor) return;
  const got = Array.isArray(x) ? "a list. Write tensor(list)" : foreign(x) || `${x === null ? "null" : typeof x}`;
  throw new StridewiseError(`${who}: the input must be a tensor, got ${got}`);
}

/** Throws unless the options of a call are an object. A tensor in their position would be ignored silently. */
export function checkCall(who: string, call: unknown, example: string): void {
  if (typeof call === "object" && call !== null && !(call instanceof Tensor)) return;
  const got = call instanceof Tensor ? `a tensor of shape ${show(call)}` : String(call);
  throw new StridewiseError(`${who}: masks must be an object, such as { ${example} }, got ${got}`);
}

/** Throws unless the options are an object with known names only. Others would be ignored silently. */
export function checkOptions<O extends object>(who: string, options: O, known: Readonly<Record<keyof O, 0>>): void {
  const names = Object.keys(known).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new StridewiseError(`${who}: options must be an object { ${names} }, got ${shown(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new StridewiseError(`${who}: there is no option ${name}; the options are ${names}`);
}

/** Throws unless the axis of the input has this size. */
export function checkSize(who: string, x: Tensor, axis: number, size: number, advice = ""): void {
  checkTensor(who, x);
  const at = axis < 0 ? x.rank + axis : axis;
  const has = x.shape[at];
  if (has === size) return;
  const name = axis === -1 ? "the last axis" : `axis ${at}`;
  const problem =
    has === undefined
      ? `has no ${name.replace("the ", "")}, which must have size ${size}`
      : `has size ${has} at ${name}, expected ${size}`;
  throw new ShapeError(`${who}: the input ${problem} (input shape ${show(x)}).${advice && ` ${advice}`}`);
}

/** Throws unless the input has one of these ranks. */
export function checkRank(who: string, x: Tensor, ranks: readonly number[], expected: string): void {
  checkTensor(who, x);
  if (ranks.includes(x.rank)) return;
  throw new ShapeError(
    `${who}: the input has rank ${x.rank}, expected ${ranks.join(" or ")}: ${expected} (input shape ${show(x)}).`,
  );
}

/** Throws unless the sizes are positive integers. */
export function checkCounts(who: string, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isSafeInteger(count) || count < 1)
      throw new StridewiseError(`${who}: ${name} must be a positive integer, got ${shown(count)}`);
}

/** Throws unless `parts` divides `count`. */
export function checkDivides(who: string, what: string, count: number, by: string, parts: number): void {
  if (Number.isSafeInteger(parts) && parts > 0 && count % parts === 0) return;
  throw new StridewiseError(`${who}: ${what} ${count} is not divisible by ${by} ${parts}. Use a divisor of ${count}`);
}
