/**
 * What layers ask of their inputs, sizes and numbers of axes, and of their settings. An error names the layer, what it expects, what came, and what to do.
 */
import { ShapeError, StridewiseError, Tensor } from "../index.ts";
import { foreign, shown } from "./print.ts";

const show = (t: Tensor): string => `[${t.shape.join(", ")}]`;

/** Refuses an input that is no tensor. */
export function checkTensor(who: string, x: unknown): void {
  if (x instanceof Tensor) return;
  const got = Array.isArray(x) ? "a list. Write tensor(list)" : foreign(x) || `${x === null ? "null" : typeof x}`;
  throw new StridewiseError(`${who}: the input is a tensor, got ${got}`);
}

/** Refuses a tensor, or anything else that is no record, in the place of options: it would go unnoticed. */
export function checkCall(who: string, call: unknown, example: string): void {
  if (typeof call === "object" && call !== null && !(call instanceof Tensor)) return;
  const got = call instanceof Tensor ? `a tensor of shape ${show(call)}` : String(call);
  throw new StridewiseError(`${who}: masks are given by name, as in { ${example} }, got ${got}`);
}

/** Refuses options by names that are not known, which would do nothing, and what is no record of options. */
export function checkOptions<O extends object>(who: string, options: O, known: Readonly<Record<keyof O, 0>>): void {
  const names = Object.keys(known).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new StridewiseError(`${who}: options are given by name, { ${names} }, got ${shown(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new StridewiseError(`${who}: there is no option ${name}; the options are ${names}`);
}

/** Refuses an input whose axis has another size. */
export function checkSize(who: string, x: Tensor, axis: number, size: number, advice = ""): void {
  checkTensor(who, x);
  const at = axis < 0 ? x.rank + axis : axis;
  const has = x.shape[at];
  if (has === size) return;
  const name = axis === -1 ? "the last axis" : `axis ${at}`;
  throw new ShapeError(
    `${who}: ${name} of the input is ${has ?? "missing"}, not ${size}: it has the shape ${show(x)}.${advice && ` ${advice}`}`,
  );
}

/** Refuses an input whose number of axes is none of these. */
export function checkRank(who: string, x: Tensor, ranks: readonly number[], expected: string): void {
  checkTensor(who, x);
  if (ranks.includes(x.rank)) return;
  throw new ShapeError(
    `${who}: the input has ${x.rank} axes, not ${ranks.join(" or ")}: it has the shape ${show(x)}, expected is ${expected}.`,
  );
}

/** Refuses sizes that are not whole and positive. */
export function checkCounts(who: string, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isSafeInteger(count) || count < 1)
      throw new StridewiseError(`${who}: ${name} is a positive integer, got ${shown(count)}`);
}

/** Refuses a number that does not divide another. */
export function checkDivides(who: string, what: string, count: number, by: string, parts: number): void {
  if (Number.isSafeInteger(parts) && parts > 0 && count % parts === 0) return;
  throw new StridewiseError(`${who}: ${what} ${count} is not divisible by ${by} ${parts}. Take a divisor of ${count}`);
}
