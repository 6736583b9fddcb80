/**
 * Rearranging channels of images: into space and back, and among groups. Each op is one copy with permuted axes.
 */

import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerReshape, lowerThrough } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { permute } from "../../tensor/views/views-axes.ts";
import { view } from "../../tensor/views/views-shape.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import type { MovesFunction } from "./movement-types.ts";

/** A rearrangement: x is reshaped to `parts`, its axes are permuted by `order`, and the result gets `shape`. */
interface Rearrangement {
  readonly shape: readonly number[];
  readonly parts: readonly number[];
  readonly order: readonly number[];
}

const rearranging = (
  who: string,
  batch: OpFacts["batch"] & string,
  rearrange: (x: Tensor, factor: number) => Rearrangement,
) =>
  structuredOp<MovesFunction<[factor: number, options?: OutOption]>, readonly [x: Tensor, factor: number]>(
    `${who}(x: Tensor, ...)`,
    "movement",
    {
      linear: "0",
      batch,
      infer(x, factor) {
        if (x.rank < 3) throw new ShapeError(`${who}: expected at least 3 axes, got ${showShape(x)}`);
        if (!Number.isSafeInteger(factor) || factor < 1)
          throw new ShapeError(`${who}: the factor must be a positive integer, got ${describeValue(factor)}`);
        return { dtype: x.dtype, shape: rearrange(x, factor).shape };
      },
      lower(builder, [result], x, factor) {
        const { parts, order } = rearrange(x, factor);
        const permuted = permute(lowerReshape(builder, x, parts, who), order);
        lowerThrough(builder, result, result.dtype, result.isContiguous(), who, (target) =>
          lowerCopyAll(builder, permuted, view(target, sizesOf(permuted)), who),
        );
      },
      gradient({ args: [x, factor] }) {
        const { parts, order } = rearrange(x as Tensor, factor as number);
        const shape = sizesOf(x as Tensor);
        const permuted = order.map((axis) => parts[axis]);
        const back = order.map((_, axis) => order.indexOf(axis));
        return ([g]) => [views.reshape(views.permute(views.reshape(g, permuted), back), shape)];
      },
    },
  );

/** The sizes before the last three axes, and those of these three. */
function imageSizes(x: Tensor): [batch: number[], c: number, h: number, w: number] {
  const sizes = sizesOf(x);
  return [sizes.slice(0, -3), ...(sizes.slice(-3) as [number, number, number])];
}

/** Rearranges groups of r * r channels into squares of r by r elements: [..., c * r * r, h, w] becomes [..., c, h * r, w * r]. */
export const pixelShuffle: MovesFunction<[upscaleFactor: number, options?: OutOption]> = /* @__PURE__ */ rearranging(
  "pixelShuffle",
  "lastOfFirst 3",
  (x, r) => {
    const [batch, c, h, w] = imageSizes(x);
    const channels = c / (r * r);
    if (c % (r * r) !== 0)
      throw new ShapeError(`pixelShuffle: ${c} channels must be divisible by the square of the factor, ${r * r}`);
    return {
      shape: [...batch, channels, h * r, w * r],
      parts: [product(batch), channels, r, r, h, w],
      order: [0, 1, 4, 2, 5, 3],
    };
  },
);

/** Rearranges squares of r by r elements into r * r channels: the inverse of pixelShuffle. */
export const pixelUnshuffle: MovesFunction<[downscaleFactor: number, options?: OutOption]> =
  /* @__PURE__ */ rearranging("pixelUnshuffle", "lastOfFirst 3", (x, r) => {
    const [batch, c, h, w] = imageSizes(x);
    if (h % r !== 0 || w % r !== 0)
      throw new ShapeError(`pixelUnshuffle: height and width must be divisible by the factor, got ${h}, ${w} and ${r}`);
    return {
      shape: [...batch, c * r * r, h / r, w / r],
      parts: [product(batch), c, h / r, r, w / r, r],
      order: [0, 1, 3, 5, 2, 4],
    };
  });

/** Divides the channels into groups and interleaves them: the first channel of each group, then the second of each, and so on. */
export const channelShuffle: MovesFunction<[groups: number, options?: OutOption]> = /* @__PURE__ */ rearranging(
  "channelShuffle",
  "channelShuffle",
  (x, groups) => {
    const [n, c, ...rest] = sizesOf(x) as [number, number, ...number[]];
    if (c % groups !== 0)
      throw new ShapeError(`channelShuffle: channels must be divisible by groups, got ${c} and ${groups}`);
    return { shape: sizesOf(x), parts: [n, groups, c / groups, product(rest)], order: [0, 2, 1, 3] };
  },
);
