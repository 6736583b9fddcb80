/**
 * One tile of a product: rows x (vectors * lanes) sums, kept in registers during one loop over k.
 *
 * The outer loop is a vector loop over the lanes, so that a step over k takes the elements of a column of the left factor, each broadcast to
 * all lanes, and the vectors of a row of the right one. Every sum starts at 0 and takes k in order, whatever the tile. Over a long k,
 * sums of blocks are added in the unit's buffer `aside`, which has one element for each sum of the tile.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { LoopStatement, Statement } from "../ir/kernel.ts";
import { call, constantScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { accumulate, accumulator, loop, store } from "../ir/statements.ts";
import { loopSymbol } from "../ir/symbols.ts";
import type { AccumulatorType, ProductTile } from "./accumulator.ts";
import { overBlocks } from "./parameters.ts";

/** The elements of the factors of a tile; `part` is 1 for imaginary parts. */
interface Factors {
  left(row: number, k: Expr, part: number): Scalar;
  /** `column` counts from the first column of the tile. */
  right(column: Expr, k: Expr, part: number): Scalar;
}

/** Returns the tile as a loop over the index j. `finish` returns the statements that store the sums; `block` is the length of blocks of k. */
export function tileLoop(
  { dtype, parts, lanes, terms }: AccumulatorType,
  { rows, vectors }: ProductTile,
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
  const lefts = listOf(rows, (row) => listOf(parts, (part) => factors.left(row, k, part)));
  const rights = listOf(vectors, (vector) => listOf(parts, (part) => factors.right(columnOf(vector), k, part)));
  for (let row = 0; row < rows; row++)
    for (let vector = 0; vector < vectors; vector++)
      for (let part = 0; part < parts; part++) {
        const name = nameOf(row, vector, part);
        starts.push(accumulator(name, "add", dtype));
        steps.push(accumulate(name, "add", productOf(lefts[row], rights[vector], part, terms)));
      }
  const sumOf = (row: number, vector: number): Scalar => {
    const sums = listOf(parts, (part) => namedScalar(dtype, nameOf(row, vector, part)));
    return parts === 1 ? sums[0] : call("complex", ...sums);
  };
  const over = (body: Statement[]): LoopStatement => loop("vector", "j", constant(0), constant(lanes), body, lanes);
  if (block === undefined)
    return over([...starts, loop("serial", "k", constant(0), depth, steps), ...finish(sumOf, columnOf)]);
  const asideAt = (row: number, vector: number): Expr => columnOf(vector).add(row * vectors * lanes);
  const total = (row: number, vector: number): Scalar => loadScalar(dtype, "aside", asideAt(row, vector));
  const storeAside = (valueOf: (row: number, vector: number) => Scalar): Statement[] =>
    listOf(rows * vectors, (at) => {
      const [row, vector] = [Math.floor(at / vectors), at % vectors];
      return store("aside", asideAt(row, vector), valueOf(row, vector));
    });
  return over([
    ...storeAside(() => constantScalar(dtype, 0)),
    overBlocks(depth, block, (low, high) => [
      ...starts,
      loop("serial", "k", low, high, steps),
      ...storeAside((row, vector) => call("add", total(row, vector), sumOf(row, vector))),
    ]),
    ...finish(total, columnOf),
  ]);
}

/** A part of the product of two numbers, which are lists of parts, or the sum of the products of two terms. */
function productOf(x: readonly Scalar[], y: readonly Scalar[], part: number, terms: 1 | 2): Scalar {
  const productOf = (a: number, b: number): Scalar => call(terms === 1 ? "mul" : "dotHalves", x[a], y[b]);
  if (x.length === 1) return productOf(0, 0);
  return part === 0 ? call("sub", productOf(0, 0), productOf(1, 1)) : call("add", productOf(0, 1), productOf(1, 0));
}
