/**
 * The kernel of a product of packed factors (`pack.ts`): a step over k reads two short stretches of memory, one after the other.
 *
 * A unit does a block of tiles, columns of them outside, so that a panel of the right factor stays in the nearest cache. At the edges
 * a tile is computed whole, from zeros, put aside, and what belongs to the output is copied.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { loadScalar, type Scalar } from "../ir/scalar.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import { anyStride, sizeFrom, storedSum, symbolsOf } from "./parameters.ts";
import { tileLoop } from "./tile.ts";
import { packedTile, workingOf } from "./working.ts";

const sizes: readonly SizeParameter[] = [
  ...["m", "n", "depth", "span", "rows", "columns", "blocks_m", "blocks", "units"].map((name) => sizeFrom(name, 1)),
  sizeFrom("a_batch", 0),
  sizeFrom("b_batch", 0),
  sizeFrom("first", 0),
  anyStride("out_m"),
  anyStride("out_n"),
];

type Four = [Expr, Expr, Expr, Expr];

/** The kernel for outputs of a dtype; its sizes are set by `run-packed.ts`, in this order. With `isLong`, k has blocks of `span`. */
export function buildPacked(dtype: DType, accumulates: boolean, isColumnNext: boolean, isLong: boolean): Kernel {
  const working = workingOf(dtype);
  const tile = packedTile(working);
  const { parts } = working;
  const height = tile.rows;
  const width = tile.vectors * working.lanes;
  const symbol = symbolsOf(sizes);
  const index = (name: string, value: Expr): Statement => ({ kind: "index", name, value });
  const [u, batch, block, depth] = ["u", "batch", "block", "depth"].map(symbol) as Four;
  const [row0, column0, i, j] = ["row0", "column0", "i", "jt"].map(symbol) as Four;
  const [found, there, whole, r] = ["found_m", "found_n", "whole", "r"].map(symbol) as Four;
  const store = (row: Expr, column: Expr, value: Scalar): Statement => {
    const at = offsetSymbol("out_at")
      .add(symbol("out_m").mul(i.mul(height).add(row)))
      .add(isColumnNext ? j.mul(width).add(column) : symbol("out_n").mul(j.mul(width).add(column)));
    return { kind: "store", buffer: "out", index: at, value: storedSum(dtype, accumulates, at, value) };
  };
  const sumType = parts === 1 ? working.dtype : dtype;
  const each = <T>(make: (row: number, vector: number) => T): T[] =>
    Array.from({ length: height * tile.vectors }, (_, at) => make(Math.floor(at / tile.vectors), at % tile.vectors));
  const tiles = tileLoop(
    working,
    tile,
    depth,
    {
      left: (row, k, part) =>
        loadScalar(
          working.dtype,
          "a",
          symbol("a_from")
            .add(k.mul(height * parts))
            .add(row + part * height),
        ),
      right: (column, k, part) =>
        loadScalar(
          working.dtype,
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
        // Which it is anyway: said here, so that no loop is made of it.
        whole.min(1),
        each((row, v) => store(constant(row), columnOf(v), sumOf(row, v))),
      ),
      loop(
        "serial",
        "part",
        whole,
        constant(1),
        each((row, v) => ({
          kind: "store",
          buffer: "aside",
          index: columnOf(v).add(row * width),
          value: sumOf(row, v),
        })),
      ),
    ],
    isLong ? symbol("span") : undefined,
  );
  const c = symbol("c");
  return {
    name: `${shortName(dtype)}_matmul_packed_${height}x${width}${isLong ? "_long" : ""}`,
    buffers: [
      { name: "out", dtype, access: accumulates ? "readwrite" : "write" },
      { name: "a", dtype: working.dtype, access: "read" },
      { name: "b", dtype: working.dtype, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch_modes", buffers: ["out"] }],
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        { kind: "allocate", name: "aside", dtype: sumType, length: height * width, space: "rmem" },
        index("batch", u.floorDiv(symbol("blocks"))),
        index("block", u.mod(symbol("blocks"))),
        index("row0", block.mod(symbol("blocks_m")).mul(symbol("rows"))),
        index("column0", block.floorDiv(symbol("blocks_m")).mul(symbol("columns"))),
        { kind: "walk", modes: "batch_modes", position: batch.add(symbol("first")), offsets: ["out_at"] },
        loop(
          "serial",
          "jt",
          column0.floorDiv(width),
          symbol("n")
            .min(column0.add(symbol("columns")))
            .ceilDiv(width),
          [
            index("b_from", batch.mul(symbol("b_batch")).add(j.mul(depth).mul(width * parts))),
            index("found_n", symbol("n").sub(j.mul(width)).min(width)),
            loop(
              "serial",
              "i",
              row0.floorDiv(height),
              symbol("m")
                .min(row0.add(symbol("rows")))
                .ceilDiv(height),
              [
                index("a_from", batch.mul(symbol("a_batch")).add(i.mul(depth).mul(height * parts))),
                index("found_m", symbol("m").sub(i.mul(height)).min(height)),
                index("whole", found.floorDiv(height).mul(there.floorDiv(width))),
                tiles,
                loop("serial", "edge", whole, constant(1), [
                  loop("serial", "r", constant(0), found, [
                    loop("serial", "c", constant(0), there, [
                      store(r, c, loadScalar(sumType, "aside", r.mul(width).add(c))),
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
