/**
 * Results on the meta device: a shape and a dtype without elements. Throws if tensors are on several devices.
 */

import { ShapeError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { formatDevice, meta } from "../storage/device.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { DispatchError } from "../tensor/dispatch/operator.ts";
import { hasSizes, showShape, sizeOf } from "../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../tensor/tensor.ts";

/** Throws if a tensor is not on the meta device; 0-d tensors may be on the CPU. */
export function checkMeta(who: string, tensors: readonly Tensor[]): void {
  for (const t of tensors)
    if (t.device.type !== "meta" && t.rank > 0)
      throw new DispatchError(
        `${who}: tensors are on the devices meta and ${formatDevice(t.device)}. Move all to one device first`,
      );
}

/** Returns a tensor of this shape and dtype without elements, or `out`, whose shape is checked. */
export function metaOutput(
  who: string,
  dtype: DType,
  shape: readonly number[],
  inputs: readonly Tensor[],
  out: Tensor | null = null,
): Tensor {
  checkMeta(who, out === null ? inputs : [...inputs, out]);
  if (out === null) {
    const storage = Storage.allocate(sizeOf(shape) * dtypes[dtype].itemsize, { device: meta });
    return tensorOver(storage, dtype, 0, shape, rowMajorStrides(shape));
  }
  checkOutputShape(who, out, shape);
  return out;
}

/** Throws if an output has a different shape. */
export function checkOutputShape(who: string, out: Tensor, shape: readonly number[]): void {
  if (!hasSizes(out, shape))
    throw new ShapeError(
      `${who}: the result has shape ${show(shape)}, which out of shape ${showShape(out)} cannot hold. Omit out`,
    );
}

/** The meta kernel of an op whose result depends on values: an error. */
export const needsValues = (who: string) => (): never => {
  throw new DispatchError(`${who}: the shape depends on the elements, which meta tensors do not have`);
};
