/** Functions of two operands on every pair of dtypes: operands become floats together, before anything is computed; divisors of integers. */
import {
  type DType,
  DTypeError,
  div,
  gcd,
  hypot,
  lcm,
  logaddexp,
  logaddexp2,
  type Tensor,
  tensor,
  xlog1py,
  xlogy,
} from "stridewise";
import { describe, expect, test } from "vitest";

type Two = (x: Tensor, other: Tensor) => Tensor;

const kinds: readonly DType[] = [
  "bool",
  "uint8",
  "int8",
  "int16",
  "int32",
  "int64",
  "float16",
  "bfloat16",
  "float32",
  "float64",
];
const ofDType = (dtype: DType, values: number[]): Tensor => tensor(values).to(dtype) as Tensor;
const near: Readonly<Record<string, number>> = { float16: 2e-3, bfloat16: 2e-2, float32: 1e-6, float64: 1e-14 };

const byHand: readonly (readonly [name: string, fn: Two, value: (a: number, b: number) => number])[] = [
  ["xlogy", xlogy as Two, (a, b) => (a === 0 ? 0 : a * Math.log(b))],
  ["xlog1py", xlog1py as Two, (a, b) => (a === 0 ? 0 : a * Math.log1p(b))],
  ["logaddexp", logaddexp as Two, (a, b) => Math.log(Math.exp(a) + Math.exp(b))],
  ["logaddexp2", logaddexp2 as Two, (a, b) => Math.log2(2 ** a + 2 ** b)],
  ["hypot", hypot as Two, Math.hypot],
];

describe.each(byHand)("%s", (_name, fn, value) => {
  test.each(kinds)("of %s and any other dtype has the dtype of their quotient, and its exactness", (first) => {
    for (const second of kinds)
      for (const [i, j] of [
        [null, null],
        [1, null],
        [null, 1],
        [1, 1],
      ]) {
        const whole = [ofDType(first, [0, 1, 1, 0]), ofDType(second, [0, 1, 0, 1])] as const;
        const x = i === null ? whole[0] : (whole[0].select(0, i as number) as Tensor);
        const y = j === null ? whole[1] : (whole[1].select(0, j as number) as Tensor);
        const result = fn(x, y);
        const who = `${first} [${x.shape}], ${second} [${y.shape}]`;
        expect(result.dtype, who).toBe(div(x, y as never).dtype);
        const [a, b] = [x, y].map((t) => (t.to("float64").expand([4]) as Tensor).toArray() as number[]);
        const expected = tensor(
          Array.from(a as number[], (one, k) => value(one, (b as number[])[k] as number)),
          { dtype: "float64" },
        );
        const tolerance = near[result.dtype] as number;
        const close = (result.to("float64").expand([4]) as Tensor).isclose(expected as never, {
          rtol: tolerance,
          atol: tolerance,
        });
        expect(close.all().item(), `${who}: ${result} instead of ${expected}`).toBe(true);
      }
  });
});

test("lengths and logarithms of complex numbers without an order are refused", () => {
  const z = tensor([{ re: 1, im: 2 }]);
  for (const fn of [hypot, logaddexp2, xlog1py])
    expect(() => (fn as Two)(tensor([1]) as never, z as never)).toThrow(DTypeError);
});

describe.each([
  ["gcd", gcd as Two],
  ["lcm", lcm as Two],
] as const)("%s", (name, fn) => {
  test("accepts bools together with integers, but not alone", () => {
    const truth = tensor([true, false]) as Tensor;
    const result = fn(truth, tensor([6, 4], { dtype: "int16" }) as Tensor);
    expect([result.dtype, result.toArray()]).toEqual(["int16", name === "gcd" ? [1, 4] : [6, 0]]);
    expect(() => fn(truth, truth)).toThrow(
      new DTypeError(`${name}: not implemented for 'bool', it takes integers. Convert it: to("int64")`),
    );
    expect(() => fn(truth, tensor([1.5, 2]) as Tensor)).toThrow("not implemented for 'float32'");
  });

  test("a 0-d tensor is first converted to the dtype of both together", () => {
    const bytes = tensor([13, 9, 200], { dtype: "uint8" }) as Tensor;
    for (const [value, expected] of [
      [-117, name === "gcd" ? [1, 1, 1] : [15, 227, 152]],
      [300, name === "gcd" ? [1, 1, 4] : [60, 140, 152]],
    ] as const) {
      const one = tensor(value, { dtype: "int32" }) as Tensor;
      expect([fn(one, bytes).toArray(), fn(bytes, one).toArray()]).toEqual([expected, expected]);
    }
  });

  test("is exact for uint64 past 2^63", () => {
    const lists = [
      [2n ** 63n, 2n ** 64n - 1n, 2n ** 63n + 6n, 12n, 0n, 2n ** 64n - 2n ** 32n],
      [2n ** 62n, 3n, 10n, 18n, 2n ** 64n - 1n, 2n ** 33n],
    ] as const;
    const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
    const expected = lists[0].map((a, k) => {
      const b = lists[1][k] as bigint;
      return BigInt.asUintN(64, name === "gcd" ? divisor(a, b) : (a / divisor(a, b)) * b);
    });
    const [x, y] = lists.map((list) => tensor([...list], { dtype: "uint64" }) as Tensor) as [Tensor, Tensor];
    expect(fn(x, y).toArray({ bigint: true })).toEqual(expected);
    expect(fn(x, y).dtype).toBe("uint64");
  });
});
