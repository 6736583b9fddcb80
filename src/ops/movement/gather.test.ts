/** Reading by index, against the definition coordinate by coordinate: any layout, many rows, out, the meta device, and errors. */
import { arange, empty, fromBuffer, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, everySize, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { IndexError, ShapeError } from "../../base/errors.ts";
import { gather, indexSelect, take, takeAlongDim } from "./gather.ts";

const indices = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { dtype: "int64" }).reshape(...shape) as Tensor;

const randomIndices = (roll: ReturnType<typeof dice>, shape: readonly number[], size: number): Tensor =>
  indices(
    coordsOf(shape).map(() => roll(0, size - 1)),
    shape,
  );

describe("laws", () => {
  test.each(everySize)("gather of %s has at each coordinate the element with the index on the axis", (dtype) => {
    const roll = dice(dtype.length);
    for (let round = 0; round < 12; round++) {
      const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 5));
      const axis = roll(0, shape.length - 1);
      const x = stridedTensor(roll, shape, dtype);
      const chosen = shape.map((size, d) => (d === axis ? roll(1, 6) : roll(1, size)));
      const index = randomIndices(roll, chosen, shape[axis] as number);
      const result = gather(x, axis - (roll(0, 1) ? shape.length : 0), index);
      expect(result.dtype).toBe(dtype);
      expect(result.shape).toEqual(chosen);
      for (const coord of coordsOf(chosen)) {
        const from = coord.with(axis, elementAt(index, coord) as number);
        expect(elementAt(result, coord)).toEqual(elementAt(x, from));
      }
    }
  });

  test.each(everySize)("indexSelect of %s has the rows in the order of the list", (dtype) => {
    const roll = dice(dtype.length + 1);
    for (let round = 0; round < 12; round++) {
      const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 5));
      const axis = roll(0, shape.length - 1);
      const x = stridedTensor(roll, shape, dtype);
      const index = randomIndices(roll, [roll(1, 7)], shape[axis] as number);
      const result = indexSelect(x, axis, round % 2 ? index.to("int32") : index);
      for (const coord of coordsOf(shape.with(axis, index.size)))
        expect(elementAt(result, coord)).toEqual(
          elementAt(x, coord.with(axis, elementAt(index, [coord[axis] as number]) as number)),
        );
    }
  });

  test("take reads in row-major order, from the end for negative indices", () => {
    const roll = dice(5);
    const x = stridedTensor(roll, [3, 4]);
    const all = elementsIn(x);
    const index = indices([0, 5, -1, 11, -12, 3], [2, 3]);
    expect(take(x, index).toArray()).toEqual([
      [all[0], all[5], all[11]],
      [all[11], all[0], all[3]],
    ]);
  });

  test("takeAlongDim broadcasts, and without an axis reads in row-major order", () => {
    const x = tensor([
      [30, 10, 20],
      [60, 40, 50],
    ]);
    expect(takeAlongDim(x, indices([2, 0], [1, 2]), 1).toArray()).toEqual([
      [20, 30],
      [50, 60],
    ]);
    expect(takeAlongDim(x, indices([4, 0], [1, 2])).toArray()).toEqual([40, 30]);
  });

  test("long lists and many rows are read whole", () => {
    const list = arange(20000) as Tensor;
    const backwards = arange(19999, -1, -1, { dtype: "int64" }) as Tensor;
    const read = elementsIn(gather(list, 0, backwards));
    expect(read.every((value, i) => value === 19999 - i)).toBe(true);
    const rows = arange(35000).reshape(5000, 7) as Tensor;
    const chosen = elementsIn(indexSelect(rows, 0, arange(4999, -1, -2, { dtype: "int64" }) as Tensor));
    expect(chosen.every((value, i) => value === (4999 - 2 * Math.floor(i / 7)) * 7 + (i % 7))).toBe(true);
  });

  test("memory of the user's is read where it lies", () => {
    const x = fromBuffer(Float32Array.of(1, 2, 3, 4)) as Tensor;
    expect(gather(x, 0, indices([3, 3, 0])).toArray()).toEqual([4, 4, 1]);
  });
});

test("a scalar is a list of one element", () => {
  expect(gather(tensor(7), 0, indices([0, 0, 0])).toArray()).toEqual([7, 7, 7]);
  expect(indexSelect(tensor(7), 0, indices([0])).item()).toBe(7);
});

test("out takes the result, in a different dtype where it holds it", () => {
  const x = tensor([1, 2, 3], { dtype: "int32" });
  const out = tensor([0, 0], { dtype: "int64" });
  expect(indexSelect(x, 0, indices([2, 0]), { out })).toBe(out);
  expect(out.toArray()).toEqual([3, 1]);
});

test("the meta device has the shape and the dtype", () => {
  const x = empty([4, 5], { device: "meta", dtype: "int16" });
  const index = empty([2, 3], { device: "meta", dtype: "int64" });
  expect(gather(x, 1, index).shape).toEqual([2, 3]);
  expect(take(x, index).dtype).toBe("int16");
  expect(indexSelect(x, 0, empty([7], { device: "meta", dtype: "int64" })).shape).toEqual([7, 5]);
});

describe("refused", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    [
      "an index past the end",
      () => gather(x, 1, indices([0, 2], [1, 2])),
      IndexError,
      /index 2 is out of bounds for axis 1 with size 2/,
    ],
    [
      "a negative index",
      () => gather(x, 0, indices([-1, 0], [1, 2])),
      IndexError,
      /index -1 is out of bounds for axis 0 with size 2/,
    ],
    [
      "an index that is huge",
      () => gather(x, 0, tensor([[2n ** 32n]], { dtype: "int64" })),
      IndexError,
      /index 4294967296/,
    ],
    ["a row past the end", () => indexSelect(x, 0, indices([5])), IndexError, /index 5 is out of bounds for size 2/],
    [
      "a matrix of rows",
      () => indexSelect(x, 0, indices([0, 1], [1, 2])),
      IndexError,
      /index must have one axis, got shape \[1, 2\]/,
    ],
    ["an element past the end", () => take(x, indices([4])), IndexError, /index 4 is out of bounds for 4 elements/],
    [
      "an index of a different rank",
      () => gather(x, 0, indices([0])),
      ShapeError,
      /index must have as many axes as x, got \[1\] for \[2, 2\]/,
    ],
    [
      "an index that is too long",
      () => gather(x, 0, indices([0, 0, 0], [1, 3])),
      ShapeError,
      /index \[1, 3\] must not be larger than x \[2, 2\] except along axis 0/,
    ],
    ["an axis that there is not", () => gather(x, 2, indices([0], [1, 1])), IndexError, /is out of range, expected/],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
  });
});
