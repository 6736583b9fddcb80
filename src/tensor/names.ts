/**
 * Named axes: optional, carried by views, usable wherever an axis is asked for. A name stands once; a conflict is an error.
 */
import { ShapeError } from "../base/errors.ts";
import { extrasOf, sameView, type Tensor } from "./tensor.ts";

export type AxisName = string | null;

const isName = (name: unknown): name is AxisName =>
  name === null || (typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "_");

/** Sets the names of a tensor that was just made. */
export function setNames(who: string, t: Tensor, names: readonly AxisName[] | null): void {
  if (names === null) {
    if (t.extras !== null) t.extras.names = null;
    return;
  }
  if (names.length !== t.rank)
    throw new ShapeError(
      `${who}: ${names.length} names for ${t.rank} axes, [${names.map((name) => name ?? "_").join(", ")}]`,
    );
  for (const [i, name] of names.entries()) {
    if (!isName(name))
      throw new ShapeError(`${who}: ${JSON.stringify(name)} is not a name; use letters, digits and _, or null`);
    if (name !== null && names.indexOf(name) !== i)
      throw new ShapeError(`${who}: the name '${name}' stands twice, at axes ${names.indexOf(name)} and ${i}`);
  }
  extrasOf(t).names = names.every((name) => name === null) ? null : names.slice();
}

/** Gives a view the names that `pick` makes of its source's, if that has any. */
export function carryNames(
  view: Tensor,
  from: Tensor,
  pick: (names: readonly AxisName[]) => readonly AxisName[],
): Tensor {
  if (from.extras !== null && from.extras.names !== null) setNames("names", view, pick(from.extras.names));
  return view;
}

/** The view of the same elements with these names; null removes them all. */
export function rename(t: Tensor, names: readonly AxisName[] | Readonly<Record<string, string>> | null): Tensor {
  const view = sameView(t);
  if (names === null || Array.isArray(names)) setNames("rename", view, names as readonly AxisName[] | null);
  else if (typeof names !== "object")
    throw new ShapeError(`rename: give an array of names, { old: new }, or null for none, got ${String(names)}`);
  else {
    const old = t.names ?? [];
    const map = names as Readonly<Record<string, string>>;
    for (const from of Object.keys(map))
      if (!old.includes(from))
        throw new ShapeError(
          `rename: there is no axis '${from}', the axes are [${old.map((name) => name ?? "_").join(", ")}]`,
        );
    setNames(
      "rename",
      view,
      old.map((name) => (name !== null && Object.hasOwn(map, name) ? (map[name] as string) : name)),
    );
  }
  return view;
}

/** Names of two tensors that are combined axis by axis from the back: equal, or one of them absent. */
export function unifyNames(who: string, a: Tensor, b: Tensor): readonly AxisName[] | null {
  if (a.names === null) return b.names;
  if (b.names === null) return a.names;
  const rank = Math.max(a.rank, b.rank);
  const at = (t: Tensor, back: number): AxisName => t.names?.[t.rank - back] ?? null;
  return Array.from({ length: rank }, (_, i) => {
    const [x, y] = [at(a, rank - i), at(b, rank - i)];
    if (x !== null && y !== null && x !== y)
      throw new ShapeError(
        `${who}: axis ${i - rank} is '${x}' in one tensor and '${y}' in the other; rename one of them`,
      );
    return x ?? y;
  });
}
