/** Joining and splitting tensors, against their definitions element by element; common dtypes, grids, and errors. */
import { arange, empty, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, everySize, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { broadcastTensors, cartesianProd, meshgrid, unravelIndex } from "./grids.ts";
import { blockDiag, cat, columnStack, concat, dstack, hstack, rowStack, stack, vstack } from "./join.ts";
import { trilIndices, triuIndices } from "./triangle-indices.ts";
import { atleast1d, atleast2d, atleast3d, dsplit, hsplit, vsplit } from "./view-functions.ts";

test.each(everySize)("cat of %s has the elements of each part after those of the previous part", (dtype) => {
  const roll = dice(dtype.length);
  for (let round = 0; round < 8; round++) {
    const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 3));
    const axis = roll(0, shape.length - 1);
    const parts = Array.from({ length: roll(1, 4) }, () => stridedTensor(roll, shape.with(axis, roll(0, 3)), dtype));
    const result = cat(parts, axis);
    let start = 0;
    for (const part of parts) {
      for (const coord of coordsOf(part.shape))
        expect(elementAt(result, coord.with(axis, start + (coord[axis] as number)))).toEqual(elementAt(part, coord));
      start += part.shape[axis] as number;
    }
    expect(result.shape).toEqual(shape.with(axis, start));
  }
});

test("stack has each tensor at its index of the new axis", () => {
  const roll = dice(4);
  const parts = [stridedTensor(roll, [2, 3]), stridedTensor(roll, [2, 3])] as const;
  for (const axis of [0, 1, 2, -1]) {
    const result = stack(parts, axis);
    parts.forEach((part, k) => {
      expect(elementsIn(result.select(axis, k))).toEqual(elementsIn(part));
    });
  }
});

test("joins have the common dtype, and a list of nothing joins all", () => {
  expect(cat([tensor([1]), arange(2, { dtype: "int64" })]).dtype).toBe("float32");
  expect(cat([tensor([true]), tensor([1n])]).toArray()).toEqual([1, 1]);
  expect(cat([zeros([0]), zeros([2, 3])], 1).shape).toEqual([2, 3]);
  expect(concat).toBe(cat);
  expect(rowStack).toBe(vstack);
});

