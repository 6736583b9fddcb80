/**
 * The window that loops hand to the user's function: the storage of a tensor as one typed array of its dtype's kind, in which the
 * element at storage offset k is `data[k]` (float16 and bfloat16 as their bits, complex numbers as two floats from `data[2 * k]` on).
 * Growth of an unshared heap ends a window, so it is asked for again before each call. Who writes must say so: that makes a
 * shared copy the tensor's own, and counts as one version.
 */

import { WriteError } from "../../base/errors.ts";
import { type DTypeInfo, dtypes, type TypedArray } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkWritable } from "../../tensor/operand.ts";
import { describeBriefly, type Tensor } from "../../tensor/tensor.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";

export interface ElementWindow {
  readonly storage: Storage;
  readonly info: DTypeInfo;
  readonly write: boolean;
  /** The window made last. */
  array: TypedArray;
}

/** Opens the storage of a tensor; refuses one without storage, a ragged tile, and a const view that is to be written. */
export function openWindow(t: Tensor, who: string, write: boolean): ElementWindow {
  const storage = wholeMemory(t, who);
  if (write && t.ownership === "const")
    throw new WriteError(
      `${who}: ${describeBriefly(t)} is a const view. Give { write: false }, or loop over a copy: clone()`,
    );
  if (write) checkWritable(t, who);
  const info = dtypes[t.dtype];
  return { storage, info, write, array: makeWindow(storage, info, write) };
}

/** The window as it must be at the next call. */
export function currentWindow(window: ElementWindow): TypedArray {
  if (window.array.length === 0) window.array = makeWindow(window.storage, window.info, window.write);
  return window.array;
}

function makeWindow(storage: Storage, { array, itemsize, parts }: DTypeInfo, write: boolean): TypedArray {
  const whole = (write ? storage.writable() : storage.readable()).array(array);
  const first = (storage.byteOffset / itemsize) * parts;
  return whole.subarray(first, first + Math.floor(storage.nbytes / itemsize) * parts) as TypedArray;
}
