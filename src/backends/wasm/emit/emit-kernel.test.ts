/**
 * Kernels as WebAssembly agree with the reference backend: every statement, loop, stride, tail and dtype.
 * Unrolled loops are expanded, with constant indices and separate names.
 */
import { describe, expect, test } from "vitest";
import { expectSameRuns, type RunArguments, storedIn } from "../../../../test/support/kernel-runs.ts";
import { kernelTexts } from "../../../../test/support/kernel-texts.ts";
import { randomKernel } from "../../../../test/support/kernels.ts";
import { constant } from "../../../expr/expr.ts";
import type { Kernel, Statement } from "../../../kernel/ir/kernel.ts";
import { parseKernel } from "../../../kernel/ir/parse.ts";
import { printKernel } from "../../../kernel/ir/print.ts";
import { call, constantScalar, loadScalar, namedScalar } from "../../../kernel/ir/scalar.ts";
import { loopSymbol } from "../../../kernel/ir/symbols.ts";
import { lowerKernel } from "../../../kernel/lower/lower-kernel.ts";
import { kernelModule } from "../compile-kernel.ts";
import { emitKernel, unrollKernel } from "./emit-kernel.ts";

const floats = (count: number, seed = 1): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => Math.fround(Math.sin(i * 12.9898 + seed) * 43758.5453) % 16);
const ints = (count: number, seed = 1): Int32Array =>
  Int32Array.from({ length: count }, (_, i) => ((i + seed) * 2654435761) ^ (i << 7));
const bytesOf = (count: number, seed = 3): ArrayBuffer => {
  const bytes = new Uint8Array(count);
  for (let i = 0; i < count; i++) bytes[i] = ((i * 73 + seed * 31) ^ (i >> 3)) & 255;
  return bytes.buffer;
};
const tails = Array.from({ length: 68 }, (_, n) => n);

/** A kernel over n elements in blocks, whose statements see the index i. */
const blocked = (parameters: string, statements: string, by = 4): string =>
  `kernel test\n${parameters}\nsize n: 0..2147483647\nsize block: 1..2147483647\n{\nparallel u in 0..ceil(n/block) {\n` +
  `vector i in block*u..min(block*u + block, n) by ${by} {\n${statements}\n}\n}\n}`;

/** The same call for every number of elements 0..67. */
function forAllTails(
  text: string,
  run: (n: number) => Pick<RunArguments, "buffers"> & Partial<RunArguments>,
  block = 37,
): void {
  for (const n of tails) {
    const result = run(n);
    expectSameRuns(text, { ...result, sizes: { n, block, ...result.sizes }, units: Math.ceil(n / block) });
  }
}

test("a map computes every element once, for all tails and blocks", () => {
  for (const block of [1, 7, 16, 100])
    forAllTails(
      kernelTexts["axpb"] as string,
      (n) => ({ buffers: { x: floats(n), out: floats(n, 5) }, scalars: { a: 1.5, b: -0.25 } }),
      block,
    );
});

