/**
 * Reductions of random operands compared with plain loops over float64 and bigint; by all algorithms (along, across, in
 * parts, interleaved, phase by phase), on all backends, with the same bits from each of them and from one thread and
 * two. Each reduction of a dtype is tested on a thousandth of LAW_CASES operands.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openBackend } from "../../src/backends/open.ts";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { configure } from "../../src/backends/wasm/options.ts";
import { sharing, type Threads } from "../../src/backends/wasm/threads.ts";
import { type KernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { checkKernel } from "../../src/kernel/ir/verify.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { reducing, runReduce } from "../../src/kernel/program/lower-reduce.ts";
import { buildReduce } from "../../src/kernel/reduce/build.ts";
import { buildAcross } from "../../src/kernel/reduce/build-across.ts";
import { makeMoments } from "../../src/kernel/reduce/moments.ts";
import { makeLogSumExp, makeNorm, normOf } from "../../src/kernel/reduce/norms.ts";
import { makeArgReduction, makeReduction } from "../../src/kernel/reduce/reductions.ts";
import { needsMemory, type ReduceKernel } from "../../src/kernel/reduce/spec.ts";
import { type DType, DTypeError, dtypeNames, dtypes, type Value } from "../../src/storage/dtype.ts";
import { Storage } from "../../src/storage/storage.ts";
import { type Dice, describeOperand, dice, exact, storageInHeap, storageOver } from "../support/operands.ts";
import {
  type Allocate,
  asComplex,
  forgetBuffers,
  isNaNValue,
  isNear,
  randomInput,
  randomOutput,
  regionsOf,
} from "../support/reduced-regions.ts";

/** The call of a reduction, and the result of a plain loop over the elements of one output. */
interface Law {
  readonly make: (dtype: DType) => ReduceKernel;
  readonly scalars?: (count: number) => Value[];
  /** One value for each output of the kernel; undefined if it is unspecified. */
  readonly naive: (values: readonly Value[], dtype: DType) => (Value | undefined)[];
  /** Whether NaN and infinities may be among the elements. */
  readonly isWild?: boolean;
  /** Whether its functions differ between backends in the last bit. */
  readonly isApproximate?: boolean;
  /**
   * The roundings by which a float result may be off, relative to the sum of absolute values: runs of 64 are added in
   * sequence. A plain loop over float64 has one rounding per element.
   */
  readonly units?: number;
}

const isComplex = (dtype: DType): boolean => dtypes[dtype].category === "complex";
const isFloat = (dtype: DType): boolean => dtypes[dtype].category === "float";
const lengthOf = (value: Value): number => Math.hypot(asComplex(value).re, asComplex(value).im);
const isTrue = (value: Value): boolean => isNaNValue(value) || lengthOf(value) !== 0;

/** A sum or a product: integers as bigint in 64 bits, the others as complex numbers. */
function folded(values: readonly Value[], dtype: DType, isSum: boolean): Value {
  if (!isFloat(dtype) && !isComplex(dtype)) {
    const exactly = values.reduce<bigint>(
      (a, b) => (isSum ? a + BigInt(b as bigint) : a * BigInt(b as bigint)),
      isSum ? 0n : 1n,
    );
    return dtype === "uint64" ? BigInt.asUintN(64, exactly) : BigInt.asIntN(64, exactly);
  }
  // Above the largest number the rule for complex products returns NaN.
  if (isFloat(dtype) && !isSum) return values.reduce<number>((a, b) => a * Number(b), 1);
  return values
    .map(asComplex)
    .reduce(
      (a, b) =>
        isSum ? { re: a.re + b.re, im: a.im + b.im } : { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re },
      { re: isSum ? 0 : 1, im: 0 },
    );
}

/** The index of the first extreme, or of the first NaN. */
function firstExtreme(values: readonly Value[], isMost: boolean): number {
  let found = -1;
  values.forEach((value, k) => {
    if (found >= 0 && isNaNValue(values[found] as Value)) return;
    const best = found < 0 ? undefined : (values[found] as number);
    if (best === undefined || isNaNValue(value) || (isMost ? (value as number) > best : (value as number) < best))
      found = k;
  });
  return found;
}

const extremeOf = (values: readonly Value[], isMost: boolean): Value | undefined =>
  values[firstExtreme(values, isMost)];

