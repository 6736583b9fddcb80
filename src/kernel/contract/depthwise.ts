/**
 * Depthwise convolutions: sums over windows with one weight for each element of a window, without mixing channels.
 *
 * A unit computes some rows of outputs in tiles of a few vectors, whose sums stay in registers while the window is traversed in order. The
 * last tile of a row is moved back to end with the row, and recomputes outputs of the tile before it. Elements are read in place.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, loadScalar, namedScalar } from "../ir/scalar.ts";
import { accumulate, accumulator, blockedLoop, indexStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ElementStorage, Operand } from "../operand.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { accumulatorOf, sumDType, summing } from "./accumulator.ts";
import { offsets, parametersOf, symbolsOf, type Tables, tableOf } from "./parameters.ts";

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["rows", "block", "n", "tiles", "outer", "middle", "inner"].map((name) => sizeFrom(name, 1)),
  ...["a_n", "a_outer", "a_middle", "a_inner"].map(anyStride),
];

/** The innermost axis of a window is unrolled up to this length. */
const maxUnrolled = 8;

/**
 * `inner` is the length of the innermost axis of a window if it is unrolled, else 0. `isRowDense` and `isWindowDense` are true if the
 * inputs of adjacent outputs of a row, and adjacent elements of a window, are adjacent in memory.
 */
function buildDepthwise(
  dtype: DType,
  lanes: number,
  vectors: number,
  inner: number,
  isRowDense: boolean,
  isWindowDense: boolean,
): Kernel {
  const symbol = symbolsOf(sizes);
  const [s, t, j0, j, p, q, r] = ["s", "t", "j0", "j", "p", "q", "r"].map(symbol);
  const columnOf = (vector: number): Expr => j0.add(j).add(vector * lanes);
  const stepsAt = (at: Expr): Statement[] => {
    const tap = p
      .mul(symbol("middle"))
      .add(q)
      .mul(inner === 0 ? symbol("inner") : constant(inner))
      .add(at);
    const weight = loadScalar(dtype, "b", offsetSymbol("b_at").add(tap));
    return listOf(vectors, (vector) => {
      const column = isRowDense ? columnOf(vector) : symbol("a_n").mul(columnOf(vector));
      const index = offsetSymbol("a_at")
        .add(symbol("a_outer").mul(p))
        .add(symbol("a_middle").mul(q))
        .add(isWindowDense ? at : symbol("a_inner").mul(at))
        .add(column);
      return accumulate(`sum_${vector}`, "add", call("mul", weight, loadScalar(dtype, "a", index)));
    });
  };
  const unrolled = listOf(inner, (at) => stepsAt(constant(at))).flat();
  const along = inner === 0 ? [loop("serial", "r", constant(0), symbol("inner"), stepsAt(r))] : unrolled;
  const tile: Statement[] = [
    ...listOf(vectors, (vector) => accumulator(`sum_${vector}`, "add", dtype)),
    loop("serial", "p", constant(0), symbol("outer"), [loop("serial", "q", constant(0), symbol("middle"), along)]),
    ...listOf(vectors, (vector) =>
      store("out", offsetSymbol("out_at").add(columnOf(vector)), namedScalar(dtype, `sum_${vector}`)),
    ),
  ];
  const columns = lanes * vectors;
  return {
    name: `${shortName(dtype)}_depthwise_${columns}`,
    ...parametersOf(dtype, false, sizes),
    body: [
      blockedLoop("s", symbol("rows"), symbol("block"), [
        walk("batch", s, offsets),
        loop("serial", "t", constant(0), symbol("tiles"), [
          indexStatement("j0", t.mul(columns).min(symbol("n").sub(columns))),
          loop("vector", "j", constant(0), constant(lanes), tile, lanes),
        ]),
      ]),
    ],
  };
}

/** The approximate number of multiplications of one unit. */
const unitSteps = 16384;

/** True if `lowerDepthwise` can compute this output from operands with these storages, for windows of this number of elements. */
export function isDepthwise(
  builder: ProgramBuilder,
  { storage, dtype, shape, stride }: Operand,
  others: readonly ElementStorage[],
  taps: number,
): boolean {
  return (
    [storage, ...others].every((each) => builder.canAddress(each)) &&
    sumDType(dtype) === dtype &&
    accumulatorOf(dtype).parts === 1 &&
    stride[shape.length - 1] === 1 &&
    shape.length <= 5 &&
    // Matrix products add longer sums in blocks.
    taps <= summing.block
  );
}

/**
 * Adds out[n, c * multiplier + m, ...] = sum of a[n, c, ..., window] * b[c * multiplier + m, 1, window], where b is dense and `a` has one
 * axis for each output axis and one for each axis of a window.
 */
export function lowerDepthwise(
  builder: ProgramBuilder,
  out: Operand,
  a: Operand,
  b: Operand,
  multiplier: number,
): void {
  const { dtype, shape } = out;
  const axes = shape.length - 2;
  const last = shape.length - 1;
  const window = a.shape.slice(2 + axes);
  const steps = a.stride.slice(2 + axes);
  while (window.length < 3) {
    window.unshift(1);
    steps.unshift(0);
  }
  const [outer, middle, inner] = window;
  const taps = outer * middle * inner;
  const batch: number[] = [];
  for (let axis = last - 1; axis >= 2; axis--) batch.push(shape[axis], out.stride[axis], a.stride[axis], 0);
  const [outBatch, outChannel] = out.stride;
  const [aBatch, aChannel] = a.stride;
  batch.push(multiplier, outChannel, 0, taps);
  batch.push(shape[1] / multiplier, multiplier * outChannel, aChannel, multiplier * taps);
  batch.push(shape[0], outBatch, aBatch, 0);
  const n = shape[last];
  let rows = 1;
  for (let at = 0; at < batch.length; at += 4) rows *= batch[at];
  const lanes = n < accumulatorOf(dtype).lanes ? 1 : accumulatorOf(dtype).lanes;
  const vectors = lanes === 1 ? n : n >= 4 * lanes ? 4 : n >= 2 * lanes ? 2 : 1;
  const unrolled = inner <= maxUnrolled ? inner : 0;
  const isRowDense = a.stride[last] === 1;
  const isWindowDense = steps[2] === 1;
  const block = Math.max(1, Math.min(rows, Math.floor(unitSteps / (n * taps))));
  const key = lanes + 32 * vectors + 1024 * unrolled + (isRowDense ? 2 ** 20 : 0) + (isWindowDense ? 2 ** 21 : 0);
  const make = (): Kernel => buildDepthwise(dtype, lanes, vectors, unrolled, isRowDense, isWindowDense);
  const { itemsize } = dtypes[dtype];
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, make),
    buffers: [out, a, b].map(({ storage, offset }) => ({ storage, start: offset, itemsize })),
    sizes: [rows, block, n, Math.ceil(n / (lanes * vectors)), outer, middle, inner, a.stride[last], ...steps],
    modes: [batch],
    units: Math.ceil(rows / block),
    unitSize: block * n * taps,
  });
}