describe("the kernels of the corpus agree with the reference", () => {
  const n = 67;
  const halves = (): Uint16Array => new Uint16Array(bytesOf(2 * n));
  const sized = { sizes: { n, block: 20 }, units: 4 };
  const runs: Readonly<Record<string, RunArguments>> = {
    fused: { buffers: { x: floats(n), out: floats(n) }, ...sized },
    halves: { buffers: { x: halves(), y: halves(), out: halves() }, ...sized },
    compare: {
      buffers: { x: Float64Array.from(floats(n)), out: new Uint8Array(n) },
      scalars: { low: -1, high: 3 },
      ...sized,
    },
    chain: {
      buffers: { x: new Int8Array(bytesOf(n)), y: new Int8Array(bytesOf(n, 8)), out: new Uint8Array(n) },
      ...sized,
    },
    wide: {
      buffers: {
        x: new BigInt64Array(bytesOf(8 * n)),
        y: new BigUint64Array(bytesOf(8 * n, 5)),
        out: new BigInt64Array(n),
      },
      ...sized,
    },
    complexes: {
      buffers: { x: floats(2 * n), y: Float64Array.from(floats(2 * n, 9)), out: floats(2 * n, 4) },
      ...sized,
    },
    bits: { buffers: { x: floats(n), out: new Uint32Array(n) }, ...sized },
    counting: { buffers: { out: new Int32Array(n) }, ...sized },
    integers: {
      buffers: {
        x: new Uint8Array(bytesOf(n)),
        y: new Int16Array(bytesOf(2 * n)),
        z: new Uint16Array(bytesOf(2 * n, 9)),
        out: new Int16Array(n),
      },
      ...sized,
    },
    inPlace: { buffers: { x: floats(n) }, ...sized },
    masked: {
      buffers: { x: floats(n), mask: new Uint8Array(bytesOf(n)).map((b) => b & 1), out: floats(n, 7) },
      ...sized,
    },
    selected: {
      buffers: { c: new Uint8Array(bytesOf(n)).map((b) => b & 1), x: floats(n), y: floats(n, 2), out: floats(n, 3) },
      ...sized,
    },
    gather: {
      buffers: {
        index: BigInt64Array.from({ length: n }, (_, i) => BigInt((i * 29) % n)),
        x: floats(3 * n),
        out: floats(n),
      },
      sizes: { n, block: 20, x_m: 3 },
      units: 4,
    },
    plane: {
      buffers: { x: floats(2 * 3 * 11 * 13), y: floats(2 * 3 * 11), out: floats(2 * 3 * 11 * 13, 4) },
      sizes: {
        n: 13,
        m: 11,
        tile_n: 8,
        tile_m: 4,
        tiles_n: 2,
        tiles: 6,
        units: 36,
        x_m: 13,
        y_m: 1,
        y_n: 0,
        out_m: 13,
      },
      modes: { rest: [2, 143, 11, 429, 3, 286, 22, 143] },
      units: 36,
    },
    transpose: {
      buffers: { x: floats(16 * 16 + 8), out: floats(256, 3) },
      sizes: { m: 16, tiles: 2, units: 4, x_m: 16 },
      units: 4,
    },
    sumRows: { buffers: { x: floats(5 * n), out: floats(5) }, sizes: { n, rows: 5 }, units: 5 },
    sumColumns: {
      buffers: { x: Float64Array.from(floats(n * 6)), out: new Float64Array(n) },
      sizes: { n, m: 6, block: 20 },
      units: 4,
    },
    extremes: { buffers: { x: ints(n), out: new Int32Array(3), flags: new Uint8Array(2) }, sizes: { n }, units: 1 },
    matmul: { buffers: { a: floats(64), b: floats(64, 8), out: floats(16 * 1024) }, sizes: { k_size: 5 }, units: 1024 },
    ring: { buffers: { x: floats(64 * 3), out: floats(64 * 3) }, sizes: { n: 3 }, units: 3 },
    histogram: { buffers: { x: new Uint8Array(bytesOf(16)), out: new Int32Array(4 * 256) }, sizes: { n: 4 }, units: 4 },
    sharedAcross: { buffers: { x: floats(n), out: floats(n, 2) }, sizes: { n }, units: n },
    empty: { buffers: {}, units: 0 },
  };
  test.each(Object.entries(runs))("%s", (name, run) => {
    expectSameRuns(kernelTexts[name] as string, run);
    expectSameRuns(kernelTexts[name] as string, { ...run, unitsAtOnce: 1 });
  });
});

const strideForms = ["0", "1", "2", "3", "-1", "-2", "stride"] as const;
const dtypeArrays = {
  bool: (count: number) => new Uint8Array(bytesOf(count)).map((byte) => byte & 1),
  int8: (count: number) => new Int8Array(bytesOf(count)),
  uint16: (count: number) => new Uint16Array(bytesOf(2 * count)),
  int32: ints,
  uint64: (count: number) => new BigUint64Array(bytesOf(8 * count)),
  float32: floats,
  float64: (count: number) => Float64Array.from(floats(count)),
  complex64: (count: number) => floats(2 * count),
  complex128: (count: number) => Float64Array.from(floats(2 * count)),
  float16: (count: number) => new Uint16Array(bytesOf(2 * count)),
} as const;

