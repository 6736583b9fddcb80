/**
 * Orders of coordinates: lexicographic (row-major), colexicographic (column-major) and element-wise.
 * A coordinate that runs out of modes first is the smaller one. Numbers only: an order of symbols is not known.
 */
import { ShapeError } from "../base/errors.ts";
import { equalInt, type Int, valueOf } from "./int.ts";
import { type IntTuple, isTuple } from "./tuple.ts";

type Modes = readonly IntTuple[];

function equalCoords(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return equalInt(a as Int, b as Int) === true;
  return (
    isTuple(a) &&
    isTuple(b) &&
    a.length === b.length &&
    (a as Modes).every((mode, i) => equalCoords(mode, (b as Modes)[i] as IntTuple))
  );
}

/** Compares modes in the order that `pick` gives until one decides. */
function orderedLess(a: IntTuple, b: IntTuple, pick: (modes: Modes, step: number) => IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return valueOf(a as Int) < valueOf(b as Int);
  if (!isTuple(a) || !isTuple(b))
    throw new ShapeError("an integer and a tuple have no order; compare coordinates of one profile");
  for (let step = 0; ; step++) {
    if (step === b.length) return false;
    if (step === a.length) return true;
    const x = pick(a as Modes, step);
    const y = pick(b as Modes, step);
    if (orderedLess(x, y, pick)) return true;
    if (!equalCoords(x, y)) return false;
  }
}

/** a comes before b when the first mode matters most. */
export const lexLess = (a: IntTuple, b: IntTuple): boolean =>
  orderedLess(a, b, (modes, step) => modes[step] as IntTuple);
/** a comes before b when the last mode matters most. */
export const colexLess = (a: IntTuple, b: IntTuple): boolean =>
  orderedLess(a, b, (modes, step) => modes[modes.length - 1 - step] as IntTuple);

/** Every mode of a is less than the mode of b in its place; b may have further modes. */
export function elemLess(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return valueOf(a as Int) < valueOf(b as Int);
  if (!isTuple(a) || !isTuple(b))
    throw new ShapeError("elemLess: an integer and a tuple cannot be compared; give coordinates of one profile");
  return a.length <= b.length && (a as Modes).every((mode, i) => elemLess(mode, (b as Modes)[i] as IntTuple));
}

export const lexLeq = (a: IntTuple, b: IntTuple): boolean => !lexLess(b, a);
export const lexGtr = (a: IntTuple, b: IntTuple): boolean => lexLess(b, a);
export const lexGeq = (a: IntTuple, b: IntTuple): boolean => !lexLess(a, b);
export const colexLeq = (a: IntTuple, b: IntTuple): boolean => !colexLess(b, a);
export const colexGtr = (a: IntTuple, b: IntTuple): boolean => colexLess(b, a);
export const colexGeq = (a: IntTuple, b: IntTuple): boolean => !colexLess(a, b);
export const elemLeq = (a: IntTuple, b: IntTuple): boolean => !elemLess(b, a);
export const elemGtr = (a: IntTuple, b: IntTuple): boolean => elemLess(b, a);
export const elemGeq = (a: IntTuple, b: IntTuple): boolean => !elemLess(a, b);
