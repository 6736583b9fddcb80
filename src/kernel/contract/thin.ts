/**
 * Products of a few rows with a large matrix, which is read once and in place: out[r, n] = sum over k of a[r, k] * b[k, n].
 *
 * A unit computes a block of columns. It keeps their sums in its own memory and adds some rows of the matrix at a time. Rows are contiguous
 * and read in order, at the full speed of memory. Sums take k in order, in blocks if k is long.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, constantScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { allocate, indexStatement, letStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { accumulatorOf, blockFor, sumDType, summing } from "./accumulator.ts";
import {
  factorTypesOf,
  kernelName,
  offsets,
  overBlocks,
  overMatrices,
  parametersOf,
  storedSum,
  symbolsOf,
  type Tables,
  tableOf,
} from "./parameters.ts";
import type { Product } from "./product.ts";

/** The largest number of rows at once. */
export const maxRows = 4;
/** Bytes for the sums of a unit. */
const sumBytes = 16384;

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["units", "blocks", "n", "k", "span"].map((name) => sizeFrom(name, 1)),
  ...["out_m", "out_n", "a_m", "a_k", "b_k"].map(anyStride),
];

const columnsOf = (dtype: DType, rows: number): number =>
  sumBytes / (dtypes[sumDType(dtype)].itemsize * (rows === 3 ? 4 : rows));

function buildThin(
  dtype: DType,
  [aType, bType]: readonly [a: DType, b: DType],
  rows: number,
  accumulates: boolean,
  isOutDense: boolean,
  isLong: boolean,
): Kernel {
  const type = sumDType(dtype);
  const { lanes } = accumulatorOf(dtype);
  const columns = columnsOf(dtype, rows);
  /** Rows of the matrix at a time, which fit into registers with the elements of the other factor. */
  const group = rows === 1 ? 4 : 2;
  const symbol = symbolsOf(sizes);
  const [u, j0, width, g, k1] = ["u", "j0", "width", "g", "k1"].map(symbol);
  const each = (make: (row: number) => Statement): Statement[] => listOf(rows, make);
  const over = (name: string, body: readonly Statement[]): Statement =>
    loop("vector", name, constant(0), width, body, lanes);
  const sumAt = (j: Expr, row: number): Expr => j.add(row * columns);
  const keep = (j: Expr, row: number, value: Scalar, buffer = "sums"): Statement => store(buffer, sumAt(j, row), value);
  const sumsIn = (name: string): Statement => allocate(name, type, columns * rows, "rmem");
  const clear = (name: string, buffer: string): Statement =>
    over(
      name,
      each((row) => keep(symbol(name), row, constantScalar(type, 0), buffer)),
    );
  /** Adds `count` rows of the matrix, from row k on. */
  const add = (name: string, k: Expr, count: number): Statement => {
    const matrix = listOf(count, (step) =>
      cast(
        type,
        loadScalar(
          bType,
          "b",
          offsetSymbol("b_at")
            .add(symbol("b_k").mul(k.add(step)))
            .add(j0)
            .add(symbol(name)),
        ),
      ),
    );
    const j = symbol(name);
    const named = (row: number): string => `${name}_sum_${row}`;
    const sums = each((row) => {
      let sum = loadScalar(type, "sums", sumAt(j, row));
      for (let step = 0; step < count; step++) {
        const at = offsetSymbol("a_at")
          .add(symbol("a_m").mul(row))
          .add(symbol("a_k").mul(k.add(step)));
        sum = call("add", sum, call("mul", cast(type, loadScalar(aType, "a", at)), matrix[step]));
      }
      return letStatement(named(row), sum);
    });
    // All sums are computed before the first is stored, so that no row of the matrix is loaded twice.
    return over(name, [...sums, ...each((row) => keep(j, row, namedScalar(type, named(row))))]);
  };
  /** Clears the sums and adds a range of k. */
  const addRange = (low: Expr, high: Expr): Statement[] => {
    const groups = high.sub(low).floorDiv(group);
    return [
      clear("j_start", "sums"),
      loop("serial", "g", constant(0), groups, [add("j", low.add(g.mul(group)), group)]),
      loop("serial", "k1", low.add(groups.mul(group)), high, [add("j_one", k1, 1)]),
    ];
  };
  const j = symbol("j_total");
  const inBlocks: Statement[] = [
    clear("j_first", "totals"),
    overBlocks(symbol("k"), symbol("span"), (low, high) => [
      ...addRange(low, high),
      over(
        "j_total",
        each((row) => {
          const [total, sum] = ["totals", "sums"].map((name) => loadScalar(type, name, sumAt(j, row)));
          return keep(j, row, call("add", total, sum), "totals");
        }),
      ),
    ]),
  ];
  return {
    name: kernelName(dtype, "thin", rows, [aType, bType], isLong),
    ...parametersOf(dtype, accumulates, sizes, [aType, bType]),
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        sumsIn("sums"),
        ...(isLong ? [sumsIn("totals")] : []),
        walk("batch", u.floorDiv(symbol("blocks")), offsets),
        indexStatement("j0", u.mod(symbol("blocks")).mul(columns)),
        indexStatement("width", symbol("n").sub(j0).min(columns)),
        ...(isLong ? inBlocks : addRange(constant(0), symbol("k"))),
        over(
          "j_end",
          each((row) => {
            const column = j0.add(symbol("j_end"));
            const index = offsetSymbol("out_at")
              .add(symbol("out_m").mul(row))
              .add(isOutDense ? column : symbol("out_n").mul(column));
            const sum = loadScalar(type, isLong ? "totals" : "sums", sumAt(symbol("j_end"), row));
            return store("out", index, storedSum(dtype, accumulates, index, sum));
          }),
        ),
      ]),
    ],
  };
}

/** Adds a product of at most `maxRows` rows. */
export function lowerThin(builder: ProgramBuilder, product: Product): void {
  const { dtype, m: rows, n, k, out, a, b, count, accumulates } = product;
  const factors = factorTypesOf(product);
  const columns = columnsOf(dtype, rows);
  const blocks = Math.ceil(n / columns);
  const isOutDense = out.column === 1;
  // Sums of integers are exact, in any order.
  const isLong = k > summing.block && dtypes[dtype].category !== "integer";
  const key = rows + 8 * Number(accumulates) + 16 * Number(isOutDense) + 32 * Number(isLong);
  builder.launch({
    kernel: tableOf(kernels, `${dtype} ${factors}`).entry(key, () =>
      buildThin(dtype, factors, rows, accumulates, isOutDense, isLong),
    ),
    ...overMatrices(product),
    sizes: [blocks * count, blocks, n, k, blockFor(k), out.row, out.column, a.row, a.column, b.row],
    units: blocks * count,
    unitSize: Math.min(n, columns) * k,
  });
}
