/**
 * Kernels on complex numbers against their lowered form: the same bits for sums, products, quotients and moves, a small
 * distance in the plane for other functions.
 */
import { describe, expect, test } from "vitest";
import { elementwiseText, runKernel } from "../../../test/support/run-kernel.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { printKernel } from "../../kernel/ir/print.ts";
import { lowerComplex } from "../../kernel/lower/lower-complex.ts";
import type { Complex, TypedArray } from "../../storage/dtype.ts";

const dtypes = {
  complex64: {
    array: Float32Array,
    part: "float32",
    step: 2 ** -23,
    min: 2 ** -149,
    edges: [3e38, 1e-40, 1e20, 90, 12],
  },
  complex128: {
    array: Float64Array,
    part: "float64",
    step: 2 ** -52,
    min: 2 ** -1074,
    edges: [1.5e308, 1e-310, 1e200, 720, 25],
  },
} as const;

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs the text as it is and lowered; both write their own copies of the buffers, and `out` is returned. */
function both(
  text: string,
  buffers: Record<string, TypedArray>,
  rest: object = {},
): [plain: TypedArray, low: TypedArray] {
  const lowered = lowerComplex(parseKernel(text));
  expect(printKernel(lowered)).not.toMatch(/complex/);
  return [parseKernel(text), lowered].map((kernel) => {
    const copies = Object.fromEntries(Object.entries(buffers).map(([name, array]) => [name, array.slice()]));
    runKernel(kernel, { buffers: copies, ...rest });
    return copies["out"] as TypedArray;
  }) as [TypedArray, TypedArray];
}

function numberAt(array: TypedArray, i: number): Complex {
  return { re: array[2 * i] as number, im: array[2 * i + 1] as number };
}

const text = ({ re, im }: Complex): string => `(${re}, ${im})`;

function expectBits(plain: TypedArray, low: TypedArray): void {
  for (let i = 0; i < plain.length; i++)
    if (!Object.is(plain[i], low[i])) expect(low[i], `element ${i}`).toBe(plain[i]);
  expect(plain.some((x) => x > 0)).toBe(true);
}

