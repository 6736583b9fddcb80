/**
 * Products of matrices that are small, on at least one side: tiles that read their factors where they lie.
 *
 * A unit does some strips of tiles, one strip for each row of tiles (or column, if `byColumns`) of each product of the batch, so many
 * tiny products are one call. The last tile of a strip is moved back until it ends with the matrix, and computes again what
 * the one before it has stored. The right factor has neighbours in its rows, and the dtype is one that is computed in as it is.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { loadScalar, type Scalar } from "../ir/scalar.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import {
  anyStride,
  overMatrices,
  parametersOf,
  sizeFrom,
  storedSum,
  symbolsOf,
  type Tables,
  tableOf,
} from "./parameters.ts";
import type { Product } from "./product.ts";
import { tileLoop } from "./tile.ts";
import { sumDType, summing, type TileShape, workingOf } from "./working.ts";

/** What the code of a kernel depends on. */
interface DirectForm extends TileShape {
  readonly dtype: DType;
  /** 1 where there are fewer columns than a vector has lanes. */
  readonly lanes: number;
  readonly byColumns: boolean;
  readonly accumulates: boolean;
  /** Whether the left factor has neighbours in its columns, in its rows; whether the output has in its rows. */
  readonly aRow: boolean;
  readonly aColumn: boolean;
  readonly outColumn: boolean;
  /** Whether k has more than one block. */
  readonly isLong: boolean;
}

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["strips", "block", "outer", "inner", "m", "n", "depth", "span"].map((name) => sizeFrom(name, 1)),
  ...["out_m", "out_n", "a_m", "a_k", "b_k"].map(anyStride),
];

function buildDirect(form: DirectForm): Kernel {
  const { dtype, rows, vectors, byColumns, accumulates } = form;
  const working = { ...workingOf(dtype), lanes: form.lanes };
  const columns = vectors * form.lanes;
  const symbol = symbolsOf(sizes);
  const [u, s, t, i0, j0] = ["u", "s", "t", "i0", "j0"].map(symbol) as [Expr, Expr, Expr, Expr, Expr];
  const outer = s.mod(symbol("outer"));
  const stepped = (isOne: boolean, stride: string, by: Expr): Expr => (isOne ? by : symbol(stride).mul(by));
  const outAt = (row: number, column: Expr): Expr =>
    offsetSymbol("out_at")
      .add(symbol("out_m").mul(i0.add(row)))
      .add(stepped(form.outColumn, "out_n", j0.add(column)));
  const store = (row: number, column: Expr, value: Scalar): Statement => {
    const index = outAt(row, column);
    return { kind: "store", buffer: "out", index, value: storedSum(dtype, accumulates, index, value) };
  };
  const tile = tileLoop(
    working,
    { rows, vectors },
    symbol("depth"),
    {
      left: (row, k) =>
        loadScalar(
          dtype,
          "a",
          offsetSymbol("a_at")
            .add(stepped(form.aRow, "a_m", i0.add(row)))
            .add(stepped(form.aColumn, "a_k", k)),
        ),
      right: (column, k) => loadScalar(dtype, "b", offsetSymbol("b_at").add(symbol("b_k").mul(k)).add(j0).add(column)),
    },
    (sumOf, columnOf) =>
      Array.from({ length: rows * vectors }, (_, at) => {
        const [row, vector] = [Math.floor(at / vectors), at % vectors];
        return store(row, columnOf(vector), sumOf(row, vector));
      }),
    form.isLong ? symbol("span") : undefined,
  );
  const aside: Statement = { kind: "allocate", name: "aside", dtype, length: rows * columns, space: "rmem" };
  const first = symbol("block").mul(u);
  const rowTile = byColumns ? t : outer;
  const columnTile = byColumns ? outer : t;
  return {
    name: `${shortName(dtype)}_matmul_direct_${rows}x${columns}${form.isLong ? "_long" : ""}`,
    ...parametersOf(dtype, accumulates, sizes),
    body: [
      loop("parallel", "u", constant(0), symbol("strips").ceilDiv(symbol("block")), [
        ...(form.isLong ? [aside] : []),
        loop("serial", "s", first, symbol("strips").min(first.add(symbol("block"))), [
          { kind: "walk", modes: "batch", position: s.floorDiv(symbol("outer")), offsets: ["out_at", "a_at", "b_at"] },
          loop("serial", "t", constant(0), symbol("inner"), [
            { kind: "index", name: "i0", value: rowTile.mul(rows).min(symbol("m").sub(rows)) },
            { kind: "index", name: "j0", value: columnTile.mul(columns).min(symbol("n").sub(columns)) },
            tile,
          ]),
        ]),
      ]),
    ],
  };
}

/** Steps over k that one unit does, about. */
const unitSteps = 16384;

interface Tile extends TileShape {
  readonly lanes: number;
}

/**
 * The tile for a product. Rows of the left factor that lie apart have a pointer each, and those cost more than vectors: two rows then,
 * if the columns fill the vectors.
 */
function tileFor({ dtype, m, n, a }: Product): Tile {
  const { lanes } = workingOf(dtype);
  if (n < lanes) return { rows: Math.min(m, 4), vectors: n, lanes: 1 };
  const wide = 4 * lanes;
  const isFlat = a.row !== 1 && n >= wide && Math.ceil(n / wide) * wide <= 1.25 * n;
  return { rows: Math.min(m, isFlat ? 2 : 4), vectors: isFlat ? 4 : n < 2 * lanes ? 1 : 2, lanes };
}

/** True if and only if the product can be computed so, but for the strides of its right factor. */
export function isDirect(product: Product): boolean {
  const { dtype, m, n, accumulates } = product;
  if (sumDType(dtype) !== dtype || workingOf(dtype).parts !== 1) return false;
  const { rows, vectors, lanes } = tileFor(product);
  // What is added must not be added twice.
  return !accumulates || (m % rows === 0 && n % (vectors * lanes) === 0);
}

/** Adds what computes a product whose factors are small enough to be read again for each tile. */
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
