/** Gradients of movement, of reading and writing by index, and of sorting, against differences; of first and second order. */
import { describe, expect, test } from "vitest";
import { gradcheck, gradgradcheck } from "../../src/autograd/gradcheck.ts";
import * as sw from "../../src/index.ts";
import { _, range, type Tensor, tensor } from "../../src/index.ts";

type Case = (...inputs: Tensor[]) => unknown;

const ints = (...values: number[]): Tensor => tensor(values, { dtype: "int64" }) as Tensor;
const grid = (values: number[][]): Tensor => tensor(values, { dtype: "int32" }) as Tensor;
const mask = (values: boolean[][] | boolean[]): Tensor => tensor(values as boolean[], { dtype: "bool" }) as Tensor;
/** Numbers from -2.5 to 2.5, none near another or near 0; others for each input of a case. */
function numbers(shape: readonly number[], input = 0): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const at = (k: number): number =>
    (0.5 + 2 * (((k + 1 + 31 * input) * 0.6180339887498949) % 1)) * (k % 3 === 1 ? -1 : 1);
  return tensor(
    Array.from({ length: count }, (_none, k) => at(k)),
    { dtype: "float64" },
  ).reshape(...shape) as Tensor;
}
const leafOf = (shape: readonly number[], input?: number): Tensor =>
  numbers(shape, input).clone().requiresGrad_() as Tensor;
const leaf = (...shape: number[]): Tensor => leafOf(shape);

const ops = sw as unknown as Record<string, (...args: unknown[]) => Tensor>;
const op = (name: string, ...args: unknown[]): Tensor => {
  const found = ops[name];
  if (found === undefined) throw new Error(`there is no op ${name}`);
  return found(...args);
};
/** The op that writes to its first argument, on a tensor that takes part. */
const inPlace = (name: string, x: Tensor, ...args: unknown[]): Tensor => op(name, x.clone(), ...args);

const rows = ints(2, 0, 2);
const indexTensor = grid([
  [0, 2, 1, 0],
  [1, 1, 0, 2],
]);
const few = mask([
  [true, false, true, false],
  [false, false, true, true],
  [false, true, false, false],
]);

