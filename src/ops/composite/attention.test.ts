/** Attention against the whole matrix of scores: masks, causal, groups of heads, tiles; memory use; errors. */
import { empty, full, manualSeed, memoryStatistics, ones, randn, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsIn } from "../../../test/support/strided-tensors.ts";
import { scaledDotProductAttention } from "./attention.ts";
import { softmax } from "./softmax.ts";

const random = (...shape: number[]): Tensor => randn(shape, { dtype: "float64" }) as Tensor;

function expectClose(ours: Tensor, expected: Tensor): void {
  expect(ours.shape).toEqual(expected.shape);
  const [a, b] = [elementsIn(ours), elementsIn(expected)] as [number[], number[]];
  for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i] as number, 10);
}

/** All scores at once. */
function whole(q: Tensor, k: Tensor, v: Tensor, change: (scores: Tensor) => Tensor = (scores) => scores): Tensor {
  const scores = (q.matmul(k.mT as Tensor) as Tensor).mul(1 / Math.sqrt(q.shape.at(-1) as number)) as Tensor;
  return (softmax(change(scores), -1) as Tensor).matmul(v) as Tensor;
}

test("is softmax(q k / sqrt(E)) v, broadcast over the axes in front, with keys and values in any layout", () => {
  manualSeed(1);
  const [q, k, v] = [random(2, 3, 5, 4), random(3, 4, 7).mT as Tensor, random(2, 1, 7, 6)];
  expectClose(scaledDotProductAttention(q, k, v), whole(q, k, v));
  const scaled = scaledDotProductAttention(q, k, v, { scale: 2 });
  expectClose(scaled, whole(q.mul(2 * Math.sqrt(4)) as Tensor, k, v));
});

test("masks hide keys or are added, and a query that sees nothing gives 0", () => {
  const [q, k, v] = [random(2, 3, 4), random(2, 4, 4), random(2, 4, 2)];
  const mask = tensor([
    [true, false, true, true],
    [false, false, false, false],
    [true, true, true, false],
  ]) as Tensor<number[], "bool">;
  const result = scaledDotProductAttention(q, k, v, { attnMask: mask });
  const hidden = whole(
    q,
    k,
    v,
    (scores) => scores.maskedFill(mask.logicalNot() as never, Number.NEGATIVE_INFINITY) as Tensor,
  );
  expectClose(result.select(1, 0) as Tensor, hidden.select(1, 0) as Tensor);
  expect((result.select(1, 1) as Tensor).toArray()).toEqual([
    [0, 0],
    [0, 0],
  ]);
  const bias = random(3, 4);
  expectClose(
    scaledDotProductAttention(q, k, v, { attnMask: bias }),
    whole(q, k, v, (scores) => scores.add(bias) as Tensor),
  );
});

test("a causal query sees the keys up to its own number, in every tile", () => {
  const [rows, keys] = [1500, 1400];
  const [q, k, v] = [random(rows, 3), random(keys, 3), random(keys, 2)];
  const result = scaledDotProductAttention(q, k, v, { isCausal: true });
  for (const row of [0, 1, 373, 374, 375, 1399, 1499]) {
    const seen = Math.min(keys, row + 1);
    const [one, near, far] = [q.narrow(0, row, 1), k.narrow(0, 0, seen), v.narrow(0, 0, seen)] as [
      Tensor,
      Tensor,
      Tensor,
    ];
    expectClose(result.narrow(0, row, 1) as Tensor, whole(one, near, far));
  }
});

test("groups of heads share a head of keys and values", () => {
  const [q, k, v] = [random(2, 4, 3, 5), random(2, 2, 6, 5), random(2, 2, 6, 5)];
  const result = scaledDotProductAttention(q, k, v, { enableGqa: true });
  for (let head = 0; head < 4; head++) {
    const of = (t: Tensor, at: number): Tensor => t.select(1, at) as Tensor;
    expectClose(of(result, head), whole(of(q, head), of(k, head >> 1), of(v, head >> 1)));
  }
});

test("never holds more than some tiles of the scores, and leaves only the result", () => {
  const q = randn([2, 4000, 8]) as Tensor;
  const before = memoryStatistics().live;
  const result = scaledDotProductAttention(q, q, q);
  expect(memoryStatistics().live - before).toBeLessThan(2 * 4000 * 8 * 4 * 2);
  expect(memoryStatistics().peak - before).toBeLessThan(40e6);
  result.dispose();
});

test("dropped weights are those of other keys made larger", () => {
  const [q, k] = [random(1, 2), random(400, 2)];
  const v = tensor(
    Array.from({ length: 400 }, () => [1]),
    { dtype: "float64" },
  ) as Tensor;
  const result = scaledDotProductAttention(q, k, v, { dropoutP: 0.5 }).item() as number;
  expect(result).not.toBeCloseTo(1, 6);
  expect(result).toBeGreaterThan(0.5);
  expect(result).toBeLessThan(1.6);
});

test("infers shapes on the meta device, and throws for shapes that do not fit", () => {
  const far = (...shape: number[]): Tensor => empty(shape, { device: "meta" }) as Tensor;
  const result = scaledDotProductAttention(far(2, 5, 4), far(2, 7, 4), far(2, 7, 3));
  expect([result.device.type, result.shape]).toEqual(["meta", [2, 5, 3]]);
  const [q, k] = [random(5, 4), random(7, 4)];
  expect(
    refusals([
      () => scaledDotProductAttention(q, random(7, 3), k),
      () => scaledDotProductAttention(q, k, random(6, 4)),
      () => scaledDotProductAttention(random(4), k, k),
      () => scaledDotProductAttention(q, k, k, { isCausal: true, attnMask: random(5, 7) }),
      () => scaledDotProductAttention(q, k.to("float32") as Tensor, k),
      () => scaledDotProductAttention(random(3, 5, 4), random(2, 7, 4), random(2, 7, 4), { enableGqa: true }),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: scaledDotProductAttention: query, key and value must be [*, L, E], [*, S, E] and [*, S, Ev], got [5, 4], [7, 3] and [7, 4]
    ShapeError: scaledDotProductAttention: query, key and value must be [*, L, E], [*, S, E] and [*, S, Ev], got [5, 4], [7, 4] and [6, 4]
    ShapeError: scaledDotProductAttention: query, key and value must have at least 2 axes, got 1, 2 and 2
    StridewiseError: scaledDotProductAttention: attnMask and isCausal are mutually exclusive. Pass one of them
    DTypeError: scaledDotProductAttention: query, key and value must have the same dtype, got float64, float32 and float64
    ShapeError: scaledDotProductAttention: the heads of key and value must divide those of query, got 2, 2 and 3"
  `);
});

test("scores of halves may be larger than halves", () => {
  const q = full([1, 1, 2, 64], 200, { dtype: "float16" });
  const result = scaledDotProductAttention(q, q, ones([1, 1, 2, 4], { dtype: "float16" }));
  expect(result.dtype).toBe("float16");
  expect(result.toArray()).toEqual(ones([1, 1, 2, 4]).toArray());
});

test("a mask is of bools or floats", () => {
  const q = ones([2, 3]);
  const attnMask = ones([2, 2], { dtype: "int32" });
  expect(() => scaledDotProductAttention(q, q, q, { attnMask })).toThrow(
    /attnMask must be bool or floats, got int32\. Write mask\.to\("bool"\) if it selects keys/,
  );
});
