/** The interpreter: each statement of the IR on small kernels whose results are known, and the order of accumulation. */
import { describe, expect, test } from "vitest";
import { elementwiseText, runKernel } from "../../../test/support/run-kernel.ts";
import { rounder } from "../../kernel/element.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { Combination } from "../../kernel/ir/kernel.ts";
import { identityOf } from "../../kernel/ir/statements.ts";
import { dtypeNames, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { memoryOf } from "../../storage/memory.ts";
import { referenceBackend } from "./backend.ts";
import { meaningOf } from "./scalar-values.ts";

test("a line of a * x + b, in blocks", () => {
  const text = `kernel f32_axpb
    buffer x: float32 read
    buffer out: float32 write
    scalar a: float32
    scalar b: float32
    size n: 0..2147483647
    size block: 1..2147483647
    {
      parallel u in 0..ceilDiv(n, block) {
        vector i in block*u..min(n, block*u + block) by 4 {
          out[i] = a * x[i] + b
        }
      }
    }`;
  const x = Float32Array.from({ length: 67 }, (_, i) => i / 3);
  for (const n of [0, 1, 16, 17, 67]) {
    const out = new Float32Array(67).fill(-1);
    runKernel(text, { buffers: { x, out }, scalars: { a: 0.1, b: 7 }, sizes: { n, block: 16 } });
    const a = Math.fround(0.1);
    expect(out).toEqual(x.map((value, i) => (i < n ? Math.fround(Math.fround(a * value) + 7) : -1)));
  }
});

test("a walk visits modes with the first one fastest, for any number of rows", () => {
  const text = `kernel walk
    buffer x: int32 read
    buffer out: int32 write
    size units: 0..1000
    modes rest: x, out
    {
      parallel u in 0..units {
        walk rest at u -> x_at, out_at
        out[out_at] = x[x_at]
      }
    }`;
  const x = Int32Array.from({ length: 24 }, (_, i) => 100 + i);
  const run = (units: number, rest: number[], start = 0): number[] => {
    const out = new Int32Array(24);
    runKernel(text, { buffers: { x: x.subarray(start), out }, sizes: { units }, modes: { rest } });
    return [...out.slice(0, units)];
  };
  expect(run(1, [])).toEqual([100]);
  expect(run(6, [2, 12, 1, 3, 1, 2])).toEqual([100, 112, 101, 113, 102, 114]);
  // A negative stride, from the element where the buffer starts.
  expect(run(4, [4, -2, 1], 7)).toEqual([107, 105, 103, 101]);
});

test("index, fetch, let, masks, unrolled loops and memory of a unit", () => {
  const text = elementwiseText(
    "buffer x: float64 read\nbuffer at: int64 read\nbuffer out: float64 write",
    "index double = 2*i",
    "fetch j = at[i]",
    "let v: float64 = x[j]",
    "allocate s: float64[2] in smem",
    "unrolled k in 0..2 {",
    "s[k] = v + float64[k]",
    "}",
    "barrier",
    "out[double] = s[1] where v < float64(4)",
    "out[double + 1] = x[i + 1 where int64[i] < int64(2) else float64(-1)]",
  );
  const out = new Float64Array(6);
  const buffers = { x: new Float64Array([1, 3, 5]), at: new BigInt64Array([2n, 0n, 1n]), out };
  runKernel(text, { buffers, sizes: { n: 3 } });
  expect([...out]).toEqual([0, 3, 2, 5, 4, -1]);
});

test("a value that is used twice is computed once", () => {
  // 2^60 uses of the first value, if each use computed it again.
  const lines = Array.from(
    { length: 60 },
    (_, k) => `%${k + 1} = ${k === 0 ? "x[i]" : `%${k}`} + ${k === 0 ? "x[i]" : `%${k}`}`,
  );
  const out = new Float64Array(1);
  const text = elementwiseText("buffer x: float64 read\nbuffer out: float64 write", ...lines, "out[i] = %60");
  runKernel(text, { buffers: { x: new Float64Array([1]), out }, sizes: { n: 1 } });
  expect(out[0]).toBe(2 ** 60);
});

describe("accumulators", () => {
  const text = (fn: string, dtype: string, initial: string): string => `kernel sums
    buffer x: ${dtype} read
    buffer out: ${dtype} write
    size n: 0..1000
    {
      parallel u in 0..1 {
        accumulator total: ${dtype} = ${dtype}(${initial})
        vector i in 0..n by 8 {
          total ${fn}= x[i]
        }
        out[0] = total
      }
    }`;

  /** The order that the IR fixes, spelled out. */
  function inOrder(x: Float32Array, by: number, initial: number): number {
    const add = (a: number, b: number): number => Math.fround(a + b);
    const full = x.length - (x.length % by);
    let partials = new Array<number>(by).fill(0);
    for (let k = 0; k < full; k++) partials[k % by] = add(partials[k % by] as number, x[k] as number);
    while (partials.length > 1) {
      const half = partials.length / 2;
      partials = partials.slice(0, half).map((value, l) => add(value, partials[l + half] as number));
    }
    return x.slice(full).reduce(add, add(initial, partials[0] as number));
  }

  test("a vector loop adds in the fixed order, for every length", () => {
    const all = Float32Array.from({ length: 67 }, (_, i) => Math.sin(i) * 10 ** (i % 7));
    const sums = new Set<number>();
    for (let n = 0; n <= 67; n++) {
      const x = all.slice(0, n);
      const out = new Float32Array(1);
      runKernel(text("add", "float32", "0.3"), { buffers: { x: n === 0 ? all : x, out }, sizes: { n } });
      expect(out[0], `${n} numbers`).toBe(inOrder(x, 8, Math.fround(0.3)));
      if (out[0] !== x.reduce((a, b) => Math.fround(a + b), Math.fround(0.3))) sums.add(n);
    }
    // The order is not that of a plain loop.
    expect(sums.size).toBeGreaterThan(10);
  });

  test.each([
    ["mul", "int32", "2", [1, 2, 3, 4, 5, 1, 1, 1, 1, 2], 480],
    ["min", "int32", "100", [5, 3, 9, 8, 7, 6, 4, 12, 11], 3],
    ["max", "float32", "-inf", [5, 3, -9, 8, 7, 6, 4, 1, 7], 8],
    ["and", "uint8", "255", [255, 254, 127, 255, 255, 255, 255, 255, 239], 110],
    ["or", "uint8", "0", [1, 2, 0, 0, 0, 0, 0, 64, 128], 195],
  ] as const)("%s of %s", (fn, dtype, initial, values, expected) => {
    const kind = { int32: Int32Array, float32: Float32Array, uint8: Uint8Array }[dtype];
    const out = new kind(1);
    runKernel(text(fn, dtype, initial), { buffers: { x: new kind(values), out }, sizes: { n: values.length } });
    expect(out[0]).toBe(expected);
  });

  test("the identity changes nothing", () => {
    const fns: Combination[] = ["add", "mul", "min", "max", "and", "or"];
    for (const dtype of dtypeNames)
      for (const fn of fns) {
        const isDefined = ((): boolean => {
          try {
            return meaningOf(fn, dtype) !== undefined;
          } catch {
            return false;
          }
        })();
        if (!isDefined) continue;
        for (const input of [0, 1, -1, 100, 2 ** 31, -(2 ** 63), 2 ** 63, Infinity, -Infinity, NaN]) {
          const value = rounder(dtype)(input);
          // A complex number times (1, 0) is itself only where it is finite.
          if (dtypes[dtype].category === "complex" && !Number.isFinite(input)) continue;
          expect(meaningOf(fn, dtype)(rounder(dtype)(identityOf(fn, dtype)), value, 0), `${fn} of ${dtype}`).toEqual(
            value,
          );
        }
      }
  });

  test("an accumulator inside a vector loop starts again in each iteration", () => {
    const inner = elementwiseText(
      "buffer x: int32 read\nbuffer out: int32 write",
      "vector j in 0..5 by 4 {",
      "accumulator total: int32 = int32(1)",
      "serial k in 0..3 {",
      "total add= x[j + k]",
      "}",
      "out[j] = total",
      "}",
    );
    const out = new Int32Array(5);
    runKernel(inner, { buffers: { x: new Int32Array([1, 2, 3, 4, 5, 6, 7]), out }, sizes: { n: 1 } });
    expect([...out]).toEqual([7, 10, 13, 16, 19]);
  });
});

describe("assumptions of other backends are checked", () => {
  const copy = elementwiseText("buffer x: float32 read\nbuffer out: float32 write", "out[i] = x[i]");
  const run = (text: string, n: number, x: TypedArray = new Float32Array(4)): unknown =>
    runKernel(text, { buffers: { x, out: new Float32Array(9) }, sizes: { n } });

  test("elements outside of the memory", () => {
    expect(() => run(copy, 4)).not.toThrow();
    expect(() => run(copy, 5)).toThrow(new KernelError("kernel test: element 4 of x is outside of its memory."));
    expect(() => run(copy.replace("x[i]", "x[i - 1]"), 1)).toThrow(KernelError);
  });

  test("divisions of integers by zero in an index", () => {
    expect(() => run(copy.replace("out[i]", "out[floorDiv(1, i)]"), 1)).toThrow(KernelError);
  });
});

test("a complex buffer may start at any float", () => {
  const floats = new Float32Array([9, 1, 2, 3, 4, 9]);
  const out = new Float32Array(4);
  const text = elementwiseText("buffer x: complex64 read\nbuffer out: complex64 write", "out[i] = conj(x[i])");
  runKernel(text, { buffers: { x: floats.subarray(1, 5), out }, sizes: { n: 2 } });
  expect([...out]).toEqual([1, -2, 3, -4]);
});

test("64-bit integers are exact, and conversions are those of elements", () => {
  const x = new BigInt64Array([2n ** 62n + 1n, -3n]);
  const out = new BigInt64Array(2);
  const text = elementwiseText(
    "buffer x: int64 read\nbuffer out: int64 write",
    "out[i] = x[i] * x[i] + int64(float32(x[i]))",
  );
  runKernel(text, { buffers: { x, out }, sizes: { n: 2 } });
  expect([...out]).toEqual([BigInt.asIntN(64, (2n ** 62n + 1n) ** 2n + 2n ** 62n), 6n]);
});

test("it reaches every memory", () => {
  expect(referenceBackend().canAddress(memoryOf(new ArrayBuffer(8)))).toBe(true);
});
