/** parallelLoops: functions, formulas and reductions over the regions of a tensor, against plain loops. Modules: `test/end-to-end`. */
import { gmem, makeLayout, makeTensor, range, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import type { DType } from "../../storage/dtype.ts";
import { tiled } from "./tiled.ts";

const counted = (...shape: number[]): Tensor =>
  tensor(Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i)).reshape(shape) as Tensor;

const nested = (shape: number[] | (number | number[])[], stride: (number | number[])[]): Tensor =>
  makeTensor(gmem(Float32Array.from({ length: 48 }, (_, i) => i)), makeLayout(shape, stride)) as Tensor;

/** The elements of each region, by get. */
function regionsBy(t: Tensor, lastDim: number): number[][] {
  const coords = (sizes: readonly number[]): number[][] =>
    sizes.reduce<number[][]>(
      (all, size) => all.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i])),
      [[]],
    );
  const { shape } = t;
  return coords(shape.slice(0, lastDim + 1)).map((lead) =>
    coords(shape.slice(lastDim + 1)).map((rest) => t.get(...lead, ...rest) as number),
  );
}

/** The distance of two adjacent elements along an axis; elements are numbered by their positions. */
const strideOf = (t: Tensor, axis: number): number => {
  const at = (i: number): number => t.get(...t.shape.map((_, k) => (k === axis ? i : 0))) as number;
  return (t.shape[axis] as number) > 1 ? at(1) - at(0) : (t.stride[axis] as number);
};

describe("a function", () => {
  const tensors: readonly (readonly [string, Tensor, number])[] = [
    ["contiguous", counted(2, 3, 4), 0],
    ["contiguous, two leading axes", counted(2, 3, 4), 1],
    ["regions of one element", counted(2, 3, 4), 2],
    [
      "leading axes turned and permuted",
      counted(3, 4, 2, 5)
        .permute(1, 0, 2, 3)
        .at(range(null, null, -1)) as Tensor,
      1,
    ],
    ["rows of a slice", counted(6, 8).at(range(1, null, 2), range(2, 5)) as Tensor, 0],
    ["axes of size 1 with odd strides", counted(40).asStrided([2, 1, 3, 1], [9, 7, 1, 5], 3) as Tensor, 0],
    ["repeated", counted(4).expand(3, 4) as Tensor, 0],
    ["a nested axis before", nested([[2, 3], 2, 4], [[24, 8], 4, 1]), 1],
  ];
  test.each(tensors)("visits every region once, in row-major order: %s", (_name, t, lastDim) => {
    const seen: number[][] = [];
    const length = t.shape.slice(lastDim + 1).reduce((a, b) => a * b, 1);
    const visit = (
      data: { readonly [i: number]: unknown },
      position: number,
      stride: number,
      restShape: readonly number[],
    ) => {
      expect(restShape).toEqual(t.shape.slice(lastDim + 1));
      expect(stride).toBe(strideOf(t, lastDim));
      seen.push(Array.from({ length }, (_, i) => data[position + i] as number));
    };
    tiled(t).parallelLoops(lastDim, visit as never);
    expect(seen).toEqual(regionsBy(t, lastDim));
    const again: number[] = [];
    tiled(t).parallelLoops(lastDim - t.rank, (_data, position) => again.push(position));
    expect(again.length).toBe(seen.length);
  });

  test("writes, as one version", () => {
    const t = counted(2, 2, 2);
    tiled(t).parallelLoops(1, (data, position, _stride, [n]) => {
      (data as Float32Array).fill(position, position, position + (n as number));
    });
    expect([t.toArray(), t.version]).toEqual([
      [
        [
          [0, 0],
          [2, 2],
        ],
        [
          [4, 4],
          [6, 6],
        ],
      ],
      1,
    ]);
  });

  test("is not called for an empty tensor", () => {
    for (const shape of [
      [0, 3],
      [3, 0],
      [2, 0, 2],
    ])
      tiled(zeros(shape) as Tensor).parallelLoops(0, () => expect.unreachable());
  });

  test("throws with the reason and the remedy if regions are not contiguous", () => {
    expect(() => tiled(counted(4, 3).transpose(0, 1) as Tensor).parallelLoops(0, () => {})).toThrow(
      "parallelLoops: a region spans the axes after 0 of tensor (float32 [3, 4]), which must be contiguous: axis 1 has stride 3, not stride 1. Loop over contiguous(), or choose a later axis",
    );
    expect(() => tiled(nested([[2, 3], 4], [[12, 4], 1])).parallelLoops(0, () => {})).toThrow(
      'parallelLoops: axis 0 of tensor (float32 [6, 4]) is (2,3):(12,4) and has no single stride. Take a copy first: clone("contiguous")',
    );
    expect(() => tiled(nested([4, [2, 3]], [12, [1, 4]])).parallelLoops(0, () => {})).toThrow(
      "axis 1 has the layout (2,3):(1,4), not stride 1. Loop over contiguous(), or choose a later axis",
    );
    expect(() => tiled(counted(2)).parallelLoops(1, () => {})).toThrow("is out of range, expected");
    expect(() => tiled(tensor(1) as Tensor).parallelLoops(0, () => {})).toThrow(
      "parallelLoops: the tensor has no axes",
    );
  });

  test("runs on the calling thread, whatever the number of threads", () => {
    let calls = 0;
    tiled(counted(2)).parallelLoops(0, () => calls++, { threads: 1 });
    expect(calls).toBe(2);
    tiled(counted(2)).parallelLoops(0, () => calls++, { threads: 2 });
    expect(calls).toBe(4);
    expect(() => tiled(counted(2)).parallelLoops(0, () => {}, { threads: 0 })).toThrow(
      "threads must be an integer of at least 1, got 0",
    );
  });
});

