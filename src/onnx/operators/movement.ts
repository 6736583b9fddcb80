/** Parts of tensors, and tensors of parts: slices, concatenation, repetition, padding, blocks of images. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { moved, movedAll } from "./moved.ts";
import { cropOrPad, pad } from "./pad.ts";

/** The part of an axis from `start` to before `end`, which count from the end if they are negative. */
function sliced(x: sw.Tensor, axis: number, start: number, end: number, step: number): sw.Tensor {
  const size = x.shape[axis];
  const limit = step > 0 ? size : size - 1;
  const least = step > 0 ? 0 : -1;
  const clamped = (at: number, low: number): number => Math.min(Math.max(at < 0 ? at + size : at, low), limit);
  const [from, to] = [clamped(start, 0), clamped(end, least)];
  const count = size === 0 ? 0 : Math.max(0, Math.ceil((to - from) / step));
  if (step === 1 || count === 0) return x.narrow(axis, count === 0 ? 0 : from, count);
  const index: sw.Index[] = x.shape.map(() => sw._);
  index[axis] = sw.range(from, to < 0 ? null : to, step);
  return x.at(...index);
}

/** Before version 10 the numbers are attributes. */
function slice(call: Call): OnnxValue {
  const isInput = call.version >= 10;
  const starts = isInput ? call.numbers(1) : call.ints("starts");
  const ends = isInput ? call.numbers(2) : call.ints("ends");
  const listed = isInput ? call.optionalNumbers(3) : call.ints("axes", null);
  const steps = isInput ? call.optionalNumbers(4) : null;
  const axes = listed ?? starts.map((_, k) => k);
  for (const [name, list] of [
    ["ends", ends],
    ["axes", axes],
    ["steps", steps ?? starts],
  ] as const)
    if (list.length !== starts.length)
      throw call.error(`starts and ${name} must have the same length, got ${starts.length} and ${list.length}`);
  return moved(call, [0], ([x]) =>
    axes.reduce((part, axis, k) => {
      const step = steps?.[k] ?? 1;
      if (step === 0) throw call.error("a step must not be 0");
      return sliced(part, call.axis(axis, x.ndim), starts[k], ends[k], step);
    }, x),
  );
}

function concat(call: Call): OnnxValue {
  const all = call.inputs.map((_, k) => k);
  if (all.length === 0) throw call.error("there must be at least one input");
  return moved(call, all, (parts) => {
    const axis = call.axis(call.int("axis"), parts[0].ndim);
    return parts.length === 1 ? parts[0] : sw.cat(parts, axis);
  });
}

/** Sizes are an attribute before version 13, an input from then on. Without sizes, parts are equal; from version 18 on the last may be smaller. */
function split(call: Call): readonly OnnxValue[] {
  const listed = call.version >= 13 ? call.optionalNumbers(1) : call.ints("split", null);
  return movedAll(call, [0], ([x]) => {
    const axis = call.axis(call.int("axis", 0), x.ndim);
    const size = x.shape[axis];
    const sizes = listed ?? equalParts(call, size);
    if (sizes.some((each) => each < 0) || sizes.reduce((a, b) => a + b, 0) !== size)
      throw call.error(`the sizes [${sizes}] must add up to ${size}, the size of axis ${axis}`);
    let start = 0;
    return sizes.map((each) => {
      start += each;
      return x.narrow(axis, start - each, each);
    });
  });
}

function equalParts(call: Call, size: number): readonly number[] {
  const count = call.version >= 18 ? call.int("num_outputs", call.outputCount) : call.outputCount;
  const each = Math.ceil(size / call.count(count, "num_outputs"));
  if (call.version < 18 && each * count !== size)
    throw call.error(`an axis of ${size} cannot be split into ${count} equal parts`);
  return Array.from({ length: count }, (_, k) => Math.max(0, Math.min(each, size - k * each)));
}

