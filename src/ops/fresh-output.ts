/**
 * New tensors for the results of kernels: dense, in the memory order of the inputs, as PyTorch chooses it.
 * If all inputs have the same nested shape, the result has it too; otherwise it is flat.
 */
import { outputStrides } from "../kernel/plan/output-layout.ts";
import { formatTuple } from "../layout/format.ts";
import { type Layout, makeLayout } from "../layout/layout.ts";
import { mapLeaves } from "../layout/tuple.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import type { Allocate } from "../tensor/dispatch/operator.ts";
import { hasSizes, isComposedTensor, isFlat, leafNumbers, modeStrides, sizeOf, sizesOf } from "../tensor/geometry.ts";
import { layoutTensor, type Tensor, tensorOver } from "../tensor/tensor.ts";
import { broadcastStrides } from "./common-axes.ts";

/** Returns a new tensor of the shape that the inputs broadcast to, with uninitialized elements. */
export function freshOutput(
  dtype: DType,
  shape: readonly number[],
  inputs: readonly Tensor[],
  allocate: Allocate = Storage.allocate,
): Tensor {
  const storage = allocate(sizeOf(shape) * dtypes[dtype].itemsize);
  const layout = nestedLayout(inputs);
  if (layout !== null) return layoutTensor(storage, dtype, 0, layout, 0);
  let isSame = true;
  const strides: number[][] = [];
  for (let k = 0; k < inputs.length; k++) {
    const t = inputs[k];
    isSame = isSame && hasSizes(t, shape);
    strides.push(flatStridesIn(t, shape));
  }
  return tensorOver(storage, dtype, 0, shape, outputStrides(shape, strides, isSame));
}

/** Returns strides in the axes of the shape; 0 for a mode without a single stride. */
function flatStridesIn(t: Tensor, shape: readonly number[]): number[] {
  if (isFlat(t)) return broadcastStrides(t, shape);
  const own = modeStrides(t);
  return shape.map((size, axis) => {
    const mode = axis - shape.length + t.rank;
    return own === null || mode < 0 || sizesOf(t)[mode] !== size ? 0 : own[mode];
  });
}

/** Returns a dense layout of the nested shape that all inputs with axes have in common; null if there is none. */
function nestedLayout(inputs: readonly Tensor[]): Layout | null {
  const shaped = inputs.filter((t) => t.rank > 0);
  const first = shaped[0];
  if (first === undefined || !shaped.every((t) => !isFlat(t) && !isComposedTensor(t))) return null;
  const { shape } = first.layout as Layout;
  const text = plainText(shape);
  if (shaped.some((t) => plainText((t.layout as Layout).shape) !== text)) return null;
  const leaves = shaped.map((t) => leafNumbers(t));
  const strides = outputStrides(
    leaves[0][0],
    leaves.map(([, stride]) => stride),
  );
  let leaf = 0;
  return makeLayout(
    shape,
    mapLeaves(shape, () => strides[leaf++]),
  ) as Layout;
}

/** A shape as text, static integers as plain ones. */
const plainText = (shape: Layout["shape"]): string => formatTuple(shape).replaceAll("_", "");
