/**
 * Sums over windows with one weight for each element of a window: convolutions whose channels do not mix.
 *
 * A unit does some rows of outputs, in tiles of a few vectors whose sums stay in registers while the windows are gone over, in
 * their order. The last tile of a row is moved back until it ends with the row, and computes again what the one before it has
 * stored. Nothing is copied: elements are read where they lie.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, constantScalar, loadScalar, namedScalar } from "../ir/scalar.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { Operand } from "../operand.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { anyStride, parametersOf, sizeFrom, symbolsOf, type Tables, tableOf } from "./parameters.ts";
import { sumDType, summing, workingOf } from "./working.ts";

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["rows", "block", "n", "tiles", "outer", "middle", "inner"].map((name) => sizeFrom(name, 1)),
  ...["a_n", "a_outer", "a_middle", "a_inner"].map(anyStride),
];

/** Rounds of the innermost axis of a window that are written out; longer ones are a loop. */
const mostWritten = 8;

/**
 * `inner` is the length of the innermost axis of a window if its rounds are written out, else 0. Whether the outputs of a row, and the
 * elements of a window there, have neighbours.
 */
function buildDepthwise(
  dtype: DType,
  lanes: number,
  vectors: number,
  inner: number,
  isNext: boolean,
  isNear: boolean,
): Kernel {
  const symbol = symbolsOf(sizes);
  const [u, s, t, j0, j, p, q, r] = ["u", "s", "t", "j0", "j", "p", "q", "r"].map(symbol) as [
    Expr,
    Expr,
    Expr,
    Expr,
    Expr,
    Expr,
    Expr,
    Expr,
  ];
  const all = Array.from({ length: vectors }, (_, vector) => vector);
  const columnOf = (vector: number): Expr => j0.add(j).add(vector * lanes);
  const stepsAt = (at: Expr): Statement[] => {
    const tap = p
      .mul(symbol("middle"))
      .add(q)
      .mul(inner === 0 ? symbol("inner") : constant(inner))
      .add(at);
    const weight = loadScalar(dtype, "b", offsetSymbol("b_at").add(tap));
    return all.map((vector) => {
      const column = isNext ? columnOf(vector) : symbol("a_n").mul(columnOf(vector));
      const place = offsetSymbol("a_at")
        .add(symbol("a_outer").mul(p))
        .add(symbol("a_middle").mul(q))
        .add(isNear ? at : symbol("a_inner").mul(at))
        .add(column);
      const value = call("mul", weight, loadScalar(dtype, "a", place));
      return { kind: "accumulate", into: `sum_${vector}`, fn: "add", value };
    });
  };
  const written = Array.from({ length: inner }, (_, at) => stepsAt(constant(at))).flat();
  const along = inner === 0 ? [loop("serial", "r", constant(0), symbol("inner"), stepsAt(r))] : written;
  const tile: Statement[] = [
    ...all.map(
      (vector): Statement => ({ kind: "accumulator", name: `sum_${vector}`, initial: constantScalar(dtype, 0) }),
    ),
    loop("serial", "p", constant(0), symbol("outer"), [loop("serial", "q", constant(0), symbol("middle"), along)]),
    ...all.map((vector): Statement => {
      const index = offsetSymbol("out_at").add(columnOf(vector));
      return { kind: "store", buffer: "out", index, value: namedScalar(dtype, `sum_${vector}`) };
    }),
  ];
  const first = symbol("block").mul(u);
  const columns = lanes * vectors;
  return {
    name: `${shortName(dtype)}_depthwise_${columns}`,
    ...parametersOf(dtype, false, sizes),
    body: [
      loop("parallel", "u", constant(0), symbol("rows").ceilDiv(symbol("block")), [
        loop("serial", "s", first, symbol("rows").min(first.add(symbol("block"))), [
          { kind: "walk", modes: "batch", position: s, offsets: ["out_at", "a_at", "b_at"] },
          loop("serial", "t", constant(0), symbol("tiles"), [
            { kind: "index", name: "j0", value: t.mul(columns).min(symbol("n").sub(columns)) },
            loop("vector", "j", constant(0), constant(lanes), tile, lanes),
          ]),
        ]),
      ]),
    ],
  };
}

/** Products of elements that one unit does, about. */
const unitSteps = 16384;

/**
 * out[n, c * multiplier + m, ...] = sum of a[n, c, ..., window] * b[c * multiplier + m, 1, window], of which b is dense. `a` has an axis
 * for each position and one for each element of a window. False, and nothing is added, if the operands lie otherwise or out of reach.
 */
export function lowerDepthwise(
  builder: ProgramBuilder,
  out: Operand,
  a: Operand,
  b: Operand,
  multiplier: number,
): boolean {
  const { dtype, shape } = out;
  const axes = shape.length - 2;
  const last = shape.length - 1;
  const isFar = [out, a, b].some(({ storage }) => !builder.reaches(storage));
  if (isFar || sumDType(dtype) !== dtype || workingOf(dtype).parts !== 1 || out.stride[last] !== 1 || axes > 3)
    return false;
  const window = a.shape.slice(2 + axes);
  const steps = a.stride.slice(2 + axes);
  while (window.length < 3) {
    window.unshift(1);
    steps.unshift(0);
  }
  const [outer, middle, inner] = window as [number, number, number];
  const taps = outer * middle * inner;
  // Products of matrices add such sums in blocks.
  if (taps > summing.block) return false;
  const batch: number[] = [];
  for (let axis = last - 1; axis >= 2; axis--) batch.push(shape[axis], out.stride[axis], a.stride[axis], 0);
  const [outBatch, outChannel] = out.stride as [number, number];
  const [aBatch, aChannel] = a.stride as [number, number];
  batch.push(multiplier, outChannel, 0, taps);
  batch.push(shape[1] / multiplier, multiplier * outChannel, aChannel, multiplier * taps);
  batch.push(shape[0], outBatch, aBatch, 0);
  const n = shape[last];
  let rows = 1;
  for (let at = 0; at < batch.length; at += 4) rows *= batch[at];
  const lanes = n < workingOf(dtype).lanes ? 1 : workingOf(dtype).lanes;
  const vectors = lanes === 1 ? n : n >= 4 * lanes ? 4 : n >= 2 * lanes ? 2 : 1;
  const written = inner <= mostWritten ? inner : 0;
  const isNext = a.stride[last] === 1;
  const isNear = steps[2] === 1;
  const block = Math.max(1, Math.min(rows, Math.floor(unitSteps / (n * taps))));
  const key = lanes + 32 * vectors + 1024 * written + (isNext ? 2 ** 20 : 0) + (isNear ? 2 ** 21 : 0);
  const make = (): Kernel => buildDepthwise(dtype, lanes, vectors, written, isNext, isNear);
  const { itemsize } = dtypes[dtype];
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, make),
    buffers: [out, a, b].map(({ storage, offset }) => ({ storage, start: offset, itemsize })),
    sizes: [rows, block, n, Math.ceil(n / (lanes * vectors)), outer, middle, inner, a.stride[last], ...steps],
    modes: [batch],
    units: Math.ceil(rows / block),
    unitSize: block * n * taps,
  });
  return true;
}
