/**
 * The elements of a tensor where a mask is true, and their indices, in row-major order. Their number depends on values: one program counts them,
 * a second one writes them.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { compact, isCompactable } from "../../kernel/compact.ts";
import { call, cast } from "../../kernel/ir/scalar.ts";
import { bitTypes } from "../../kernel/map/copy-kernel.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import type { Operand } from "../../kernel/operand.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { clone, contiguous } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { isFlat, sizeOf, sizesOf } from "../geometry.ts";
import { mayOverlap, operandOf } from "../operand.ts";
import { type Tensor, tensorOver } from "../tensor.ts";
import { select } from "../views/views-parts.ts";
import { expand, view } from "../views/views-shape.ts";
import { wholeMemory } from "../whole-memory.ts";
import { moveFlat } from "./by-index.ts";

const fresh = (dtype: DType, shape: readonly number[]): Tensor =>
  tensorOver(Storage.allocate(sizeOf(shape) * dtypes[dtype].itemsize), dtype, 0, shape, rowMajorStrides(shape));

/** A row-major tensor as a line. */
const lineOf = (t: Tensor, who: string): Operand => ({
  storage: wholeMemory(t, who),
  dtype: t.dtype,
  offset: t.start,
  shape: [t.size],
  stride: [1],
});

const temporary = "a copy for the length of one call";

/** The elements, or without `x` the indices, where the mask is not 0, in the shape for their number. */
function compacted(mask: Tensor, x: Tensor | null, shapeOf: (count: number) => number[], who: string): Tensor {
  const isDense = mask.dtype === "bool" && mask.isContiguous();
  const dense = isDense ? mask : clone(mask, "contiguous", "bool");
  const values = x === null ? null : contiguous(x);
  let result: Tensor | null = null;
  compact(lineOf(dense, who), values === null ? null : lineOf(values, who), (count) => {
    result = fresh(values?.dtype ?? "int32", shapeOf(count));
    return lineOf(result, who);
  });
  if (dense !== mask) dense.endWith(temporary);
  if (values !== x) values?.endWith(temporary);
  return result as unknown as Tensor;
}

/** Returns the indices of nonzero elements in row-major order, as int32. */
export const nonzeroIndices = (t: Tensor, who: string): Tensor => compacted(t, null, (count) => [count], who);

/** Returns the elements of x where the mask is true, in row-major order; both have one shape. */
export function elementsWhere(x: Tensor, mask: Tensor, who: string): Tensor {
  if (isCompactable(x.dtype)) return compacted(mask, x, (count) => [count], who);
  const indices = nonzeroIndices(mask, who);
  const result = fresh(x.dtype, [indices.size]);
  moveFlat("take", x, result, indices);
  indices.endWith(temporary);
  return result;
}

/** (index / stride) mod size. The quotient of two such integers, rounded to float64, never reaches the next integer. */
const coordinate = /* @__PURE__ */ new MapKernel({
  name: "coordinate",
  outputs: ["int32"],
  inputs: ["int32"],
  scalars: ["float64", "float64"],
  body: ([index], [stride, size]) => {
    const quotient = (a: typeof index, b: typeof index) => call("trunc", call("div", a, b));
    const outer = quotient(cast("float64", index), stride);
    return [cast("int32", call("sub", outer, call("mul", size, quotient(outer, size))))];
  },
});

/**
 * Returns the coordinates of nonzero elements: one row for each axis, or with `isMatrix` one row for each element.
 */
export function nonzeroCoordinates(t: Tensor, who: string, isMatrix: boolean): Tensor {
  const shape = sizesOf(t);
  const shapeOf = (count: number): number[] => (isMatrix ? [count, shape.length] : [shape.length, count]);
  if (shape.length === 1) return compacted(t, null, shapeOf, who);
  const indices = nonzeroIndices(t, who);
  const result = fresh("int32", shapeOf(indices.size));
  const strides = rowMajorStrides(shape);
  const from = operandOf(indices, who);
  for (const [axis, size] of shape.entries())
    runMap(coordinate, [operandOf(select(result, isMatrix ? 1 : 0, axis), who), from], [strides[axis], size]);
  indices.endWith(temporary);
  return result;
}

const fills = /* @__PURE__ */ new Map<DType, MapKernel>();

/** The value where the mask is true, else the element itself. */
const fillWhereKernel = (dtype: DType): MapKernel =>
  new MapKernel({
    name: `${shortName(dtype)}_fill_where`,
    outputs: [dtype],
    inputs: ["bool", dtype, dtype],
    scalars: [],
    body: ([mask, x, value]) => [call("select", mask, value, x)],
  });

/** Stores the only element of a value where a mask over the axes of a tensor from `axis` on is true; both have one dtype. */
export function fillWhere(t: Tensor, axis: number, mask: Tensor, value: Tensor, who: string): void {
  const isApart = mask.dtype === "bool" && isFlat(mask) && !mayOverlap(t, mask);
  const own = isApart ? mask : clone(mask, "contiguous", "bool");
  const one = mayOverlap(t, value) ? clone(value) : value;
  const shape = sizesOf(t);
  const asWide = shape.map((size, k) => (k < axis || k >= axis + mask.rank ? 1 : size));
  const [x, from] = [operandOf(t, who), operandOf(expand(view(own, asWide), shape), who)];
  // Elements that only move are moved as bits.
  const dtype = bitTypes[t.itemsize] ?? t.dtype;
  const target = { ...x, dtype };
  const source = { ...target, storage: wholeMemory(one, who), offset: one.start, stride: shape.map(() => 0) };
  runMap(getOrCompute(fills, dtype, fillWhereKernel), [target, from, target, source]);
  if (own !== mask) own.endWith(temporary);
  if (one !== value) one.endWith(temporary);
}
