/** CTC against the sum over all paths, bags of embeddings and affine grids against their definitions. */
import { manualSeed, randn, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { coordsOf, elementsIn } from "../../../test/support/strided-tensors.ts";
import { ctcLoss } from "./ctc-loss.ts";
import { embeddingBag } from "./embedding-bag.ts";
import { affineGrid, gridSample } from "./grid-sample.ts";
import { logSoftmax } from "./softmax.ts";

const ints = (data: never): Tensor => tensor(data, { dtype: "int64" }) as Tensor;

/** What a path spells: repetitions are one, blanks none. */
const spelled = (path: readonly number[], blank: number): string =>
  path.filter((label, t) => label !== blank && label !== path[t - 1]).join();

test("ctcLoss sums the probabilities of all paths that spell the target", () => {
  manualSeed(5);
  const [times, classes] = [5, 3];
  const logs = logSoftmax(randn([times, 2, classes], { dtype: "float64" }), 2) as Tensor;
  const values = logs.toArray() as number[][][];
  const cases = [
    { target: [1, 1], length: 5 },
    { target: [2], length: 3 },
  ];
  const expected = cases.map(({ target, length }, n) => {
    const paths = coordsOf(Array.from({ length }, () => classes)).filter((path) => spelled(path, 0) === target.join());
    const sum = paths.reduce(
      (total, path) => total + Math.exp(path.reduce((log, label, t) => log + (values[t]?.[n]?.[label] as number), 0)),
      0,
    );
    return -Math.log(sum);
  });
  const call = (reduction: "none" | "mean"): Tensor =>
    ctcLoss(
      logs,
      ints([
        [1, 1],
        [2, 0],
      ] as never),
      [5, 3],
      [2, 1],
      { reduction },
    );
  for (const [n, value] of (elementsIn(call("none")) as number[]).entries())
    expect(value).toBeCloseTo(expected[n] as number, 10);
  expect(call("mean").item()).toBeCloseTo(((expected[0] as number) / 2 + (expected[1] as number)) / 2, 10);
});

test("ctcLoss takes targets as rows or as one list, and lengths as lists or tensors", () => {
  manualSeed(7);
  const logs = logSoftmax(randn([6, 3, 4]), 2) as Tensor;
  const rows = ints([
    [1, 2, 2],
    [3, 1, 0],
    [2, 0, 0],
  ] as never);
  const list = ints([1, 2, 2, 3, 1, 2] as never);
  const lengths = [
    [6, 5, 4],
    [3, 2, 1],
  ] as const;
  const [inputs, outputs] = lengths.map((each) => tensor([...each], { dtype: "int32" }) as Tensor) as [Tensor, Tensor];
  for (const reduction of ["none", "sum", "mean"] as const) {
    const expected = elementsIn(ctcLoss(logs, rows, ...lengths, { reduction }));
    expect(elementsIn(ctcLoss(logs, list, ...lengths, { reduction }))).toEqual(expected);
    expect(elementsIn(ctcLoss(logs, rows, inputs, outputs, { reduction }))).toEqual(expected);
    expect(elementsIn(ctcLoss(logs, list, inputs, outputs, { reduction }))).toEqual(expected);
  }
  const [one] = elementsIn(ctcLoss(logs, rows, ...lengths, { reduction: "none" }));
  const single = ctcLoss(logs.select(1, 0) as Tensor, ints([1, 2, 2] as never), [6], [3], { reduction: "none" });
  expect(single.shape).toEqual([]);
  expect(single.item()).toBe(one);
  const empty = ctcLoss(logs, rows, [6, 5, 4], [0, 0, 0], { reduction: "none" });
  expect(empty.shape).toEqual([3]);
});

test("ctcLoss throws if targets do not fit", () => {
  const logs = logSoftmax(randn([4, 2, 3]), 2) as Tensor;
  for (const [targets, lengths] of [
    [[[1, 2]], [1, 1]],
    [
      [[1], [2]],
      [2, 1],
    ],
    [
      [1, 2, 1],
      [1, 1],
    ],
    [
      [1, 2],
      [2, 1],
    ],
  ])
    expect(() => ctcLoss(logs, ints(targets as never), [4, 4], lengths as number[])).toThrow(
      "do not fit the targetLengths",
    );
  expect(() => ctcLoss(logs, ints([[1], [9]] as never), [4, 4], [1, 1])).toThrow(
    "ctcLoss: class 9 is out of bounds for 3 classes, 0 to 2",
  );
});

test("ctcLoss of an impossible target is infinite, or 0 with zeroInfinity", () => {
  const logs = logSoftmax(randn([2, 1, 3]), 2) as Tensor;
  const target = ints([[1, 1]] as never);
  expect(ctcLoss(logs, target, [2], [2], { reduction: "sum" }).item()).toBe(Number.POSITIVE_INFINITY);
  expect(ctcLoss(logs, target, [2], [2], { reduction: "sum", zeroInfinity: true }).item()).toBe(0);
  expect(() => ctcLoss(logs, target, [3], [2])).toThrow(
    "blank must be below 3 and inputLengths at most 2, got 0 and [3]",
  );
});

describe("embeddingBag", () => {
  const table = tensor(
    [
      [1, 10],
      [2, 20],
      [3, 30],
      [4, 5],
    ],
    { dtype: "float64" },
  ) as Tensor;

  test("takes rows of indices, or a list with offsets, in which bags may be empty", () => {
    const rows = ints([
      [0, 1],
      [3, 2],
    ] as never);
    expect(embeddingBag(rows, table, { mode: "sum" }).toArray()).toEqual([
      [3, 30],
      [7, 35],
    ]);
    expect(embeddingBag(rows, table).toArray()).toEqual([
      [1.5, 15],
      [3.5, 17.5],
    ]);
    expect(embeddingBag(rows, table, { mode: "max" }).toArray()).toEqual([
      [2, 20],
      [4, 30],
    ]);
    const list = ints([0, 1, 3, 2] as never);
    const offsets = ints([0, 2, 2] as never);
    expect(embeddingBag(list, table, { offsets, mode: "sum" }).toArray()).toEqual([
      [3, 30],
      [0, 0],
      [7, 35],
    ]);
    expect(embeddingBag(list, table, { offsets, mode: "max" }).toArray()).toEqual([
      [2, 20],
      [0, 0],
      [4, 30],
    ]);
  });

  test("weights indices, and leaves out padding", () => {
    const rows = ints([
      [0, 1],
      [3, 3],
    ] as never);
    const perSampleWeights = tensor(
      [
        [2, 1],
        [0.5, 0.5],
      ],
      { dtype: "float64" },
    ) as Tensor;
    expect(embeddingBag(rows, table, { mode: "sum", perSampleWeights }).toArray()).toEqual([
      [4, 40],
      [4, 5],
    ]);
    expect(embeddingBag(rows, table, { paddingIdx: 0 }).toArray()).toEqual([
      [2, 20],
      [4, 5],
    ]);
    expect(() => embeddingBag(rows, table, { perSampleWeights })).toThrow(
      "perSampleWeights requires mode 'sum', got 'mean'",
    );
    expect(() => embeddingBag(ints([0] as never), table)).toThrow(
      "indices must be [bags, n], or [n] with offsets, got [1] without offsets",
    );
  });
});

test.each([true, false])("the grid of the identity samples a tensor as it is, corners aligned: %s", (alignCorners) => {
  const x = randn([1, 2, 3, 4], { dtype: "float64" }) as Tensor;
  const identity = tensor(
    [
      [
        [1, 0, 0],
        [0, 1, 0],
      ],
    ],
    { dtype: "float64" },
  ) as Tensor;
  const grid = affineGrid(identity, [1, 2, 3, 4], { alignCorners });
  const [ours, theirs] = [elementsIn(gridSample(x, grid, { alignCorners })), elementsIn(x)] as [number[], number[]];
  for (const [i, value] of ours.entries()) expect(value).toBeCloseTo(theirs[i] as number, 10);
  expect(() => affineGrid(identity, [2, 2, 3, 4])).toThrow(
    "theta must be [N, 2, 3] for size [2, 2, 3, 4], got [1, 2, 3]",
  );
});
