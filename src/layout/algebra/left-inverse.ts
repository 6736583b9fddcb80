/**
 * The left inverse of a layout: from offsets to indices.
 *
 * R = leftInverse(L): L(R(L(i))) = L(i) for every i; if L is injective, R(L(i)) = i.
 * If L is injective up to its stride-0 modes, and its offsets span less than `searchLimit` or each stride divides the next larger one, it
 * throws if and only if no such R exists. Beyond that span an answer in a different radix may be missed.
 * If L is not injective, subsets of its modes are tried; each candidate is checked against the definition.
 *
 * The search solves linear equations over the integers, one at a time. The solutions so far are a point plus any integer
 * combination of free directions; each equation fixes at most one direction, by Euclid's algorithm on their contributions.
 */
import { listOf } from "../../base/list-of.ts";
import { isBasis } from "../basis.ts";
import { formatLayout } from "../format.ts";
import { _0, _1, div, dividesInt, type Int, int, isZero, knownValue, lessEqualInt, mul, valueOf } from "../int.ts";
import { type AnyLayout, checkLayout, isComposed, type Layout } from "../layout.ts";
import { isStatic, offsetAt, offsets } from "../queries.ts";
import { refuse, type Trace } from "../trace.ts";
import { fromModes, type Mode, mergeModes } from "./coalesce.ts";
import { composeWithSwizzle } from "./composition.ts";
import { isInjective } from "./predicates.ts";
import { type SteppedMode, sortByStride, steppedModes, swizzleToInvert } from "./right-inverse.ts";

/** The span of offsets below which every radix is tried. */
const searchLimit = 256;

export function leftInverse(layout: Layout, trace?: Trace): Layout;
export function leftInverse(layout: AnyLayout, trace?: Trace): AnyLayout;
export function leftInverse(layout: AnyLayout, trace?: Trace): AnyLayout {
  checkLayout("leftInverse", layout);
  if (isComposed(layout))
    return composeWithSwizzle(
      leftInverse(layout.inner, trace),
      swizzleToInvert("leftInverse", layout),
      offsets(layout),
    );
  const modes = steppedModes(layout).filter((mode) => isBasis(mode.stride) || !isZero(mode.stride));
  trace?.note("filter", layout, modes);
  const unknown = modes.find((mode) => isBasis(mode.stride) || knownValue(mode.stride) === undefined);
  if (unknown && (modes.length > 1 || isBasis(unknown.stride) || !lessEqualInt(1, unknown.stride)))
    throw refuse(
      "leftInverse",
      "missing fact",
      { stride: unknown.stride },
      `${unknown.stride} in ${formatLayout(layout)} must be a positive number`,
    );
  const answer = invert(layout, modes, trace);
  trace?.note("result", answer);
  return answer;
}

function invert(layout: Layout, modes: readonly SteppedMode[], trace?: Trace): Layout {
  const sorted = modes.length === 1 ? modes : sortByStride(modes);
  // A chain of strides is injective if and only if it is spread.
  if (isChain(sorted) && isSpread(sorted)) return digits(sorted, trace);
  const unknown = modes.find((mode) => knownValue(mode.size) === undefined);
  if (unknown)
    throw refuse(
      "leftInverse",
      "missing fact",
      { size: unknown.size },
      `${unknown.size} in ${formatLayout(layout)} must be a number`,
    );
  const injective = isInjective(fromModes(modes));
  const searched = injective ? search(modes, trace) : chooseModes(layout, sorted, trace);
  if (searched) return searched;
  throw refusal(layout, modes, injective);
}

/** Tries subsets of the modes: the unbounded last mode, or one of several modes with equal strides, can replace others. */
function chooseModes(layout: Layout, sorted: readonly SteppedMode[], trace?: Trace): Layout | undefined {
  const open = sortByStride(steppedModes(layout, true).filter((mode) => !isZero(mode.stride as Int)));
  const chosen = [sorted, ...choices(open)].find((some) => isChain(some) && isQuasiInverse(layout, digits(some)));
  return chosen && digits(chosen, trace);
}

/** Returns every subset of the modes, the full set first. With more than 10 modes, returns only the full set. */
function choices(modes: readonly SteppedMode[]): SteppedMode[][] {
  const all = 2 ** modes.length;
  return listOf(modes.length > 10 ? 1 : all, (k) => modes.filter((_mode, i) => ((all - 1 - k) >> i) & 1));
}

/** Returns true if all strides are positive and each divides the next. */
const isChain = (sorted: readonly SteppedMode[]): boolean =>
  sorted.every(
    ({ stride }, i) =>
      lessEqualInt(1, stride as Int) && (i === 0 || dividesInt(sorted[i - 1].stride as Int, stride as Int)),
  );

/** Returns true if each mode ends before the next larger stride, so that no two coordinates share an offset. */
const isSpread = (sorted: readonly SteppedMode[]): boolean =>
  sorted.every(
    ({ size, stride }, i) =>
      i + 1 === sorted.length || lessEqualInt(mul(size, stride as Int), sorted[i + 1].stride as Int),
  );

