/**
 * Axes: a number, which counts from the last axis if it is negative, or a name.
 * All functions with an axis argument use this file, so they throw the same error for an axis that does not exist.
 */

import { nearest } from "../base/arguments.ts";
import { IndexError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { describeValue } from "./describe-value.ts";

/** An index (negative: from the end) or, for a tensor with named axes, a name. */
export type Axis = number | string;

interface Axed {
  readonly rank: number;
  readonly names: readonly (string | null)[] | null;
}

/** The index of an axis, from 0 to rank - 1; `extra` more indices are allowed (unsqueeze). */
export function axisOf(who: string, t: Axed, axis: Axis, extra = 0): number {
  if (typeof axis === "string") return namedAxis(who, t, axis);
  // A scalar has the axes 0 and -1, as in PyTorch.
  const count = Math.max(t.rank + extra, 1);
  const isNumber = typeof axis === "number";
  const at = isNumber && axis < 0 ? axis + count : axis;
  if (Number.isInteger(axis) && at >= 0 && at < count) return at;
  throw new IndexError(
    isNumber
      ? `${who}: axis ${axis} is out of range, expected ${-count} to ${count - 1}`
      : `${who}: an axis must be a number or a name, got ${describeValue(axis)}`,
  );
}

/** The index of an axis of a tensor; throws for a 0-d tensor. */
export function properAxisOf(who: string, t: Axed, axis: Axis): number {
  if (t.rank === 0) throw new IndexError(`${who}: the tensor has no axes`);
  return axisOf(who, t, axis);
}

function namedAxis(who: string, { names }: Axed, axis: string): number {
  const at = names === null ? -1 : names.indexOf(axis);
  if (at >= 0) return at;
  if (names === null)
    throw new IndexError(
      `${who}: there is no axis '${axis}'; the tensor's axes have no names. Name them: rename([...])`,
    );
  const known = names.filter((name) => name !== null);
  const guess = nearest(axis, known);
  throw new IndexError(
    `${who}: there is no axis '${axis}'; the axes are [${names.map((name) => name ?? "_").join(", ")}].${guess === undefined ? "" : ` Did you mean '${guess}'?`}`,
  );
}

/** The indices of several axes, each at most once. */
export function axesOf(who: string, t: Axed, axes: readonly Axis[]): number[] {
  const result: number[] = [];
  for (const axis of Array.isArray(axes) ? axes : [axes]) {
    const at = axisOf(who, t, axis);
    if (result.includes(at)) throw new IndexError(`${who}: axis ${axis} appears twice in ${show(axes)}`);
    result.push(at);
  }
  return result;
}