/** The channels of an image in one order, and the sizes of its blocks: [n, c, h, w] to [n, c / b^2, h * b, w * b]. */
function depthToSpace(call: Call): OnnxValue {
  const mode = call.string("mode", "DCR");
  if (mode !== "DCR" && mode !== "CRD") throw call.error(`the attribute mode must be DCR or CRD, got "${mode}"`);
  return moved(call, [0], ([x]) => {
    const [block, [n, c, h, w]] = [blockSize(call), imageShape(call, x)];
    const depth = c / block ** 2;
    if (!Number.isInteger(depth)) throw call.error(`${c} channels must be divisible by ${block ** 2}`);
    const blocks =
      mode === "DCR"
        ? x.reshape([n, block, block, depth, h, w]).permute([0, 3, 4, 1, 5, 2])
        : x.reshape([n, depth, block, block, h, w]).permute([0, 1, 4, 2, 5, 3]);
    return blocks.reshape([n, depth, h * block, w * block]);
  });
}

function spaceToDepth(call: Call): OnnxValue {
  return moved(call, [0], ([x]) => {
    const [block, [n, c, h, w]] = [blockSize(call), imageShape(call, x)];
    if (h % block !== 0 || w % block !== 0) throw call.error(`the sizes ${h} and ${w} must be divisible by ${block}`);
    const blocks = x.reshape([n, c, h / block, block, w / block, block]).permute([0, 3, 5, 1, 2, 4]);
    return blocks.reshape([n, c * block ** 2, h / block, w / block]);
  });
}

function blockSize(call: Call): number {
  const size = call.int("blocksize");
  if (size < 1) throw call.error(`the attribute blocksize must be at least 1, got ${size}`);
  return size;
}

function imageShape(call: Call, { shape }: sw.Tensor): readonly [number, number, number, number] {
  if (shape.length !== 4) throw call.error(`the input must have 4 axes, got [${shape}]`);
  return [shape[0], shape[1], shape[2], shape[3]];
}

/** The triangle of matrices on one side of diagonal k. */
function trilu(call: Call): sw.Tensor {
  const x = call.tensor(0);
  if (x.ndim < 2) throw call.error(`the input must have at least 2 axes, got [${x.shape}]`);
  // All diagonals outside of the matrix have the same result.
  const k = Math.min(Math.max(call.optionalNumber(1, 0), -x.shape[x.ndim - 2]), x.shape[x.ndim - 1]);
  return call.int("upper", 1) !== 0 ? sw.triu(x, k) : sw.tril(x, k);
}

function tile(call: Call): OnnxValue {
  const repeats = call.numbers(1);
  return moved(call, [0], ([x]) => {
    if (repeats.length !== x.ndim)
      throw call.error(`input 1 must have one number for each of the ${x.ndim} axes, got [${repeats}]`);
    return sw.tile(x, repeats);
  });
}

function centerCropPad(call: Call): OnnxValue {
  const sizes = call.numbers(1);
  return moved(call, [0], ([x]) => {
    const axes = (call.ints("axes", null) ?? x.shape.map((_, axis) => axis)).map((axis) => call.axis(axis, x.ndim));
    if (axes.length !== sizes.length)
      throw call.error(`input 1 must have one size for each of the axes [${axes}], got [${sizes}]`);
    const ends = x.shape.map((size, axis) => {
      const k = axes.indexOf(axis);
      const change = k < 0 ? 0 : sizes[k] - size;
      const before = change < 0 ? -Math.floor(-change / 2) : Math.floor(change / 2);
      return [before, change - before] as const;
    });
    return cropOrPad(x, ends, 0);
  });
}

export const movement: OperatorTable = {
  Slice: slice,
  Concat: concat,
  Split: split,
  Tile: tile,
  Pad: pad,
  CenterCropPad: centerCropPad,
  DepthToSpace: depthToSpace,
  SpaceToDepth: spaceToDepth,
  Trilu: trilu,
};
