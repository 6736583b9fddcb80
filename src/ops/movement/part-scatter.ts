/**
 * Copies of a tensor with one part of it replaced: a diagonal, one index of an axis, a slice, or any strided part.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { Axis } from "../../tensor/axes.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { fresh, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { asStrided, clone, contiguous, diagonal, select, slice } from "../views.ts";
import { partGradient } from "./layout-gradient.ts";
import type { Keeps } from "./movement-types.ts";

const isNoOptions = (arg: unknown): boolean => typeof arg !== "object" || arg === null || Array.isArray(arg);

/** An op that replaces the part that `partOf` finds in the copy, whose memory is dense and begins with its first element. */
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
      fill([out], x, src, ...args) {
        const given = out;
        const isOwn = given.start === 0 && given.isContiguous();
        const result = isOwn ? given : fresh(given.dtype, sizesOf(given));
        const part = partOf(result, ...(args.filter(isNoOptions) as unknown as P));
        const [shape, sizes] = [sizesOf(part), sizesOf(src)];
        if (shape.length !== sizes.length || shape.some((size, d) => size !== sizes[d]))
          throw new ShapeError(`${who}: src has shape ${show(sizes)}, and the part ${show(shape)}`);
        copyAll(x, result, who);
        copyAll(src, part, who);
        if (!isOwn) copyAll(result, given, who);
      },
      // Strides and offsets are those of a result, which begins where its memory does.
      gradient: partGradient((g, ...args: never[]) =>
        partOf(g.start === 0 ? contiguous(g) : clone(g, "contiguous"), ...(args.filter(isNoOptions) as unknown as P)),
      ),
    },
  );

type DiagonalArguments = [offset?: number, axis1?: Axis, axis2?: Axis];
/** A copy of x with another diagonal. */
export const diagonalScatter: Keeps<[src: Tensor, ...DiagonalArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<DiagonalArguments>(
    "diagonalScatter",
    (x, offset, axis1, axis2) => diagonal(x, offset, axis1, axis2),
    {
      batch: "part 1=0 2=1",
    },
  );

type SelectArguments = [axis: Axis, index: number];
/** A copy of x with other elements at one index of an axis. */
export const selectScatter: Keeps<[src: Tensor, ...SelectArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<SelectArguments>("selectScatter", (x, axis, index) => select(x, axis, index), {
    batch: "part 0",
  });

type SliceArguments = [axis?: Axis, start?: number | null, stop?: number | null, step?: number];
/** A copy of x with other elements in a slice of an axis. */
export const sliceScatter: Keeps<[src: Tensor, ...SliceArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<SliceArguments>(
    "sliceScatter",
    (x, axis = 0, start, stop, step) => slice(x, axis, start, stop, step),
    { batch: "part 0=0" },
  );

type StridedArguments = [sizes: readonly number[], strides: readonly number[], offset?: number];
/** A copy of x with other elements in the part that any sizes and strides make of it. */
export const asStridedScatter: Keeps<[src: Tensor, ...StridedArguments, options?: OutOption]> =
  /* @__PURE__ */ replacing<StridedArguments>(
    "asStridedScatter",
    (x, sizes, strides, offset) => asStrided(x, sizes, strides, offset),
    {},
    ", sizes: int[], strides: int[]",
  );
