/**
 * Constants of a program as slots of a plan: an element that is repeated, numbers with a constant step, or data. The first two have no data, so
 * their sizes may be arguments of the module.
 */
import { dtypes } from "../storage/dtype.ts";
import type { Storage } from "../storage/storage.ts";
import { toTypedArray } from "../tensor/convert/to-array.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../tensor/tensor.ts";
import { bytesOf, type ModuleParts } from "./parts.ts";
import type { PlanSlot } from "./plan.ts";

/** Returns the slot of a constant, which starts at byte 0 of its storage. */
export function constantSlot(t: Tensor, parts: ModuleParts): PlanSlot<number> {
  const bytes = bytesOf(t.source as Storage);
  const { itemsize } = t;
  const isUniform = bytes.length >= itemsize && bytes.every((byte, k) => byte === bytes[k % itemsize]);
  if (isUniform) return { kind: "fill", bytes: bytes.length, element: [...bytes.subarray(0, itemsize)] };
  return sequenceOf(t, bytes.length) ?? { kind: "data", data: parts.constant(bytes) };
}

const counted = new Set(["int32", "float32", "float64", "int64"]);

/** Returns the slot of a contiguous tensor whose elements have a constant integer step; null for others. */
function sequenceOf(t: Tensor, nbytes: number): PlanSlot<number> | null {
  const { dtype } = t;
  const isWhole = t.start === 0 && t.size * dtypes[dtype].itemsize === nbytes && sizesOf(t).length === 1;
  if (!counted.has(dtype) || !isWhole || flatStrides(t)[0] !== 1 || t.size < 2) return null;
  const values = Array.from(
    toTypedArray(tensorOver((t.source as Storage).retain(), dtype, 0, [t.size], [1])) as ArrayLike<number | bigint>,
    Number,
  );
  const [start] = values;
  const step = values[1] - start;
  const isSequence = values.every((value, k) => Number.isSafeInteger(value) && value === start + k * step);
  return isSequence ? { kind: "sequence", dtype, count: t.size, start, step } : null;
}
