/**
 * Orders of coordinates: lexicographic (row-major), colexicographic (column-major) and element-wise.
 * A coordinate that runs out of modes first is the smaller one. a > b is b < a. Numbers only: an order of symbols is not known.
 */
import { equalInt, type Int, valueOf } from "./int.ts";
import { differingRanks, type IntTuple, isTuple } from "./tuple.ts";

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
  if (!isTuple(a) || !isTuple(b)) throw differingRanks("compare", a, b);
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
  if (!isTuple(a) || !isTuple(b)) throw differingRanks("elemLess", a, b);
  return a.length <= b.length && (a as Modes).every((mode, i) => elemLess(mode, (b as Modes)[i] as IntTuple));
}

export const lexLeq = (a: IntTuple, b: IntTuple): boolean => !lexLess(b, a);
export const colexLeq = (a: IntTuple, b: IntTuple): boolean => !colexLess(b, a);
/** Not every mode of b is less than that of a: CuTe's definition, which is no order of tuples. */
export const elemLeq = (a: IntTuple, b: IntTuple): boolean => !elemLess(b, a);
