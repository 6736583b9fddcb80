/**
 * Copies and fills of strided operands, by kernels.
 * Copies within a dtype move integers of its size, which keeps all bits. Each cast has its own kernel.
 */

import { product } from "../base/ints.ts";
import { getOrCompute } from "../base/lazy.ts";
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
import { lowerRuns } from "./program/lower-runs.ts";
import { overlapOf } from "./program/overlap.ts";
import { execute } from "./program/run-program.ts";

const fills = new Map<DType, MapKernel>();

const fillKernel = (dtype: DType): MapKernel =>
  new MapKernel({
    name: `${shortName(dtype)}_fill`,
    outputs: [dtype],
    inputs: [],
    scalars: [dtype],
    body: (_, [value]) => [value],
  });

/** Sets every element to one value, converted to the dtype. Elements may share memory. */
export function fillElements(to: Operand, value: Value): void {
  execute([to], [], (builder) => lowerFill(builder, to, value));
}

/** Adds a fill. */
export function lowerFill(builder: ProgramBuilder, to: Operand, value: Value): void {
  lowerMap(builder, getOrCompute(fills, to.dtype, fillKernel), [to], [scalarFor(to.dtype, value)], {
    idempotent: true,
  });
}

/** Converts a complex value for a dtype: a real dtype drops the imaginary part, bool tests for nonzero. */
function scalarFor(dtype: DType, value: Value): Value {
  const { category } = dtypes[dtype];
  if (typeof value !== "object" || category === "complex") return value;
  return category === "bool" ? isNonzero(value) : value.re;
}

/**
 * Copies every element to the one at the same coordinate, cast to the target's dtype.
 *
 * Postcondition: the result is as if the source had been copied to other memory first, even if both share memory. If elements of the
 * target share memory, it is unspecified which of them is kept.
 */
export function copyElements(from: Operand, to: Operand): void {
  execute([to], [from], (builder) => lowerCopy(builder, from, to));
}

/** Adds a copy, with the same postcondition. */
export function lowerCopy(builder: ProgramBuilder, from: Operand, to: Operand): void {
  switch (overlapOf(from, to)) {
    case "apart":
      lowerCopyApart(builder, from, to);
      break;
    case "in place":
      if (from.dtype !== to.dtype) lowerCopyApart(builder, from, to);
      break;
    case "across":
      lowerThroughWorkspace(builder, from, to);
      break;
  }
}

/** Adds a copy between operands that share no memory. */
export function lowerCopyApart(builder: ProgramBuilder, from: Operand, to: Operand): void {
  if (from.dtype !== to.dtype) {
    lowerMap(builder, copyKernel(from.dtype, to.dtype), [to, from], [], { idempotent: true });
    return;
  }
  if (lowerRuns(builder, from, to)) return;
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

/** Copies the source to the workspace, then to the target. */
function lowerThroughWorkspace(builder: ProgramBuilder, from: Operand, to: Operand): void {
  // The copy is released at the end of the call.
  builder.workspace(0, () => {
    lowerCopyApart(builder, lowerDenseCopy(builder, from), to);
  });
}

/** A dense operand in the workspace. */
function takeDense(builder: ProgramBuilder, shape: readonly number[], dtype: DType): Operand {
  const { itemsize } = dtypes[dtype];
  const [storage, byteOffset] = builder.take(product(shape) * itemsize);
  return { storage, dtype, offset: byteOffset / itemsize, shape, stride: rowMajorStrides(shape) };
}

/** Returns a dense copy of an operand in the workspace. */
export function lowerDenseCopy(builder: ProgramBuilder, from: Operand, dtype: DType = from.dtype): Operand {
  const to = takeDense(builder, from.shape, dtype);
  lowerCopyApart(builder, from, to);
  return to;
}

/** Returns the operand, or its elements converted to the dtype in the workspace. */
export function lowerCast(builder: ProgramBuilder, from: Operand, dtype: DType): Operand {
  return from.dtype === dtype ? from : lowerDenseCopy(builder, from, dtype);
}

/** Calls `lower` with operands of these dtypes: the outputs themselves, or operands in the workspace that are converted afterward. */
export function lowerResults(
  builder: ProgramBuilder,
  outputs: readonly Operand[],
  types: readonly DType[],
  lower: (targets: readonly Operand[]) => void,
): void {
  const targets = outputs.map((out, k) => (out.dtype === types[k] ? out : takeDense(builder, out.shape, types[k])));
  lower(targets);
  for (const [k, target] of targets.entries()) if (target !== outputs[k]) lowerCopyApart(builder, target, outputs[k]);
}

/** A storage over memory that does not move. */
export function fixedStorage(memory: Memory, byteOffset: number): ElementStorage {
  return { byteOffset, readable: () => memory, writable: () => memory };
}
