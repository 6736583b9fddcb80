/**
 * Convolutions whose channels do not mix: each output is a sum over one channel's windows. The kernel reads elements where they lie;
 * where zeros belong around them, some images or channels at a time are copied between zeros, so that the copies stay in the cache.
 */

import { lowerDepthwise } from "../../kernel/contract/depthwise.ts";
import type { Operand } from "../../kernel/operand.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { dtypes } from "../../storage/dtype.ts";
import { withFlatModes } from "../../tensor/clone.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { copy_, fillUnchecked } from "../../tensor/in-place.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { fresh } from "../op.ts";
import { type Windows, windowView } from "./windows.ts";

/** Bytes of channels that are copied at once. */
const pieceBytes = 2 ** 19;

/** Fills `out`; false, and what is in it is open, if the elements lie otherwise than the kernel can read them. */
export function fillDepthwise(out: Tensor, x: Tensor, weight: Tensor, windows: Windows): boolean {
  const [batch, outputs, ...counts] = sizesOf(out) as [number, number, ...number[]];
  const [, channels, ...sizes] = sizesOf(x) as [number, number, ...number[]];
  const multiplier = outputs / channels;
  const run = (result: Tensor, area: Tensor, filters: Tensor): boolean => {
    const [to, from, by] = [result, windowView(area, windows, counts), filters].map((t) => operandOf(t, "conv")) as [
      Operand,
      Operand,
      Operand,
    ];
    let isDone = false;
    execute([to], [from, by], (builder) => {
      isDone = lowerDepthwise(builder, to, from, by, multiplier);
    });
    return isDone;
  };
  const { before, after } = windows;
  if (before.every((count) => count === 0) && after.every((count) => count === 0))
    return run(out, withFlatModes(x), weight);
  const grown = sizes.map((size, axis) => size + before[axis] + after[axis]);
  const bytes = grown.reduce((product, size) => product * size, dtypes[x.dtype].itemsize);
  const most = Math.max(1, Math.min(channels, Math.floor(pieceBytes / bytes)));
  const mostImages = Math.max(1, Math.min(batch, Math.floor(pieceBytes / (bytes * most))));
  const whole = fresh(x.dtype, [mostImages, most, ...grown]);
  fillUnchecked(whole, 0, "conv");
  const inside = sizes.reduce((t, size, axis) => narrow(t, axis + 2, before[axis], size), whole);
  for (let n = 0; n < batch; n += mostImages)
    for (let from = 0; from < channels; from += most) {
      const [images, count] = [Math.min(mostImages, batch - n), Math.min(most, channels - from)];
      const part = (t: Tensor, each = 1): Tensor => narrow(narrow(t, 0, n, images), 1, from * each, count * each);
      const here = (t: Tensor): Tensor => narrow(narrow(t, 0, 0, images), 1, 0, count);
      copy_(here(inside), part(x));
      const filters = narrow(weight, 0, from * multiplier, count * multiplier);
      if (!run(part(out, multiplier), here(whole), filters)) return false;
    }
  return true;
}
