/**
 * The error of sums of products over a long k, for every algorithm of products: at most 1124 u times the sum of the
 * absolute values of the products; `src/kernel/contract/accumulator.ts` has the formula. Equal elements are the worst case:
 * their errors have one sign.
 */
import {
  conv1d,
  convTranspose1d,
  type DType,
  dot,
  einsum,
  full,
  inner,
  matmul,
  mm,
  mv,
  rand,
  scope,
  type Tensor,
  tensordot,
  vdot,
  zeros,
} from "stridewise";
import { expect, test } from "vitest";

const u = 2 ** -24;
const halves: Partial<Record<DType, number>> = { float16: 2 ** -11, bfloat16: 2 ** -8 };

/** The value of all elements. */
const value = 0.1;
const exactOf = (dtype: DType, k: number): number => {
  const rounded = (full([1], value, { dtype }) as Tensor).to("float64").item() as number;
  return k * rounded * rounded;
};

type Build = (dtype: DType, k: number) => Tensor;
const of = (dtype: DType, ...shape: number[]): Tensor => full(shape, value, { dtype }) as Tensor;
const cases: Record<string, Build> = {
  dot: (dtype, k) => dot(of(dtype, k), of(dtype, k)) as Tensor,
  vdot: (dtype, k) => vdot(of(dtype, k), of(dtype, k)) as Tensor,
  inner: (dtype, k) => inner(of(dtype, 2, k), of(dtype, 3, k)) as Tensor,
  "mv of rows": (dtype, k) => mv(of(dtype, 2, k), of(dtype, k)) as Tensor,
  "mv of columns": (dtype, k) => mv(of(dtype, k, 70).T as Tensor, of(dtype, k)) as Tensor,
  "einsum of rows": (dtype, k) => einsum("ik,jk->ij", of(dtype, 5, k), of(dtype, 7, k)) as Tensor,
  "a product of many": (dtype, k) => mm(of(dtype, 20, k), of(dtype, k, 24)) as Tensor,
  "a product of few, other layouts": (dtype, k) => mm(of(dtype, k, 3).T as Tensor, of(dtype, k, 5)) as Tensor,
  "a batch": (dtype, k) => matmul(of(dtype, 3, 2, k), of(dtype, 3, k, 18)) as Tensor,
  tensordot: (dtype, k) =>
    tensordot(of(dtype, 4, k / 2, 2), of(dtype, 2, k / 2), [
      [1, 2],
      [1, 0],
    ] as never) as Tensor,
};

const check = (result: Tensor, dtype: DType, k: number, bound: number): void => {
  const exact = exactOf(dtype, k);
  const wide = dtype.startsWith("complex") ? (result.real as unknown as Tensor) : result;
  const off = (wide.to("float64").sub(exact).abs().amax().item() as number) / exact;
  expect(off).toBeLessThan(bound);
};

for (const [name, build] of Object.entries(cases))
  test.each([
    ["float32", 16_384],
    ["float32", 270_000],
    ["complex64", 100_000],
    ["float16", 100_000],
    ["bfloat16", 100_000],
  ] as const)(`${name}: %s, k = %i`, (dtype, k) => {
    scope(() => {
      const isHalf = dtype.endsWith("16");
      const bound = isHalf ? 1024 * u + (halves[dtype] as number) : 1124 * u;
      check(build(dtype, k), dtype, k, bound);
    });
  });

test("float32 products of 10 million elements are as exact as their sum", () => {
  scope(() => {
    const x = of("float32", 10_000_000);
    for (const result of [
      dot(x, x),
      einsum("i,i->", x, x),
      mv(x.reshape(2, 5_000_000) as Tensor, x.slice(0, 5_000_000) as Tensor),
    ])
      check(result as Tensor, "float32", 10_000_000 / (result as Tensor).size, 1124 * u);
  });
});

test("a convolution of single channels with a long kernel", () => {
  scope(() => {
    const result = conv1d(of("float32", 1, 3, 40_010), of("float32", 3, 1, 40_000), undefined, { groups: 3 }) as Tensor;
    check(result, "float32", 40_000, 1124 * u);
  });
});

/** Compares results of positive elements with those of the same elements as float64. */
function expectRoundedOnce(dtype: DType, shapes: number[][], compute: (inputs: Tensor[]) => Tensor): void {
  const inputs = shapes.map((shape) => (rand(shape) as Tensor).mul(0.1).to(dtype) as Tensor);
  const exact = compute(inputs.map((t) => t.to("float64") as Tensor));
  const off = compute(inputs).to("float64").sub(exact).abs().div(exact).nanToNum().amax().item() as number;
  expect(off).toBeLessThan(1124 * u + (halves[dtype] ?? 0));
}

test.each(["float16", "bfloat16", "float32"] as const)("gradients of a convolution of %s are rounded once", (dtype) => {
  for (const [batch, length] of [
    [1, 8000],
    [800, 10],
  ] as const)
    expectRoundedOnce(
      dtype,
      [
        [batch, 64, length + 2],
        [batch, 2, length],
      ],
      ([x, g]) => {
        const weight = zeros([2, 64, 3], { dtype: (x as Tensor).dtype }).requiresGrad_() as Tensor;
        (conv1d(x as Tensor, weight) as Tensor).backward(g as Tensor);
        return weight.grad as Tensor;
      },
    );
});

test.each(["float16", "bfloat16"] as const)("a transposed convolution of %s is rounded once", (dtype) => {
  expectRoundedOnce(
    dtype,
    [
      [1, 4, 300],
      [4, 2, 90],
    ],
    ([x, weight]) => convTranspose1d(x as Tensor, weight as Tensor, undefined, { stride: [3] }) as Tensor,
  );
});
