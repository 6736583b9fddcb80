/**
 * Indices of elements along an axis: the dtype of index tensors, and arguments that are an index or a list of indices. See
 * docs/decisions/0013.
 */
import { IndexError } from "../base/errors.ts";
import { describeValue } from "../tensor/describe-value.ts";

/** The dtype of the indices that argmax, sort, nonzero and related ops return. */
export const indexDType = "int32";
export type IndexDType = typeof indexDType;

/** One index or several; negative ones count from the end. */
export type IndexArgument = number | readonly number[];

/** Returns the indices counted from the start of an axis. Throws unless they are from 0 to `last`. */
export function normalizeIndices(who: string, indices: IndexArgument, size: number, last: number): number[] {
  return [indices].flat().map((index) => {
    const at = typeof index === "number" && index < 0 ? index + size : index;
    if (Number.isInteger(at) && at >= 0 && at <= last) return at;
    if (!Number.isInteger(index)) throw new IndexError(`${who}: index ${describeValue(index)} is not an integer`);
    throw new IndexError(
      `${who}: index ${index} is out of range for an axis with size ${size}${last < 0 ? "" : ` (valid: ${-size} to ${last})`}`,
    );
  });
}