describe.each(Object.entries(dtypeArrays))("a copy of %s", (dtype, elements) => {
  test("reads and writes by every stride", () => {
    for (const from of strideForms)
      for (const to of strideForms.slice(1)) {
        const stride = 4;
        const [x, out] = [from, to].map((form) => Number(form === "stride" ? stride : form)) as [number, number];
        const n = 1 + (((x + 2) * 7 + (out + 2) * 3) % 45);
        const span = (by: number): number => Math.abs(by) * (n - 1) + 1;
        const text = `kernel copy
buffer x: ${dtype} read
buffer out: ${dtype} write
size n: 0..100
size stride: -9..9
{
parallel u in 0..1 {
vector i in 0..n by 4 {
out[${to}*i] = x[${from}*i]
}
}
}`;
        expectSameRuns(text, {
          buffers: { x: elements(span(x)), out: elements(span(out)) },
          starts: { x: x < 0 ? span(x) - 1 : 0, out: out < 0 ? span(out) - 1 : 0 },
          sizes: { n, stride },
          units: 1,
        });
      }
  });
});

test("the offsets of a mode list of 0 to 4 rows are walked", () => {
  const text = `kernel walked
buffer x: int32 read
buffer out: int32 write
modes rest: x, out
size units: 0..100
{
parallel u in 0..units {
walk rest at u -> x_at, out_at
out[out_at] = x[x_at + 5]
}
}`;
  const rows = [2, 3, 1, 3, -1, 2, 1, 24, 6, 2, 6, 12];
  for (const count of [0, 1, 2, 3, 4]) {
    const modes = { rest: rows.slice(0, 3 * count) };
    const units = [1, 2, 6, 6, 12][count] as number;
    const run = { buffers: { x: ints(60), out: ints(60, 9) }, starts: { x: 2 }, sizes: { units }, modes, units };
    expectSameRuns(text, run);
    expectSameRuns(text, { ...run, unitsAtOnce: 5 });
  }
});

test("sums are folded in the fixed order, to the bit, with and without vector instructions", () => {
  const sum = (value: string, by: number): string =>
    `kernel sum\nbuffer x: float32 read\nbuffer out: float32 write\nsize n: 0..100\n{\nparallel u in 0..1 {\n` +
    `accumulator s: float32 = float32(-0)\nvector i in 0..n by ${by} {\ns add= ${value}\n}\nout[0] = s\n}\n}`;
  for (const value of ["x[i]", "x[3*i] * x[i + 1]", "floorMod(x[i], float32(3))"])
    for (const by of [1, 2, 4, 8, 16])
      for (const n of tails)
        expectSameRuns(sum(value, by), { buffers: { x: floats(3 * n + 1), out: floats(1) }, sizes: { n }, units: 1 });
});

test("an output that aliases the input reads the old elements", () => {
  const text = blocked(
    "buffer x: float32 read\nbuffer out: float32 write",
    "out[2*i] = x[2*i] - x[2*i + 1]\nout[2*i + 1] = x[2*i] * x[2*i + 1]",
  );
  const n = 21;
  const sizes = { n, block: 9 };
  const apart = storedIn("out", text, { buffers: { x: floats(2 * n), out: floats(2 * n) }, sizes, units: 3 });
  const inPlace = storedIn("out", text, { buffers: { x: floats(2 * n), out: { at: "x" } }, sizes, units: 3 });
  expect(inPlace).toEqual(apart);
  expectSameRuns(text, { buffers: { x: floats(2 * n), out: floats(2 * n) }, sizes, units: 3 });
});

test("loads see earlier stores to a buffer of the same name", () => {
  const text = `kernel running
buffer x: int32 read
buffer out: int32 readwrite
size n: 0..100
{
parallel u in 0..1 {
serial i in 0..n {
out[i + 1] = out[i] + x[i]
out[0] = out[i + 1] + x[0]
let t: int32 = out[0]
out[0] = t - out[i + 1]
}
}
}`;
  for (const n of [0, 1, 2, 33])
    expectSameRuns(text, { buffers: { x: ints(n), out: ints(n + 1, 4) }, sizes: { n }, units: 1 });
});