test("lists are rows or columns as the name of the join says", () => {
  const [a, b] = [tensor([1, 2]), tensor([3, 4])];
  expect(hstack([a, b]).toArray()).toEqual([1, 2, 3, 4]);
  expect(vstack([a, b]).toArray()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(dstack([a, b]).toArray()).toEqual([
    [
      [1, 3],
      [2, 4],
    ],
  ]);
  expect(columnStack([a, b]).toArray()).toEqual([
    [1, 3],
    [2, 4],
  ]);
  expect(blockDiag([a, tensor(5), zeros([0, 1])]).toArray()).toEqual([
    [1, 2, 0, 0],
    [0, 0, 5, 0],
  ]);
});

test("pieces joined again are the tensor", () => {
  const x = arange(24).reshape(2, 4, 3) as Tensor;
  expect(elementsIn(cat(vsplit(x, 2), 0))).toEqual(elementsIn(x));
  expect(elementsIn(cat(hsplit(x, [1, 3]), 1))).toEqual(elementsIn(x));
  expect(elementsIn(cat(dsplit(x, 3), 2))).toEqual(elementsIn(x));
  expect(() => hsplit(x, 3)).toThrow(/axis 1 with size 4 does not split into 3 equal parts/);
  expect(() => dsplit(tensor([1]), 1)).toThrow(/expected at least 3 axes, got 1/);
});

test("missing axes are added where they belong", () => {
  expect([atleast1d(tensor(1)), atleast2d(tensor([1, 2])), atleast3d(tensor([1, 2]))].map((t) => t.shape)).toEqual([
    [1],
    [1, 2],
    [1, 2, 1],
  ]);
});

test("grids and pairs", () => {
  const [a, b] = [tensor([1, 2, 3]), tensor([4, 5])];
  const [rows, columns] = meshgrid([a, b]) as [Tensor, Tensor];
  for (const [i, j] of coordsOf([3, 2]) as [number, number][]) {
    expect(rows.get(i, j)).toBe(a.get(i));
    expect(columns.get(i, j)).toBe(b.get(j));
  }
  expect(meshgrid([a, b], { indexing: "xy" }).map(elementsIn)).toEqual([
    [1, 2, 3, 1, 2, 3],
    [4, 4, 4, 5, 5, 5],
  ]);
  expect(cartesianProd(a, b).toArray()).toEqual([
    [1, 4],
    [1, 5],
    [2, 4],
    [2, 5],
    [3, 4],
    [3, 5],
  ]);
  expect(broadcastTensors(zeros([3, 1]), zeros([1, 2])).map((t) => t.shape)).toEqual([
    [3, 2],
    [3, 2],
  ]);
});

test("coordinates of indices, and of triangles", () => {
  const shape = [2, 3, 4];
  const coords = unravelIndex(arange(24, { dtype: "int64" }), shape).map(elementsIn);
  coordsOf(shape).forEach((coord, i) => {
    expect(coords.map((list) => list[i])).toEqual(coord);
  });
  expect(() => unravelIndex(tensor([24n]), shape)).toThrow(IndexError);
  for (const offset of [-2, 0, 1]) {
    const all = coordsOf([3, 4]) as [number, number][];
    const upper = all.filter(([i, j]) => j - i >= offset);
    const lower = all.filter(([i, j]) => j - i <= offset);
    expect(triuIndices(3, 4, offset).T.toArray()).toEqual(upper);
    expect(trilIndices(3, 4, offset).T.toArray()).toEqual(lower);
    expect(() => trilIndices(3, 4, "1" as never)).toThrow('offset must be an integer, got "1". Options come after it');
    expect(trilIndices(3, 4, { dtype: "int64" }).dtype).toBe("int64");
    expect(trilIndices(3, 4, { dtype: "int16" }).toArray()).toEqual(trilIndices(3, 4).toArray());
  }
});

test("out and the meta device", () => {
  const out = zeros([4]);
  expect(cat([tensor([1, 2]), tensor([3, 4])], 0, { out })).toBe(out);
  expect(out.toArray()).toEqual([1, 2, 3, 4]);
  const m = empty([2, 3], { device: "meta" });
  expect(cat([m, m], 1).shape).toEqual([2, 6]);
  expect(dstack([m, m]).shape).toEqual([2, 3, 2]);
});

describe("refused", () => {
  const m = zeros([2, 3]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    ["no tensors", () => hstack([]), StridewiseError, /the list of tensors is empty/],
    [
      "a value that is not a list",
      () => cat(m as never),
      StridewiseError,
      /expected a list of tensors, cat\(\[a, b\]\), got tensor \(float32 \[2, 3\]\)/,
    ],
    [
      "a value that is not a tensor",
      () => cat([m, null as never]),
      StridewiseError,
      /element 1 of the list must be a tensor, got null/,
    ],
    [
      "scalars",
      () => cat([tensor(1), tensor(2)] as Tensor[]),
      ShapeError,
      /tensor 0 has no axes\. Use stack\(\[\.\.\.\]\) for scalars/,
    ],
    [
      "other ranks",
      () => cat([m, zeros([2])] as Tensor[]),
      ShapeError,
      /tensors must have the same number of axes, got 2 and 1/,
    ],
    [
      "other sizes",
      () => cat([m, zeros([2, 4])] as Tensor[], 0),
      ShapeError,
      /sizes must match except at axis 0: tensor 1 has size 4 instead of 3 at axis 1/,
    ],
    [
      "other shapes in a stack",
      () => stack([m, zeros([3, 2])] as Tensor[]),
      ShapeError,
      /all tensors must have the same shape, got \[2, 3\] and \[3, 2\] at index 1/,
    ],
    ["an axis that there is not", () => cat([m] as Tensor[], 2), IndexError, /is out of range, expected/],
    [
      "an out that is an input",
      () => cat([m], 0, { out: m }),
      StridewiseError,
      /out is also an input\. Please clone\(\) the tensor before performing the operation\./,
    ],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
  });
});
