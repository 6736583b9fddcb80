/**
 * Channels of images moved into space and back, and dealt out among groups. Each is one copy from axes in another order.
 */

import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { contiguous, reshape } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { permute } from "../../tensor/views/views-axes.ts";
import { view } from "../../tensor/views/views-shape.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import type { MovesFunction } from "./movement-types.ts";

/** The shape of a result, and how it comes about: x under a shape, its axes in an order. */
interface Dealing {
  readonly shape: readonly number[];
  readonly parts: readonly number[];
  readonly order: readonly number[];
}

const dealing = (who: string, batch: OpFacts["batch"] & string, deal: (x: Tensor, factor: number) => Dealing) =>
  structuredOp<MovesFunction<[factor: number, options?: OutOption]>, readonly [x: Tensor, factor: number]>(
    `${who}(x: Tensor, ...)`,
    "movement",
    {
      linear: "0",
      batch,
      infer(x, factor) {
        if (x.rank < 3) throw new ShapeError(`${who}: expected at least 3 axes, got ${showShape(x)}`);
        if (!Number.isSafeInteger(factor) || factor < 1)
          throw new ShapeError(`${who}: expects a positive integer, got ${describeValue(factor)}`);
        return { dtype: x.dtype, shape: deal(x, factor).shape };
      },
      fill([result], x, factor) {
        const { parts, order } = deal(x, factor);
        const target = result?.isContiguous() ? result : contiguous(result);
        const dealt = permute(reshape(x, parts), order);
        copyAll(dealt, view(target, sizesOf(dealt)), who);
        if (target !== result) copyAll(target, result, who);
      },
      gradient({ args: [x, factor] }) {
        const { parts, order } = deal(x as Tensor, factor as number);
        const shape = sizesOf(x as Tensor);
        const dealt = order.map((axis) => parts[axis]);
        const back = order.map((_, axis) => order.indexOf(axis));
        return ([g]) => [views.reshape(views.permute(views.reshape(g, dealt), back), shape)];
      },
    },
  );

/** Axes before the last three, and those three. */
function imageSizes(x: Tensor): [batch: number[], c: number, h: number, w: number] {
  const sizes = sizesOf(x);
  return [sizes.slice(0, -3), ...(sizes.slice(-3) as [number, number, number])];
}

/** Groups of r * r channels as squares of r by r elements: [..., c * r * r, h, w] becomes [..., c, h * r, w * r]. */
export const pixelShuffle: MovesFunction<[upscaleFactor: number, options?: OutOption]> = /* @__PURE__ */ dealing(
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

/** Squares of r by r elements as r * r channels: what pixelShuffle does, undone. */
export const pixelUnshuffle: MovesFunction<[downscaleFactor: number, options?: OutOption]> = /* @__PURE__ */ dealing(
  "pixelUnshuffle",
  "lastOfFirst 3",
  (x, r) => {
    const [batch, c, h, w] = imageSizes(x);
    if (h % r !== 0 || w % r !== 0)
      throw new ShapeError(`pixelUnshuffle: height and width must be divisible by the factor, got ${h}, ${w} and ${r}`);
    return {
      shape: [...batch, c * r * r, h / r, w / r],
      parts: [product(batch), c, h / r, r, w / r, r],
      order: [0, 1, 3, 5, 2, 4],
    };
  },
);

/** Channels dealt out anew: the first of each of the groups, then the second of each, and so on. */
export const channelShuffle: MovesFunction<[groups: number, options?: OutOption]> = /* @__PURE__ */ dealing(
  "channelShuffle",
  "channelShuffle",
  (x, groups) => {
    const [n, c, ...rest] = sizesOf(x) as [number, number, ...number[]];
    if (c % groups !== 0)
      throw new ShapeError(`channelShuffle: channels must be divisible by groups, got ${c} and ${groups}`);
    return { shape: sizesOf(x), parts: [n, groups, c / groups, product(rest)], order: [0, 2, 1, 3] };
  },
);
