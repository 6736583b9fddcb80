/**
 * Writing where a mask is true: the elements of a source go there in their order.
 */
import { ShapeError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { contiguous } from "../../tensor/clone.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import { differingDTypes } from "../dtype-errors.ts";
import type { OutOption } from "../op-types.ts";
import { meetFlat } from "./indexed.ts";
import { maskedScatterGradient } from "./place-gradient.ts";
import { integersOf, positionsOf } from "./positions.ts";
import type { Writing } from "./writing.ts";

/** Refuses a mask that is no tensor of bools. */
export function checkMask(who: string, mask: Tensor): void {
  checkTensor(who, mask);
  if (mask.dtype !== "bool")
    throw new DTypeError(`${who}: the mask must be bool, got ${mask.dtype}. Make one by a comparison: x.gt(0)`);
}

export type MaskedArguments = [mask: Tensor, source: Tensor, options?: OutOption];

export const maskedScattering: Writing<MaskedArguments> = {
  name: "maskedScatter",
  linear: "0,2",
  gradient: maskedScatterGradient,
  shapeOf: (x, mask) => broadcastTwo("maskedScatter", sizesOf(x), sizesOf(mask)),
  check(x, mask, source) {
    checkMask("maskedScatter", mask);
    checkTensor("maskedScatter", source);
    if (source.dtype !== x.dtype)
      throw differingDTypes(
        "maskedScatter",
        "x and source",
        x.dtype,
        source.dtype,
        `Convert it: source.to("${x.dtype}")`,
      );
  },
  write(x, mask, source) {
    const found = positionsOf(expand(mask, sizesOf(x), "maskedScatter"));
    if (found.length > source.size)
      throw new ShapeError(`maskedScatter: the mask has ${found.length} ones, and source ${source.size} elements`);
    if (found.length === 0) return null;
    const list = view(contiguous(source), [source.size]);
    const index = integersOf(found, [found.length], "int32");
    return () => meetFlat("set", x, narrow(list, 0, 0, found.length), index);
  },
};