describe.each(Object.entries(dtypes))("%s", (dtype, { array, part, step, min, edges }) => {
  /** All pairs of special parts, then moderate numbers, then numbers of all sizes. */
  function numbers(seed: number, count: number): { x: Float32Array | Float64Array; ordinary: number } {
    const next = random(seed);
    const special = [0, -0, 1, -1, 0.5, -2.5, Infinity, -Infinity, NaN, ...edges, ...edges.map((x) => -x)];
    const pairs = special.flatMap((re) => special.map((im) => [re, im]));
    const moderate = Array.from({ length: count }, () => [8 * next() - 4, 8 * next() - 4]);
    const wide = Array.from({ length: count }, () => [0, 0].map(() => (next() - 0.5) * 2 ** (60 * next() - 40)));
    return { x: new array([...moderate, ...wide, ...pairs].flat()), ordinary: 2 * count };
  }
  const one = numbers(1, 300);
  const n = one.x.length / 2;
  // The second operand in a different order, so that special values meet others.
  const y = new array(one.x.length);
  for (let i = 0; i < n; i++) y.set(one.x.subarray(2 * ((i * 7 + 3) % n), 2 * ((i * 7 + 3) % n) + 2), 2 * i);
  const head = (out: string): string => `buffer x: ${dtype} read\nbuffer y: ${dtype} read\nbuffer out: ${out} write`;

  test.each([
    "x[i] + y[i]",
    "x[i] - y[i]",
    "x[i] * y[i]",
    "x[i] / y[i]",
    "neg(x[i])",
    "conj(x[i])",
    "complex(imag(x[i]), real(y[i]))",
    "select(x[i] == y[i], y[i], x[i])",
    `x[i where real(x[i]) < ${part}(1) else y[i]]`,
    `${dtype}(real(x[i]))`,
    `${dtype}[3*i] * ${dtype}(0.5, -0.25)`,
  ])("out[i] = %s has the same bits", (value) => {
    const buffers = { x: one.x, y, out: new array(2 * n) };
    expectBits(...both(elementwiseText(head(dtype), `out[i] = ${value}`), buffers, { sizes: { n } }));
  });

  test.each([
    ["bool", "x[i] == conj(x[i])", Uint8Array],
    ["bool", "x[i] != y[i]", Uint8Array],
    ["bool", "bool(x[i])", Uint8Array],
    ["int32", "int32(x[i])", Int32Array],
    ["float32", "float32(x[i])", Float32Array],
    ["float64", "float64(imag(y[i]))", Float64Array],
  ] as const)("out[i]: %s = %s has the same bits", (out, value, kind) => {
    const kernel = elementwiseText(head(out), `out[i] = ${value}`);
    expectBits(...both(kernel, { x: one.x, y, out: new kind(n) }, { sizes: { n } }));
  });

  /** True if a part that is not finite differs: it must be the same infinity, or NaN. */
  const differs = (expected: number, actual: number): boolean =>
    !Number.isFinite(expected) && !Object.is(expected, actual);

  test.each(["sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"])(
    "%s is as near as its parts can be",
    (fn) => {
      const buffers = { x: one.x, y, out: new array(2 * n) };
      const [plain, low] = both(elementwiseText(head(dtype), `out[i] = ${fn}(x[i])`), buffers, { sizes: { n } });
      const faults: string[] = [];
      for (let i = 0; i < n; i++) {
        const [expected, actual] = [numberAt(plain, i), numberAt(low, i)];
        const allowed = 8 * step * Math.hypot(expected.re, expected.im) + 4 * min;
        const isFar = Math.hypot(actual.re - expected.re, actual.im - expected.im) > allowed;
        if (isFar || differs(expected.re, actual.re) || differs(expected.im, actual.im))
          faults.push(`${fn} ${text(numberAt(one.x, i))} = ${text(actual)}, not ${text(expected)}`);
      }
      expect(faults).toEqual([]);
    },
  );

  test("any small factor brings e^x back into range", () => {
    const [far, small] = dtype === "complex64" ? [180, 1e-44] : [1400, 1e-322];
    const x = new array([far, small, -far, small, far, 1]);
    const buffers = { x, y: x, out: new array(6) };
    for (const fn of ["exp", "sinh", "cosh"])
      for (const out of both(elementwiseText(head(dtype), `out[i] = ${fn}(x[i])`), buffers, { sizes: { n: 3 } })) {
        expect(out[0], fn).toBe(Infinity);
        expect(Number.isFinite(out[1]) && Number(out[1]) > 1e30, `${fn} ${out[1]}`).toBe(true);
        expect(Math.abs(Number(out[5])), fn).toBe(Infinity);
      }
  });

  test("exp is NaN where the imaginary part has no angle, unless the real one is -infinity", () => {
    const x = new array([-900, Infinity, -900, NaN, -Infinity, Infinity]);
    const buffers = { x, y: x, out: new array(6) };
    for (const out of both(elementwiseText(head(dtype), "out[i] = exp(x[i])"), buffers, { sizes: { n: 3 } })) {
      expect([...out.subarray(0, 4)]).toEqual(new Array(4).fill(NaN));
      expect([out[4], out[5]].map((zero) => Math.abs(zero as number))).toEqual([0, 0]);
    }
  });

  test("tanh is NaN where the imaginary part has no angle, far from the origin too, but not at infinity", () => {
    const x = new array([12, Infinity, -25, NaN, Infinity, Infinity]);
    for (const out of both(
      elementwiseText(head(dtype), "out[i] = tanh(x[i])"),
      { x, y: x, out: new array(6) },
      { sizes: { n: 3 } },
    )) {
      expect([...out.subarray(0, 5)]).toEqual([NaN, NaN, NaN, NaN, 1]);
      expect(Math.abs(out[5] as number)).toBe(0);
    }
  });

  test("abs is within two steps", () => {
    const buffers = { x: one.x, y, out: new array(n) };
    const [plain, low] = both(elementwiseText(head(part), "out[i] = abs(x[i])"), buffers, { sizes: { n } });
    const faults: string[] = [];
    for (let i = 0; i < n; i++) {
      const [expected, actual] = [plain[i] as number, low[i] as number];
      if (differs(expected, actual) || Math.abs(actual - expected) > 2 * step * expected)
        faults.push(`${actual}, not ${expected}`);
    }
    expect(faults).toEqual([]);
  });

  test("pow is as near as its exponent allows", () => {
    const buffers = { x: one.x, y, out: new array(2 * n) };
    const sizes = { n: one.ordinary / 2 };
    const [plain, low] = both(elementwiseText(head(dtype), "out[i] = pow(x[i], y[i])"), buffers, { sizes });
    const faults: string[] = [];
    for (let i = 0; i < sizes.n; i++) {
      const [expected, actual, base, power] = [plain, low, one.x, y].map((array) => numberAt(array, i)) as [
        Complex,
        Complex,
        Complex,
        Complex,
      ];
      const length = Math.hypot(expected.re, expected.im);
      const exponent = Math.hypot(power.re, power.im) * (Math.abs(Math.log(Math.hypot(base.re, base.im))) + 4);
      const allowed = (8 + 4 * exponent) * step * length;
      if (length > 1e-30 && length < 1e30 && Math.hypot(actual.re - expected.re, actual.im - expected.im) > allowed)
        faults.push(`${text(base)} to the ${text(power)} = ${text(actual)}, not ${text(expected)}`);
    }
    expect(faults).toEqual([]);
  });

  test("a number may replace one that it is computed from, also under a mask", () => {
    const text = elementwiseText(
      `buffer out: ${dtype} readwrite`,
      `out[i] = out[i] * out[i] where real(out[i]) < ${part}(0)`,
      "out[i] = out[i] * conj(out[i])",
    );
    expectBits(...both(text, { out: one.x.slice(0, 600) }, { sizes: { n: 300 } }));
  });

  test("sums, names, parameters and memory of a unit, by walked offsets", () => {
    const text = `kernel sums
      buffer x: ${dtype} read
      buffer out: ${dtype} write
      scalar a: ${dtype}
      scalar a_re: ${part}
      scalar b: ${dtype}
      size n: 0..100
      size units: 0..100
      modes rest: x, out
      {
        parallel u in 0..units {
          walk rest at u -> x_at, out_at
          allocate s: ${dtype}[3] in smem
          s[1] = b
          let p: ${dtype} = a * s[1]
          accumulator sum: ${dtype} = p
          vector i in 0..n by 4 {
            sum add= x[x_at + 2*i] * a
          }
          out[out_at] = sum * complex(a_re, a_re)
        }
      }`;
    const rest = {
      scalars: { a: { re: 0.1, im: -3 }, a_re: 0.7, b: { re: 5, im: 1e-3 } },
      sizes: { n: 19, units: 6 },
      modes: { rest: [2, 40, 1, 3, 80, 2] },
    };
    // The scalars of the lowered kernel are the parts, in the place of the whole.
    const lowered = lowerComplex(parseKernel(text));
    expect(lowered.scalars.map(({ name }) => name)).toEqual(["a_re_", "a_im", "a_re", "b_re", "b_im"]);
    const [plain, low] = [new array(12), new array(12)];
    runKernel(text, { buffers: { x: one.x, out: plain }, ...rest });
    const parts = { a_re_: 0.1, a_im: -3, a_re: 0.7, b_re: 5, b_im: 1e-3 };
    runKernel(lowered, { buffers: { x: one.x, out: low }, ...rest, scalars: parts });
    expectBits(plain, low);
  });

  test("a product as accumulator throws", () => {
    const text = elementwiseText(
      `buffer x: ${dtype} read\nbuffer out: ${dtype} write`,
      `accumulator p: ${dtype} = ${dtype}(1, 0)`,
      "serial j in 0..3 {\np mul= x[i + j]\n}",
      "out[i] = p",
    );
    expect(() => lowerComplex(parseKernel(text))).toThrow(KernelError);
  });
});