/** Returns the error, which names the strides and the extent of the search. */
function refusal(layout: Layout, modes: readonly SteppedMode[], injective: boolean): Error {
  const strides = sortByStride(modes).map((mode) => mode.stride);
  const reach = span(modes);
  return refuse(
    "leftInverse",
    injective ? "stride divisibility" : "injectivity",
    { strides },
    injective
      ? `the strides ${strides.join(", ")} of ${formatLayout(layout)} do not divide each other, and ${reach < searchLimit ? "no other radix works" : `the offsets span ${reach}, over ${searchLimit}, so no other was tried`}`
      : `${formatLayout(layout)} is not injective, and no inverse was found`,
  );
}

const span = (modes: readonly SteppedMode[]): number =>
  modes.reduce((sum, mode) => sum + (valueOf(mode.size) - 1) * Math.abs(valueOf(mode.stride as Int)), 0);

/** Maps the digits of an offset in the radix of the strides to the index steps of their modes. Each stride divides the next. */
function digits(sorted: readonly SteppedMode[], trace?: Trace): Layout {
  const result: Mode[] = [];
  let placeValue: Int = _1;
  let step: Int = _0;
  for (const mode of sorted) {
    const d = mode.stride as Int;
    trace?.note("digit", mode.size, d, mode.step);
    result.push({ size: div(d, placeValue), stride: step });
    step = mode.step;
    placeValue = d;
  }
  const last = sorted.at(-1);
  if (last) result.push({ size: last.size, stride: step });
  return fromModes(mergeModes(result));
}

/** Checks the definition: L(R(L(i))) = L(i) for every i of the domain. */
const isQuasiInverse = (layout: Layout, inverse: Layout): boolean =>
  offsets(layout).every((offset) => offsetAt(layout, offsetAt(inverse, offset)) === offset);

/** Tries every radix: for each, the strides of R solve one linear equation per offset. */
function search(modes: readonly SteppedMode[], trace?: Trace): Layout | undefined {
  const reach = span(modes);
  if (reach >= searchLimit) return undefined;
  const indices = offsets(fromModes(modes.map(({ size, step }) => ({ size, stride: step }))));
  const points = offsets(fromModes(modes)).map((offset, i) => [offset, indices[i]] as const);
  points.sort(([a], [b]) => Math.abs(a) - Math.abs(b));
  const allStatic = isStatic(fromModes(modes));
  const toInt = (n: number): Int => (allStatic ? int(n) : n);
  for (let length = 0; 2 ** length <= reach; length++) {
    const radix = withRadix([], length, reach, points);
    if (!radix) continue;
    const layout = fromModes(
      mergeModes(radix.map(({ size, stride }) => ({ size: toInt(size), stride: toInt(stride) }))),
    );
    trace?.note(
      "other radix",
      radix.map((mode) => mode.size),
      layout,
    );
    return layout;
  }
  return undefined;
}

type Numbers = { readonly size: number; readonly stride: number };

function withRadix(
  sizes: readonly number[],
  more: number,
  largest: number,
  points: readonly (readonly [number, number])[],
): Numbers[] | undefined {
  if (more > 0) {
    for (let size = 2; size <= largest; size++) {
      const radix = withRadix([...sizes, size], more - 1, Math.floor(largest / size), points);
      if (radix) return radix;
    }
    return undefined;
  }
  let solutions = everything(sizes.length + 1);
  for (const [offset, index] of points) {
    let rest = offset;
    const digitsOf = sizes.map((size) => {
      const digit = rest % size;
      rest = (rest - digit) / size;
      return digit;
    });
    const next = constrain(solutions, [...digitsOf, rest], index);
    if (!next) return undefined;
    solutions = next;
  }
  const last =
    Math.floor(Math.max(...points.map(([offset]) => Math.abs(offset))) / sizes.reduce((a, b) => a * b, 1)) + 1;
  return [...sizes, last].map((size, i) => ({ size, stride: solutions.point[i] }));
}

interface Solutions {
  readonly point: readonly number[];
  readonly free: readonly (readonly number[])[];
}

/** Returns the set of all vectors of `count` integers. */
function everything(count: number): Solutions {
  const unit = (i: number) => listOf(count, (k) => (k === i ? 1 : 0));
  return { point: new Array<number>(count).fill(0), free: listOf(count, (i) => unit(i)) };
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
const addTimes = (a: readonly number[], b: readonly number[], times: number): number[] =>
  a.map((x, i) => x + times * b[i]);

/** Returns the solutions that also satisfy coefficients . x = value, or undefined if there are none. */
function constrain(solutions: Solutions, coefficients: readonly number[], value: number): Solutions | undefined {
  const missing = value - dot(coefficients, solutions.point);
  const free = [...solutions.free];
  let pivot = -1;
  for (let i = 0; i < free.length; i++) {
    if (dot(coefficients, free[i]) === 0) continue;
    if (pivot < 0) {
      pivot = i;
      continue;
    }
    // Euclid on the two contributions, until one direction contributes nothing.
    for (;;) {
      const x = dot(coefficients, free[pivot]);
      const y = dot(coefficients, free[i]);
      if (y === 0) break;
      const remainder = addTimes(free[pivot], free[i], -Math.trunc(x / y));
      free[pivot] = free[i];
      free[i] = remainder;
    }
  }
  if (pivot < 0) return missing === 0 ? solutions : undefined;
  const direction = free[pivot];
  const step = missing / dot(coefficients, direction);
  if (!Number.isInteger(step)) return undefined;
  free.splice(pivot, 1);
  return { point: addTimes(solutions.point, direction, step), free };
}