function momentsOf(values: readonly Value[]): Value[] {
  const numbers = values.map(asComplex);
  const n = numbers.length;
  const mean = { re: 0, im: 0 };
  for (const { re, im } of numbers) {
    mean.re += re / n;
    mean.im += im / n;
  }
  const squares = numbers.reduce((sum, { re, im }) => sum + (re - mean.re) ** 2 + (im - mean.im) ** 2, 0);
  const variance = squares / Math.max(0, n - 1);
  return [mean, variance, Math.sqrt(variance)];
}

const normLaw = (power: number): Law => ({
  make: (dtype) => makeNorm("law", normOf(power), dtype),
  scalars: () => (normOf(power) === "power" ? [power] : []),
  naive: (values) => {
    const lengths = values.map(lengthOf);
    if (power === Number.POSITIVE_INFINITY) return [values.length === 0 ? undefined : Math.max(...lengths)];
    if (power === 0) return [lengths.filter((length) => length !== 0).length];
    return [lengths.reduce((sum, length) => sum + length ** power, 0) ** (1 / power)];
  },
  units: 72,
  isApproximate: true,
});

const laws: Readonly<Record<string, Law>> = {
  sum: {
    make: (dtype) => makeReduction("law", "sum", dtype),
    naive: (v, dtype) => [folded(v, dtype, true)],
    units: 72,
  },
  prod: {
    make: (dtype) => makeReduction("law", "prod", dtype),
    naive: (v, dtype) => [folded(v, dtype, false)],
    units: 72,
  },
  mean: {
    make: (dtype) => makeReduction("law", "mean", dtype),
    scalars: (count) => [count],
    naive: (v) => [v.length === 0 ? undefined : (momentsOf(v)[0] as Value)],
    units: 72,
  },
  min: { make: (dtype) => makeReduction("law", "min", dtype), naive: (v) => [extremeOf(v, false)], isWild: true },
  max: { make: (dtype) => makeReduction("law", "max", dtype), naive: (v) => [extremeOf(v, true)], isWild: true },
  any: { make: (dtype) => makeReduction("law", "any", dtype), naive: (v) => [v.some(isTrue)], isWild: true },
  all: { make: (dtype) => makeReduction("law", "all", dtype), naive: (v) => [v.every(isTrue)], isWild: true },
  countNonzero: {
    make: (dtype) => makeReduction("law", "countNonzero", dtype),
    naive: (v) => [BigInt(v.filter(isTrue).length)],
    isWild: true,
  },
  argmax: {
    make: (dtype) => makeArgReduction("law", "argmax", dtype, true),
    naive: (v) => (v.length === 0 ? [undefined, undefined] : [BigInt(firstExtreme(v, true)), extremeOf(v, true)]),
    isWild: true,
  },
  argmin: {
    make: (dtype) => makeArgReduction("law", "argmin", dtype),
    naive: (v) => [v.length === 0 ? undefined : BigInt(firstExtreme(v, false))],
    isWild: true,
  },
  moments: {
    make: (dtype) => makeMoments("law", dtype, ["mean", "var", "std"]),
    scalars: (count) => [count, 1],
    naive: (v) => (v.length < 2 ? [undefined, undefined, undefined] : momentsOf(v)),
    units: 72,
  },
  "norm 0": normLaw(0),
  "norm 1": normLaw(1),
  "norm 2": normLaw(2),
  "norm 3": normLaw(3),
  "norm inf": normLaw(Number.POSITIVE_INFINITY),
  logsumexp: {
    make: (dtype) => makeLogSumExp("law", dtype),
    naive: (v) => [Math.log(v.reduce<number>((sum, x) => sum + Math.exp(Number(x)), 0))],
    isWild: true,
    units: 72,
    isApproximate: true,
  },
};

/**
 * The algorithms: by default; everything across; everything along; small parts, so that rows are interleaved and phases
 * run one by one.
 */
const ways: readonly (readonly [name: string, Partial<typeof reducing>])[] = [
  ["as it is", {}],
  ["across", { short: 1e9, minAdjacent: 1 }],
  ["along", { short: 0, minAdjacent: 1e9 }],
  ["in parts", { partAlong: 2, partAcross: 32, units: 1e9, wideFrom: 256 }],
  [
    "in parts, across",
    { short: 1e9, minAdjacent: 1, partAlong: 4, partAcross: 16, units: 1e9, wide: 64, wideFrom: 128 },
  ],
];
/** All of them for the usual dtypes; the others differ only in the kernels. */
const waysOf = (dtype: DType): typeof ways =>
  ["float32", "int16", "complex64"].includes(dtype) ? ways : [ways[0] as (typeof ways)[0], ways[4] as (typeof ways)[0]];
const before = { ...reducing };

