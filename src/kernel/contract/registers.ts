/**
 * Products of matrices on machines with many units of little memory: a unit computes a tile of the output in registers, and reads its rows and
 * columns from memory. All strides and dtypes are accepted. Sums over a block of k are added to those before, which bounds the error.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, indexScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { accumulate, accumulator, indexStatement, letStatement, loop, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { sumDType, summing } from "./accumulator.ts";
import { bufferOf, fusingOf, offsets, overBlocks, storedSum, symbolsOf, type Tables, tableOf } from "./parameters.ts";
import type { Product } from "./product.ts";

/** Rows and columns of a tile. */
const side = 4;

const sizes: readonly SizeParameter[] = [
  ...["m", "n", "depth", "span", "tiles_m", "tiles_n", "units"].map((name) => sizeFrom(name, 1)),
  ...["out_m", "out_n", "a_m", "a_k", "b_k", "b_n"].map(anyStride),
];

function buildRegisters(dtype: DType, factors: readonly [DType, DType], accumulates: boolean): Kernel {
  const type = sumDType(dtype);
  const symbol = symbolsOf(sizes);
  const [u, rest, i0, j0, k] = ["u", "rest", "i0", "j0", "k"].map(symbol);
  const [m, n] = [symbol("m"), symbol("n")];
  const numbers = listOf(side, (at) => at);
  const tile = (each: (row: number, column: number) => Statement): Statement[] =>
    numbers.flatMap((row) => numbers.map((column) => each(row, column)));
  // Rows and columns past the end are read from the last one, and not stored.
  const row = (at: number): Expr => i0.add(at).min(m.sub(1));
  const column = (at: number): Expr => j0.add(at).min(n.sub(1));
  const factor = (name: "a" | "b", of: DType, index: Expr): Scalar =>
    cast(type, loadScalar(of, name, offsetSymbol(`${name}_at`).add(index)));
  const inside = (index: Expr, size: Expr): Scalar =>
    call("lt", indexScalar("int32", index), indexScalar("int32", size));
  const storeAt = (r: number, c: number): Statement => {
    const index = offsetSymbol("out_at")
      .add(symbol("out_m").mul(i0.add(r)))
      .add(symbol("out_n").mul(j0.add(c)));
    return {
      kind: "store",
      buffer: "out",
      index,
      value: storedSum(dtype, accumulates, index, namedScalar(type, `sum${r}${c}`)),
      mask: call("and", inside(i0.add(r), m), inside(j0.add(c), n)),
    };
  };
  const products: Statement[] = [
    ...numbers.map((r) =>
      letStatement(`x${r}`, factor("a", factors[0], symbol("a_m").mul(row(r)).add(symbol("a_k").mul(k)))),
    ),
    ...numbers.map((c) =>
      letStatement(
        `y${c}`,
        factor(
          "b",
          factors[1],
          symbol("b_k")
            .mul(k)
            .add(symbol("b_n").mul(column(c))),
        ),
      ),
    ),
    ...tile((r, c) =>
      accumulate(`part${r}${c}`, "add", call("mul", namedScalar(type, `x${r}`), namedScalar(type, `y${c}`))),
    ),
  ];
  return {
    name: `${shortName(dtype)}_matmul_registers_${side}x${side}`,
    ...fusingOf(dtype),
    buffers: [
      { name: "out", dtype, access: accumulates ? "readwrite" : "write" },
      { name: "a", dtype: factors[0], access: "read" },
      { name: "b", dtype: factors[1], access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch", buffers: ["out", "a", "b"] }],
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        indexStatement("rest", u.floorDiv(symbol("tiles_n"))),
        walk("batch", rest.floorDiv(symbol("tiles_m")), offsets),
        indexStatement("i0", rest.mod(symbol("tiles_m")).mul(side)),
        indexStatement("j0", u.mod(symbol("tiles_n")).mul(side)),
        ...tile((r, c) => accumulator(`sum${r}${c}`, "add", type)),
        overBlocks(symbol("depth"), symbol("span"), (low, high) => [
          ...tile((r, c) => accumulator(`part${r}${c}`, "add", type)),
          loop("serial", "k", low, high, products),
          ...tile((r, c) => accumulate(`sum${r}${c}`, "add", namedScalar(type, `part${r}${c}`))),
        ]),
        ...tile(storeAt),
      ]),
    ],
  };
}

const kernels: Tables = new Map();

/** Adds a product. */
export function lowerRegisters(builder: ProgramBuilder, product: Product): void {
  const { dtype, m, n, k, out, a, b, count, batch, accumulates, factors = [dtype, dtype] } = product;
  const [tilesM, tilesN] = [Math.ceil(m / side), Math.ceil(n / side)];
  const units = count * tilesM * tilesN;
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(`${factors} ${accumulates}`, () =>
      buildRegisters(dtype, factors, accumulates),
    ),
    buffers: [bufferOf(out, dtype), bufferOf(a, factors[0]), bufferOf(b, factors[1])],
    modes: [batch],
    sizes: [
      ...[m, n, k, summing.block, tilesM, tilesN, units],
      ...[out.row, out.column, a.row, a.column, b.row, b.column],
    ],
    units,
    unitSize: side * side * k,
  });
}