const cases: Readonly<Record<string, readonly [shapes: number[][], f: Case]>> = {
  cat: [[[2, 3], [1, 3], [0]], (a, b, c) => op("cat", [a, b, c], 0)],
  "cat along the last axis": [
    [
      [2, 3],
      [2, 1],
    ],
    (a, b) => op("cat", [a, b], -1),
  ],
  stack: [
    [
      [2, 3],
      [2, 3],
    ],
    (a, b) => op("stack", [a, b, a], -1),
  ],
  hstack: [[[2], [3]], (a, b) => op("hstack", [a, b])],
  dstack: [[[2], [2]], (a, b) => op("dstack", [a, b])],
  columnStack: [[[2], [2, 2]], (a, b) => op("columnStack", [a, b])],
  blockDiag: [[[2, 3], [2], []], (a, b, c) => op("blockDiag", [a, b, c])],
  split: [[[5, 2]], (x) => x.split(2)],
  tensorSplit: [[[5, 2]], (x) => [...x.tensorSplit([1, 3]), ...x.tensorSplit([4, 1])]],
  unbind: [[[3, 2]], (x) => [...x.unbind(), ...x.unbind(-1)]],
  chunk: [[[5, 2]], (x) => x.chunk(2)],
  hsplit: [[[2, 4]], (x) => op("hsplit", x, 2)],
  "pad with a constant": [[[3, 4]], (x) => op("pad", x, [1, 2, -1, 1], { value: 3 })],
  constantPadNd: [[[3, 4]], (x) => op("constantPadNd", x, [-1, 2], 7)],
  "pad reflected": [[[2, 4, 5]], (x) => op("pad", x, [2, 1, 3, -1], { mode: "reflect" })],
  "pad replicated": [[[2, 3]], (x) => op("pad", x, [2, 3], { mode: "replicate" })],
  "pad replicated and cut": [[[2, 4]], (x) => op("pad", x, [-1, 3], { mode: "replicate" })],
  "pad circular": [[[1, 3, 4]], (x) => op("pad", x, [2, -1, 3, 1], { mode: "circular" })],
  roll: [[[3, 4]], (x) => [op("roll", x, 2), op("roll", x, [1, -1], [0, 1])]],
  flip: [[[3, 4]], (x) => op("flip", x, [0, 1])],
  rot90: [[[3, 4]], (x) => [op("rot90", x, 1), op("rot90", x, 3)]],
  tile: [[[2, 3]], (x) => op("tile", x, [2, 1, 2])],
  repeat: [[[2, 3]], (x) => op("repeat", x, [2, 3, 2])],
  "repeat a scalar": [[[]], (x) => [op("repeat", x, [3]), op("repeat", x, [])]],
  "repeat zero times": [[[2, 3]], (x) => op("repeat", x, [0, 2])],
  repeatInterleave: [[[2, 3]], (x) => [op("repeatInterleave", x, 2), op("repeatInterleave", x, ints(1, 0, 2), 1)]],
  "repeatInterleave an axis": [[[2, 3]], (x) => op("repeatInterleave", x, 2, 1)],
  gather: [[[3, 5]], (x) => op("gather", x, 0, indexTensor)],
  "gather of a scalar": [[[]], (x) => op("gather", x, 0, tensor(0, { dtype: "int64" }))],
  takeAlongDim: [[[3, 1]], (x) => [op("takeAlongDim", x, indexTensor, 0), op("takeAlongDim", x, ints(2, 0))]],
  indexSelect: [[[3, 2]], (x) => [op("indexSelect", x, 0, rows), op("indexSelect", x, 1, ints(1))]],
  take: [
    [[3, 2]],
    (x) =>
      op(
        "take",
        x,
        grid([
          [-1, 0],
          [5, 2],
        ]),
      ),
  ],
  embedding: [
    [[4, 3]],
    (w) =>
      op(
        "embedding",
        grid([
          [1, 3, 1],
          [0, 1, 3],
        ]),
        w,
      ),
  ],
  maskedSelect: [[[3, 1]], (x) => op("maskedSelect", x, few)],
  scatter: [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) =>
      op(
        "scatter",
        x,
        0,
        grid([
          [0, 2, 1, 0],
          [1, 1, 0, 2],
        ]),
        s,
      ),
  ],
  "scatter of a longer source": [
    [
      [3, 4],
      [3, 5],
    ],
    (x, s) => op("scatter", x, 0, indexTensor, s),
  ],
  "scatter of a number": [[[3, 4]], (x) => op("scatter", x, 0, indexTensor, 2)],
  "scatter that adds": [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) => op("scatter", x, 0, indexTensor, s, { reduce: "add" }),
  ],
  "scatter that multiplies": [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) => op("scatter", x, 0, indexTensor, s, { reduce: "multiply" }),
  ],
  scatterAdd: [
    [
      [3, 4],
      [3, 4],
    ],
    (x, s) => op("scatterAdd", x, 0, indexTensor, s),
  ],
  indexAdd: [
    [
      [3, 2],
      [3, 2],
    ],
    (x, s) => op("indexAdd", x, 0, rows, s, { alpha: 2.5 }),
  ],
  indexCopy: [
    [
      [3, 2],
      [2, 2],
    ],
    (x, s) => op("indexCopy", x, 0, ints(2, 0), s),
  ],
  indexFill: [[[3, 2], []], (x, v) => [op("indexFill", x, 0, ints(-1, 0), v), op("indexFill", x, 1, ints(1), 5)]],
  put: [[[3, 2], [2]], (x, s) => op("put", x, ints(-1, 2), s)],
  "put that adds": [
    [
      [3, 2],
      [2, 1],
    ],
    (x, s) => op("put", x, ints(1, 1), s, { accumulate: true }),
  ],
  indexPut: [[[3, 4], [2]], (x, v) => op("indexPut", x, [ints(0, -1), ints(1, 3)], v)],
  "indexPut of whole axes": [
    [
      [2, 3, 2],
      [1, 2],
    ],
    (x, v) => op("indexPut", x, [null, ints(0, 2)], v),
  ],
  "indexPut by a mask, that adds": [[[3, 4], [1]], (x, v) => op("indexPut", x, [few], v, { accumulate: true })],
  maskedScatter: [[[3, 1], [7]], (x, s) => op("maskedScatter", x, few, s)],
  maskedFill: [[[3, 4], []], (x, v) => x.maskedFill(few as never, v)],
  triu: [[[2, 3, 4]], (x) => [op("triu", x, 1), op("tril", x, -1)]],
  diag: [[[3, 4], [3]], (x, l) => [op("diag", x, 1), op("diag", x), op("diag", l, -1), op("diagflat", x)]],
  diagEmbed: [[[2, 3]], (x) => [op("diagEmbed", x), op("diagEmbed", x, 1, 0, 2)]],
  diagonalScatter: [[[3, 4], [3]], (x, s) => op("diagonalScatter", x, s, 1)],
  selectScatter: [[[3, 4], [4]], (x, s) => op("selectScatter", x, s, 0, 1)],
  sliceScatter: [
    [
      [3, 4],
      [3, 2],
    ],
    (x, s) => op("sliceScatter", x, s, 1, 0, 4, 2),
  ],
  asStridedScatter: [
    [
      [3, 4],
      [2, 2],
    ],
    (x, s) => op("asStridedScatter", x, s, [2, 2], [5, 1], 1),
  ],
  meshgrid: [[[2], [3]], (a, b) => op("meshgrid", [a, b], { indexing: "xy" })],
  cartesianProd: [[[2], [3]], (a, b) => op("cartesianProd", a, b)],
  broadcastTensors: [[[2, 1], [3]], (a, b) => op("broadcastTensors", a, b)],
  pixelShuffle: [[[8, 2, 3]], (x) => op("pixelShuffle", x, 2)],
  pixelUnshuffle: [[[1, 2, 4, 2]], (x) => op("pixelUnshuffle", x, 2)],
  channelShuffle: [[[1, 6, 2]], (x) => op("channelShuffle", x, 3)],
  "unfold of images": [[[2, 4, 5]], (x) => op("unfold", x, [2, 3], { padding: 1, stride: [2, 1], dilation: [1, 2] })],
  fold: [[[8, 9]], (x) => op("fold", x, [4, 4], 2, { padding: 1, stride: 2 })],
  vander: [[[3]], (x) => op("vander", x, 4)],
  sort: [[[3, 4]], (x) => [x.sort(0).values, x.sort({ descending: true }).values]],
  msort: [[[3, 4]], (x) => op("msort", x)],
  topk: [[[3, 4]], (x) => x.topk(2, 0).values],
  kthvalue: [[[3, 4]], (x) => [x.kthvalue(2, 0).values, x.kthvalue(1, 1, { keepdims: true }).values]],
  median: [[[3, 4]], (x) => [x.median(), x.median(1).values, op("nanmedian", x)]],
  mode: [[[3, 4]], (x) => x.mode(1).values],
  "sort of a scalar": [[[]], (x) => [x.sort().values, x.median()]],
  "quantile of several shares": [[[3, 4], [2]], (x, q) => op("quantile", x, q.tanh().abs(), 0)],
  "quantile of all": [
    [[3, 4]],
    (x) => [op("quantile", x, 0.3), op("quantile", x, [0.2, 0.7], null, { keepdims: true })],
  ],
  "quantiles by other interpolations": [
    [[3, 5]],
    (x) =>
      ["lower", "higher", "nearest", "midpoint"].map((interpolation) => op("quantile", x, 0.4, 1, { interpolation })),
  ],
  nanquantile: [[[3, 4]], (x) => op("nanquantile", x.maskedFill(few as never, Number.NaN), 0.6, 1)],
  trapezoid: [[[2, 4], [4]], (y, x) => [op("trapezoid", y, x), op("trapezoid", y, { dx: 2, axis: 0 })]],
  cumulativeTrapezoid: [[[2, 4], [4]], (y, x) => op("cumulativeTrapezoid", y, x)],
  diff: [
    [
      [2, 4],
      [2, 1],
    ],
    (x, p) => op("diff", x, 2, 1, { prepend: p }),
  ],
  gradient: [[[5, 3], [3]], (x, c) => [...(op("gradient", x, { spacing: [2, c] }) as never as Tensor[])]],
  cov: [[[3, 4]], (x) => op("cov", x)],
  corrcoef: [[[3, 4]], (x) => op("corrcoef", x)],
  combinations: [[[4]], (x) => op("combinations", x, 3)],
  "at with index tensors": [
    [[3, 4]],
    (x) => [
      x.at(rows),
      x.at(ints(0, -1), ints(1, 1)),
      x.at(
        _,
        grid([
          [0, 1],
          [-1, 0],
        ]),
      ),
    ],
  ],
  "at with masks": [[[3, 4]], (x) => [x.at(few), x.at(mask([true, false, true]), range(1, 3)), x.at(null, rows, 2)]],
  "at without tensors": [[[3, 4]], (x) => [x.at(1), x.at(range(0, 2), null, -1)]],
  pick: [[[3, 4]], (x) => [x.pick([0, -1, 0], 1), x.pick(rows)]],
  assignAt: [
    [
      [3, 4],
      [2, 1],
    ],
    (x, v) => x.clone().assignAt([ints(0, 2), range(1, 3)], v),
  ],
  "assignAt by a mask": [[[3, 4], []], (x, v) => x.mul(2).assignAt([few], v)],
  "assignAt to a view": [
    [
      [3, 4],
      [1, 1, 4],
    ],
    (x, v) => x.mul(2).assignAt([1], v),
  ],
};

