/**
 * Products of matrices, at least one of them small, in tiles that read their factors in place.
 *
 * A unit computes some strips of tiles. A strip is a row of tiles (or a column, if `byColumns`) of one product of the batch, so that many tiny
 * products are one call. The last tile of a strip is moved back to end with the matrix, and recomputes elements of the tile before it. The
 * rows of the right factor are contiguous, and sums have the dtype of the factors.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loadScalar, type Scalar } from "../ir/scalar.ts";
import { allocate, blockedLoop, indexStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { accumulatorOf, type ProductTile, sumDType, summing } from "./accumulator.ts";
import { offsets, overMatrices, parametersOf, storedSum, symbolsOf, type Tables, tableOf } from "./parameters.ts";
import type { Product } from "./product.ts";
import { tileLoop } from "./tile.ts";

/** The properties of a product that the code of its kernel depends on. */
interface DirectForm extends ProductTile {
  readonly dtype: DType;
  /** 1 where there are fewer columns than a vector has lanes. */
  readonly lanes: number;
  readonly byColumns: boolean;
  readonly accumulates: boolean;
  /** True if the left factor has a row stride of 1, a column stride of 1, and the output a column stride of 1. */
  readonly aRow: boolean;
  readonly aColumn: boolean;
  readonly outColumn: boolean;
  /** True if k has more than one block. */
  readonly isLong: boolean;
}

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["strips", "block", "outer", "inner", "m", "n", "depth", "span"].map((name) => sizeFrom(name, 1)),
  ...["out_m", "out_n", "a_m", "a_k", "b_k"].map(anyStride),
];

function buildDirect(form: DirectForm): Kernel {
  const { dtype, rows, vectors, byColumns, accumulates } = form;
  const accumulator = { ...accumulatorOf(dtype), lanes: form.lanes };
  const columns = vectors * form.lanes;
  const symbol = symbolsOf(sizes);
  const [s, t, i0, j0] = ["s", "t", "i0", "j0"].map(symbol);
  const outer = s.mod(symbol("outer"));
  const strided = (isOne: boolean, stride: string, by: Expr): Expr => (isOne ? by : symbol(stride).mul(by));
  const storeAt = (row: number, column: Expr, value: Scalar): Statement => {
    const index = offsetSymbol("out_at")
      .add(symbol("out_m").mul(i0.add(row)))
      .add(strided(form.outColumn, "out_n", j0.add(column)));
    return store("out", index, storedSum(dtype, accumulates, index, value));
  };
  const tile = tileLoop(
    accumulator,
    { rows, vectors },
    symbol("depth"),
    {
      left: (row, k) =>
        loadScalar(
          dtype,
          "a",
          offsetSymbol("a_at")
            .add(strided(form.aRow, "a_m", i0.add(row)))
            .add(strided(form.aColumn, "a_k", k)),
        ),
      right: (column, k) => loadScalar(dtype, "b", offsetSymbol("b_at").add(symbol("b_k").mul(k)).add(j0).add(column)),
    },
    (sumOf, columnOf) =>
      listOf(rows * vectors, (at) => {
        const [row, vector] = [Math.floor(at / vectors), at % vectors];
        return storeAt(row, columnOf(vector), sumOf(row, vector));
      }),
    form.isLong ? symbol("span") : undefined,
  );
  const rowTile = byColumns ? t : outer;
  const columnTile = byColumns ? outer : t;
  return {
    name: `${shortName(dtype)}_matmul_direct_${rows}x${columns}${form.isLong ? "_long" : ""}`,
    ...parametersOf(dtype, accumulates, sizes),
    body: [
      blockedLoop(
        "s",
        symbol("strips"),
        symbol("block"),
        [
          walk("batch", s.floorDiv(symbol("outer")), offsets),
          loop("serial", "t", constant(0), symbol("inner"), [
            indexStatement("i0", rowTile.mul(rows).min(symbol("m").sub(rows))),
            indexStatement("j0", columnTile.mul(columns).min(symbol("n").sub(columns))),
            tile,
          ]),
        ],
        form.isLong ? [allocate("aside", dtype, rows * columns, "rmem")] : [],
      ),
    ],
  };
}

/** The approximate number of steps over k of one unit. */
const unitSteps = 16384;

/**
 * Returns the tile for a product. Strided rows of the left factor need a pointer each, which costs more than a vector, so such tiles have two
 * rows if the columns fill their vectors.
 */
function tileFor({ dtype, m, n, a }: Product): ProductTile & { readonly lanes: number } {
  const { lanes } = accumulatorOf(dtype);
  if (n < lanes) return { rows: Math.min(m, 4), vectors: n, lanes: 1 };
  const wide = 4 * lanes;
  const isFlat = a.row !== 1 && n >= wide && Math.ceil(n / wide) * wide <= 1.25 * n;
  return { rows: Math.min(m, isFlat ? 2 : 4), vectors: isFlat ? 4 : n < 2 * lanes ? 1 : 2, lanes };
}

/** True if and only if `lowerDirect` can compute the product, apart from the strides of its right factor. */
export function isDirect(product: Product): boolean {
  const { dtype, m, n, accumulates } = product;
  if (sumDType(dtype) !== dtype || accumulatorOf(dtype).parts !== 1) return false;
  const { rows, vectors, lanes } = tileFor(product);
  // Overlapping tiles would accumulate twice.
  return !accumulates || (m % rows === 0 && n % (vectors * lanes) === 0);
}

/** Adds a product whose factors are small enough to be read again for each tile. */
export function lowerDirect(builder: ProgramBuilder, product: Product): void {
  const { dtype, m, n, k, out, a, b, count, accumulates } = product;
  const { rows, vectors, lanes } = tileFor(product);
  const rowTiles = Math.ceil(m / rows);
  const columnTiles = Math.ceil(n / (vectors * lanes));
  // The factor of the inner tiles is read again for each outer one.
  const byColumns = m < n;
  const outer = byColumns ? columnTiles : rowTiles;
  const inner = byColumns ? rowTiles : columnTiles;
  const strips = count * outer;
  const block = Math.max(1, Math.min(strips, Math.floor(unitSteps / (inner * k))));
  const [aRow, aColumn, outColumn] = [a.row === 1, a.column === 1, out.column === 1];
  const isLong = k > summing.block;
  const flags = [byColumns, accumulates, aRow, aColumn, outColumn, isLong, lanes === 1];
  const key = flags.reduce((sum, flag) => 2 * sum + Number(flag), 8 * vectors + rows);
  const make = (): Kernel =>
    buildDirect({ dtype, rows, vectors, lanes, byColumns, accumulates, aRow, aColumn, outColumn, isLong });
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, make),
    ...overMatrices(product),
    sizes: [strips, block, outer, inner, m, n, k, summing.block, out.row, out.column, a.row, a.column, b.row],
    units: Math.ceil(strips / block),
    unitSize: block * inner * k,
  });
}
