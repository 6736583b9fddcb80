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
import type { Layout } from "../layout.ts";
import { refuse } from "../trace.ts";
import type { Mode } from "./coalesce.ts";

/** A flat layout of plain numbers. */
export interface Encoding extends Layout<readonly number[], readonly number[]> {
  readonly allStatic: boolean;
  /** The stride that an encoded number stands for. */
  decode(value: number, toInt: (n: number) => Int): StrideLeaf;
}

export const valueOfStride = (stride: StrideLeaf): Int => (isBasis(stride) ? stride.value : stride);
export const pathOf = (stride: StrideLeaf): string => (isBasis(stride) ? stride.path.join() : "");

/** True if and only if every size and stride is a number. */
export const areNumbers = (modes: readonly Mode[]): boolean =>
  modes.every(({ size, stride }) => knownValue(size) !== undefined && knownValue(valueOfStride(stride)) !== undefined);

/** Returns the modes as numbers; throws if one is symbolic. */
export function encodeModes(modes: readonly Mode[]): Encoding {
  const shape = modes.map((mode) => valueOf(mode.size));
  const stride = modes.map((mode) => valueOf(valueOfStride(mode.stride)));
  const paths = [...new Set(modes.map((mode) => pathOf(mode.stride)))];
  const allStatic = modes.every((mode) => isStaticInt(mode.size) && isStaticInt(valueOfStride(mode.stride)));
  if (paths.join() === "") return { shape, stride, allStatic, decode: (value, toInt) => toInt(value) };
  const reach = shape.reduce((total, size, i) => total + size * Math.abs(stride[i]), 1);
  const band = 2 ** Math.floor(53 / paths.length);
  if (reach > band / 16)
    throw refuse("composition", "size", {}, `coordinate strides reach ${reach}, the limit is ${band / 16}`);
  return {
    shape,
    stride: stride.map((d, i) => d * band ** paths.indexOf(pathOf(modes[i].stride))),
    allStatic,
    decode(value, toInt) {
      const power = value === 0 ? 0 : paths.findIndex((_path, p) => Math.abs(value) < band ** (p + 1) / 2);
      const unit = band ** power;
      if (value % unit !== 0) throw refuse("composition", "mixed coordinates", {}, "one step moves in two coordinates");
      const path = paths[power];
      return path === "" ? toInt(value / unit) : new ScaledBasis(toInt(value / unit), path.split(",").map(Number));
    },
  };
}

/** The first offset that contradicts every layout with the offsets before it. */
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
 * f(0) must be 0. The first `linearCount` values are known to have a constant step.
 */
export function fitLayout(count: number, f: (index: number) => number, linearCount = 2): Fit | Misfit {
  const sizes: number[] = [];
  const strides: number[] = [];
  const misfit = (index: number, expected: number, text: string): Misfit => ({
    index,
    expected,
    actual: f(index),
    text,
  });
  let unit = 1;
  let rest = count;
  while (rest > 1) {
    const stride = f(unit);
    let run = unit === 1 ? Math.min(Math.max(linearCount, 2), rest) : 2;
    while (run < rest && f(run * unit) === run * stride) run++;
    if (rest % run !== 0)
      return misfit(
        run * unit,
        run * stride,
        `after ${run} offsets with step ${stride} comes ${f(run * unit)}, but ${run} does not divide ${rest}`,
      );
    for (let index = run * unit; index < count; index += unit) {
      const digit = (index / unit) % run;
      const expected = f(index - digit * unit) + digit * stride;
      if (f(index) !== expected)
        return misfit(
          index,
          expected,
          `the first ${run} offsets step by ${stride}, but index ${index} has offset ${f(index)}, not ${expected}`,
        );
    }
    sizes.push(run);
    strides.push(stride + 0);
    unit *= run;
    rest /= run;
  }
  return { sizes, strides };
}

export const isMisfit = (result: Fit | Misfit): result is Misfit => "actual" in result;
