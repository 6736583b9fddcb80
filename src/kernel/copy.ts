/**
 * Copying and filling strided operands, by kernels.
 * Elements of one dtype move as integers of their size, whatever they mean, so their bits stay; a cast has a kernel of its own.
 */

import { product } from "../base/ints.ts";
import { remember } from "../base/remember.ts";
import { type DType, dtypes, type Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { isNonzero } from "./element.ts";
import { bitTypes, copyKernel } from "./map/copy-kernel.ts";
import { MapKernel } from "./map/map.ts";
import { shortName } from "./map/short-name.ts";
import type { ElementStorage, Operand } from "./operand.ts";
import { rowMajorStrides } from "./plan/output-layout.ts";
import type { ProgramBuilder } from "./program/builder.ts";
import { lowerMap } from "./program/lower-map.ts";
import { overlapOf } from "./program/overlap.ts";
import { execute } from "./program/run-program.ts";

const fills = new Map<DType, MapKernel>();

function fillKernel(dtype: DType): MapKernel {
  const make = (): MapKernel =>
    new MapKernel({
      name: `${shortName(dtype)}_fill`,
      outputs: [dtype],
      inputs: [],
      scalars: [dtype],
      body: (_, [value]) => [value as never],
    });
  return remember(fills, dtype, make);
}

/** Sets every element to one value, converted to the dtype; elements that share memory are no matter. */
export function fillElements(to: Operand, value: Value): void {
  execute([to], [], (builder) => lowerFill(builder, to, value));
}

/** Adds what sets every element to one value. */
export function lowerFill(builder: ProgramBuilder, to: Operand, value: Value): void {
  lowerMap(builder, fillKernel(to.dtype), [to], [realPart(to.dtype, value)], { idempotent: true });
}

/** What of a complex number a dtype takes: a real one leaves the imaginary part behind, bool asks whether it is zero. */
function realPart(dtype: DType, value: Value): Value {
  const { category } = dtypes[dtype];
  if (typeof value !== "object" || category === "complex") return value;
  return category === "bool" ? isNonzero(value) : value.re;
}

/**
 * Copies every element to the one at the same coordinate, cast to the target's dtype.
 *
 * Promise: the target ends as if the source had been copied away first, also where both share memory. If elements of the
 * target itself share memory, which of them is kept is open.
 */
export function copyElements(from: Operand, to: Operand): void {
  execute([to], [from], (builder) => lowerCopy(builder, from, to));
}

/** Adds what copies every element to the one at the same coordinate, with the same promise. */
export function lowerCopy(builder: ProgramBuilder, from: Operand, to: Operand): void {
  switch (overlapOf(from, to)) {
    case "apart":
      lowerMove(builder, from, to);
      break;
    case "in place":
      if (from.dtype !== to.dtype) lowerMove(builder, from, to);
      break;
    case "across":
      lowerByWay(builder, from, to);
      break;
  }
}

function lowerMove(builder: ProgramBuilder, from: Operand, to: Operand): void {
  if (from.dtype !== to.dtype) {
    lowerMap(builder, copyKernel(from.dtype, to.dtype), [to, from], [], { idempotent: true });
    return;
  }
  const bits = bitTypes[dtypes[to.dtype].itemsize] ?? "int64";
  lowerMap(builder, copyKernel(bits, bits), [asBits(to, bits), asBits(from, bits)], [], { idempotent: true });
}

function asBits(operand: Operand, dtype: DType): Operand {
  const { storage, offset, shape, stride, isStatic = false } = operand;
  if (dtypes[operand.dtype].itemsize !== 16) return { storage, dtype, offset, shape, stride, isStatic };
  return {
    isStatic,
    storage,
    dtype,
    offset: 2 * offset,
    shape: [...shape, 2],
    stride: [...stride.map((step) => 2 * step), 1],
  };
}

/** Copies the source away, then to its place. */
function lowerByWay(builder: ProgramBuilder, from: Operand, to: Operand): void {
  const { shape, dtype } = from;
  const stride = rowMajorStrides(shape);
  const { itemsize } = dtypes[dtype];
  builder.workspace(product(shape) * itemsize, (storage, byteOffset) => {
    const way = { storage, dtype, offset: byteOffset / itemsize, shape, stride };
    lowerMove(builder, from, way);
    lowerMove(builder, way, to);
  });
}

/** An operand converted to a dtype in the workspace, or itself if it has the dtype. */
export function lowerCast(builder: ProgramBuilder, from: Operand, dtype: DType): Operand {
  if (from.dtype === dtype) return from;
  const { shape } = from;
  const { itemsize } = dtypes[dtype];
  const [storage, byteOffset] = builder.take(product(shape) * itemsize);
  const to = { storage, dtype, offset: byteOffset / itemsize, shape, stride: rowMajorStrides(shape) };
  lowerMove(builder, from, to);
  return to;
}

/** Calls `lower` with operands of these dtypes: the outputs themselves, or others in the workspace that are converted afterwards. */
export function lowerResults(
  builder: ProgramBuilder,
  outputs: readonly Operand[],
  types: readonly DType[],
  lower: (targets: readonly Operand[]) => void,
): void {
  const targets = outputs.map((out, k): Operand => {
    const dtype = types[k];
    if (out.dtype === dtype) return out;
    const { itemsize } = dtypes[dtype];
    const [storage, byteOffset] = builder.take(product(out.shape) * itemsize);
    return { storage, dtype, offset: byteOffset / itemsize, shape: out.shape, stride: rowMajorStrides(out.shape) };
  });
  lower(targets);
  for (const [k, target] of targets.entries()) if (target !== outputs[k]) lowerMove(builder, target, outputs[k]);
}

/** Bytes that lie where they are as a storage. */
export function fixedStorage(memory: Memory, byteOffset: number): ElementStorage {
  return { byteOffset, readable: () => memory, writable: () => memory };
}
