/**
 * Which indices ops take, and what they say of others, in PyTorch's words: along an axis, of whole rows, of all elements in a row.
 */
import type { IndexRule } from "./index-range.ts";

/** Indices along an axis, as gather and scatter take them. */
export const alongRule = (who: string, axis: number): IndexRule => ({
  dtypes: ["int64", "int32"],
  wrong: (dtype) => `${who}: index must be int32 or int64, got ${dtype}`,
  outside: (index, size) => `index ${index} is out of bounds for axis ${axis} with size ${size}`,
});

/** Indices of whole rows: int32 or int64. */
export const rowRule = (who: string, negative = false): IndexRule => ({
  negative,
  dtypes: ["int64", "int32"],
  wrong: (dtype) => `${who}: index must be int32 or int64, got ${dtype}`,
  outside: (index, size) => `index ${index} is out of bounds for size ${size}`,
});

/** Indices in row-major order. */
export const flatRule = (who: string): IndexRule => ({
  negative: true,
  dtypes: ["int64", "int32"],
  wrong: (dtype) => `${who}: index must be int32 or int64, got ${dtype}`,
  outside: (index, size) => `index ${index} is out of range for ${size} elements`,
});