let opened: (KernelBackend & { readonly threads?: Threads }) | null = null;
const wasm = (): KernelBackend & { readonly threads?: Threads } => {
  opened ??= openBackend();
  return opened;
};

afterEach(() => {
  Object.assign(reducing, before);
  replaceBackend(null);
  forgetBuffers();
});

const makes = ({ make }: Law, dtype: DType): boolean => {
  try {
    make(dtype);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DTypeError);
    return false;
  }
};

/** Shapes and the number of their kept axes: these first, then random ones. */
const shapes: readonly (readonly [shape: number[], rank: number])[] = [
  [[3, 43], 1],
  [[2507], 0],
  [[5, 19, 3], 1],
  [[17, 9], 1],
  [[3, 0, 2], 1],
  [[1, 1], 1],
];

const cases = Math.max(shapes.length, Math.ceil(Number(process.env["LAW_CASES"] ?? 0) / 1000));

function randomShape(roll: Dice): readonly [shape: number[], rank: number] {
  const axes = roll(1, 3);
  if (axes === 1 && roll(0, 3) === 0) return [[roll(1000, 3000)], 0];
  const sizes = [0, 1, 1, 2, 3, 5, 9, 17];
  const shape = Array.from({ length: axes }, () => sizes[roll(roll(0, 9) === 0 ? 0 : 1, 7)] as number);
  return [shape, roll(0, axes)];
}

/** The outputs of one case, and its input. */
function runCase(law: Law, kernel: ReduceKernel, dtype: DType, seed: number, allocate: Allocate): [Operand, Operand[]] {
  const roll = dice(seed);
  const [shape, rank] = shapes[seed % 131] ?? randomShape(roll);
  const input = randomInput(roll, dtype, shape, allocate, law.isWild === true);
  const outputs = kernel.spec.outputs.map((output) => randomOutput(roll, output, shape.slice(0, rank), allocate));
  const count = shape.slice(rank).reduce((a, b) => a * b, 1);
  runReduce(kernel, outputs, [input], law.scalars?.(count) ?? []);
  return [input, outputs];
}

function expectLaw(law: Law, kernel: ReduceKernel, input: Operand, outputs: readonly Operand[], what: string): void {
  const rank = (outputs[0] as Operand).shape.length;
  const regions = regionsOf(input, rank);
  const got = outputs.map(exact);
  regions.forEach((region, k) => {
    const size = kernel.spec.name.includes("prod")
      ? 0
      : region.reduce<number>((sum, value) => sum + lengthOf(value), 0);
    law.naive(region, input.dtype).forEach((expected, o) => {
      if (expected === undefined) return;
      const value = got[o]?.[k] as Value;
      const dtype = kernel.spec.outputs[o] as DType;
      const isWide = dtype === "float64" || dtype === "complex128";
      const units = law.units === undefined ? 0 : Math.max(law.units, isWide ? region.length : 0);
      const isRight =
        isFloat(dtype) || isComplex(dtype)
          ? isNear(value, expected, dtype, Number.isFinite(size) ? size : 0, units)
          : typeof value === "boolean"
            ? value === Boolean(expected)
            : BigInt(value as bigint) === BigInt(expected as bigint);
      if (!isRight) expect({ output: o, at: k, value }, `${what} ${describeOperand(input)}`).toEqual(expected);
    });
  });
}

describe.each(Object.keys(laws))("%s", (name) => {
  const law = laws[name] as Law;
  test.each(dtypeNames.filter((dtype) => makes(law, dtype)))(
    "of %s equals a plain loop, by every algorithm",
    (dtype) => {
      const kernel = law.make(dtype);
      const results = [referenceBackend(), wasm()].map((backend) => {
        replaceBackend(backend);
        return waysOf(dtype).map(([way, numbers]) => {
          Object.assign(reducing, before, numbers);
          return Array.from({ length: cases }, (_, seed) => {
            const allocate = seed % 3 === 1 ? storageOver : storageInHeap;
            const [input, outputs] = runCase(law, kernel, dtype, seed + 131 * way.length, allocate);
            expectLaw(law, kernel, input, outputs, `${way}, case ${seed}:`);
            return outputs.map(exact);
          });
        });
      });
      if (law.isApproximate !== true) expect(results[1]).toEqual(results[0]);
    },
  );
});

