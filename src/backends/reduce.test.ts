/**
 * Reductions of random operands: on the reference backend against a plain loop in the order that `kernel/reduce/build.ts` and
 * `kernel/ir/kernel.ts` promise, bit for bit; on WebAssembly, in the heap and staged, against the reference.
 */
import { afterEach, describe, expect, test } from "vitest";
import { dice, exact, randomOperand, storageInHeap, storageOver } from "../../test/support/operands.ts";
import { type KernelBackend, replaceBackend } from "../kernel/backend.ts";
import { printKernel } from "../kernel/ir/print.ts";
import { call } from "../kernel/ir/scalar.ts";
import { checkKernel } from "../kernel/ir/verify.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { runReduce } from "../kernel/program/lower-reduce.ts";
import { buildReduce } from "../kernel/reduce/build.ts";
import { makeReduction, type Reduction, reductions } from "../kernel/reduce/reductions.ts";
import { ReduceKernel } from "../kernel/reduce/spec.ts";
import { type DType, DTypeError, dtypeNames, dtypes } from "../storage/dtype.ts";
import { memoryOf } from "../storage/memory.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

afterEach(() => {
  replaceBackend(null);
});

type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;

/** Buffers whose storages are in use: a storage in the heap lives as long as its buffer. */
const held: ArrayBuffer[] = [];

const keep = (buffer: ArrayBuffer): ArrayBuffer => {
  held.push(buffer);
  return buffer;
};

let opened: KernelBackend | null = null;
const wasm = (): KernelBackend => {
  opened ??= openBackend();
  return opened;
};

function floats(values: readonly number[], allocate: Allocate): Operand {
  const storage = allocate(keep(Float32Array.from([...values, 0]).buffer));
  return { storage, dtype: "float32", offset: 0, shape: [values.length], stride: [1] };
}

function single(dtype: DType, shape: readonly number[], allocate: Allocate): Operand {
  const stride = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const count = shape.reduce((a, b) => a * b, 1);
  return {
    storage: allocate(keep(new ArrayBuffer(Math.max(16, count * dtypes[dtype].itemsize)))),
    dtype,
    offset: 0,
    shape,
    stride,
  };
}

/** The promised order for adjacent elements. */
function sumInOrder(values: readonly number[]): number {
  let total = 0;
  for (let from = 0; from < values.length; from += 1024) {
    const part = values.slice(from, from + 1024);
    const full = Math.floor(part.length / 16) * 16;
    const lanes = new Float32Array(16);
    for (let k = 0; k < full; k++) lanes[k % 16] = (lanes[k % 16] as number) + (part[k] as number);
    for (let half = 8; half >= 1; half /= 2)
      for (let l = 0; l < half; l++) lanes[l] = (lanes[l] as number) + (lanes[l + half] as number);
    let sum = Math.fround(0 + (lanes[0] as number));
    for (let k = full; k < part.length; k++) sum = Math.fround(sum + (part[k] as number));
    total += sum;
  }
  return Math.fround(total);
}

describe.each([
  ["reference", referenceBackend, storageOver],
  ["WebAssembly, the heap", wasm, storageInHeap],
  ["WebAssembly, memory of the user's", wasm, storageOver],
] as const)("%s", (_name, backend, allocate) => {
  test.each([0, 1, 15, 16, 17, 67, 1023, 1024, 1025, 3000])(
    "a sum of %i float32 numbers has the promised bits",
    (count) => {
      replaceBackend(backend());
      const roll = dice(count + 1);
      const values = Array.from({ length: count }, () => Math.fround(roll(-1000, 1000) * 0.1));
      const out = single("float32", [], allocate);
      runReduce(makeReduction("test", "sum", "float32"), [out], [floats(values, allocate)]);
      expect(exact(out)).toEqual([sumInOrder(values)]);
    },
  );
});

/** A row-major copy of random elements, some axes of it kept and the others reduced. */
function randomCase(
  seed: number,
  dtype: DType,
  allocate: Allocate,
): readonly [kept: readonly number[], input: Operand] {
  const roll = dice(seed);
  const shape = Array.from({ length: roll(1, 3) }, () => [1, 2, 3, 9, 17][roll(0, 4)] as number);
  const { category, array, itemsize } = dtypes[dtype];
  const buffer = new ArrayBuffer(16384 * itemsize);
  const values = memoryOf(buffer).array(array);
  const isFraction = array === "f32" || array === "f64";
  for (let i = 0; i < 16384; i++) {
    const bits = Math.imul(i + seed, 0x9e3779b1) >>> 1;
    if (array === "i64" || array === "u64") (values as BigInt64Array)[i] = BigInt(bits);
    else if (isFraction) (values as Float32Array)[i] = (bits & 512 ? -1 : 1) * (0.9 + (bits % 401) / 2003);
    else
      (values as Uint8Array)[i] =
        category === "bool" ? bits & 1 : category === "float" ? 0x3c00 + (bits & 0x3ff) : bits;
  }
  const input = randomOperand(roll, allocate(keep(buffer)), dtype, shape, true);
  return [shape.slice(0, roll(0, shape.length)), input];
}

const isDefined = (reduction: Reduction, dtype: DType): boolean => {
  try {
    makeReduction("test", reduction, dtype);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DTypeError);
    return false;
  }
};

