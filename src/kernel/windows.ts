/**
 * Memory as the element loops see it: typed arrays that begin at its first byte.
 * A storage's memory is one; so is a buffer used in passing.
 */
import type { ArrayKind, TypedArray } from "../storage/dtype.ts";

/** Memory seen as typed arrays from its first byte; a window is asked for at each use, because growth ends it. */
export interface Windows {
  /** The current buffer. */
  readonly buffer: ArrayBufferLike;
  array(kind: ArrayKind): TypedArray;
}

/** The windows of a buffer that is only used in passing. */
export function windowsOver(buffer: ArrayBuffer): Windows {
  return {
    buffer,
    array(kind) {
      switch (kind) {
        case "i8":
          return new Int8Array(buffer);
        case "u8":
          return new Uint8Array(buffer);
        case "i16":
          return new Int16Array(buffer);
        case "u16":
          return new Uint16Array(buffer);
        case "i32":
          return new Int32Array(buffer);
        case "u32":
          return new Uint32Array(buffer);
        case "f32":
          return new Float32Array(buffer);
        case "f64":
          return new Float64Array(buffer);
        case "i64":
          return new BigInt64Array(buffer);
        case "u64":
          return new BigUint64Array(buffer);
        default:
          return kind satisfies never;
      }
    },
  };
}
