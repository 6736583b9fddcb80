/**
 * The coordinates of the upper and lower triangle of a matrix. They take numbers only, so they are plain functions, not ops.
 */
import { ShapeError } from "../../base/errors.ts";
import { checkDType, type DType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { positionDType } from "../positions.ts";
import { integersOf } from "./positions.ts";

export interface TriangleOptions {
  readonly dtype?: DType | undefined;
}

function coordinates(
  who: string,
  rows: number,
  columns: number,
  offset: number | TriangleOptions,
  options: TriangleOptions,
  rangeOf: (diagonal: number) => readonly [first: number, end: number],
): Tensor<Shape> {
  for (const size of [rows, columns])
    if (!Number.isSafeInteger(size) || size < 0)
      throw new ShapeError(`${who}: rows and columns must be non-negative integers, got ${rows} and ${columns}`);
  // Options may come in the place of the offset.
  const isOptions = typeof offset === "object" && offset !== null;
  const start = isOptions ? 0 : offset;
  if (!Number.isSafeInteger(start))
    throw new ShapeError(`${who}: the offset is an integer, got ${describeValue(start)}. Options come behind it`);
  const { dtype = positionDType } = isOptions ? offset : options;
  const found: [number[], number[]] = [[], []];
  for (let row = 0; row < rows; row++) {
    const [first, end] = rangeOf(row + start);
    for (let column = Math.max(first, 0); column < Math.min(end, columns); column++) {
      found[0].push(row);
      found[1].push(column);
    }
  }
  return integersOf(Int32Array.from(found.flat()), [2, found[0].length], checkDType(who, dtype));
}

/** Rows and columns, as a matrix of two rows, of the elements on and above a diagonal of a matrix. */
export const triuIndices = (
  rows: number,
  columns: number,
  offset: number | TriangleOptions = 0,
  options: TriangleOptions = {},
): Tensor<Shape> => coordinates("triuIndices", rows, columns, offset, options, (diagonal) => [diagonal, columns]);

/** Rows and columns, as a matrix of two rows, of the elements on and below a diagonal of a matrix. */
export const trilIndices = (
  rows: number,
  columns: number,
  offset: number | TriangleOptions = 0,
  options: TriangleOptions = {},
): Tensor<Shape> => coordinates("trilIndices", rows, columns, offset, options, (diagonal) => [0, diagonal + 1]);
