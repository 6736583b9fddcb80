/**
 * Flat modes as plain numbers, for decisions by value. Coordinate strides are packed into one number, each component in its
 * own band, wide enough that sums and multiples within the domain never overflow into the next.
 *
 * The coalesced layout of a function is unique, so it can be computed from the values: the first mode is the longest run with
 * one step, and the rest is the layout of the first values of the runs. This is exact for any numbers and reads every value;
 * the algebra uses it where its divisibility rules do not apply.
 */
import { isBasis, ScaledBasis, type StrideLeaf } from "../basis.ts";
import { type Int, isStaticInt, knownValue, valueOf } from "../int.ts";
import { refuse } from "../trace.ts";
import type { Mode } from "./coalesce.ts";

export interface Encoding {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly allStatic: boolean;
  /** The stride that an encoded number stands for. */
  decode(value: number, mark: (n: number) => Int): StrideLeaf;
}

export const valueOfStride = (stride: StrideLeaf): Int => (isBasis(stride) ? stride.value : stride);
export const pathOf = (stride: StrideLeaf): string => (isBasis(stride) ? stride.path.join() : "");

/** True if and only if every size and stride is a number. */
export const areNumbers = (modes: readonly Mode[]): boolean =>
  modes.every(({ size, stride }) => knownValue(size) !== undefined && knownValue(valueOfStride(stride)) !== undefined);

/** Returns the modes as numbers; throws in the name of `who` if one is symbolic. */
export function encodeModes(modes: readonly Mode[], who: string): Encoding {
  const sizes = modes.map((mode) => valueOf(mode.size, who));
  const strides = modes.map((mode) => valueOf(valueOfStride(mode.stride), who));
  const paths = [...new Set(modes.map((mode) => pathOf(mode.stride)))];
  const allStatic = modes.every((mode) => isStaticInt(mode.size) && isStaticInt(valueOfStride(mode.stride)));
  if (paths.join() === "") return { sizes, strides, allStatic, decode: (value, mark) => mark(value) };
  const reach = sizes.reduce((total, size, i) => total + size * Math.abs(strides[i]), 1);
  const band = 2 ** Math.ceil(Math.log2(reach) + 4);
  if (band ** paths.length > 2 ** 53) throw refuse(who, "size", {}, `coordinate strides reach ${reach}, too far`);
  return {
    sizes,
    strides: strides.map((stride, i) => stride * band ** paths.indexOf(pathOf(modes[i].stride))),
    allStatic,
    decode(value, mark) {
      const power = value === 0 ? 0 : paths.findIndex((_path, p) => Math.abs(value) < band ** (p + 1) / 2);
      const unit = band ** power;
      if (value % unit !== 0) throw refuse(who, "mixed coordinates", {}, "a step would move in two coordinates");
      const path = paths[power];
      return path === "" ? mark(value / unit) : new ScaledBasis(mark(value / unit), path.split(",").map(Number));
    },
  };
}

/** Returns the offset of an index in flat modes: rounded toward zero for negative indices, open at the end. */
export function offsetOfIndex(encoding: Encoding, index: number): number {
  const { sizes, strides } = encoding;
  const last = sizes.length - 1;
  let rest = index;
  let offset = 0;
  for (let t = 0; t < last; t++) {
    const size = sizes[t];
    const digit = rest % size;
    offset += digit * strides[t];
    rest = (rest - digit) / size;
  }
  return offset + rest * strides[last];
}

/** The first offset that no layout with the offsets before it has. */
export interface Misfit {
  readonly index: number;
  readonly expected: number;
  readonly actual: number;
  readonly text: string;
}

export interface Fit {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
}

/**
 * Returns the flat coalesced layout with result(i) = f(i) for 0 <= i < count, or the misfit if there is none.
 * f(0) must be 0. The first `straight` values are known to have one step.
 */
export function fitLayout(count: number, f: (index: number) => number, straight = 2): Fit | Misfit {
  const sizes: number[] = [];
  const strides: number[] = [];
  let unit = 1;
  let rest = count;
  while (rest > 1) {
    const stride = f(unit);
    let run = unit === 1 ? Math.min(Math.max(straight, 2), rest) : 2;
    while (run < rest && f(run * unit) === run * stride) run++;
    if (rest % run !== 0)
      return {
        index: run * unit,
        expected: run * stride,
        actual: f(run * unit),
        text: `after ${run} offsets with step ${stride} comes ${f(run * unit)}, but ${run} does not divide ${rest}`,
      };
    for (let index = run * unit; index < count; index += unit) {
      const digit = (index / unit) % run;
      const expected = f(index - digit * unit) + digit * stride;
      const actual = f(index);
      if (actual !== expected)
        return {
          index,
          expected,
          actual,
          text: `the first ${run} offsets step by ${stride}, but index ${index} has offset ${actual}, not ${expected}`,
        };
    }
    sizes.push(run);
    strides.push(stride + 0);
    unit *= run;
    rest /= run;
  }
  return { sizes, strides };
}

export const isMisfit = (result: Fit | Misfit): result is Misfit => "actual" in result;
