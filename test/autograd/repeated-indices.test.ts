/**
 * Gradients of reading and writing where an index names a place more than once. Writing in order leaves the last element there, so that
 * one alone has a gradient; PyTorch passes one to every element written and calls that incorrect in its documentation.
 */
import { describe, expect, test } from "vitest";
import { gradcheck, gradgradcheck } from "../../src/autograd/gradcheck.ts";
import * as sw from "../../src/index.ts";
import { grad, jvp, type Tensor, tensor } from "../../src/index.ts";

type Case = (...inputs: Tensor[]) => Tensor;

const ops = sw as unknown as Record<string, (...args: unknown[]) => Tensor>;
const op = (name: string, ...args: unknown[]): Tensor => (ops[name] as (...args: unknown[]) => Tensor)(...args);
const ints = (values: number | number[] | number[][]): Tensor =>
  tensor(values as number[], { dtype: "int64" }) as Tensor;
const numbers = (shape: readonly number[], input: number): Tensor =>
  tensor(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, k) => Math.cos(3 * k + 5 * input + 1) + 1.5),
    { dtype: "float64" },
  ).reshape([...shape]) as Tensor;

const rows = ints([1, 1, 0]);
const places = ints([
  [1, 1],
  [1, 0],
]);
const three = [
  [3, 2],
  [3, 2],
];
const four = [
  [3, 2],
  [2, 2],
];
const reduced = (name: string, index: Tensor, shapes: number[][], kinds: string[]): [string, number[][], Case][] =>
  kinds.flatMap((kind) =>
    [true, false].map((includeSelf): [string, number[][], Case] => [
      `${name} ${kind} ${includeSelf ? "with" : "without"} what is there`,
      shapes,
      (x, v) => op(name, x, 0, index, v, kind, { includeSelf }),
    ]),
  );

const cases: [name: string, shapes: number[][], f: Case][] = [
  ["take", [[3, 2]], (x) => op("take", x, rows)],
  ["takeAlongDim", [[3, 2]], (x) => op("takeAlongDim", x, places, 0)],
  ["gather", [[3, 2]], (x) => op("gather", x, 0, places)],
  ["indexSelect", [[3, 2]], (x) => op("indexSelect", x, 0, rows)],
  ["pick", [[3, 2]], (x) => x.pick(rows) as Tensor],
  ["embedding", [[3, 2]], (w) => op("embedding", rows, w)],
  ["embeddingBag", [[3, 2]], (w) => op("embeddingBag", ints([[1, 1, 0]]), w)],
  ["unfold", [[4]], (x) => x.unfold(0, 2, 1) as Tensor],
  ["asStrided", [[3]], (x) => x.clone().asStrided([2, 2], [1, 1]) as Tensor],
  ["indexAdd", three, (x, v) => op("indexAdd", x, 0, rows, v)],
  ["indexCopy", three, (x, v) => op("indexCopy", x, 0, rows, v)],
  ["indexCopy_", three, (x, v) => op("indexCopy_", x.clone(), 0, rows, v)],
  ["indexFill", [[3, 2], []], (x, v) => op("indexFill", x, 0, rows, v)],
  ["indexFill from the end", [[3, 2], []], (x, v) => op("indexFill", x, 0, ints([1, -2, 0]), v)],
  ["indexFill_", [[3, 2], []], (x, v) => op("indexFill_", x.clone(), 0, rows, v)],
  ["indexPut", three, (x, v) => op("indexPut", x, [rows], v)],
  ["indexPut of a row", [[3, 2], [2]], (x, v) => op("indexPut", x, [rows], v)],
  ["indexPut_", three, (x, v) => op("indexPut_", x.clone(), [rows], v)],
  ["indexPut by two tensors", [[3, 2], [3]], (x, v) => op("indexPut", x, [rows, ints([0, 0, 1])], v)],
  ["indexPut that adds", [[3, 2], [2]], (x, v) => op("indexPut", x, [rows], v, { accumulate: true })],
  ["assignAt", three, (x, v) => x.clone().assignAt([rows], v) as Tensor],
  ["assignAt of a row", [[3, 2], [2]], (x, v) => x.clone().assignAt([rows], v) as Tensor],
  ["put", [[3, 2], [3]], (x, v) => op("put", x, rows, v)],
  ["put_", [[3, 2], [3]], (x, v) => op("put_", x.clone(), ints([1, -5, 0]), v)],
  ["put that adds", [[3, 2], [3]], (x, v) => op("put", x, rows, v, { accumulate: true })],
  ["scatter", four, (x, v) => op("scatter", x, 0, places, v)],
  [
    "scatter of a part",
    [
      [3, 2],
      [3, 3],
    ],
    (x, v) => op("scatter", x, 0, places, v),
  ],
  ["scatter_", four, (x, v) => op("scatter_", x.clone(), 0, places, v)],
  ["scatter that adds", four, (x, v) => op("scatter", x, 0, places, v, { reduce: "add" })],
  ["scatter that multiplies", four, (x, v) => op("scatter", x, 0, places, v, { reduce: "multiply" })],
  ["scatterAdd", four, (x, v) => op("scatterAdd", x, 0, places, v)],
  ...reduced("scatterReduce", places, four, ["sum", "prod", "mean", "amax", "amin"]),
  ...reduced("indexReduce", rows, three, ["prod", "mean", "amax", "amin"]),
  ["asStridedScatter with windows that overlap", [[3], [2, 2]], (x, v) => op("asStridedScatter", x, v, [2, 2], [1, 1])],
  ["asStridedScatter with windows apart", [[5], [2, 2]], (x, v) => op("asStridedScatter", x, v, [2, 2], [2, 1])],
];

describe.each(cases)("%s", (_, shapes, f) => {
  const inputs = (): Tensor[] => shapes.map((shape, k) => numbers(shape, k).requiresGrad_() as Tensor);

  test("gradients of both orders are the slopes", () => {
    expect(gradcheck(f, inputs())).toBe(true);
    expect(gradgradcheck(f, inputs())).toBe(true);
  });

  test("tangents agree with gradients", () => {
    const leaves = inputs();
    const directions = shapes.map((shape, k) => numbers(shape, k + 7));
    const total = (...xs: Tensor[]): Tensor =>
      f(...xs)
        .square()
        .sum() as Tensor;
    const { tangent } = jvp(
      total,
      leaves.map((x) => x.detach() as Tensor),
      directions,
    );
    const slopes = grad(total(...leaves), leaves) as Tensor[];
    const product = slopes
      .map((g, k) =>
        Number(
          g
            .mul(directions[k] as never)
            .sum()
            .item(),
        ),
      )
      .reduce((a, b) => a + b);
    expect(Number(tangent.item())).toBeCloseTo(product, 8);
  });
});
