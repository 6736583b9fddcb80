/**
 * Copies of a tensor with one part replaced: a diagonal, one index of an axis, a slice, or any strided part.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { deviceOption } from "../../storage/device.ts";
import type { Axis } from "../../tensor/axes.ts";
import { zeros } from "../../tensor/create/create.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerThrough } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { asStrided, clone, contiguous, diagonal, expand, select, slice } from "../views.ts";
import { zeroOverwritten } from "./gather-scatter.ts";
import type { Keeps } from "./movement-types.ts";

/** The gradient of the source is the part of the gradient; that of x is 0 in the part. */
const partGradient =
  (partOf: (g: Tensor, ...args: never[]) => Tensor): GradientRule =>
  (call) => {
    const [x, src, ...rest] = call.args as [Tensor, Tensor, ...unknown[]];
    const [needsX, needsSource, shape, whole] = [call.needs(x), call.needs(src), sizesOf(src), sizesOf(x)];
    const { dtype } = src;
    const part = (t: Tensor): Tensor => partOf(t, ...(rest as never[]));
    const ofSource = (g: Tensor): Tensor => {
      const back = part(g);
      return back.overlap === "no"
        ? back
        : zeroOverwritten(back, whole, (t, from) => call.again(t, from, ...rest), part);
    };
    return ([g]) => [
      needsX
        ? (call.again(g, expand(zeros([], { dtype, device: deviceOption(g.device) }), shape), ...rest) as Tensor)
        : null,
      needsSource ? ofSource(g) : null,
    ];
  };

/** True for all arguments but the options. */
const isNoOptions = (arg: unknown): boolean => typeof arg !== "object" || arg === null || Array.isArray(arg);

/** An op that replaces the part that `partOf` selects in the copy, which is dense and starts at offset 0. */
const replacing = <P extends readonly unknown[]>(
  who: string,
  partOf: (x: Tensor, ...args: P) => Tensor,
  facts: OpFacts,
  more = "",
) =>
  structuredOp<Keeps<[src: Tensor, ...P, options?: OutOption]>, readonly [x: Tensor, src: Tensor, ...args: unknown[]]>(
    `${who}(x: Tensor, src: Tensor${more}, ...)`,
    "movement",
    {
      linear: "0,1",
      ...facts,
      infer: (x) => ({ dtype: x.dtype, shape: sizesOf(x), names: x.names }),
      lower(builder, [out], x, src, ...args) {
        const isOwn = out.start === 0 && out.isContiguous();
        lowerThrough(builder, out, out.dtype, isOwn, who, (result) => {
          const part = partOf(result, ...(args.filter(isNoOptions) as unknown as P));
          const [shape, sizes] = [sizesOf(part), sizesOf(src)];
          if (shape.length !== sizes.length || shape.some((size, d) => size !== sizes[d]))
            throw new ShapeError(`${who}: src must have shape ${show(shape)}, got ${show(sizes)}`);
          lowerCopyAll(builder, x, result, who);
          lowerCopyAll(builder, src, part, who);
        });
      },
      // Strides and offsets refer to a dense tensor with offset 0.
      gradient: partGradient((g, ...args: never[]) =>
        partOf(g.start === 0 ? contiguous(g) : clone(g, "contiguous"), ...(args.filter(isNoOptions) as unknown as P)),
      ),
    },
  );

type DiagonalArguments = [offset?: number, axis1?: Axis, axis2?: Axis];
/** Returns a copy of x with its diagonal replaced by src. */
export const diagonalScatter: Keeps<[src: Tensor, ...DiagonalArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<DiagonalArguments>(
    "diagonalScatter",
    (x, offset, axis1, axis2) => diagonal(x, offset, axis1, axis2),
    {
      batch: "part 1=0 2=1",
    },
  );

type SelectArguments = [axis: Axis, index: number];
/** Returns a copy of x with the elements at one index of an axis replaced by src. */
export const selectScatter: Keeps<[src: Tensor, ...SelectArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<SelectArguments>("selectScatter", (x, axis, index) => select(x, axis, index), {
    batch: "part 0",
  });

type SliceArguments = [axis?: Axis, start?: number | null, stop?: number | null, step?: number];
/** Returns a copy of x with a slice of an axis replaced by src. */
export const sliceScatter: Keeps<[src: Tensor, ...SliceArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<SliceArguments>(
    "sliceScatter",
    (x, axis = 0, start, stop, step) => slice(x, axis, start, stop, step),
    { batch: "part 0=0" },
  );

type StridedArguments = [sizes: readonly number[], strides: readonly number[], offset?: number];
/** Returns a copy of x with a strided part, given by sizes, strides and offset, replaced by src. */
export const asStridedScatter: Keeps<[src: Tensor, ...StridedArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<StridedArguments>(
    "asStridedScatter",
    (x, sizes, strides, offset) => asStrided(x, sizes, strides, offset),
    {},
    ", sizes: int[], strides: int[]",
  );
