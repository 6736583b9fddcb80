/** Random maps and reductions over random strides agree with the reference, to the bit. LAW_CASES sets their number. */
import { expect, test } from "vitest";
import { expectSameRuns } from "../../../../test/support/kernel-runs.ts";
import { constant, type Expr } from "../../../expr/expr.ts";
import { type ScalarFunction, scalarFunctions } from "../../../kernel/ir/functions.ts";
import type { Combination, Kernel, Statement } from "../../../kernel/ir/kernel.ts";
import { printKernel } from "../../../kernel/ir/print.ts";
import {
  bitcast,
  call,
  cast,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../../../kernel/ir/scalar.ts";
import { loopSymbol, sizeSymbol } from "../../../kernel/ir/symbols.ts";
import { type ArrayKind, type DType, dtypes, type TypedArray, type Value } from "../../../storage/dtype.ts";

const cases = Number(process.env["LAW_CASES"] ?? 300);
const plain: readonly DType[] = [
  "bool",
  "uint8",
  "int8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float32",
  "float64",
];
const big = 2 ** 31 - 1;

function randomNumbers(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 12345;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}

/** Functions that are instructions, or a few of them, and exact. Not copysign: the sign of a NaN is undefined. */
const exact: readonly ScalarFunction[] = (
  "add sub mul div truncDiv truncRem floorDiv floorMod min max neg abs sqrt floor ceil trunc round " +
  "eq ne lt le gt ge and or xor not shiftLeft shiftRight select"
).split(" ") as ScalarFunction[];

const producers = new Map(
  plain.map((from) => [
    from,
    exact.flatMap((fn) =>
      plain.flatMap((dtype) => {
        const { arity, dtypeOf } = scalarFunctions[fn];
        const args: DType[] = fn === "select" ? ["bool", dtype, dtype] : new Array<DType>(arity).fill(dtype);
        try {
          return dtypeOf(fn, args) === from ? [{ fn, args }] : [];
        } catch {
          return [];
        }
      }),
    ),
  ]),
);

const arrays: Readonly<Record<ArrayKind, (bytes: ArrayBuffer) => TypedArray>> = {
  i8: (b) => new Int8Array(b),
  u8: (b) => new Uint8Array(b),
  i16: (b) => new Int16Array(b),
  u16: (b) => new Uint16Array(b),
  i32: (b) => new Int32Array(b),
  u32: (b) => new Uint32Array(b),
  f32: (b) => new Float32Array(b),
  f64: (b) => new Float64Array(b),
  i64: (b) => new BigInt64Array(b),
  u64: (b) => new BigUint64Array(b),
};

/** Elements of a dtype: small numbers, extremes and noise. */
function elements(dtype: DType, count: number, below: (n: number) => number): TypedArray {
  const { array, itemsize, category } = dtypes[dtype];
  const bytes = new Uint8Array(count * itemsize);
  for (let i = 0; i < bytes.length; i++) bytes[i] = below(256);
  const view = arrays[array](bytes.buffer);
  for (let i = 0; i < count; i++) {
    if (category === "bool") view[i] = below(2);
    else if (category === "float" && below(4) > 0)
      view[i] = [0, -0, 1, -1.5, NaN, Infinity, -Infinity, below(1000) / 8, -below(9)][below(9)] as number;
    else if (below(3) === 0) view[i] = (array === "i64" || array === "u64" ? BigInt(below(5)) : below(5)) as never;
  }
  return view;
}

function randomCase(seed: number): { kernel: Kernel; run: Parameters<typeof expectSameRuns>[1] } {
  const below = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const n = below(68);
  const used = Array.from({ length: 1 + below(3) }, () => pick(plain));
  const buffers: { name: string; dtype: DType; access: "read" | "write" }[] = [];
  const arraysOf: Record<string, TypedArray> = {};
  const starts: Record<string, number> = {};
  const sizes: Record<string, number> = { n, block: pick([5, 16, 40, 100]) };
  const i = loopSymbol("i");
  const indexOf = new Map<string, Expr>();
  const addBuffer = (
    name: string,
    dtype: DType,
    access: "read" | "write",
    strides: readonly (number | "symbol")[],
  ): void => {
    const form = pick(strides);
    const stride = form === "symbol" ? pick([1, 2, 3, -1, -2, 5]) : form;
    buffers.push({ name, dtype, access });
    if (form === "symbol") sizes[`${name}_n`] = stride;
    const symbol = sizeSymbol({ name: `${name}_n`, min: -big - 1, max: big });
    indexOf.set(name, i.mul(form === "symbol" ? symbol : form));
    const span = Math.max(1, Math.abs(stride) * Math.max(0, n - 1) + 4);
    arraysOf[name] = elements(dtype, span, below);
    starts[name] = stride < 0 ? span - 4 : 0;
  };
  used.forEach((dtype, k) => {
    addBuffer(`x${k}`, dtype, "read", [1, 1, 1, 0, 2, 3, -1, "symbol"]);
  });
  const scalars = used.map((dtype, k) => ({ name: `p${k}`, dtype }));
  const created: Scalar[] = [];
  const leaf = (dtype: DType): Scalar => {
    const at = used.indexOf(dtype);
    const { category, itemsize } = dtypes[dtype];
    const kind = below(at >= 0 ? 8 : 2);
    if (kind === 0 && category !== "bool" && itemsize >= 4) return indexScalar(dtype, i.mul(3).add(1));
    if (kind < 2)
      return constantScalar(
        dtype,
        category === "bool" ? below(2) === 1 : category === "float" ? pick([0.5, -3, 1e9]) : below(9),
      );
    if (kind === 2) return parameterScalar(dtype, `p${at}`);
    const index = (indexOf.get(`x${at}`) as Expr).add(below(3));
    if (kind === 3)
      return loadScalar(dtype, `x${at}`, index, value("bool", 1), constantScalar(dtype, dtype === "bool" ? true : 1));
    return loadScalar(dtype, `x${at}`, index);
  };
  const value = (dtype: DType, depth: number): Scalar => {
    const { itemsize } = dtypes[dtype];
    const known = created.filter((each) => each.dtype === dtype);
    if (known.length > 0 && below(4) === 0) return pick(known);
    let result: Scalar;
    const calls = producers.get(dtype) as readonly { fn: ScalarFunction; args: readonly DType[] }[];
    if (depth === 0 || below(6) === 0) result = leaf(dtype);
    else if (below(3) > 0 && calls.length > 0) {
      const { fn, args } = pick(calls);
      result = call(fn, ...args.map((arg) => value(arg, depth - 1)));
    } else if (below(4) === 0 && dtype !== "bool") {
      // Not the bits of floats: those of a NaN are open.
      const alike = plain.filter((each) => dtypes[each].category === "integer" && dtypes[each].itemsize === itemsize);
      result = bitcast(dtype, value(pick(alike), depth - 1));
    } else result = cast(dtype, value(pick(used), depth - 1));
    created.push(result);
    return result;
  };

  const body: Statement[] = [];
  if (below(3) === 0) {
    const held = value(pick(plain), 2);
    body.push({ kind: "let", name: "t", value: held });
    created.push(namedScalar(held.dtype, "t"));
  }
  const before: Statement[] = [];
  const after: Statement[] = [];
  if (below(2) === 0) {
    const dtype = pick(plain);
    const fns: readonly Combination[] =
      dtype === "bool"
        ? ["and", "or", "min", "max"]
        : ["add", "mul", "min", "max", ...(dtype.startsWith("float") ? (["smaller", "larger"] as const) : [])];
    before.push({ kind: "accumulator", name: "s", initial: constantScalar(dtype, dtype === "bool" ? true : -0) });
    body.push({ kind: "accumulate", into: "s", fn: pick(fns), value: value(dtype, 2) });
    buffers.push({ name: "sums", dtype, access: "write" });
    arraysOf["sums"] = elements(dtype, 16, below);
    after.push({ kind: "store", buffer: "sums", index: loopSymbol("u"), value: namedScalar(dtype, "s") });
  }
  for (let k = below(3); k >= 0; k--) {
    const dtype = pick(plain);
    addBuffer(`out${k}`, dtype, "write", [1, 1, 1, 2, -1, "symbol"]);
    const store = {
      kind: "store",
      buffer: `out${k}`,
      index: (indexOf.get(`out${k}`) as Expr).add(below(2)),
      value: value(dtype, 3),
    } as const;
    body.push(below(8) === 0 ? { ...store, mask: value("bool", 2) } : store);
  }
  const block = sizeSymbol({ name: "block", min: 1, max: big });
  const nSymbol = sizeSymbol({ name: "n", min: 0, max: big });
  const from = loopSymbol("u").mul(block);
  const loop: Statement = {
    kind: "loop",
    mode: below(6) === 0 ? "serial" : "vector",
    index: "i",
    from,
    to: from.add(block).min(nSymbol),
    by: pick([2, 4, 8, 16]),
    body,
  };
  const kernel: Kernel = {
    name: `random_${seed}`,
    buffers,
    scalars,
    sizes: Object.keys(sizes).map((name) => ({
      name,
      min: name === "n" ? 0 : name === "block" ? 1 : -big - 1,
      max: big,
    })),
    modes: [],
    body: [
      {
        kind: "loop",
        mode: "parallel",
        index: "u",
        from: constant(0),
        to: nSymbol.ceilDiv(block),
        by: 1,
        body: [...before, loop, ...after],
      },
    ],
  };
  const scalarValues: Record<string, Value> = {};
  for (const { name, dtype } of scalars)
    scalarValues[name] =
      dtype === "bool"
        ? below(2) === 1
        : dtypes[dtype].category === "float"
          ? pick([1.5, -0.1, 3e5])
          : pick([3, 100, 7]);
  return {
    kernel,
    run: { buffers: arraysOf, starts, scalars: scalarValues, sizes, units: Math.ceil(n / (sizes["block"] as number)) },
  };
}

test(`random kernels store the same as the reference (${cases} cases)`, () => {
  const first = Number(process.env["FIRST_CASE"] ?? 1);
  for (let seed = first; seed < first + cases; seed++) {
    const { kernel, run } = randomCase(seed);
    try {
      expectSameRuns(kernel, run);
    } catch (cause) {
      expect.fail(`seed ${seed}: ${(cause as Error).message}\n${printKernel(kernel)}`);
    }
  }
});
