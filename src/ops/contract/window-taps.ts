/**
 * Windows of a few elements, all of them inside the input: each element of the windows is a part of the input with steps of its own, and
 * one formula over all of these parts gives the largest ones, or which they are, or writes what windows have to them.
 */

import { product } from "../../base/ints.ts";
import { listOf } from "../../base/list-of.ts";
import { mostOperands } from "../../kernel/map/spec.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import { fresh } from "../op.ts";
import { type Part, runParts } from "./formula-parts.ts";
import type { Windows } from "./windows.ts";

const known = new Map<string, FormulaKernels>();

/** What a formula is called, and its text for so many elements x_0, x_1, ... */
type Family = readonly [name: string, text: (taps: number) => string];

function formulaOf([name, text]: Family, taps: number): FormulaKernels {
  const key = `${name} ${taps}`;
  let kernels = known.get(key);
  if (kernels === undefined) {
    kernels = new FormulaKernels(parseFormula(text(taps), "pool"));
    known.set(key, kernels);
  }
  return kernels;
}

const list = (count: number, text: (tap: number) => string, between: string): string =>
  listOf(count, (tap) => text(tap)).join(between);

const largest: Family = [
  "largest",
  (taps) => `y = ${taps === 1 ? "x_0" : `max(${list(taps, (tap) => `x_${tap}`, ", ")})`}`,
];
const sum: Family = ["sum", (taps) => `y = 0 + ${list(taps, (tap) => `x_${tap}`, " + ")}`];
const place: Family = [
  "place",
  (taps) => {
    const first = list(taps - 1, (tap) => `x_${tap} == y ? ${tap} : `, "");
    const lastNaN = list(taps - 1, (k) => `x_${taps - 1 - k} != x_${taps - 1 - k} ? ${taps - 1 - k} : `, "");
    return `t = y == y ? (${first}${taps - 1}) : (${lastNaN}0)`;
  },
];
const spread: Family = ["spread", (taps) => list(taps, (tap) => `y_${tap} = x`, "; ")];
const choice: Family = ["choice", (taps) => list(taps, (tap) => `y_${tap} = t == ${tap} ? x : 0`, "; ")];

/** The parts of a flat tensor that the elements of windows are at all of their positions, in row-major order of the elements. */
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

/** True if and only if the elements of such windows and so many tensors more fit into one kernel. */
export const isFew = ({ kernel }: Windows, more: number): boolean => product(kernel) + more <= mostOperands;

/** True if and only if no window reaches past the input. */
export const isInside = ({ before, after }: Windows): boolean => [...before, ...after].every((size) => size === 0);

/** True if and only if the elements along each axis of such windows fit into one kernel. */
export const isShort = ({ kernel }: Windows): boolean => Math.max(...kernel) < mostOperands;

/** Fills `out` with the largest element of each window: along one axis after the other, the last one last. */
export function fillLargest(out: Tensor, x: Tensor, windows: Windows): void {
  const { kernel } = windows;
  const last = kernel.length - 1;
  const first = x.rank - kernel.length;
  let from = x;
  kernel.forEach((taps, axis) => {
    if (taps === 1 && windows.stride[axis] === 1 && axis < last) return;
    const only = (sizes: readonly number[]): number[] => sizes.map((size, other) => (other === axis ? size : 1));
    const sizes = sizesOf(from).with(first + axis, sizesOf(out)[first + axis]);
    const into = axis === last ? out : fresh(out.dtype, sizes);
    const along = { ...windows, kernel: only(kernel), stride: only(windows.stride) };
    runParts(formulaOf(largest, taps), sizes, [whole(into)], partsOf(from, along));
    from = into;
  });
}

/** Fills `out` with the sum of each window, from its first element to its last. */
export function fillSum(out: Tensor, x: Tensor, windows: Windows): void {
  runParts(formulaOf(sum, product(windows.kernel)), sizesOf(out), [whole(out)], partsOf(x, windows));
}

/** Fills `out` with the number of the first element of each window that is the largest, or of the last that is no number. */
export function fillTap(out: Tensor, x: Tensor, most: Tensor, windows: Windows): void {
  const kernels = formulaOf(place, product(windows.kernel));
  const parts = partsOf(x, windows);
  const inputs = kernels.formula.operands.map((name) => (name === "y" ? whole(most) : parts[Number(name.slice(2))]));
  runParts(kernels, sizesOf(out), [whole(out)], inputs);
}

/** Writes what windows that share no elements have to all of their elements, or to the chosen ones and 0 to the others. */
export function spreadTaps(out: Tensor, x: Tensor, chosen: Tensor | null, windows: Windows): void {
  const kernels = formulaOf(chosen === null ? spread : choice, product(windows.kernel));
  const inputs = kernels.formula.operands.map((name) => whole(name === "t" ? (chosen as Tensor) : x));
  runParts(kernels, sizesOf(x), partsOf(out, windows), inputs);
}
