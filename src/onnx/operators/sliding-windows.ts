/**
 * The windows of convolutions and pooling, from the attributes of a node: kernel_shape, strides, dilations, pads, auto_pad and ceil_mode. Padding
 * may differ at both ends of an axis, and the result fits the library's ops over windows, so nothing is copied.
 */
import type { Windows } from "../../ops/contract/windows.ts";
import type { Call } from "../call.ts";

export interface SlidingWindows extends Windows {
  /** The number of windows along each axis. */
  readonly counts: readonly number[];
  /** The explicit or automatic padding at the end of each axis; `after` also covers what ceil_mode adds. */
  readonly padAfter: readonly number[];
}

/** Returns an attribute with an integer for each axis. */
export function perAxis(call: Call, name: string, axes: number, otherwise: number, min = 1): number[] {
  const list = call.ints(name, new Array<number>(axes).fill(otherwise));
  if (list.length !== axes || list.some((each) => each < min))
    throw call.error(`${name} must be ${axes} integers of at least ${min}, got [${list}]`);
  return list;
}

/** Returns the padding in the attribute pads: before and after each axis. */
export function explicitPads(call: Call, axes: number): [before: number[], after: number[]] {
  const pads = perAxis(call, "pads", 2 * axes, 0, 0);
  return [pads.slice(0, axes), pads.slice(axes)];
}

/** Splits padding in two; the odd element is at the end for SAME_UPPER, and at the beginning for SAME_LOWER. */
export function splitPads(total: readonly number[], mode: string): [before: number[], after: number[]] {
  const [small, large] = [total.map((each) => each >> 1), total.map((each) => each - (each >> 1))];
  return mode === "SAME_LOWER" ? [large, small] : [small, large];
}

/** Returns the value of auto_pad. */
export function autoPad(call: Call): "NOTSET" | "VALID" | "SAME_UPPER" | "SAME_LOWER" {
  const mode = call.string("auto_pad", "NOTSET") || "NOTSET";
  if (mode === "NOTSET" || mode === "VALID" || mode === "SAME_UPPER" || mode === "SAME_LOWER") return mode;
  throw call.error(`auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got "${mode}"`);
}

/** Returns the windows of a node over axes of these sizes. */
export function slidingWindows(call: Call, sizes: readonly number[], kernel: readonly number[]): SlidingWindows {
  const axes = sizes.length;
  if (kernel.length !== axes || kernel.some((size) => size < 1))
    throw call.error(`kernel_shape must be ${axes} integers of at least 1, got [${kernel}]`);
  const stride = perAxis(call, "strides", axes, 1);
  const dilation = perAxis(call, "dilations", axes, 1);
  const reach = kernel.map((size, k) => dilation[k] * (size - 1) + 1);
  const mode = autoPad(call);
  if (mode === "SAME_UPPER" || mode === "SAME_LOWER") {
    const counts = sizes.map((size, k) => Math.ceil(size / stride[k]));
    const total = counts.map((count, k) => Math.max(0, (count - 1) * stride[k] + reach[k] - sizes[k]));
    const [before, after] = splitPads(total, mode);
    return { kernel, stride, dilation, before, after, counts, padAfter: after };
  }
  const none = sizes.map(() => 0);
  const [before, padAfter] = mode === "VALID" ? [none, none] : explicitPads(call, axes);
  const isCeil = call.int("ceil_mode", 0) !== 0;
  const counts = sizes.map((size, k) => {
    const slack = size + before[k] + padAfter[k] - reach[k];
    if (slack < 0)
      throw call.error(
        `a window of ${reach[k]} elements is longer than axis ${k + 2} of the input, which has ${size} elements and padding [${before[k]}, ${padAfter[k]}]`,
      );
    const count = (isCeil ? Math.ceil(slack / stride[k]) : Math.floor(slack / stride[k])) + 1;
    // A window that would start in the padding at the end is omitted.
    return isCeil && (count - 1) * stride[k] >= size + before[k] ? count - 1 : count;
  });
  const after = counts.map((count, k) =>
    Math.max(padAfter[k], (count - 1) * stride[k] + reach[k] - sizes[k] - before[k]),
  );
  return { kernel, stride, dilation, before, after, counts, padAfter };
}
