/**
 * Reading and writing where a mask is true. The size of the selection depends on values, so it is unknown on the meta device.
 */
import { ShapeError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { lowerFlat } from "../../tensor/access/by-index.ts";
import { elementsWhere, nonzeroIndices } from "../../tensor/access/true-elements.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous } from "../../tensor/lowering.ts";
import {
  bumpVersion,
  checkOutputsDisjoint,
  checkTensor,
  checkWritable,
  mayOverlap,
  refuseSharing,
} from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import { differingDTypes } from "../dtype-errors.ts";
import { where } from "../elementwise/choose.ts";
import { needsValues } from "../meta-output.ts";
import { op } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { sumTo } from "../sum-to.ts";
import * as views from "../views.ts";
import { gatherFlat, padTo, scatterAddFlat } from "./gather-scatter.ts";
import type { Keeps, Moves, Writes } from "./movement-types.ts";
import { changedCopy, changeInPlace, type WriteOpDefinition } from "./writing.ts";

/** Throws unless the mask is a tensor of bools. */
function checkMask(who: string, mask: Tensor): void {
  checkTensor(who, mask);
  if (mask.dtype !== "bool")
    throw new DTypeError(`${who}: the mask must be bool, got ${mask.dtype}. Create one by a comparison: x.gt(0)`);
}

/** Returns the elements where the mask is true as a one-dimensional tensor, in row-major order; tensor and mask are broadcast. */
export const maskedSelect: Moves<[mask: Tensor, options?: OutOption]> = /* @__PURE__ */ op(
  "maskedSelect(x: Tensor, mask: Tensor; out)",
  "movement",
  {
    cpu(t: Tensor, mask: Tensor, { out }: OutOption = {}) {
      checkMask("maskedSelect", mask);
      const shape = broadcastTwo("maskedSelect", sizesOf(t), sizesOf(mask));
      const result = elementsWhere(expand(t, shape), expand(mask, shape), "maskedSelect");
      if (!out) return result;
      checkOut(out, t, mask, result.size);
      copyAll(result, out, "maskedSelect");
      bumpVersion(out);
      return out;
    },
    meta: /* @__PURE__ */ needsValues("maskedSelect"),
  },
  {
    linear: "0",
    gradient(call) {
      const [x, mask] = call.args as [Tensor, Tensor];
      const [shape, saved] = [sizesOf(x), call.save(mask)];
      const whole = broadcastTwo("maskedSelect", shape, sizesOf(mask));
      return ([g]) => [
        sumTo(scatterAddFlat(g, nonzeroIndices(views.expand(saved(), whole), "maskedSelect"), whole), shape),
      ];
    },
  },
);

function checkOut(out: Tensor, t: Tensor, mask: Tensor, count: number): void {
  checkTensor("maskedSelect", out);
  checkWritable(out, "maskedSelect");
  checkOutputsDisjoint([out], "maskedSelect");
  if (mayOverlap(out, t) || mayOverlap(out, mask))
    throw refuseSharing("maskedSelect", "out shares memory with an input");
  if (out.rank !== 1 || out.size !== count || out.dtype !== t.dtype)
    throw new ShapeError(
      `maskedSelect: out must be ${t.dtype} [${count}], got ${out.dtype} ${showShape(out)}. Omit it, or create one of that shape`,
    );
}

type MaskedArguments = [mask: Tensor, source: Tensor, options?: OutOption];

const maskedScattering: WriteOpDefinition<MaskedArguments> = {
  name: "maskedScatter",
  linear: "0,2",
  gradient(call) {
    const [x, mask, source] = call.args as [Tensor, Tensor, Tensor];
    const [needsX, needsSource] = [call.needs(x), call.needs(source)];
    const [shape, sourceShape, { size }, saved] = [sizesOf(x), sizesOf(source), source, call.save(mask)];
    const ofSource = (g: Tensor): Tensor => {
      const indices = nonzeroIndices(views.expand(saved(), sizesOf(g)), "maskedScatter");
      return views.reshape(padTo(gatherFlat(g, indices), [size]), sourceShape);
    };
    return ([g]) => [needsX ? sumTo(where(saved(), 0, g), shape) : null, null, needsSource ? ofSource(g) : null];
  },
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
  write(builder, x, mask, source) {
    // The number of true elements is read here, so the program serves this call only.
    builder.isCacheable = false;
    const indices = nonzeroIndices(expand(mask, sizesOf(x), "maskedScatter"), "maskedScatter");
    const { size } = indices;
    if (size > source.size)
      throw new ShapeError(`maskedScatter: source has ${source.size} elements for ${size} true elements of the mask`);
    if (size === 0) return null;
    const values = narrow(view(lowerContiguous(builder, source, "maskedScatter"), [source.size]), 0, 0, size);
    return () => lowerFlat(builder, "set", x, values, indices);
  },
};

/** Returns a copy of x with the elements of source, in order, written where the mask is true. */
export const maskedScatter: Keeps<MaskedArguments> = /* @__PURE__ */ changedCopy(maskedScattering);
/** Writes the elements of source, in order, where the mask is true. */
export const maskedScatter_: Writes<MaskedArguments> = /* @__PURE__ */ changeInPlace(maskedScattering);