const combinings = ["sum", "prod", "mean", "amax", "amin"];
const combined: Record<string, readonly [number[][], Case]> = {};
for (const reduce of combinings)
  for (const includeSelf of [true, false]) {
    const options = { includeSelf };
    combined[`scatterReduce by ${reduce}${includeSelf ? "" : " without self"}`] = [
      [
        [3, 4],
        [2, 5],
      ],
      (x, s) => op("scatterReduce", x, 0, indexTensor, s, reduce, options),
    ];
    if (reduce !== "sum")
      combined[`indexReduce by ${reduce}${includeSelf ? "" : " without self"}`] = [
        [
          [3, 2],
          [3, 2],
        ],
        (x, s) => op("indexReduce", x, 0, rows, s, reduce, options),
      ];
  }

const written: Record<string, readonly [number[][], Case]> = {
  scatter_: [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) => inPlace("scatter_", x, 0, indexTensor, s),
  ],
  scatterAdd_: [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) => inPlace("scatterAdd_", x, 0, indexTensor, s),
  ],
  scatterReduce_: [
    [
      [3, 4],
      [2, 4],
    ],
    (x, s) => inPlace("scatterReduce_", x, 0, indexTensor, s, "mean"),
  ],
  indexAdd_: [
    [
      [3, 2],
      [3, 2],
    ],
    (x, s) => inPlace("indexAdd_", x, 0, rows, s),
  ],
  indexCopy_: [
    [
      [3, 2],
      [2, 2],
    ],
    (x, s) => inPlace("indexCopy_", x, 0, ints(2, 0), s),
  ],
  indexFill_: [[[3, 2], []], (x, v) => inPlace("indexFill_", x, 0, ints(1), v)],
  put_: [[[3, 2], [2]], (x, s) => inPlace("put_", x, ints(1, 2), s)],
  indexPut_: [[[3, 4], [2]], (x, v) => inPlace("indexPut_", x, [ints(0, 1), ints(1, 1)], v)],
  maskedScatter_: [[[3, 4], [6]], (x, s) => inPlace("maskedScatter_", x, few, s)],
  triu_: [[[3, 4]], (x) => inPlace("triu_", x)],
  "a write to a column": [
    [[3, 4], [2]],
    (x, s) => {
      const y = x.mul(2);
      op("indexAdd_", y.select(1, 1), 0, ints(0, 2), s);
      return y.square();
    },
  ],
};