test("a shared value is computed again after a store to a buffer that it depends on", () => {
  const i = loopSymbol("i");
  const shared = call("mul", loadScalar("int32", "out", i), constantScalar("int32", 3));
  const body: Statement[] = [
    { kind: "let", name: "before", value: shared },
    { kind: "store", buffer: "out", index: i, value: call("add", shared, constantScalar("int32", 1)) },
    { kind: "store", buffer: "out", index: i, value: call("sub", shared, namedScalar("int32", "before")) },
  ];
  const kernel: Kernel = {
    name: "sharing",
    buffers: [{ name: "out", dtype: "int32", access: "readwrite" }],
    scalars: [],
    sizes: [],
    modes: [],
    body: [
      {
        kind: "loop",
        mode: "parallel",
        index: "u",
        from: constant(0),
        to: constant(1),
        by: 1,
        body: [{ kind: "loop", mode: "vector", index: "i", from: constant(0), to: constant(11), by: 4, body }],
      },
    ],
  };
  expectSameRuns(kernel, { buffers: { out: ints(11) }, units: 1 });
});

test("an accumulator may be read, copied and added to in inner loops", () => {
  const text = `kernel nested
buffer x: float32 read
buffer out: float32 write
size n: 0..100
size m: 0..100
{
index first = min(n, 2)
parallel u in 0..3 {
accumulator total: float32 = float32(1)
serial j in 0..m {
let before: float32 = total
accumulator row: float32 = before
vector i in 0..n by 4 {
row add= x[n*j + i] * before
}
total add= row
serial k in first..n {
total max= row - x[n*j + k]
}
}
out[u] = total + float32(int32[u])
}
}`;
  for (const n of [0, 1, 3, 8, 21])
    for (const m of [0, 1, 4])
      expectSameRuns(text, {
        buffers: { x: floats(n * m), out: floats(3) },
        sizes: { n, m },
        units: 3,
        unitsAtOnce: 2,
      });
});

test("addresses and strides are taken modulo 2^32", () => {
  const text = blocked(
    "buffer x: float32 read\nbuffer out: float32 write\nsize far: -2147483648..2147483647",
    "out[i + far] = x[i - 2*far]",
  );
  const n = 30;
  const far = 2 ** 29;
  const starts = { x: 2 * far, out: -far };
  expectSameRuns(text, { buffers: { x: floats(n), out: floats(n) }, starts, sizes: { n, block: 8, far }, units: 4 });
});

test("integer expressions keep their values as elements, also beyond 32 bits", () => {
  const text = blocked(
    "buffer a: int64 write\nbuffer b: float64 write\nbuffer c: int32 write\nbuffer d: uint8 write\nsize big: 0..2147483647\nsize low: -100..100",
    "a[i] = int64[big*i + low]\nb[i] = float64[big*i - 3*(i/7)]\nc[i] = int32[(i + low)/5 + (low - i)%6]\nd[i] = uint8[3*i + min(i, low)]",
  );
  const n = 41;
  const buffers = { a: new BigInt64Array(n), b: new Float64Array(n), c: new Int32Array(n), d: new Uint8Array(n) };
  for (const low of [-100, -7, 0, 33])
    expectSameRuns(text, { buffers, sizes: { n, block: 18, big: 2147483647, low }, units: 3 });
});

test("constants are set before the loops", () => {
  for (const [name, text] of Object.entries(kernelTexts)) {
    const kernel = parseKernel(text);
    const { module } = emitKernel(lowerKernel(kernel), { relaxedSimd: false, shared: false });
    let loops = 0;
    const opened: boolean[] = [];
    for (const [op] of module.functions[0]?.code ?? []) {
      if (op === "loop" || op === "block" || op === "if") opened.push(op === "loop");
      if (op === "loop") loops++;
      if (op === "end" && opened.pop()) loops--;
      expect(op === "v128.const" && loops > 0, `${name}: v128.const in a loop`).toBe(false);
    }
  }
});

