/**
 * mlvm's value modes alias and move when a tensor is made: it gets the memory of a typed array or of another tensor, without a copy.
 * After a move the source is dead: a tensor says so when it is used, the arrays of a moved buffer have length 0.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypeOfArray, type TypedArray } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { cloneBy, type ValueMode } from "../clone.ts";
import { Tensor, tensorOver } from "../tensor.ts";
import { fromBuffer } from "./from-buffer.ts";

/** A tensor over the memory that the data has; data without memory, or another dtype than its own, is refused. */
export function takeMemory(data: unknown, mode: ValueMode, dtype: DType | undefined, who: string): Tensor {
  const own = data instanceof Tensor ? data.dtype : dtypeOfArray(data);
  if (own === undefined)
    throw new StridewiseError(`${who}: plain values have no memory to share, so the mode is copy, got ${mode}`);
  if (dtype !== undefined && dtype !== own)
    throw new DTypeError(`${who}: by ${mode} the memory stays as it is, so ${own} cannot become ${dtype}; use copy`);
  if (data instanceof Tensor) return cloneBy(data, mode);
  return mode === "alias" ? fromBuffer(data as TypedArray, {}, who) : moved(data as TypedArray, own, who);
}

/** Takes the buffer away from whoever holds it: their arrays have length 0 afterwards. */
function moved(array: TypedArray, dtype: DType, who: string): Tensor {
  const { byteOffset, byteLength, length } = array;
  if (Object.prototype.toString.call(array.buffer) !== "[object ArrayBuffer]")
    throw new StridewiseError(`${who}: shared memory cannot be moved, all its holders keep it; use alias or copy`);
  const buffer = transferred(array.buffer as ArrayBuffer);
  if (buffer === null)
    throw new StridewiseError(
      `${who}: memory that is not its own (of a WebAssembly module, of Node's pool of small Buffers) cannot be moved, its holders keep it; use alias or copy`,
    );
  return tensorOver(Storage.fromBuffer(buffer, byteOffset, byteLength), dtype, 0, [length], [1]);
}

/** The bytes of a buffer, which has none afterwards; null if it keeps them. Some engines refuse that, some copy in silence. */
function transferred(buffer: ArrayBuffer): ArrayBuffer | null {
  const { byteLength } = buffer;
  try {
    const taken = structuredClone(buffer, { transfer: [buffer] });
    return byteLength > 0 && buffer.byteLength > 0 ? null : taken;
  } catch {
    return null;
  }
}
