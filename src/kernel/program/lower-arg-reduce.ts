/**
 * Lowers argmax and argmin: the index of the first extreme element, or of the first NaN.
 *
 * A short reduction finds the extreme, then the first element that equals it, in two passes. A long one finds the extreme of each block of
 * its elements, then the first block with the extreme of all, and searches only that block, so it reads the elements once.
 */
import { ceilDiv } from "../../base/ints.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import type { DType } from "../../storage/dtype.ts";
import { dtypes } from "../../storage/dtype.ts";
import { call } from "../ir/scalar.ts";
import { MapKernel } from "../map/map.ts";
import type { Operand } from "../operand.ts";
import { rowMajorStrides } from "../plan/output-layout.ts";
import { type ArgReduction, makeArgReduction, makeExtreme, orderedDType } from "../reduce/reductions.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import { lowerIndexed } from "../scatter.ts";
import type { ProgramBuilder } from "./builder.ts";
import { lowerMap } from "./lower-map.ts";
import { lowerReduce } from "./lower-reduce.ts";

/** Elements of a block, and the fewest of a reduction in blocks. Only tests change them. */
export const argReducing = { block: 4096, minElements: 65536 };

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();

/**
 * Adds the steps that set each element of `out`, int32, to the index of the first extreme among the elements of the input that are reduced
 * to it, in the row-major order of the reduced axes; and each element of `values`, if passed, to the extreme itself.
 */
export function lowerArgReduce(
  builder: ProgramBuilder,
  reduction: ArgReduction,
  out: Operand,
  input: Operand,
  values?: Operand,
): void {
  const line = lineOf(out, input);
  if (line !== null) {
    lowerBlocks(builder, reduction, out, line);
    if (values !== undefined)
      lowerIndexed(builder, "take", { ...line, ...ofLine(line), shape: out.shape }, values, out);
    return;
  }
  const kernel = argKernel(reduction, input.dtype, values !== undefined);
  lowerReduce(builder, kernel, values === undefined ? [out] : [out, values], [input]);
}

const argKernel = (reduction: ArgReduction, dtype: DType, withValues = false): ReduceKernel =>
  getOrCompute(kernels, `${reduction} ${dtype} ${withValues}`, () =>
    makeArgReduction(reduction, reduction, dtype, withValues),
  );

/** The input with its reduced axes as one, the last; null if they are not one run in row-major order, or a short one. */
function lineOf(out: Operand, input: Operand): Operand | null {
  const rank = out.shape.length;
  const reduced = input.shape.slice(rank);
  if (out.shape.includes(0) || reduced.includes(0)) return null;
  const { sizes, strides } = simplifyFlat(reduced, [0, 0], [rowMajorStrides(reduced), input.stride.slice(rank)]);
  if (sizes.length !== 1 || sizes[0] < argReducing.minElements) return null;
  const withLast = (list: readonly number[], last: number): number[] => [...list.slice(0, rank), last];
  return { ...input, shape: withLast(input.shape, sizes[0]), stride: withLast(input.stride, strides[1][0]) };
}

/** The last axis of a line as the axis of an index. */
const ofLine = ({ shape, stride }: Operand): { stride: readonly number[]; step: number; length: number } => ({
  stride: stride.slice(0, -1),
  step: stride[stride.length - 1],
  length: shape[shape.length - 1],
});

/** The first element of a block: the last block ends with the line, and overlaps the one before it. */
const startOfBlock = /* @__PURE__ */ new MapKernel({
  name: "start_of_block",
  outputs: ["int32"],
  inputs: ["int32"],
  scalars: ["int32", "int32"],
  body: ([number], [block, last]) => [call("min", call("mul", number, block), last)],
});

const sumOfTwo = /* @__PURE__ */ new MapKernel({
  name: "sum_of_two",
  outputs: ["int32"],
  inputs: ["int32", "int32"],
  scalars: [],
  body: ([a, b]) => [call("add", a, b)],
});

function lowerBlocks(builder: ProgramBuilder, reduction: ArgReduction, out: Operand, line: Operand): void {
  const { block } = argReducing;
  const { shape: kept } = out;
  const { stride, step, length } = ofLine(line);
  const count = ceilDiv(length, block);
  const whole = Math.floor(length / block);
  const extreme = getOrCompute(kernels, `extreme ${reduction} ${line.dtype}`, () => makeExtreme(reduction, line.dtype));
  builder.workspace(0, () => {
    const take = (dtype: DType, shape: readonly number[]): Operand => {
      const { itemsize } = dtypes[dtype];
      const [storage, byteOffset] = builder.take(shape.reduce((product, size) => product * size, itemsize));
      return { storage, dtype, offset: byteOffset / itemsize, shape, stride: rowMajorStrides(shape) };
    };
    const extremes = take(orderedDType(line.dtype), [...kept, count]);
    /** Adds the extremes of `some` blocks from number `from` on; `start` is the first element. */
    const lowerExtremes = (some: number, from: number, start: number): void => {
      const to = { ...extremes, offset: extremes.offset + from, shape: [...kept, some] };
      const blocks = { ...line, offset: line.offset + start * step };
      const elements = { ...blocks, shape: [...kept, some, block], stride: [...stride, block * step, step] };
      lowerReduce(builder, extreme, [to], [elements]);
    };
    lowerExtremes(whole, 0, 0);
    if (count > whole) lowerExtremes(1, whole, length - block);
    const [number, start, indexInBlock] = [0, 1, 2].map(() => take("int32", kept));
    lowerReduce(builder, argKernel(reduction, extremes.dtype), [number], [extremes]);
    lowerMap(builder, startOfBlock, [start, number], [block, length - block]);
    const elements = take(line.dtype, [...kept, block]);
    const far = { ...line, shape: elements.shape, stride: [...stride, step], step, length: length - block + 1 };
    lowerIndexed(builder, "take", far, elements, { ...start, shape: elements.shape, stride: [...start.stride, 0] });
    lowerReduce(builder, argKernel(reduction, line.dtype), [indexInBlock], [elements]);
    lowerMap(builder, sumOfTwo, [out, start, indexInBlock]);
  });
}