test("the multiply-add of relaxed SIMD is used on request, or where the kernel allows it", () => {
  const axpb = parseKernel(kernelTexts["axpb"] as string);
  const opsOf = (relaxedSimd: boolean | "products", kernel = axpb): string[] =>
    emitKernel(kernel, {
      relaxedSimd,
      shared: false,
    }).module.functions[0]?.code.map(([op]) => op) ?? [];
  expect(opsOf(true)).toContain("f32x4.relaxed_madd");
  expect(opsOf(false)).not.toContain("f32x4.relaxed_madd");
  expect(opsOf("products")).not.toContain("f32x4.relaxed_madd");
  const product = { ...axpb, mayFuseProducts: true };
  expect(opsOf("products", product)).toContain("f32x4.relaxed_madd");
  expect(opsOf(false, product)).not.toContain("f32x4.relaxed_madd");
  expect(parseKernel(printKernel(product))).toEqual(product);
});

test("a choice by a comparison is one instruction", () => {
  const text = blocked(
    "buffer x: float32 read\nbuffer out: float32 write",
    "%1 = x[i]\nout[i] = select(%1 < float32(2), %1, float32(2))",
  );
  const { module } = emitKernel(parseKernel(text), { relaxedSimd: false, shared: false });
  expect(module.functions[0]?.code.map(([op]) => op)).toContain("f32x4.pmin");
  forAllTails(text, (n) => ({ buffers: { x: floats(n), out: floats(n) } }));
});

test("a constant limit keeps NaN and the signs of zeros", () => {
  const x = Float32Array.of(NaN, 0, -0, 1, -1, 1e-45, Infinity, -Infinity);
  for (const dtype of ["float32", "float64"])
    for (const limit of ["0", "-0", "1", "-1", "nan", "inf", "-inf"])
      for (const fn of ["max", "min"])
        for (const [a, b] of [
          [`x[i]`, `${dtype}(${limit})`],
          [`${dtype}(${limit})`, `x[i]`],
        ]) {
          const text = blocked(`buffer x: ${dtype} read\nbuffer out: ${dtype} write`, `out[i] = ${fn}(${a}, ${b})`);
          const elements = (): Float32Array | Float64Array => (dtype === "float32" ? x.slice() : Float64Array.from(x));
          expectSameRuns(text, { buffers: { x: elements(), out: elements() }, sizes: { n: 8, block: 8 }, units: 1 });
        }
});

test("random kernels of every statement become valid modules", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const kernel = randomKernel(seed);
    expect(WebAssembly.validate(kernelModule(kernel, { relaxedSimd: false, shared: true }).bytes), kernel.name).toBe(
      true,
    );
  }
});

describe("unroll", () => {
  test("the body is repeated for each index, and so are the loops in it", () => {
    const kernel = parseKernel(`kernel unrolled
  buffer x: float32 read
  buffer out: float32 write
  modes rest: x
{
  parallel u in 0..4 {
    unrolled k in 1..3 {
      let t: float32 = x[k*u]
      walk rest at k + u -> x_at
      serial j in 0..k {
        out[j + 8*u] = t + float32[k] * x[x_at]
      }
    }
  }
}`);
    expect(printKernel(unrollKernel(kernel))).toMatchInlineSnapshot(`
    "kernel unrolled
      buffer x: float32 read
      buffer out: float32 write
      modes rest: x
    {
      parallel u in 0..4 {
        let t__1: float32 = x[u]
        walk rest at u + 1 -> x_at__1
        serial j__1 in 0..1 {
          out[j__1 + 8*u] = t__1 + float32[1] * x[x_at__1]
        }
        let t__2: float32 = x[2*u]
        walk rest at u + 2 -> x_at__2
        serial j__2 in 0..2 {
          out[j__2 + 8*u] = t__2 + float32[2] * x[x_at__2]
        }
      }
    }"
  `);
  });

  test("a kernel without unrolled loops stays the same object", () => {
    const kernel = parseKernel("kernel empty\n{\n  parallel u in 0..4 {\n  }\n}");
    expect(unrollKernel(kernel)).toBe(kernel);
  });

  test("bounds that are not constant throw", () => {
    const text = "kernel open\n  size n: 0..9\n{\n  parallel u in 0..4 {\n    unrolled k in 0..n {\n    }\n  }\n}";
    expect(() => unrollKernel(parseKernel(text))).toThrow(
      "unrolled k: the bounds must be constants, got 0..n. Use a serial loop.",
    );
  });
});
