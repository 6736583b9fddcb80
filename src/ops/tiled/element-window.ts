/**
 * The window that loops pass to the user's function, and the check of their options. A window is the storage of a tensor as one typed array of
 * its dtype's kind, in which the element at storage offset k is `data[k]` (float16 and bfloat16 are bits, complex numbers two floats from
 * `data[2 * k]` on). Growth of an unshared heap detaches a window, so it is requested again before each call. A window for writing
 * materializes a shared copy, and counts as one version.
 */

import { StridewiseError, WriteError } from "../../base/errors.ts";
import { type DTypeInfo, dtypes, type TypedArray } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { checkWritable } from "../../tensor/operand.ts";
import { describeBriefly, type Tensor } from "../../tensor/tensor.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import { isOptions, unknownOption } from "../signature.ts";

export interface ElementWindow {
  readonly storage: Storage;
  readonly info: DTypeInfo;
  readonly write: boolean;
  /** The current typed array. */
  array: TypedArray;
}

/** Opens the storage of a tensor; throws if it has none, is a ragged tile, or is a const view and `write` is true. */
export function openWindow(t: Tensor, who: string, write: boolean): ElementWindow {
  const storage = wholeMemory(t, who);
  if (write && t.ownership === "const")
    throw new WriteError(
      `${who}: ${describeBriefly(t)} is a const view. Pass { write: false }, or loop over a copy: clone()`,
    );
  if (write) checkWritable(t, who);
  const info = dtypes[t.dtype];
  return { storage, info, write, array: makeWindow(storage, info, write) };
}

/** Returns the typed array for the next call. */
export function currentWindow(window: ElementWindow): TypedArray {
  if (window.array.length === 0) window.array = makeWindow(window.storage, window.info, window.write);
  return window.array;
}

function makeWindow(storage: Storage, { array, itemsize, parts }: DTypeInfo, write: boolean): TypedArray {
  const whole = (write ? storage.writable() : storage.readable()).array(array);
  const first = (storage.byteOffset / itemsize) * parts;
  return whole.subarray(first, first + Math.floor(storage.nbytes / itemsize) * parts) as TypedArray;
}

/** Throws unless the options are an object with known names. */
export function checkLoopOptions(who: string, options: unknown, known: readonly string[]): void {
  if (!isOptions(options))
    throw new StridewiseError(
      `${who}: options must be an object with ${known.join(", ")}, got ${describeValue(options)}`,
    );
  for (const name in options) if (!known.includes(name)) throw unknownOption(who, name, known);
}
