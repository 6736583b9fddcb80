/**
 * One tile of a product: rows x (vectors * lanes) sums, all kept in registers while one loop goes over k.
 *
 * A vector loop over the lanes stands outside, so that each step over k takes the elements of a column of the left factor, one in
 * every lane, and the vectors of a row of the right one. The sum of an element begins at 0 and takes k in order, whatever the tile.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { LoopStatement, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, constantScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol } from "../ir/symbols.ts";
import type { TileShape, Working } from "./working.ts";

/** Where the factors of a tile come from; `part` is 1 for imaginary parts. */
export interface Factors {
  left(row: number, k: Expr, part: number): Scalar;
  /** `column` counts from the first column of the tile. */
  right(column: Expr, k: Expr, part: number): Scalar;
}

/** The tile as a loop over the index j; `finish` says what becomes of the sum in a row and column. */
export function tileLoop(
  { dtype, parts, lanes }: Working,
  { rows, vectors }: TileShape,
  depth: Expr,
  factors: Factors,
  finish: (sumOf: (row: number, vector: number) => Scalar, columnOf: (vector: number) => Expr) => Statement[],
): LoopStatement {
  const [j, k] = [loopSymbol("j"), loopSymbol("k")];
  const columnOf = (vector: number): Expr => j.add(vector * lanes);
  const nameOf = (row: number, vector: number, part: number): string =>
    `sum_${row}_${vector}${parts === 1 ? "" : part === 0 ? "_re" : "_im"}`;
  const starts: Statement[] = [];
  const steps: Statement[] = [];
  const lefts = each(rows, (row) => each(parts, (part) => factors.left(row, k, part)));
  const rights = each(vectors, (vector) => each(parts, (part) => factors.right(columnOf(vector), k, part)));
  for (let row = 0; row < rows; row++)
    for (let vector = 0; vector < vectors; vector++)
      for (let part = 0; part < parts; part++) {
        const name = nameOf(row, vector, part);
        starts.push({ kind: "accumulator", name, initial: constantScalar(dtype, 0) });
        const value = productOf(lefts[row] as Scalar[], rights[vector] as Scalar[], part);
        steps.push({ kind: "accumulate", into: name, fn: "add", value });
      }
  const sumOf = (row: number, vector: number): Scalar => {
    const sums = each(parts, (part) => namedScalar(dtype, nameOf(row, vector, part)));
    return parts === 1 ? (sums[0] as Scalar) : call("complex", ...sums);
  };
  const body = [...starts, loop("serial", "k", constant(0), depth, steps), ...finish(sumOf, columnOf)];
  return loop("vector", "j", constant(0), constant(lanes), body, lanes);
}

const each = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** A part of the product of two numbers given by their parts. */
function productOf(x: readonly Scalar[], y: readonly Scalar[], part: number): Scalar {
  const of = (a: number, b: number): Scalar => call("mul", x[a] as Scalar, y[b] as Scalar);
  if (x.length === 1) return of(0, 0);
  return part === 0 ? call("sub", of(0, 0), of(1, 1)) : call("add", of(0, 1), of(1, 0));
}