describe.each(reductions)("%s", (reduction) => {
  test.each(dtypeNames.filter((dtype) => isDefined(reduction, dtype)))("of %s equals the reference", (dtype) => {
    const results = [
      [referenceBackend(), storageOver],
      [wasm(), storageInHeap],
      [wasm(), storageOver],
    ].map(([backend, allocate]) => {
      replaceBackend(backend as KernelBackend);
      const kernel = makeReduction("test", reduction, dtype);
      return Array.from({ length: 16 }, (_, seed) => {
        const [kept, input] = randomCase(seed * 131 + dtype.length, dtype, allocate as Allocate);
        const out = single(kernel.spec.outputs[0] as DType, kept, allocate as Allocate);
        const count = input.shape.slice(kept.length).reduce((a, b) => a * b, 1);
        runReduce(kernel, [out], [input], reduction === "mean" ? [count] : []);
        return exact(out);
      });
    });
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});

test.each([
  ["sum", (a: bigint, b: bigint) => a + b],
  ["prod", (a: bigint, b: bigint) => BigInt.asIntN(64, a * b)],
  ["min", (a: bigint, b: bigint) => (b < a ? b : a)],
  ["max", (a: bigint, b: bigint) => (b > a ? b : a)],
] as const)("%s of integers of any strides equals a plain loop", (reduction, combine) => {
  replaceBackend(wasm());
  for (const dtype of ["uint8", "int16", "int32", "uint32", "int64"] as const) {
    const kernel = makeReduction("test", reduction, dtype);
    for (let seed = 0; seed < 16; seed++) {
      const [kept, input] = randomCase(seed, dtype, seed % 2 === 0 ? storageInHeap : storageOver);
      const out = single(kernel.spec.outputs[0] as DType, kept, seed % 3 === 0 ? storageInHeap : storageOver);
      runReduce(kernel, [out], [input]);
      const values = exact(input).map((value) => BigInt(value as number));
      const each = values.length / Math.max(1, exact(out).length);
      const expected = exact(out).map((_, k) =>
        values.slice(k * each, k * each + each).reduce((a, b) => combine(a, b)),
      );
      expect(
        exact(out).map((value) => BigInt(value as number)),
        `${dtype} ${seed}`,
      ).toEqual(expected);
    }
  }
});

test("one kernel has several inputs, accumulators and outputs", () => {
  const kernel = new ReduceKernel({
    name: "f32_dot_peak",
    outputs: ["float32", "float32"],
    inputs: ["float32", "float32"],
    scalars: ["float32"],
    accumulators: [
      { fn: "add", total: "float32" },
      { fn: "max", total: "float32" },
    ],
    terms: ([x, y]) => [call("mul", x as never, y as never), x as never],
    finish: ([dot, peak], [scale]) => [call("mul", dot as never, scale as never), peak as never],
  });
  for (const backend of [referenceBackend, wasm]) {
    replaceBackend(backend());
    const x = floats([1, 2, 3, 4, 5, 6], storageInHeap);
    const y = floats([1, 10], storageInHeap);
    const outputs = [single("float32", [3], storageInHeap), single("float32", [3], storageInHeap)];
    const grid = { ...x, shape: [3, 2], stride: [2, 1] };
    runReduce(kernel, outputs, [grid, { ...y, shape: [3, 2], stride: [0, 1] }], [0.5]);
    expect(outputs.map(exact)).toEqual([
      [10.5, 21.5, 32.5],
      [2, 4, 6],
    ]);
  }
});

test("the sum of many float32 numbers is as exact as its rounding", () => {
  const count = 1_000_000;
  const out = single("float32", [], storageInHeap);
  const x = floats([0.1], storageInHeap);
  runReduce(makeReduction("test", "sum", "float32"), [out], [{ ...x, shape: [count], stride: [0] }]);
  const right = count * Math.fround(0.1);
  expect(Math.abs((exact(out)[0] as number) - right) / right).toBeLessThan(1e-6);
});

test("more elements than one call can count throw an error with the numbers", () => {
  const x = floats([1], storageInHeap);
  const out = single("float32", [], storageInHeap);
  const sum = makeReduction("test", "sum", "float32");
  expect(() => runReduce(sum, [out], [{ ...x, shape: [2 ** 31], stride: [0] }])).toThrow(
    "reduce: one result reads 2147483648 elements over a span of 1, more than the limit of 1073741824. Reduce fewer axes at a time.",
  );
});

test("the kernel of a sum reads as its promise", () => {
  const kernel = buildReduce(makeReduction("test", "sum", "float32").spec, 1);
  checkKernel(kernel);
  expect(`\n${printKernel(kernel)}`).toMatchInlineSnapshot(`
    "
    kernel f32_sum_1
      buffer out: float32 write
      buffer x: float32 read
      size outputs: 0..2147483647
      size block: 1..2147483647
      size n: 0..2147483647
      size rounds: 0..2147483647
      modes kept: out, x
      modes reduced: x
    {
      parallel u in 0..ceil(outputs/block) {
        serial o in block*u..min(block*u + block, outputs) {
          walk kept at o -> out_at, x_at
          accumulator total: float64 = float64(0)
          serial r in 0..rounds {
            walk reduced at r -> x_on
            serial c in 0..ceil(n/1024) {
              accumulator part: float32 = float32(0)
              vector i in 1024*c..min(n, 1024*c + 1024) by 16 {
                part add= x[i + x_at + x_on]
              }
              total add= float64(part)
            }
          }
          out[out_at] = float32(total)
        }
      }
    }"
  `);
});
