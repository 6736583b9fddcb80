/**
 * Random tensors: seeds decide everything, ranges and moments hold for every dtype, and draws do not depend on earlier lengths.
 */
import {
  fullLike,
  Generator,
  manualSeed,
  memoryStatistics,
  permutation,
  rand,
  randint,
  randLike,
  randn,
  randnLike,
  type Tensor,
  zeros,
} from "stridewise";
import { expect, test } from "vitest";
import type { DType } from "../../storage/dtype.ts";

const floats: readonly DType[] = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"];
const values = (t: Tensor): number[] => Array.from(t.toTypedArray() as ArrayLike<number | bigint>, Number);
const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

test("the same seed gives the same tensors, another seed others", () => {
  const draw = (seed: number) => {
    manualSeed(seed);
    return [rand([3]), randn([3]), randint(0, 100, [3]), permutation(5)].map(values);
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(8)).not.toEqual(draw(7));
});

test("a user-defined generator does not change the default one", () => {
  manualSeed(1);
  const expected = values(rand([4]));
  manualSeed(1);
  rand([10], { generator: new Generator(5) });
  expect(values(rand([4]))).toEqual(expected);
  expect(values(rand([4], { generator: new Generator(5) }))).toEqual(
    values(rand([4], { generator: new Generator(5) })),
  );
});

test("a draw depends on its number, not on how long the draws before it were", () => {
  const second = (length: number) => {
    const generator = new Generator(3);
    rand([length], { generator });
    return values(rand([4], { generator }));
  };
  expect(second(1)).toEqual(second(1000));
});

test.each(floats)("rand in %s is in [0, 1) with mean 1/2", (dtype) => {
  const list = values(rand([64, 64], { dtype, generator: new Generator(11) }));
  expect(list.every((x) => x >= 0 && x < 1)).toBe(true);
  expect(mean(list)).toBeCloseTo(0.5, 1);
});

test.each(floats)("randn in %s has mean 0 and variance 1, of both parts together", (dtype) => {
  const list = values(randn([64, 64], { dtype, generator: new Generator(12) }));
  const variance = mean(list.map((x) => x * x)) * (dtype.startsWith("complex") ? 2 : 1);
  expect(Math.abs(mean(list))).toBeLessThan(0.06);
  expect(Math.abs(variance - 1)).toBeLessThan(0.1);
});

test.each(["uint8", "int8", "int16", "int32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"] as const)(
  "randint in %s takes every value of its range",
  (dtype) => {
    const list = values(randint(3, 8, [500], { dtype, generator: new Generator(2) }));
    expect([...new Set(list)].sort()).toEqual([3, 4, 5, 6, 7]);
  },
);

test("randint: numbers make int32, bigints int64; values that do not fit and empty ranges throw", () => {
  expect([randint(0, 2, [1]).dtype, randint(0n, 2n ** 63n, [1]).dtype]).toEqual(["int32", "int64"]);
  expect(new Set(values(randint(0, 2, [50], { dtype: "bool", generator: new Generator(1) })))).toEqual(new Set([0, 1]));
  expect(() => randint(10, [2] as never, undefined as never)).toThrow("randint: needs low, high and a shape");
  expect(() => randint(0, 2 ** 40, [1])).toThrow(
    'is out of bounds for int32, which holds -2147483648 to 2147483647. Choose a wider dtype: { dtype: "int64" }',
  );
  expect(randint(0, 2 ** 40, [1], { dtype: "int64" }).shape).toEqual([1]);
  expect(() => randint(0, 300, [1], { dtype: "uint8" })).toThrow("from 0 to 299 is out of bounds for uint8");
  expect(() => randint(-1, 2, [1], { dtype: "uint8" })).toThrow("out of bounds for uint8");
  expect(() => randint(0, 4000, [1], { dtype: "float16" })).toThrow("out of bounds for float16");
  expect(() => randint(2, 2, [1])).toThrow("randint: low must be less than high");
  expect(() => randint(5n, 2n, [1])).toThrow("randint: low must be less than high");
  expect(() => randint(0, 2, [1], { dtype: "complex64" })).toThrow("need an integer, float or bool dtype");
  expect(() => rand([1], { dtype: "int32" })).toThrow("rand: random floats need a float or complex dtype, got int32");
});

test("a permutation holds every integer once", () => {
  for (const count of [0, 1, 2, 37])
    expect(values(permutation(count, { generator: new Generator(count) })).sort((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, i) => i),
    );
  expect([permutation(3).dtype, permutation(3, { dtype: "int64" }).dtype]).toEqual(["int32", "int64"]);
  expect(() => permutation(300, { dtype: "uint8" })).toThrow("out of bounds for uint8");
});

test("randLike and randnLike keep shape, dtype and order", () => {
  const t = zeros([2, 3], { dtype: "float64" }).T;
  for (const like of [randLike(t), randnLike(t)])
    expect([like.shape, like.stride, like.dtype]).toEqual([[3, 2], [1, 3], "float64"]);
  expect(randLike(t, { dtype: "float32" }).dtype).toBe("float32");
});

test("on the meta device random tensors have no elements, and leave the generator as it was", () => {
  const generator = new Generator(5);
  const like = zeros([2, 3], { dtype: "float64", device: "meta" });
  const tensors = [
    randLike(like, { generator }),
    randnLike(like, { generator, dtype: "float16" }),
    rand([2], { generator, device: "meta" }),
    randn([0], { generator, device: "meta" }),
    randint(0, 9, [4], { generator, device: "meta" }),
    permutation(4, { generator, device: "meta" }),
  ];
  expect(tensors.map((t) => `${t.device.type} ${t.dtype} [${t.shape}]`)).toEqual([
    "meta float64 [2,3]",
    "meta float16 [2,3]",
    "meta float32 [2]",
    "meta float32 [0]",
    "meta int32 [4]",
    "meta int32 [4]",
  ]);
  expect(() => randLike(like, { dtype: "int32" })).toThrow("random floats need a float or complex dtype");
  expect(values(rand([3], { generator }))).toEqual(values(rand([3], { generator: new Generator(5) })));
});

test("a call that is refused leaves no memory behind", () => {
  const like = zeros([1000], { dtype: "int32" });
  const before = memoryStatistics().live;
  expect(() => randLike(like as never)).toThrow("float or complex dtype");
  expect(() => randnLike(like as never)).toThrow("float or complex dtype");
  expect(() => fullLike(like, [1] as never)).toThrow("fullLike");
  expect(() => fullLike(like, 1.5)).toThrow("fullLike");
  expect(memoryStatistics().live).toBe(before);
});
