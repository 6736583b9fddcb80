/**
 * The reduce form of parallelLoops: one number for each region, by a kernel, in a new tensor. The regions need not be contiguous. A formula over
 * the element x may be applied first; both are one kernel, without a temporary tensor.
 */

import { InternalError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { rowMajorStrides } from "../../kernel/plan/output-layout.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { type ElementTerm, makeReduction, type Reduction, reductions } from "../../kernel/reduce/reductions.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { leaves, type Nested } from "../../layout/tuple.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import { Storage } from "../../storage/storage.ts";
import { formsOf, isFlat, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { carryNames } from "../../tensor/names.ts";
import { operandOf } from "../../tensor/operand.ts";
import { describeBriefly, type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { compileFormula } from "../formula/compile.ts";
import { parseFormula } from "../formula/parse.ts";

/** A reduction of each region. */
export interface RegionReduction {
  readonly reduce: Reduction;
  /** A formula over the element x that is applied first, such as "x * x". */
  readonly map?: string | undefined;
}

/** Returns a new tensor of the shape up to the axis, each element the reduction of its region. */
export function reduceRegions(t: Tensor, who: string, axis: number, { reduce, map }: RegionReduction): Tensor {
  if (!reductions.includes(reduce))
    throw new StridewiseError(`${who}: unknown reduction ${String(reduce)}. Use ${reductions.join(", ")}`);
  const operand = operandOf(t, who);
  const shape = sizesOf(t);
  const outerShape = shape.slice(0, axis + 1);
  const each = sizeOf(shape.slice(axis + 1));
  if (each === 0 && (reduce === "min" || reduce === "max") && sizeOf(outerShape) > 0)
    throw new ShapeError(
      `${who}: ${reduce} of the regions of ${describeBriefly(t)} is undefined, because they have no elements`,
    );
  const kernel = kernelFor(who, reduce, t.dtype, map);
  const dtype = kernel.spec.outputs[0];
  const strides = rowMajorStrides(outerShape);
  const storage = Storage.allocate(sizeOf(outerShape) * dtypes[dtype].itemsize);
  const result = tensorOver(storage, dtype, 0, outerShape, strides);
  // The result's axes are split like the tensor's leaves, so that both have the same element order.
  const cuts = leafCounts(t, axis + 1);
  const out = { storage, dtype, offset: 0, ...splitAxes(outerShape, strides, cuts, operand.shape) };
  runReduce(kernel, [out], [operand], reduce === "mean" ? [each] : []);
  return carryNames(result, t, (names) => names.slice(0, axis + 1));
}

/** The number of leaves of each of the first modes. */
function leafCounts(t: Tensor, count: number): number[] {
  const forms = isFlat(t) ? null : formsOf(t, "parallelLoops");
  return listOf(count, (mode) => (forms === null ? 1 : leaves(forms[mode]?.shape as Nested<unknown>).length));
}

/** Splits row-major axes into leaves, the first leaf the fastest. */
function splitAxes(
  shape: readonly number[],
  strides: readonly number[],
  counts: readonly number[],
  leafSizes: readonly number[],
): { readonly shape: number[]; readonly stride: number[] } {
  const sizes: number[] = [];
  const steps: number[] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    let step = strides[axis];
    for (let leaf = 0; leaf < counts[axis]; leaf++) {
      const size = leafSizes[sizes.length];
      sizes.push(size);
      steps.push(step);
      step *= size;
    }
  }
  return { shape: sizes, stride: steps };
}

/** The cached kernels, by reduction, dtype and formula; the oldest is dropped past the limit. */
const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();
const maxKernels = 256;

function kernelFor(who: string, reduce: Reduction, dtype: DType, map: string | undefined): ReduceKernel {
  // The default dtype is the dtype of quotients of integers.
  const key = `${reduce} ${dtype} ${getDefaultDType()} ${map ?? ""}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = makeReduction(who, reduce, dtype, map === undefined ? undefined : termOf(who, map, dtype));
    if (kernels.size >= maxKernels) kernels.delete(kernels.keys().next().value as string);
    kernels.set(key, kernel);
  }
  return kernel;
}

function termOf(who: string, map: string, dtype: DType): ElementTerm {
  const formula = parseFormula(map);
  checkOperands(who, map, formula.operands);
  if (formula.outputs.length !== 1)
    throw new StridewiseError(`${who}: the formula ${map} must have one result, got ${formula.outputs.length}`);
  const { spec } = compileFormula(formula, [{ dtype, bucket: "tensor" }], [null]);
  const result = spec.outputs[0];
  return { name: "map", dtype: result, of: (x) => spec.body([x], [], noNumber)[0] };
}

const noNumber = (): never => {
  throw new InternalError("parallelLoops: a formula uses the element index");
};

/** Throws unless x is the only operand of a formula. */
export function checkOperands(who: string, formula: string, operands: readonly string[]): void {
  if (operands.length === 1 && operands[0] === "x") return;
  throw new StridewiseError(
    `${who}: the formula ${formula} must be over x alone, got ${operands.join(", ") || "no operand"}. For several tensors use elementwise(...)`,
  );
}
