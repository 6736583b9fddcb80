/**
 * Which indices ops take, and what they say of others: along an axis, of whole rows, of all elements in a row.
 */
import type { IndexRule } from "./index-range.ts";

/** Indices along an axis, as gather and scatter take them. */
export const alongRule = (axis: number): IndexRule => ({
  outside: (index, size) => `index ${index} is out of bounds for axis ${axis} with size ${size}`,
});

/** Indices of whole rows. */
export const rowRule = (negative = false): IndexRule => ({
  negative,
  outside: (index, size) => `index ${index} is out of bounds for size ${size}`,
});

/** Indices in row-major order. */
export const flatRule: IndexRule = {
  negative: true,
  outside: (index, size) => `index ${index} is out of range for ${size} elements`,
};