describe.each([
  ["movement", cases],
  ["combining", combined],
  ["writing", written],
] as const)("gradients of %s agree with differences", (_family, table) => {
  test.each(Object.entries(table))("%s", (_name, [shapes, f]) => {
    const inputs = shapes.map(leafOf);
    expect(gradcheck(f, inputs)).toBe(true);
    expect(gradgradcheck(f, inputs)).toBe(true);
  });
});

const complexLeaf = (shape: readonly number[], input: number): Tensor =>
  sw.complex(numbers(shape, input), numbers(shape, input + 5)).requiresGrad_() as Tensor;

describe("complex numbers", () => {
  const table: Record<string, readonly [number[][], Case]> = {
    cat: [[[2], [3]], (a, b) => op("cat", [a, b])],
    gather: [[[3, 4]], (x) => op("gather", x, 0, indexTensor)],
    scatterAdd: [
      [
        [3, 4],
        [2, 4],
      ],
      (x, s) => op("scatterAdd", x, 0, indexTensor, s),
    ],
    "scatterReduce by prod": [
      [
        [3, 4],
        [2, 4],
      ],
      (x, s) => op("scatterReduce", x, 0, indexTensor, s, "prod"),
    ],
    "scatterReduce by mean": [
      [
        [3, 4],
        [2, 4],
      ],
      (x, s) => op("scatterReduce", x, 0, indexTensor, s, "mean", { includeSelf: false }),
    ],
    indexPut: [[[3, 4], [2]], (x, v) => op("indexPut", x, [ints(0, 2), ints(1, 1)], v)],
    "pad reflected": [[[2, 4]], (x) => op("pad", x, [2, 1], { mode: "reflect" })],
    "at with index tensors": [[[3, 4]], (x) => x.at(rows)],
  };
  test.each(Object.entries(table))("%s", (_name, [shapes, f]) => {
    const inputs = shapes.map(complexLeaf);
    expect(gradcheck(f, inputs)).toBe(true);
    expect(gradgradcheck(f, inputs)).toBe(true);
  });
});

