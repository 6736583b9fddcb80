/**
 * One tile of a product: rows x (vectors * lanes) sums, all kept in registers while one loop goes over k.
 *
 * A vector loop over the lanes stands outside, so that each step over k takes the elements of a column of the left factor, one in
 * every lane, and the vectors of a row of the right one. The sum of an element begins at 0 and takes k in order, whatever the tile.
 * Over a long k, sums of blocks are added in the unit's buffer `aside`, which has one element for each sum of the tile.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { LoopStatement, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, constantScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol } from "../ir/symbols.ts";
import { overBlocks } from "./parameters.ts";
import type { TileShape, Working } from "./working.ts";

/** Where the factors of a tile come from; `part` is 1 for imaginary parts. */
export interface Factors {
  left(row: number, k: Expr, part: number): Scalar;
  /** `column` counts from the first column of the tile. */
  right(column: Expr, k: Expr, part: number): Scalar;
}

/** The tile as a loop over the index j; `finish` says what becomes of the sum in a row and column. A `block` is the length of blocks of k. */
export function tileLoop(
  { dtype, parts, lanes }: Working,
  { rows, vectors }: TileShape,
  depth: Expr,
  factors: Factors,
  finish: (sumOf: (row: number, vector: number) => Scalar, columnOf: (vector: number) => Expr) => Statement[],
  block?: Expr,
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
        const value = productOf(lefts[row], rights[vector], part);
        steps.push({ kind: "accumulate", into: name, fn: "add", value });
      }
  const sumOf = (row: number, vector: number): Scalar => {
    const sums = each(parts, (part) => namedScalar(dtype, nameOf(row, vector, part)));
    return parts === 1 ? sums[0] : call("complex", ...sums);
  };
  const over = (body: Statement[]): LoopStatement => loop("vector", "j", constant(0), constant(lanes), body, lanes);
  if (block === undefined)
    return over([...starts, loop("serial", "k", constant(0), depth, steps), ...finish(sumOf, columnOf)]);
  const asideAt = (row: number, vector: number): Expr => columnOf(vector).add(row * vectors * lanes);
  const total = (row: number, vector: number): Scalar => loadScalar(dtype, "aside", asideAt(row, vector));
  const store = (valueOf: (row: number, vector: number) => Scalar): Statement[] =>
    each(rows * vectors, (at) => {
      const [row, vector] = [Math.floor(at / vectors), at % vectors];
      return { kind: "store", buffer: "aside", index: asideAt(row, vector), value: valueOf(row, vector) };
    });
  return over([
    ...store(() => constantScalar(dtype, 0)),
    overBlocks(depth, block, (low, high) => [
      ...starts,
      loop("serial", "k", low, high, steps),
      ...store((row, vector) => call("add", total(row, vector), sumOf(row, vector))),
    ]),
    ...finish(total, columnOf),
  ]);
}

const each = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** A part of the product of two numbers given by their parts. */
function productOf(x: readonly Scalar[], y: readonly Scalar[], part: number): Scalar {
  const of = (a: number, b: number): Scalar => call("mul", x[a], y[b]);
  if (x.length === 1) return of(0, 0);
  return part === 0 ? call("sub", of(0, 0), of(1, 1)) : call("add", of(0, 1), of(1, 0));
}
