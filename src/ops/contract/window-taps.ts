/**
 * Fast paths for windows of a few elements inside the input: each element of the windows is a strided part of the input, and one formula
 * over all of these parts computes the maxima, their numbers or sums, or writes to the windows.
 */

import { product } from "../../base/ints.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { listOf } from "../../base/list-of.ts";
import { maxOperands } from "../../kernel/map/spec.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { scratchTensor } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import { lowerFormulaParts, type Part } from "./formula-parts.ts";
import type { Windows } from "./windows.ts";

const known = new Map<string, FormulaKernels>();

/** The name of a formula, and its text for a number of elements x_0, x_1, ... */
type Family = readonly [name: string, text: (taps: number) => string];

function formulaOf([name, text]: Family, taps: number): FormulaKernels {
  return getOrCompute(known, `${name} ${taps}`, () => new FormulaKernels(parseFormula(text(taps), "pool")));
}

const list = (count: number, text: (tap: number) => string, between: string): string =>
  listOf(count, (tap) => text(tap)).join(between);

const largest: Family = [
  "largest",
  (taps) => `y = ${taps === 1 ? "x_0" : `max(${list(taps, (tap) => `x_${tap}`, ", ")})`}`,
];
const sum: Family = ["sum", (taps) => `y = 0 + ${list(taps, (tap) => `x_${tap}`, " + ")}`];
const argmaxFamily: Family = [
  "number",
  (taps) => {
    const first = list(taps - 1, (tap) => `x_${tap} == y ? ${tap} : `, "");
    const lastNaN = list(taps - 1, (k) => `x_${taps - 1 - k} != x_${taps - 1 - k} ? ${taps - 1 - k} : `, "");
    return `t = y == y ? (${first}${taps - 1}) : (${lastNaN}0)`;
  },
];
const scatter: Family = ["scatter", (taps) => list(taps, (tap) => `y_${tap} = x`, "; ")];
const choice: Family = ["choice", (taps) => list(taps, (tap) => `y_${tap} = t == ${tap} ? x : 0`, "; ")];

/** The parts of a flat tensor for each element of the windows, in row-major order of the elements. */
function partsOf(of: Tensor, { kernel, stride, dilation }: Windows): Part[] {
  const strides = flatStrides(of);
  const first = strides.length - kernel.length;
  const steps = strides.map((step, axis) => step * (stride[axis - first] ?? 1));
  let parts: Part[] = [{ of, offset: of.start, stride: steps }];
  kernel.forEach((size, axis) => {
    const step = dilation[axis] * strides[first + axis];
    parts = parts.flatMap((part) => listOf(size, (tap) => ({ ...part, offset: part.offset + tap * step })));
  });
  return parts;
}

const whole = (of: Tensor): Part => ({ of, offset: of.start, stride: flatStrides(of) });

/** True if and only if the elements of such windows and `more` tensors fit into one kernel. */
export const isFew = ({ kernel }: Windows, more: number): boolean => product(kernel) + more <= maxOperands;

/** True if and only if no window extends over the edges of the input. */
export const isInside = ({ before, after }: Windows): boolean => [...before, ...after].every((size) => size === 0);

/** True if and only if the elements along each axis of such windows fit into one kernel. */
export const isShort = ({ kernel }: Windows): boolean => Math.max(...kernel) < maxOperands;

/** Adds the steps that write the maximum of each window to `out`, along one axis after the other. */
export function lowerLargest(builder: ProgramBuilder, out: Tensor, x: Tensor, windows: Windows): void {
  const { kernel } = windows;
  const last = kernel.length - 1;
  const first = x.rank - kernel.length;
  let from = x;
  kernel.forEach((taps, axis) => {
    if (taps === 1 && windows.stride[axis] === 1 && axis < last) return;
    const only = (sizes: readonly number[]): number[] => sizes.map((size, other) => (other === axis ? size : 1));
    const sizes = sizesOf(from).with(first + axis, sizesOf(out)[first + axis]);
    const into = axis === last ? out : scratchTensor(builder, out.dtype, sizes);
    const along = { ...windows, kernel: only(kernel), stride: only(windows.stride) };
    lowerFormulaParts(builder, formulaOf(largest, taps), sizes, [whole(into)], partsOf(from, along));
    from = into;
  });
}

/** Adds the steps that write the sum of each window to `out`, from its first element to its last. */
export function lowerSum(builder: ProgramBuilder, out: Tensor, x: Tensor, windows: Windows): void {
  lowerFormulaParts(builder, formulaOf(sum, product(windows.kernel)), sizesOf(out), [whole(out)], partsOf(x, windows));
}

/** Adds the steps that write the number of the first maximum of each window, or of its last NaN, to `out`. */
export function lowerTap(builder: ProgramBuilder, out: Tensor, x: Tensor, max: Tensor, windows: Windows): void {
  const kernels = formulaOf(argmaxFamily, product(windows.kernel));
  const parts = partsOf(x, windows);
  const inputs = kernels.formula.operands.map((name) => (name === "y" ? whole(max) : parts[Number(name.slice(2))]));
  lowerFormulaParts(builder, kernels, sizesOf(out), [whole(out)], inputs);
}

/** Adds the steps that write the values of disjoint windows to all of their elements, or to the chosen ones, and 0 to the others. */
export function lowerScatterAdd(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  chosen: Tensor | null,
  windows: Windows,
): void {
  const kernels = formulaOf(chosen === null ? scatter : choice, product(windows.kernel));
  const inputs = kernels.formula.operands.map((name) => whole(name === "t" ? (chosen as Tensor) : x));
  lowerFormulaParts(builder, kernels, sizesOf(x), partsOf(out, windows), inputs);
}