/** A random value as text, of operations that have the same bits in the lowered form. */
function randomValue(
  next: () => number,
  dtype: "complex64" | "complex128" | "float32" | "float64",
  depth: number,
): string {
  const choose = (options: readonly (() => string)[]): string =>
    (options[Math.floor(next() * options.length)] as () => string)();
  const other = dtype.endsWith("64") && dtype !== "float64" ? "complex128" : "complex64";
  const whole = dtype === "float32" ? "complex64" : "complex128";
  const part = dtype === "complex64" ? "float32" : "float64";
  const again = (kind = dtype): string => randomValue(next, kind, depth - 1);
  const truth = (): string =>
    choose([() => `${again(part)} < ${again(part)}`, () => `${again()} != ${again()}`, () => `bool(${again()})`]);
  if (dtype === "float32" || dtype === "float64")
    return choose([
      () => `${dtype}(${(next() - 0.5).toFixed(3)})`,
      ...(depth <= 0
        ? []
        : [() => `real(${again(whole)})`, () => `imag(${again(whole)})`, () => `${dtype}(${again("complex64")})`]),
    ]);
  if (depth <= 0)
    return choose([() => `${dtype}(x[i])`, () => `${dtype}(y[i])`, () => `${dtype}(${next().toFixed(2)}, -2.5)`]);
  return choose([
    ...["+", "-", "*", "/"].map((sign) => () => `(${again()} ${sign} ${again()})`),
    () => `neg(${again()})`,
    () => `conj(${again()})`,
    () => `select(${truth()}, ${again()}, ${again()})`,
    () => `complex(${again(part)}, ${again(part)})`,
    () => `${dtype}(${again(other)})`,
    () => `${dtype}(x[2*i where ${truth()} else ${randomValue(next, "complex64", depth - 1)}])`,
  ]);
}

