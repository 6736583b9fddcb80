/**
 * The coordinates of the upper and lower triangle of a matrix: plain functions of numbers, not ops.
 */
import { ShapeError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { checkDType, type DType } from "../../storage/dtype.ts";
import { to } from "../../tensor/clone.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { indexDType } from "../indices.ts";
import { fresh } from "../op.ts";

export interface TriangleOptions {
  readonly dtype?: DType | undefined;
}

/** The coordinates of elements with column - row >= offset if `isUpper`, else column - row <= offset. */
function coordinates(
  who: string,
  isUpper: boolean,
  rows: number,
  columns: number,
  offset: number | TriangleOptions,
  options: TriangleOptions,
): Tensor<Shape> {
  for (const size of [rows, columns])
    if (!Number.isInteger(size) || size < 0 || size >= 2 ** 31)
      throw new ShapeError(`${who}: rows and columns must be integers from 0 to 2^31 - 1, got ${rows} and ${columns}`);
  // The offset may be omitted before the options.
  const isOptions = typeof offset === "object" && offset !== null;
  const start = isOptions ? 0 : offset;
  if (!Number.isSafeInteger(start))
    throw new ShapeError(`${who}: offset must be an integer, got ${describeValue(start)}. Options come after it`);
  const { dtype = indexDType } = isOptions ? offset : options;
  checkDType(who, dtype);
  const clamp = (value: number, max: number): number => Math.min(Math.max(value, 0), max);
  // Row r has the columns before r + edge, or those from there on; rows before `first` have none, rows from `last` on have all.
  const edge = isUpper ? start : start + 1;
  const first = clamp(1 - edge, rows);
  const last = Math.max(clamp(columns - edge, rows), first);
  const below = ((last - first) * (first + last - 1 + 2 * edge)) / 2 + (rows - last) * columns;
  const count = isUpper ? rows * columns - below : below;
  checkResultBytes(who, 2 * count);
  const list = fresh("int32", [2, count]);
  const { storage } = list;
  const window = storage.writable().array("i32");
  let at = storage.byteOffset / 4;
  for (let row = isUpper ? 0 : first; row < (isUpper ? last : rows); row++) {
    const bound = clamp(row + edge, columns);
    for (let column = isUpper ? bound : 0; column < (isUpper ? columns : bound); column++) {
      window[at] = row;
      window[at++ + count] = column;
    }
  }
  return to(list, dtype);
}

/** Returns the row and column indices of the elements on and above a diagonal of a matrix, as two rows. */
export const triuIndices = (
  rows: number,
  columns: number,
  offset: number | TriangleOptions = 0,
  options: TriangleOptions = {},
): Tensor<Shape> => coordinates("triuIndices", true, rows, columns, offset, options);

/** Returns the row and column indices of the elements on and below a diagonal of a matrix, as two rows. */
export const trilIndices = (
  rows: number,
  columns: number,
  offset: number | TriangleOptions = 0,
  options: TriangleOptions = {},
): Tensor<Shape> => coordinates("trilIndices", false, rows, columns, offset, options);
