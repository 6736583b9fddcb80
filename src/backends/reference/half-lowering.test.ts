/** The lowered half floats against `storage/half.ts`: every pattern, and roundings from wider dtypes. */
import { describe, expect, test } from "vitest";
import { elementwiseText, runKernel } from "../../../test/support/run-kernel.ts";
import { writer } from "../../kernel/element.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { printKernel } from "../../kernel/ir/print.ts";
import { lowerHalf } from "../../kernel/lower/lower-half.ts";
import type { TypedArray, Value } from "../../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber } from "../../storage/half.ts";

const halves = { float16: float16ToNumber, bfloat16: bfloat16ToNumber } as const;
const patterns = Uint16Array.from({ length: 65536 }, (_, bits) => bits);

/** Runs `out[i] = value` lowered, and checks that no half dtype is left in its text. */
function runLowered(parameters: string, statement: string, buffers: Record<string, TypedArray>, n: number): void {
  const lowered = lowerHalf(parseKernel(elementwiseText(parameters, statement)));
  expect(printKernel(lowered)).not.toMatch(/float16/);
  runKernel(lowered, { buffers, sizes: { n } });
}

/** toEqual for long arrays. */
function expectSame(actual: TypedArray, expected: TypedArray): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++)
    if (!Object.is(actual[i], expected[i])) expect(actual[i], `element ${i}`).toBe(expected[i]);
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

/** Random bits, and the same values moved close to and onto the midpoints of both half formats. */
function doubles(count: number): Float64Array {
  const next = random(5);
  const values = new Float64Array(count);
  const words = new Uint32Array(values.buffer);
  for (let i = 0; i < count; i++) {
    words[2 * i] = i % 3 === 0 ? 0 : i % 3 === 1 ? 1 : next();
    // Exponents around the range of the half floats: float16 has 2^-25 to 2^16, bfloat16 all of float32.
    const exponent = 1023 + (i % 2 === 0 ? (next() % 48) - 28 : (next() % 290) - 155);
    const fraction = next() & (i % 5 === 0 ? 0xfffff : i % 5 === 1 ? 0xffe00 : i % 5 === 2 ? 0xff000 : 0xf0000);
    words[2 * i + 1] = (((next() & 1) << 31) | (exponent << 20) | fraction) >>> 0;
  }
  const special = [0, -0, Infinity, -Infinity, NaN, 65519.999, 65520, 65535, 2 ** -24, 2 ** -25, 2 ** -25 + 2 ** -60];
  const limits = [
    (2 - 2 ** -8) * 2 ** 127,
    3.396e38,
    2 ** 128,
    1e300,
    5e-324,
    -1e-320,
    2 ** -134,
    2 ** -133,
    3.4028235e38,
  ];
  values.set([...special, ...limits, ...special.map((x) => -x)]);
  return values;
}

const integers: Record<string, () => TypedArray> = {
  int8: () => Int8Array.from({ length: 256 }, (_, i) => i),
  uint16: () => patterns,
  int32: () => Int32Array.from({ length: 5000 }, random(1)),
  uint32: () => Uint32Array.from({ length: 5000 }, random(2)),
  int64: () => BigInt64Array.from(longs(), (x) => BigInt.asIntN(64, x)),
  uint64: () => BigUint64Array.from(longs(), (x) => BigInt.asUintN(64, x)),
};

/** Integers of all lengths next to midpoints: where rounding to float32 or float64 first would go wrong. */
function longs(): bigint[] {
  const numbers: bigint[] = [];
  for (let length = 1n; length < 65n; length++)
    for (let lead = 128n; lead < 256n; lead += 9n)
      for (const rest of [0n, 1n, -1n, 1n << 20n]) {
        const middle = ((2n * lead + 1n) << length) >> 9n;
        numbers.push(middle + rest, -middle - rest);
      }
  return numbers;
}