const of = (values: unknown, dtype = "float64"): Tensor =>
  tensor(values as number[], { dtype: dtype as "float64", requiresGrad: true }) as Tensor;

/** The gradients of the sum of a result. */
function gradients(result: Tensor, ...leaves: Tensor[]): unknown[] {
  result.sum().backward();
  return leaves.map((t) => t.grad?.toArray());
}

describe("ties and zeros", () => {
  test("equal largest elements share, and so does the tensor itself if it takes part", () => {
    const [x, s] = [of([5, 1]), of([5, 5, 0])];
    const index = ints(0, 0, 1);
    expect(gradients(op("scatterReduce", x, 0, index, s, "amax"), x, s)).toEqual([
      [1 / 3, 1],
      [1 / 3, 1 / 3, 0],
    ]);
    const [y, t] = [of([5, 1]), of([5, 5, 0])];
    expect(gradients(op("scatterReduce", y, 0, index, t, "amax", { includeSelf: false }), y, t)).toEqual([
      [0, 0],
      [0.5, 0.5, 1],
    ]);
  });

  test("a factor of zero gets the product of the others, of two zeros nobody gets anything", () => {
    const [x, s] = [of([2, 0, 3]), of([0, 5, 4, 0, 0])];
    expect(gradients(op("scatterReduce", x, 0, ints(0, 0, 1, 2, 2), s, "prod"), x, s)).toEqual([
      [0, 4, 0],
      [10, 0, 0, 0, 0],
    ]);
  });

  test("of equal elements the one whose index is given gets all", () => {
    const x = of([2, 2, 1, 2]);
    expect(gradients(x.sort({ descending: true }).values.narrow(0, 0, 1), x)).toEqual([[1, 0, 0, 0]]);
    const y = of([1, 3, 3]);
    const { values, indices } = y.median(0);
    expect(gradients(values, y)).toEqual([[0, 1, 2].map((k) => (k === Number(indices.item()) ? 1 : 0))]);
  });

  test("a row of padding gets none", () => {
    const w = of([[1], [2], [3]]);
    expect(gradients(op("embedding", ints(0, 2, 2, 1), w, { paddingIdx: -1 }), w)).toEqual([[[1], [1], [0]]]);
  });

  test("a row with NaN gives its gradient to the NaN, unless NaN is skipped", () => {
    const x = of([1, Number.NaN, 3, 2]);
    expect(gradients(op("quantile", x, 0.5), x)).toEqual([[0, 1, 0, 0]]);
    const y = of([1, Number.NaN, 3, 2]);
    expect(gradients(op("nanquantile", y, 0.75), y)).toEqual([[0, 0, 0.5, 0.5]]);
  });
});

