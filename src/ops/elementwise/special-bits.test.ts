/**
 * nextafter, frexp, gcd and lcm against definitions by bits and by bigints.
 */
import { tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { type DType, DTypeError } from "../../storage/dtype.ts";
import { empty } from "../../tensor/create/create.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { frexp, gcd, lcm, nextafter } from "./special.ts";

const { POSITIVE_INFINITY: inf, NaN: nan } = Number;
const awkward = [
  0,
  -0,
  1,
  -1,
  1.5,
  -2.75,
  1e-310,
  -5e-324,
  1.7976931348623157e308,
  2.2250738585072014e-308,
  1e-42,
  inf,
  -inf,
];

/** The next float64, by its bits. */
function after(x: number, toward: number): number {
  if (Number.isNaN(x) || Number.isNaN(toward)) return nan;
  if (x === toward) return toward;
  if (x === 0) return toward > 0 ? 5e-324 : -5e-324;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (toward > x === x > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

test("nextafter is the adjacent number in float64", () => {
  const all = [...awkward, nan];
  for (const toward of all) {
    const ours = nextafter(tensor(all, { dtype: "float64" }), tensor([toward], { dtype: "float64" })).toArray();
    expect(ours, `toward ${toward}`).toEqual(all.map((x) => after(x, toward)));
  }
});

test.each([
  ["float32", 2 ** -23, 2 ** -149],
  ["float16", 2 ** -10, 2 ** -24],
  ["bfloat16", 2 ** -7, 2 ** -133],
] as const)("nextafter is the adjacent number in %s", (dtype, above, min) => {
  const x = tensor([1, 1, 0, 0, -1, 2], { dtype });
  const ours = nextafter(x, tensor([5, -5, 5, -5, 0, 2], { dtype })).toArray();
  expect(ours).toEqual([1 + above, 1 - above / 2, min, -min, -1 + above / 2, 2]);
});

test("nextafter takes tensors of floats", () => {
  expect(() => nextafter(tensor([1]), 2 as never)).toThrow("other must be a tensor, got 2. Create one: tensor(...)");
  expect(() => nextafter(tensor([1], { dtype: "int32" }), tensor([1]))).toThrow(DTypeError);
  expect(nextafter(tensor([1]), tensor([2], { dtype: "float64" })).dtype).toBe("float64");
});

describe.each<DType>(["float64", "float32", "float16", "bfloat16"])("frexp of %s", (dtype) => {
  const x = tensor(awkward, { dtype });
  const { mantissa, exponent } = frexp(x);
  const values = x.toArray() as number[];

  test("has a mantissa of 1/2 to 1 and gives back the number", () => {
    const [m, e] = [mantissa.toArray() as number[], exponent.toArray() as number[]];
    expect([mantissa.dtype, exponent.dtype]).toEqual([dtype, "int32"]);
    for (const [k, value] of values.entries()) {
      if (value === 0 || !Number.isFinite(value)) {
        expect([m[k], e[k]]).toEqual([value, 0]);
        continue;
      }
      const size = Math.abs(m[k] as number);
      expect(size >= 0.5 && size < 1, `${value} = ${m[k]} * 2^${e[k]}`).toBe(true);
      const half = Math.trunc((e[k] as number) / 2);
      expect((m[k] as number) * 2 ** half * 2 ** ((e[k] as number) - half)).toBe(value);
    }
  });
});

test("frexp writes to out, keeps to the meta device, and refuses integers", () => {
  const out = { mantissa: tensor([0, 0]), exponent: tensor([0, 0], { dtype: "int32" }) };
  frexp(tensor([3, -0.25]), { out });
  expect([out.mantissa.toArray(), out.exponent.toArray()]).toEqual([
    [0.75, -0.5],
    [2, -1],
  ]);
  const { mantissa, exponent } = frexp(empty([2, 3], { device: "meta" }));
  expect([mantissa.device.type, exponent.dtype, [...exponent.shape]]).toEqual(["meta", "int32", [2, 3]]);
  expect(() => frexp(tensor([1], { dtype: "int32" }))).toThrow(
    'x must be a floating point tensor, got int32. Convert it: to("float32")',
  );
});

const size = (x: bigint): bigint => (x < 0n ? -x : x);
const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? size(a) : divisor(b, a % b));
const longs = [
  0n,
  1n,
  -1n,
  12n,
  -18n,
  2n ** 31n,
  -(2n ** 31n),
  2n ** 40n * 9n,
  -(2n ** 62n),
  3n ** 39n,
  2n ** 53n + 1n,
  7919n * 104729n,
];

test("gcd and lcm of int64 are those of bigints; multiples wrap around", () => {
  const x = tensor(longs);
  for (const b of longs) {
    const other = tensor([b]);
    const ours = (t: Tensor): unknown => t.toArray({ bigint: true });
    expect(ours(gcd(x, other)), `gcd with ${b}`).toEqual(longs.map((a) => divisor(a, b)));
    const multiples = longs.map((a) => {
      const d = divisor(a, b);
      return d === 0n ? 0n : BigInt.asIntN(64, size((a / d) * b));
    });
    expect(ours(lcm(x, other)), `lcm with ${b}`).toEqual(multiples);
  }
});

test("gcd and lcm keep integer dtypes and broadcast", () => {
  const x = tensor([[4], [6]], { dtype: "int16" });
  const result = lcm(x, tensor([6, 10], { dtype: "int8" }));
  expect([result.dtype, result.toArray()]).toEqual([
    "int16",
    [
      [12, 20],
      [6, 30],
    ],
  ]);
  gcd(x, tensor(4, { dtype: "int16" }), { out: x });
  expect(x.toArray()).toEqual([[4], [2]]);
  expect(() => gcd(tensor([1.5]), tensor([1]))).toThrow(DTypeError);
  expect(() => gcd(x, 2 as never)).toThrow("other must be a tensor, got 2. Create one: tensor(...)");
});

test("frexp writes to two tensors passed as out, and throws for anything else", () => {
  const x = tensor([-1.5, 0.25]);
  const mantissa = empty([2]);
  const exponent = empty([2], { dtype: "int32" });
  frexp(x, { out: { mantissa, exponent } });
  expect([mantissa.toArray(), exponent.toArray()]).toEqual([
    [-0.75, 0.5],
    [1, -1],
  ]);
  for (const [out, shown] of [
    [mantissa, "tensor (float32 [2])"],
    [[mantissa, exponent], "[tensor (float32 [2]), tensor (int32 [2])]"],
    [{ mantissa }, "an object"],
  ])
    expect(() => frexp(x, { out } as never)).toThrow(
      `frexp: out must be two tensors, { mantissa, exponent }, got ${shown}`,
    );
});