describe("a formula", () => {
  test("is computed in place on any layout, as one version", () => {
    const t = counted(3, 4);
    const view = t.transpose(0, 1).at(range(null, null, 2)) as Tensor;
    expect(tiled(view).parallelLoops(0, "x * 2 + 1")).toBe(view);
    expect(t.toArray()).toEqual([
      [1, 1, 5, 3],
      [9, 5, 13, 7],
      [17, 9, 21, 11],
    ]);
    tiled(t).parallelLoops(-1, { map: "0 * x" });
    expect([t.toArray(), t.version]).toEqual([zeros([3, 4]).toArray(), 2]);
  });

  test("is over x alone", () => {
    expect(() => tiled(counted(2)).parallelLoops(0, "x + y")).toThrow(
      "parallelLoops: the formula x + y must be over x alone, got x, y. For several tensors use elementwise(...)",
    );
    expect(() => tiled(counted(2)).parallelLoops(0, { map: "2" })).toThrow(
      "the formula 2 must be over x alone, got no operand. For several tensors use elementwise(...)",
    );
    expect(() => tiled(counted(2)).parallelLoops(0, 5 as never)).toThrow(
      "expects a function, a formula, { map }, { reduce } or { module, export }, got 5",
    );
  });
});

describe("a reduction", () => {
  const plain = {
    sum: (values: number[]) => values.reduce((a, b) => a + b, 0),
    prod: (values: number[]) => values.reduce((a, b) => a * b, 1),
    mean: (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length,
    min: (values: number[]) => Math.min(...values),
    max: (values: number[]) => Math.max(...values),
  } as const;
  const tensors: readonly (readonly [string, () => Tensor])[] = [
    ["contiguous", () => counted(2, 3, 4)],
    ["permuted", () => counted(4, 2, 3).permute(1, 2, 0) as Tensor],
    [
      "turned and stepped",
      () => counted(3, 5, 9).at(range(null, null, -1), range(1, null, 2), range(null, null, -2)) as Tensor,
    ],
    ["repeated", () => counted(3, 1, 4).expand(3, 5, 4) as Tensor],
    [
      "nested",
      () =>
        makeTensor(
          gmem(Float32Array.from({ length: 48 }, (_, i) => i)),
          makeLayout([[2, 2], [3, 2], 2], [[24, 2], [4, 12], 1]),
        ) as Tensor,
    ],
  ];
  test.each(tensors)("returns one number for each region: %s", (_name, make) => {
    const t = make();
    for (const reduce of Object.keys(plain) as (keyof typeof plain)[])
      for (let lastDim = 0; lastDim < t.rank; lastDim++) {
        const result = tiled(t).parallelLoops(lastDim, { reduce });
        expect(result.shape).toEqual(t.shape.slice(0, lastDim + 1));
        const expected = regionsBy(t, lastDim).map((values) => Math.fround(plain[reduce](values)));
        expect([...result.toTypedArray()], `${reduce} ${lastDim}`).toEqual(expected);
      }
  });

  test("applies a formula first, in one kernel", () => {
    const t = counted(3, 4);
    expect(tiled(t).parallelLoops(0, { reduce: "sum", map: "x * x" }).toArray()).toEqual([14, 126, 366]);
    expect(tiled(t).parallelLoops(0, { reduce: "sum", map: "x > 4" }).toArray()).toEqual([0, 3, 4]);
    expect(
      tiled(t.to("int32") as Tensor)
        .parallelLoops(0, { reduce: "mean", map: "x / 2" })
        .toArray(),
    ).toEqual([0.75, 2.75, 4.75]);
    expect(t.version).toBe(0);
  });

  test("has the dtypes of PyTorch", () => {
    const of = (dtype: DType, reduce: "sum" | "max" | "mean" | "prod") =>
      tiled(zeros([2, 2], { dtype }) as Tensor).parallelLoops(0, { reduce }).dtype;
    expect([
      of("bool", "sum"),
      of("int8", "prod"),
      of("uint64", "sum"),
      of("float16", "sum"),
      of("int16", "max"),
      of("bool", "max"),
    ]).toEqual(["int64", "int64", "uint64", "float16", "int16", "bool"]);
    expect(of("complex64", "mean")).toBe("complex64");
    expect(() => of("int32", "mean")).toThrow(
      'parallelLoops: mean of int32 requires a float or complex dtype. Convert it first: to("float32")',
    );
    expect(() => of("complex64", "max")).toThrow("parallelLoops: max of complex64: complex numbers have no order");
    expect(() => of("float32", "median" as never)).toThrow(
      "parallelLoops: unknown reduction median. Use sum, mean, prod, min, max",
    );
  });

  test("of no elements is the identity, or throws if there is none", () => {
    const t = zeros([2, 0]) as Tensor;
    expect(tiled(t).parallelLoops(0, { reduce: "sum" }).toArray()).toEqual([0, 0]);
    expect(tiled(t).parallelLoops(0, { reduce: "prod" }).toArray()).toEqual([1, 1]);
    expect(tiled(t).parallelLoops(0, { reduce: "mean" }).toArray()).toEqual([NaN, NaN]);
    expect(() => tiled(t).parallelLoops(0, { reduce: "max" })).toThrow(
      "parallelLoops: max of the regions of tensor (float32 [2, 0]) is undefined, because they have no elements",
    );
    expect(tiled(zeros([0, 3]) as Tensor).parallelLoops(0, { reduce: "max" }).shape).toEqual([0]);
  });
});

test("a tensor without memory throws", () => {
  const disposed = counted(2);
  disposed.dispose();
  for (const work of ["x", { reduce: "sum" }, () => {}] as never[])
    expect(() => tiled(disposed).parallelLoops(0, work)).toThrow("cannot be used anymore");
});
