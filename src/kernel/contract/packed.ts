/**
 * The kernel of a product of packed factors (`pack.ts`): a step over k reads two short runs of memory.
 *
 * A unit computes a block of tiles, column by column, so that a panel of the right factor stays in the first-level cache. A tile at an edge is
 * computed whole in the buffer `aside`, and the part inside the output is copied.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loadScalar, type Scalar } from "../ir/scalar.ts";
import { allocate, indexStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import { type AccumulatorType, packedTile } from "./accumulator.ts";
import { fusingOf, storedSum, symbolsOf } from "./parameters.ts";
import { tileLoop } from "./tile.ts";

const sizes: readonly SizeParameter[] = [
  ...["m", "n", "depth", "span", "rows", "columns", "blocks_m", "blocks", "units"].map((name) => sizeFrom(name, 1)),
  sizeFrom("a_batch", 0),
  sizeFrom("b_batch", 0),
  sizeFrom("first", 0),
  anyStride("out_m"),
  anyStride("out_n"),
];

/** Returns the kernel for outputs of a dtype. `../program/lower-packed.ts` passes the sizes in this order. With `isLong`, k has blocks of `span`. */
export function buildPacked(
  dtype: DType,
  accumulator: AccumulatorType,
  accumulates: boolean,
  isColumnDense: boolean,
  isLong: boolean,
): Kernel {
  const tile = packedTile(accumulator);
  const { parts } = accumulator;
  const height = tile.rows;
  const width = tile.vectors * accumulator.lanes;
  const symbol = symbolsOf(sizes);
  const [u, batch, block, depth] = ["u", "batch", "block", "depth"].map(symbol);
  const [row0, column0, i, j] = ["row0", "column0", "i", "jt"].map(symbol);
  const [rowsLeft, columnsLeft, whole, r] = ["found_m", "found_n", "whole", "r"].map(symbol);
  const storeAt = (row: Expr, column: Expr, value: Scalar): Statement => {
    const index = offsetSymbol("out_at")
      .add(symbol("out_m").mul(i.mul(height).add(row)))
      .add(isColumnDense ? j.mul(width).add(column) : symbol("out_n").mul(j.mul(width).add(column)));
    return store("out", index, storedSum(dtype, accumulates, index, value));
  };
  const sumType = parts === 1 ? accumulator.dtype : dtype;
  const each = <T>(make: (row: number, vector: number) => T): T[] =>
    listOf(height * tile.vectors, (at) => make(Math.floor(at / tile.vectors), at % tile.vectors));
  const tiles = tileLoop(
    accumulator,
    tile,
    depth,
    {
      left: (row, k, part) =>
        loadScalar(
          accumulator.dtype,
          "a",
          symbol("a_from")
            .add(k.mul(height * parts))
            .add(row + part * height),
        ),
      right: (column, k, part) =>
        loadScalar(
          accumulator.dtype,
          "b",
          symbol("b_from")
            .add(k.mul(width * parts))
            .add(column)
            .add(part * width),
        ),
    },
    (sumOf, columnOf) => [
      loop(
        "serial",
        "full",
        constant(0),
        // `whole` is at most 1; with the bound stated, no loop is emitted.
        whole.min(1),
        each((row, v) => storeAt(constant(row), columnOf(v), sumOf(row, v))),
      ),
      loop(
        "serial",
        "part",
        whole,
        constant(1),
        each((row, v) => store("aside", columnOf(v).add(row * width), sumOf(row, v))),
      ),
    ],
    isLong ? symbol("span") : undefined,
  );
  const c = symbol("c");
  return {
    name: `${shortName(dtype)}_matmul_${accumulator.terms === 2 ? "pairs" : "packed"}_${height}x${width}${isLong ? "_long" : ""}`,
    ...fusingOf(dtype),
    buffers: [
      { name: "out", dtype, access: accumulates ? "readwrite" : "write" },
      { name: "a", dtype: accumulator.dtype, access: "read" },
      { name: "b", dtype: accumulator.dtype, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch_modes", buffers: ["out"] }],
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        allocate("aside", sumType, height * width, "rmem"),
        indexStatement("batch", u.floorDiv(symbol("blocks"))),
        indexStatement("block", u.mod(symbol("blocks"))),
        indexStatement("row0", block.mod(symbol("blocks_m")).mul(symbol("rows"))),
        indexStatement("column0", block.floorDiv(symbol("blocks_m")).mul(symbol("columns"))),
        walk("batch_modes", batch.add(symbol("first")), ["out_at"]),
        loop(
          "serial",
          "jt",
          column0.floorDiv(width),
          symbol("n")
            .min(column0.add(symbol("columns")))
            .ceilDiv(width),
          [
            indexStatement("b_from", batch.mul(symbol("b_batch")).add(j.mul(depth).mul(width * parts))),
            indexStatement("found_n", symbol("n").sub(j.mul(width)).min(width)),
            loop(
              "serial",
              "i",
              row0.floorDiv(height),
              symbol("m")
                .min(row0.add(symbol("rows")))
                .ceilDiv(height),
              [
                indexStatement("a_from", batch.mul(symbol("a_batch")).add(i.mul(depth).mul(height * parts))),
                indexStatement("found_m", symbol("m").sub(i.mul(height)).min(height)),
                indexStatement("whole", rowsLeft.floorDiv(height).mul(columnsLeft.floorDiv(width))),
                tiles,
                loop("serial", "edge", whole, constant(1), [
                  loop("serial", "r", constant(0), rowsLeft, [
                    loop("serial", "c", constant(0), columnsLeft, [
                      storeAt(r, c, loadScalar(sumType, "aside", r.mul(width).add(c))),
                    ]),
                  ]),
                ]),
              ],
            ),
          ],
        ),
      ]),
    ],
  };
}