describe.each(Object.entries(halves))("%s", (half, toNumber) => {
  const expected = (values: Iterable<Value>): Uint16Array => {
    const list = [...values];
    const bits = new Uint16Array(list.length);
    list.forEach((value, i) => {
      writer(half as keyof typeof halves)(bits, i, value);
    });
    return bits;
  };
  const encoded = (dtype: string, x: TypedArray): Uint16Array => {
    const out = new Uint16Array(x.length);
    runLowered(`buffer x: ${dtype} read\nbuffer out: ${half} write`, `out[i] = ${half}(x[i])`, { x, out }, x.length);
    return out;
  };

  test("every pattern is loaded as its number", () => {
    const out = new Float32Array(65536);
    runLowered(
      `buffer x: ${half} read\nbuffer out: float32 write`,
      "out[i] = float32(x[i])",
      { x: patterns, out },
      65536,
    );
    expectSame(out, Float32Array.from(patterns, toNumber));
  });

  test("every number is stored as its pattern, NaN as the quiet one", () => {
    const numbers = Float32Array.from(patterns, toNumber);
    expectSame(encoded("float32", numbers), expected(numbers));
  });

  test("patterns that are only moved keep their bits", () => {
    const out = new Uint16Array(65536);
    const parameters = `buffer x: ${half} read\nbuffer out: ${half} write`;
    runLowered(parameters, "out[i] = x[i]", { x: patterns, out }, 65536);
    expectSame(out, patterns);
    out.fill(0);
    runLowered(
      parameters,
      `out[i] = select(bool(true), bits_${half}(bits_int16(x[i])), x[i])`,
      { x: patterns, out },
      65536,
    );
    expectSame(out, patterns);
  });

  test("float32 and float64 round once", () => {
    const wide = doubles(30000);
    expectSame(encoded("float64", wide), expected(wide));
    const short = Float32Array.from(wide);
    expectSame(encoded("float32", short), expected(short));
  });

  test.each(Object.keys(integers))("%s rounds once", (dtype) => {
    const values = (integers[dtype] as () => TypedArray)();
    expectSame(encoded(dtype, values), expected(values as Iterable<Value>));
  });

  test("to bool, to integers and to the other half format", () => {
    const x = patterns;
    for (const [dtype, out] of [
      ["bool", new Uint8Array(65536)],
      ["int32", new Int32Array(65536)],
      [half === "float16" ? "bfloat16" : "float16", new Uint16Array(65536)],
    ] as const) {
      const text = [`buffer x: ${half} read\nbuffer out: ${dtype} write`, `out[i] = ${dtype}(x[i])`] as const;
      const plain = out.slice();
      runKernel(elementwiseText(...text), { buffers: { x, out: plain }, sizes: { n: 65536 } });
      runLowered(...text, { x, out }, 65536);
      expectSame(out, plain);
    }
  });

  test("constants, parameters, indices, masks, names and memory of a unit", () => {
    const text = elementwiseText(
      `buffer x: ${half} read\nbuffer out: ${half} write\nscalar a: ${half}`,
      `allocate s: ${half}[2] in rmem`,
      "s[0] = a",
      `s[1] = x[i where float32(x[i]) < float32(2) else ${half}(0.3)]`,
      `let v: ${half} = select(float32(x[i]) < float32(0), s[0], s[1])`,
      `out[2*i] = v where float32(v) < float32(100)`,
      `out[2*i + 1] = ${half}[7*i]`,
    );
    const x = expected([1, -1, 3, NaN, 2 ** -20]);
    const [plain, lowered] = [new Uint16Array(10), new Uint16Array(10)];
    const actual = (out: Uint16Array) => ({ buffers: { x, out }, scalars: { a: 0.1 }, sizes: { n: 5 } });
    runKernel(text, actual(plain));
    runKernel(lowerHalf(parseKernel(text)), actual(lowered));
    expect(lowered).toEqual(plain);
    expect(toNumber(plain[4] as number)).toBe(toNumber(expected([0.3])[0] as number));
  });
});

test("a kernel without half floats is the same object", () => {
  const kernel = parseKernel(elementwiseText("buffer out: float32 write", "out[i] = float32[i]"));
  expect(lowerHalf(kernel)).toBe(kernel);
});
