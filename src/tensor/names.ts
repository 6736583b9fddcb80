/**
 * Named axes: optional, carried by views, accepted wherever an axis is. A name occurs once; a conflict is an error.
 * This file also has the rules for the names of results. They are PyTorch's where it supports named tensors; elsewhere ops that keep the axes
 * keep the names, and other ops drop them.
 */

import { ShapeError } from "../base/errors.ts";
import { listOf } from "../base/list-of.ts";
import { describeValue } from "./describe-value.ts";
import { extrasOf, sameView, type Tensor } from "./tensor.ts";

export type AxisName = string | null;

const isName = (name: unknown): name is AxisName =>
  name === null || (typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "_");

/** Sets the names of a new tensor. */
export function setNames(who: string, t: Tensor, names: readonly AxisName[] | null): void {
  if (names === null) {
    if (t.extras !== null) t.extras.names = null;
    return;
  }
  if (!Array.isArray(names)) throw new ShapeError(`${who}: names must be null or a list with one name for each axis`);
  if (names.length !== t.rank)
    throw new ShapeError(
      `${who}: names must have one entry per axis (${t.rank}), got ${names.length}: [${names.map((name) => name ?? "_").join(", ")}]`,
    );
  for (const [i, name] of names.entries()) {
    if (!isName(name))
      throw new ShapeError(`${who}: ${JSON.stringify(name)} is not a name; use letters, digits and _, or null`);
    if (name !== null && names.indexOf(name) !== i)
      throw new ShapeError(
        `${who}: the name '${name}' occurs twice, at axes ${names.indexOf(name)} and ${i}. Rename one of them`,
      );
  }
  extrasOf(t).names = names.every((name) => name === null) ? null : names.slice();
}

type Names = readonly AxisName[];

/** Gives a view the names of its source, if it has any, changed by `pick`. */
export function carryNames(view: Tensor, from: Tensor, pick: (names: Names) => Names = (names) => names): Tensor {
  if (from.extras !== null && from.extras.names !== null) setNames("names", view, pick(from.extras.names));
  return view;
}

/** The view of the same elements with these names; null removes them all. */
export function rename(t: Tensor, names: readonly AxisName[] | Readonly<Record<string, string>> | null): Tensor {
  const view = sameView(t);
  if (names === null || Array.isArray(names)) setNames("rename", view, names as readonly AxisName[] | null);
  else if (typeof names !== "object")
    throw new ShapeError(`rename: pass an array of names, { old: new }, or null for none, got ${describeValue(names)}`);
  else {
    const old = t.names ?? [];
    const map = names as Readonly<Record<string, string>>;
    for (const from of Object.keys(map))
      if (!old.includes(from))
        throw new ShapeError(
          `rename: there is no axis '${from}'; the axes are [${old.map((name) => name ?? "_").join(", ")}]`,
        );
    setNames(
      "rename",
      view,
      old.map((name) => (name !== null && Object.hasOwn(map, name) ? map[name] : name)),
    );
  }
  return view;
}

const namesOf = (t: Tensor): Names => t.names ?? new Array<null>(t.rank).fill(null);

/** Combines the names of two lists of axes, aligned at the last axis: they must be equal, or one absent. */
function unify(who: string, a: Names, b: Names): AxisName[] {
  const rank = Math.max(a.length, b.length);
  return listOf(rank, (i) => {
    const [x = null, y = null] = [a[i + a.length - rank], b[i + b.length - rank]];
    if (x !== null && y !== null && x !== y)
      throw new ShapeError(
        `${who}: axis ${i - rank} is '${x}' in one tensor and '${y}' in the other; rename one of them`,
      );
    return x ?? y;
  });
}

/** Combines the names of broadcast tensors, aligned at the last axis; null if none has names. */
export function unifyNames(who: string, ...tensors: readonly Tensor[]): Names | null {
  if (tensors.every((t) => t.names === null)) return null;
  return tensors.map(namesOf).reduce((a, b) => unify(who, a, b));
}

/** Returns the names after a reduction: those of the axes that remain, or all. */
export function reducedNames(t: Tensor, reduced: readonly number[], keepdims: boolean): Names | null {
  return t.names === null || keepdims ? t.names : t.names.filter((_, axis) => !reduced.includes(axis));
}

/** Returns the names of a matrix product: the combined names of the batch axes, of the rows of a, and of the columns of b. */
export function productNames(who: string, a: Tensor, b: Tensor): Names | null {
  if (a.names === null && b.names === null) return null;
  const [x, y] = [namesOf(a), namesOf(b)];
  return [...unify(who, x.slice(0, -2), y.slice(0, -2)), ...x.slice(-2, -1), ...(y.length > 1 ? y.slice(-1) : [])];
}
