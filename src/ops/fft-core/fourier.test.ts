/**
 * Transforms against their definition, for every kind of length, any axis, both directions and both kinds of array.
 */
import { describe, expect, test } from "vitest";
import { fourier, halfToReal, realToHalf } from "./fourier.ts";

/** The same numbers at every run, in [-1, 1). */
function numbers(count: number, seed = 1): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

const row = (n: number, length = n) => ({ outer: 1, length, n, inner: 1 });

/** The definition, one angle at a time, reduced before it is rounded. */
function definition(x: Float64Array, n: number, sign = -1): Float64Array {
  const cosines = Float64Array.from({ length: n }, (_, k) => Math.cos((2 * Math.PI * k) / n));
  const sines = Float64Array.from({ length: n }, (_, k) => Math.sin((2 * Math.PI * k) / n));
  const result = new Float64Array(2 * n);
  for (let k = 0; k < n; k++)
    for (let j = 0; j < n; j++) {
      const c = cosines[(j * k) % n]!;
      const s = sign * sines[(j * k) % n]!;
      result[2 * k]! += x[2 * j]! * c - x[2 * j + 1]! * s;
      result[2 * k + 1]! += x[2 * j]! * s + x[2 * j + 1]! * c;
    }
  return result;
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! ** 2;
  return Math.sqrt(sum);
}

/** The norm of the difference over the norm of what is expected. */
const distance = (x: ArrayLike<number>, expected: Float64Array): number =>
  norm(expected.map((v, i) => v - x[i]!)) / (norm(expected) || 1);

const upTo200 = Array.from({ length: 200 }, (_, i) => i + 1);
const special = [211, 251, 256, 343, 509, 512, 625, 729, 997, 1000, 1024, 47 * 43, 997 * 2, 53 * 59, 2048, 3600];

test("every length up to 200, and primes, powers and products beyond, equal the definition", () => {
  for (const n of [...upTo200, ...special]) {
    const x = numbers(2 * n, n);
    const result = new Float64Array(2 * n);
    fourier(x, result, row(n));
    expect(distance(result, definition(x, n)), `length ${n}`).toBeLessThan(2e-15 * Math.sqrt(n));
  }
});

test.each([1, 7, 30, 101, 106, 1024])("length %d: the inverse has the other sign, and the scale is a factor", (n) => {
  const x = numbers(2 * n);
  const result = new Float64Array(2 * n);
  fourier(x, result, row(n), true, 0.25);
  const expected = definition(x, n, 1).map((v) => v / 4);
  expect(distance(result, expected)).toBeLessThan(1e-13);
});

const long = [2 ** 14, 2 ** 17, 10_000, 3 ** 9 * 2, 5 ** 6, 10_007, 47 * 997, 2048 * 53, 2 ** 16 + 2];

describe.each(long)("length %d, too long for one block", (n) => {
  test("there and back is the same, within a few roundings", () => {
    const x = numbers(2 * n);
    const image = new Float64Array(2 * n);
    const back = new Float64Array(2 * n);
    fourier(x, image, row(n));
    fourier(image, back, row(n), true, 1 / n);
    expect(distance(back, x)).toBeLessThan(3e-16 * Math.log2(n));
    // Parseval: the sum of squares grows by n.
    expect(norm(image) ** 2 / (n * norm(x) ** 2)).toBeCloseTo(1, 12);
  });

  test("a pure wave becomes one value", () => {
    const wave = Math.floor(n / 3) + 1;
    const x = new Float64Array(2 * n);
    for (let j = 0; j < n; j++) {
      const angle = (2 * Math.PI * ((j * wave) % n)) / n;
      x[2 * j] = Math.cos(angle);
      x[2 * j + 1] = Math.sin(angle);
    }
    const image = new Float64Array(2 * n);
    fourier(x, image, row(n));
    const expected = new Float64Array(2 * n);
    expected[2 * wave] = n;
    expect(distance(image, expected)).toBeLessThan(1e-14);
  });
});

test("any axis of an array is transformed where it is, in place too", () => {
  for (const n of [4, 6, 53, 100])
    for (const [outer, inner] of [
      [1, 1],
      [3, 1],
      [100, 1],
      [1, 5],
      [3, 70],
    ] as const) {
      const x = numbers(2 * outer * n * inner);
      const result = new Float64Array(x.length);
      fourier(x, result, { outer, length: n, n, inner });
      for (const [o, i] of [
        [0, 0],
        [outer - 1, inner - 1],
      ] as const) {
        const line = (data: Float64Array) =>
          Float64Array.from({ length: 2 * n }, (_, k) => data[2 * ((o * n + (k >> 1)) * inner + i) + (k & 1)]!);
        expect(distance(line(result), definition(line(x), n)), `${outer} x ${n} x ${inner}`).toBeLessThan(1e-13);
      }
      fourier(x, x, { outer, length: n, n, inner });
      expect(distance(x, result)).toBe(0);
    }
  const x = numbers(2 ** 16);
  const result = new Float64Array(2 ** 16);
  fourier(x, result, row(2 ** 15));
  fourier(x, x, row(2 ** 15));
  expect(distance(x, result)).toBe(0);
});

