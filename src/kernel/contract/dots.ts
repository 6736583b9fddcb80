/**
 * Products of a large matrix with a few columns: each element is a sum along a row of the matrix, which is read once and in place.
 *
 * Both factors are contiguous along k. A row is multiplied by all columns at once, in vectors over k, whose lanes are added at the end in the
 * order of vector loops. A long k is cut into blocks, whose sums are added in order, those of float32 in float64. A unit computes some rows.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { accumulate, accumulator, blockedLoop, indexStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { accumulatorOf, sumDType, summing } from "./accumulator.ts";
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

/** The largest number of columns. */
export const maxColumns = 8;

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["rows", "block", "m", "depth", "span"].map((name) => sizeFrom(name, 1)),
  ...["out_m", "out_n", "a_m", "b_n"].map(anyStride),
];

/** Rounds of a vector loop at a time: several vectors are added in parallel, because each addition waits for the one before. */
const stepOf = (dtype: DType, columns: number): number =>
  accumulatorOf(dtype).lanes * (columns === 1 ? 4 : columns === 2 ? 2 : 1);

/** The dtype of the sums of blocks. */
function totalDType(type: DType): DType {
  return type === "float32" ? "float64" : type === "complex64" ? "complex128" : type;
}

function buildDots(
  dtype: DType,
  [aType, bType]: readonly [a: DType, b: DType],
  columns: number,
  accumulates: boolean,
  isLong: boolean,
): Kernel {
  const type = sumDType(dtype);
  const total = totalDType(type);
  const symbol = symbolsOf(sizes);
  const [s, i, k] = ["s", "i", "k"].map(symbol);
  const each = (make: (column: number) => Statement): Statement[] => listOf(columns, make);
  const x = cast(type, loadScalar(aType, "a", offsetSymbol("a_at").add(symbol("a_m").mul(i)).add(k)));
  const begin = (name: string, accumulatorDType: DType): Statement[] =>
    each((column) => accumulator(`${name}_${column}`, "add", accumulatorDType));
  const add = (name: string, column: number, value: Scalar): Statement => accumulate(`${name}_${column}`, "add", value);
  /** The sums over a range of k. */
  const sums = (low: Expr, high: Expr): Statement[] => [
    ...begin("sum", type),
    loop(
      "vector",
      "k",
      low,
      high,
      each((column) => {
        const y = loadScalar(bType, "b", offsetSymbol("b_at").add(symbol("b_n").mul(column)).add(k));
        return add("sum", column, call("mul", x, cast(type, y)));
      }),
      stepOf(dtype, columns),
    ),
  ];
  return {
    name: kernelName(dtype, "dots", columns, [aType, bType], isLong),
    ...parametersOf(dtype, accumulates, sizes, [aType, bType]),
    body: [
      blockedLoop("s", symbol("rows"), symbol("block"), [
        walk("batch", s.floorDiv(symbol("m")), offsets),
        indexStatement("i", s.mod(symbol("m"))),
        ...(isLong
          ? [
              ...begin("total", total),
              overBlocks(symbol("depth"), symbol("span"), (low, high) => [
                ...sums(low, high),
                ...each((column) => add("total", column, cast(total, namedScalar(type, `sum_${column}`)))),
              ]),
            ]
          : sums(constant(0), symbol("depth"))),
        ...each((column) => {
          const index = offsetSymbol("out_at").add(symbol("out_m").mul(i)).add(symbol("out_n").mul(column));
          const sum = isLong ? namedScalar(total, `total_${column}`) : namedScalar(type, `sum_${column}`);
          return store("out", index, storedSum(dtype, accumulates, index, sum));
        }),
      ]),
    ],
  };
}

/** The approximate number of matrix elements that one unit reads. */
const unitElements = 16384;

/** Adds a product of at most `maxColumns` columns. */
export function lowerDots(builder: ProgramBuilder, product: Product): void {
  const { dtype, m, n: columns, k, out, a, b, count, accumulates } = product;
  const rows = m * count;
  const block = Math.max(1, Math.min(rows, Math.floor(unitElements / k)));
  const span = summing.block * stepOf(dtype, columns);
  const factors = factorTypesOf(product);
  const isLong = k > span && dtypes[dtype].category !== "integer";
  const key = columns + 16 * Number(accumulates) + 32 * Number(isLong);
  builder.launch({
    kernel: tableOf(kernels, `${dtype} ${factors}`).entry(key, () =>
      buildDots(dtype, factors, columns, accumulates, isLong),
    ),
    ...overMatrices(product),
    sizes: [rows, block, m, k, span, out.row, out.column, a.row, b.column],
    units: Math.ceil(rows / block),
    unitSize: block * k,
  });
}
