/**
 * Copying and filling strided operands, by kernels.
 * Elements of one dtype move as integers of their size, whatever they mean, so their bits stay; a cast has a kernel of its own.
 */

import { product } from "../base/ints.ts";
import { remember } from "../base/remember.ts";
import { type DType, dtypes, type Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { isNonzero } from "./element.ts";
import { overlapOf } from "./launch/overlap.ts";
import { runMap } from "./launch/run-map.ts";
import { withBytes } from "./launch/temporary.ts";
import { bitTypes, copyKernel } from "./map/copy-kernel.ts";
import { MapKernel } from "./map/map.ts";
import { shortName } from "./map/short-name.ts";
import type { ElementStorage, Operand } from "./operand.ts";
import { rowMajorStrides } from "./plan/output-layout.ts";

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
  runMap(fillKernel(to.dtype), [to], [realPart(to.dtype, value)], { idempotent: true });
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
  to.storage.writable();
  switch (overlapOf(from, to)) {
    case "apart":
      move(from, to);
      break;
    case "in place":
      if (from.dtype !== to.dtype) move(from, to);
      break;
    case "across":
      copyByWay(from, to);
      break;
  }
}

function move(from: Operand, to: Operand): void {
  if (from.dtype !== to.dtype) {
    runMap(copyKernel(from.dtype, to.dtype), [to, from], [], { idempotent: true });
    return;
  }
  const bits = bitTypes[dtypes[to.dtype].itemsize] ?? "int64";
  runMap(copyKernel(bits, bits), [asBits(to, bits), asBits(from, bits)], [], { idempotent: true });
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
function copyByWay(from: Operand, to: Operand): void {
  const { shape, dtype } = from;
  const stride = rowMajorStrides(shape);
  withBytes(product(shape) * dtypes[dtype].itemsize, (memory, byteOffset) => {
    const way = { storage: fixedStorage(memory, byteOffset), dtype, offset: 0, shape, stride };
    move(from, way);
    move(way, to);
  });
}

/** Bytes that lie where they are as a storage. */
export function fixedStorage(memory: Memory, byteOffset: number): ElementStorage {
  return { byteOffset, readable: () => memory, writable: () => memory };
}