describe("empty tensors, other dtypes, and writes", () => {
  test("empty tensors have gradients of their shape", () => {
    const none = tensor([], { dtype: "int64" }) as Tensor;
    const x = leaf(2, 3);
    const zeros = [
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    ];
    for (const empty of [
      () => op("indexSelect", x, 0, none),
      () => op("take", x, none),
      () => op("maskedSelect", x, x.gt(100)),
      () => x.at(none),
      () => x.pick([], 1),
      () => x.topk(0).values,
      () => op("gather", x, 1, tensor([[], []], { dtype: "int64" })),
      () => op("repeat", x, [0, 1]),
    ]) {
      x.grad = null;
      expect(gradients(empty(), x)).toEqual(zeros);
    }
    const nothing = leaf(0, 3);
    for (const f of [
      () => nothing.sort(1).values,
      () => op("roll", nothing, 1),
      () => op("pad", nothing, [1, 1]),
      () => op("cat", [nothing, nothing]),
      () => op("scatterAdd", nothing, 0, tensor([], { dtype: "int64" }).reshape(0, 3), nothing),
    ]) {
      nothing.grad = null;
      f().sum().backward();
      expect((nothing as Tensor).grad?.shape).toEqual([0, 3]);
    }
  });

  test("each tensor of a join gets a gradient of its own dtype", () => {
    const [a, b] = [of([1, 2], "float32"), of([3], "float64")];
    op("cat", [a, b, ints(4)])
      .mul(2)
      .sum()
      .backward();
    expect([a.grad?.dtype, b.grad?.dtype]).toEqual(["float32", "float64"]);
    expect([a.grad?.toArray(), b.grad?.toArray()]).toEqual([[2, 2], [2]]);
    const [x, v] = [of([1, 2], "float32"), of(3, "float64")];
    op("indexFill", x, 0, ints(1), v).sum().backward();
    expect([x.grad?.dtype, v.grad?.dtype, v.grad?.item()]).toEqual(["float32", "float64", 1]);
  });

  test("writes to saved indices before the backward pass are detected", () => {
    const index = ints(0, 1);
    const y = op("indexSelect", leaf(3, 2), 0, index);
    index.fill_(2);
    expect(() => y.sum().backward()).toThrow("modified by an in-place operation");
  });

  test("tensors that the backward pass does not need may be written to: one that was read by index", () => {
    const x = leaf(3);
    const y = x.mul(2);
    const z = op("gather", y, 0, ints(0, 0));
    y.add_(1);
    expect(gradients(z, x)).toEqual([[4, 0, 0]]);
  });

  test("distinct elements have no gradient, and counts and positions need none", () => {
    const x = leaf(3);
    expect(() => op("unique", x).sum().backward()).toThrow("the derivative for unique is not implemented");
    expect(op("histc", x, 3).requiresGrad).toBe(false);
    expect(op("argsort", x).requiresGrad).toBe(false);
    expect(op("searchsorted", x, x).requiresGrad).toBe(false);
  });
});