test("shorter lines are continued by zeros, longer ones cut", () => {
  for (const n of [5, 8, 2 ** 14])
    for (const length of [n - 1, n + 3]) {
      const x = numbers(4 * length);
      const exact = new Float64Array(4 * n);
      for (let line = 0; line < 2; line++)
        for (let k = 0; k < 2 * Math.min(n, length); k++) exact[2 * n * line + k] = x[2 * length * line + k]!;
      fourier(exact, exact, { outer: 2, length: n, n, inner: 1 });
      const result = new Float64Array(4 * n);
      fourier(x, result, { outer: 2, length, n, inner: 1 });
      expect(distance(result, exact)).toBeLessThan(1e-15);
    }
});

test("float32 data are computed in float64 and rounded once", () => {
  const n = 2 ** 14;
  const x = Float32Array.from(numbers(2 * n));
  const result = new Float32Array(2 * n);
  const exact = new Float64Array(2 * n);
  fourier(x, result, row(n));
  fourier(Float64Array.from(x), exact, row(n));
  expect(distance(result, exact)).toBeLessThan(2 ** -24);
});

const realLengths = [...upTo200.slice(0, 70), 97, 101, 194, 1000, 1001, 1024, 5000, 2 ** 15, 2 * 5003];

test("real to half is the first half of the complex transform", () => {
  for (const n of realLengths)
    for (const [outer, inner] of n > 200
      ? [[1, 1]]
      : [
          [2, 1],
          [2, 3],
        ]) {
      const lines = { outer: outer!, length: n, n, inner: inner! };
      const x = numbers(lines.outer * n * lines.inner, n);
      const whole = Float64Array.from({ length: 2 * x.length }, (_, i) => (i % 2 === 0 ? x[i >> 1]! : 0));
      for (const inverse of [false, true]) {
        const full = new Float64Array(whole.length);
        fourier(whole, full, lines, inverse, 0.5);
        const kept = Math.floor(n / 2) + 1;
        const half = new Float64Array(2 * lines.outer * kept * lines.inner);
        realToHalf(x, half, lines, inverse, 0.5);
        const group = 2 * kept * lines.inner;
        const expected = half.map((_, i) => full[Math.floor(i / group) * 2 * n * lines.inner + (i % group)]!);
        expect(distance(half, expected), `length ${n}`).toBeLessThan(2e-15);
        const zeros = n % 2 === 0 ? [0, kept - 1] : [0];
        for (const k of zeros)
          expect(Math.abs(half[2 * k * lines.inner + 1]!)).toBeLessThan(n % 2 === 0 ? 1e-300 : 1e-13);
      }
    }
});

test("half to real is the inverse, and treats X[0] and X[n / 2] as real", () => {
  for (const n of realLengths)
    for (const inner of n > 200 ? [1] : [1, 3]) {
      const lines = { outer: 2, n, inner };
      const kept = Math.floor(n / 2) + 1;
      const x = numbers(2 * n * inner, n);
      const half = new Float64Array(4 * kept * inner);
      const back = new Float64Array(x.length);
      realToHalf(x, half, { ...lines, length: n });
      for (let q = 0; q < inner; q++) {
        half[2 * q + 1] = 5;
        if (n % 2 === 0) half[2 * ((kept - 1) * inner + q) + 1] = 7;
      }
      halfToReal(half, back, { ...lines, length: kept }, false, 1 / n);
      expect(distance(back, x), `length ${n}`).toBeLessThan(2e-15);
      for (let i = 1; i < half.length; i += 2) half[i] = -half[i]!;
      halfToReal(half, back, { ...lines, length: kept }, true, 1 / n);
      expect(distance(back, x), `length ${n}, forward`).toBeLessThan(2e-15);
    }
});

test("real transforms cut and continue by zeros", () => {
  for (const n of [7, 8])
    for (const length of [3, 12]) {
      const x = numbers(2 * length);
      const exact = Float64Array.from({ length: 2 * n }, (_, i) =>
        i % n < length ? x[Math.floor(i / n) * length + (i % n)]! : 0,
      );
      const kept = Math.floor(n / 2) + 1;
      const [a, b] = [new Float64Array(4 * kept), new Float64Array(4 * kept)];
      realToHalf(x, a, { outer: 2, length, n, inner: 1 });
      realToHalf(exact, b, { outer: 2, length: n, n, inner: 1 });
      expect(a).toEqual(b);
      const half = numbers(4 * length);
      const whole = Float64Array.from({ length: 4 * kept }, (_, i) =>
        i % (2 * kept) < 2 * length ? half[Math.floor(i / (2 * kept)) * 2 * length + (i % (2 * kept))]! : 0,
      );
      const [c, d] = [new Float64Array(2 * n), new Float64Array(2 * n)];
      halfToReal(half, c, { outer: 2, length, n, inner: 1 });
      halfToReal(whole, d, { outer: 2, length: kept, n, inner: 1 });
      expect(c).toEqual(d);
    }
});