describe("a long sum", () => {
  const count = 1_000_000;
  const right = new Float64Array(1);
  let storage: Storage;
  beforeAll(() => {
    storage = Storage.allocate(4 * 4 * count);
    const window = storage.writable().array("f32");
    const roll = dice(5);
    for (let i = 0; i < 4 * count; i++) window[storage.byteOffset / 4 + i] = roll(0, 1000) / 997;
    for (let i = 0; i < count; i++)
      right[0] = (right[0] as number) + (window[storage.byteOffset / 4 + 4 * i] as number);
  });
  const sumOver = (shape: number[], stride: number[]): number => {
    const out: Operand = {
      storage: Storage.allocate(64),
      dtype: "float32",
      offset: 0,
      shape: shape.slice(0, 1),
      stride: [1],
    };
    runReduce(makeReduction("law", "sum", "float32"), [out], [{ storage, dtype: "float32", offset: 0, shape, stride }]);
    return exact(out)[0] as number;
  };
  test.each([
    ["along", [1, count], [0, 4]],
    ["of four columns", [4, count], [1, 4]],
    ["of rounds", [1, 1000, 1000], [0, 4, 4000]],
  ])("%s is within 4 ulp of the float64 sum", (_, shape, stride) => {
    const ulp = 2 ** (Math.floor(Math.log2(right[0] as number)) - 23);
    expect(Math.abs(sumOver(shape, stride) - (right[0] as number)) / ulp).toBeLessThanOrEqual(4);
  });
  test("across is accurate too", () => {
    reducing.short = 1e9;
    reducing.minAdjacent = 1;
    reducing.partAcross = 2 ** 30;
    reducing.wide = 0;
    const ulp = 2 ** (Math.floor(Math.log2(right[0] as number)) - 23);
    expect(Math.abs(sumOver([4, count], [1, 4]) - (right[0] as number)) / ulp).toBeLessThanOrEqual(4);
  });
});

test("the variance of numbers far from 0 keeps its digits", () => {
  const count = 5000;
  const storage = Storage.allocate(4 * count);
  const window = storage.writable().array("f32");
  const values = Array.from({ length: count }, (_, i) => Math.fround(16777216 - 1000 + (i % 7)));
  values.forEach((value, i) => {
    window[storage.byteOffset / 4 + i] = value;
  });
  const outputs = ["float32", "float32"].map(
    (): Operand => ({ storage: Storage.allocate(64), dtype: "float32", offset: 0, shape: [], stride: [] }),
  );
  const input: Operand = { storage, dtype: "float32", offset: 0, shape: [count], stride: [1] };
  const [mean, variance] = momentsOf(values) as [{ re: number }, number];
  for (const partAlong of [before.partAlong, 256]) {
    reducing.partAlong = partAlong;
    runReduce(makeMoments("law", "float32", ["mean", "var"]), outputs, [input], [count, 1]);
    expect(exact(outputs[0] as Operand)[0]).toBe(Math.fround(mean.re));
    expect(Math.abs((exact(outputs[1] as Operand)[0] as number) / variance - 1)).toBeLessThan(1e-6);
  }
});

test("every kernel of a reduction follows the rules of the IR", () => {
  for (const law of Object.values(laws))
    for (const dtype of (["int16", "float32", "complex64"] as const).filter((each) => makes(law, each))) {
      const kernel = law.make(dtype);
      const all = kernel.spec.before === undefined ? [kernel, kernel.part, kernel.join] : [kernel, ...kernel.phases];
      for (const { spec } of all)
        for (const classes of [1, 2]) {
          if (!needsMemory(spec)) checkKernel(buildReduce(spec, classes));
          checkKernel(buildAcross(spec, (classes * (4 ** 6 - 1)) / 3));
        }
    }
});

describe("two threads", () => {
  const installed = { ...sharing };
  afterAll(async () => {
    Object.assign(sharing, installed);
    await wasm().threads?.shutdown();
    configure({ threads: "auto" });
  });
  test("compute the bits of one", async () => {
    Object.assign(sharing, { elements: 0, worth: 0, start: 0 });
    configure({ threads: 2 });
    const pool = wasm().threads?.forModules() ?? null;
    for (let tries = 0; pool !== null && pool.started() < 1 && tries < 1000; tries++)
      await new Promise((ready) => setTimeout(ready, 10));
    replaceBackend(wasm());
    for (const [, numbers] of ways) {
      Object.assign(reducing, before, numbers);
      for (const name of ["sum", "argmax", "moments", "logsumexp"]) {
        const law = laws[name] as Law;
        const kernel = law.make("float32");
        const results = [1, 2].map((threads) => {
          configure({ threads });
          return Array.from({ length: cases }, (_, seed) =>
            runCase(law, kernel, "float32", seed, storageInHeap)[1].map(exact),
          );
        });
        expect(results[1]).toEqual(results[0]);
      }
    }
  });
});