test("random values keep their bits, and have no complex dtype left", () => {
  const next = random(11);
  const [x, y] = [Float32Array.from({ length: 40 }, () => 6 * next() - 3), Float64Array.from({ length: 20 }, next)];
  for (let round = 0; round < 150; round++) {
    const dtype = next() < 0.5 ? "complex64" : "complex128";
    // A cast to the dtype that a value has is not printed, and cannot be written either.
    const value = randomValue(next, dtype, 4)
      .replaceAll(/complex64\((?=x\[)/g, "(")
      .replaceAll(/complex128\((?=y\[)/g, "(");
    const head = `buffer x: complex64 read\nbuffer y: complex128 read\nbuffer out: ${dtype} write`;
    const out = dtype === "complex64" ? new Float32Array(20) : new Float64Array(20);
    const [plain, low] = both(elementwiseText(head, `out[i] = ${value}`), { x, y, out }, { sizes: { n: 10 } });
    expect(low, value).toEqual(plain);
  }
});

test("bits of complex64 go to 64-bit dtypes and back", () => {
  const x = new Float32Array([1, -2, 0.1, 3e38]);
  const text = elementwiseText("buffer x: complex64 read\nbuffer out: int64 write", "out[i] = bits_int64(x[i])");
  expectBits(...both(text, { x, out: new BigInt64Array(2) }, { sizes: { n: 2 } }));
  const back = elementwiseText("buffer x: int64 read\nbuffer out: complex64 write", "out[i] = bits_complex64(x[i])");
  const [plain, low] = both(back, { x: new BigInt64Array(x.buffer), out: new Float32Array(4) }, { sizes: { n: 2 } });
  expect([plain, low]).toEqual([x, x]);
});

test("a kernel without complex numbers is the same object", () => {
  const kernel = parseKernel(elementwiseText("buffer out: float32 write", "out[i] = float32[i]"));
  expect(lowerComplex(kernel)).toBe(kernel);
});
