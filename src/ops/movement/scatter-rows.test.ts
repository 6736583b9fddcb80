/** Writing rows and single elements by index, against loops; in place; and errors, which write nothing. */
import { _, arange, makeTensor, parseLayout, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, everySize, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { IndexError, ShapeError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { gather } from "./gather.ts";
import { indexPut, indexPut_, put, put_ } from "./index-put.ts";
import { cat } from "./join.ts";
import { indexAdd, indexAdd_, indexCopy, indexCopy_, indexFill, indexFill_, indexReduce } from "./scatter.ts";

const indices = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { dtype: "int64" }).reshape(...shape) as Tensor;

test("indexAdd adds alpha times row k of the source to row index[k]", () => {
  const roll = dice(3);
  for (let round = 0; round < 20; round++) {
    const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 4));
    const axis = roll(0, shape.length - 1);
    const x = stridedTensor(roll, shape);
    const list = Array.from({ length: roll(1, 6) }, () => roll(0, (shape[axis] as number) - 1));
    const source = stridedTensor(roll, shape.with(axis, list.length));
    const alpha = roll(1, 3);
    const expected = new Map(coordsOf(shape).map((coord) => [String(coord), elementAt(x, coord) as number]));
    for (const coord of coordsOf(shape.with(axis, list.length))) {
      const to = String(coord.with(axis, list[coord[axis] as number] as number));
      expected.set(to, (expected.get(to) as number) + alpha * (elementAt(source, coord) as number));
    }
    const result = indexAdd(x, axis, indices(list), source, { alpha });
    expect(elementsIn(result)).toEqual([...expected.values()]);
  }
});

test.each(everySize)("indexCopy and indexFill of %s write whole rows", (dtype) => {
  const roll = dice(9);
  const x = stridedTensor(roll, [3, 4], dtype);
  const source = stridedTensor(roll, [2, 4], dtype);
  const copied = indexCopy(x, 0, indices([2, 0]), source);
  const filled = indexFill(x, 1, indices([-1, 0]), 1);
  const one = elementsIn(tensor([1]).to(dtype) as Tensor)[0];
  for (const [row, column] of coordsOf([3, 4]) as [number, number][]) {
    const from = [1, -1, 0][row] as number;
    expect(elementAt(copied, [row, column])).toEqual(
      from < 0 ? elementAt(x, [row, column]) : elementAt(source, [from, column]),
    );
    expect(elementAt(filled, [row, column])).toEqual(column === 0 || column === 3 ? one : elementAt(x, [row, column]));
  }
});

test("indexReduce combines rows, without the old ones if asked", () => {
  const x = tensor([10, 20, 30]);
  const [list, source] = [indices([0, 0, 2]), tensor([1, 3, 5])];
  expect(indexReduce(x, 0, list, source, "mean").toArray()[1]).toBe(20);
  expect(indexReduce(x, 0, list, source, "mean", { includeSelf: false }).toArray()).toEqual([2, 20, 5]);
  expect(indexReduce(x, 0, list, source, "amin").toArray()).toEqual([1, 20, 5]);
  expect(indexReduce(x, 0, list, source, "prod", { includeSelf: false }).toArray()).toEqual([3, 20, 5]);
});

describe("indexPut", () => {
  test("writes to the places that the index tensors say together", () => {
    const x = zeros([3, 4]);
    const result = indexPut(x, [indices([0, 2]), indices([-1, 1])], tensor([5, 6]));
    expect(elementsIn(result)).toEqual([0, 0, 0, 5, 0, 0, 0, 0, 0, 6, 0, 0]);
  });

  test("equals assignAt, for any layout and any axes", () => {
    const roll = dice(17);
    for (let round = 0; round < 30; round++) {
      const shape = [roll(1, 4), roll(1, 4), roll(1, 4)];
      const x = stridedTensor(roll, shape);
      const common = roll(0, 1) ? [roll(1, 3)] : [roll(1, 2), roll(1, 3)];
      const lists = shape.map((size) =>
        roll(0, 2) === 0
          ? null
          : indices(
              coordsOf(common).map(() => roll(-size, size - 1)),
              common,
            ),
      );
      if (lists.every((list) => list === null)) continue;
      const target = x.clone() as Tensor;
      const chosen = target.at(...(lists.map((list) => list ?? _) as never[])) as Tensor;
      const values = tensor(-1).expand(...chosen.shape) as Tensor;
      const expected = target.clone() as Tensor;
      expected.assignAt(lists.map((list) => list ?? _) as never, -1 as never);
      expect(elementsIn(indexPut(x, lists, values))).toEqual(elementsIn(expected));
    }
  });

  test("adds up where places are equal, and takes masks", () => {
    const x = tensor([1, 1, 1]);
    expect(indexPut(x, [indices([1, 1, 2])], tensor([1, 2, 3]), { accumulate: true }).toArray()).toEqual([1, 4, 4]);
    expect(indexPut(x, [tensor([true, false, true])], tensor(9)).toArray()).toEqual([9, 1, 9]);
  });

  test("takes short integers, whose products are long", () => {
    const x = zeros([200, 3]);
    indexPut_(x, [tensor([-1, 100], { dtype: "int8" })], tensor([[1], [2]]));
    expect([x.get(199, 2), x.get(100, 0), x.get(99, 2)]).toEqual([1, 2, 0]);
  });

  test("in place writes through a view", () => {
    const x = zeros([2, 3]);
    indexPut_(x.T as Tensor, [indices([2]), indices([0])], tensor([7]));
    expect(elementsIn(x)).toEqual([0, 0, 7, 0, 0, 0]);
  });
});

test("tensors of nested layouts are written, and read, by their coordinates", () => {
  const x = makeTensor(new Float32Array(12), parseLayout("((2,2),3):((1,6),2)") as never) as unknown as Tensor;
  x.fill_(0);
  indexAdd_(
    x,
    0,
    indices([3, 0]),
    tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]),
  );
  expect(coordsOf([4, 3]).map((coord) => elementAt(x, coord))).toEqual([4, 5, 6, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
  indexPut_(x, [indices([1]), indices([2])], tensor([9]));
  put_(x, indices([6]), tensor([7]));
  expect(elementsIn(gather(x, 0, indices([1, 1, 1], [1, 3])))).toEqual([0, 0, 9]);
  expect(elementsIn(cat([x, x], 1)).slice(6, 12)).toEqual([0, 0, 9, 0, 0, 9]);
  expect(elementAt(x, [2, 0])).toBe(7);
});

test("put writes in row-major order, in place also where the tensor is a view", () => {
  const x = arange(6).reshape(2, 3) as Tensor;
  expect(elementsIn(put(x, indices([-1, 0]), tensor([8, 9])))).toEqual([9, 1, 2, 3, 4, 8]);
  put_(x.T as Tensor, indices([1]), tensor([5]), { accumulate: true });
  expect(elementsIn(x)).toEqual([0, 1, 2, 8, 4, 5]);
});

test("in place rows are written to the tensor itself", () => {
  const x = zeros([2, 2]);
  indexAdd_(x, 0, indices([1]), tensor([[1, 2]]));
  indexCopy_(x, 1, indices([0]), tensor([[5], [6]]));
  indexFill_(x, 0, indices([0]), 3);
  expect(elementsIn(x)).toEqual([3, 3, 6, 2]);
});

describe("refused, with nothing written", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const row = tensor([[5, 6]]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    ["a row past the end", () => indexAdd_(x, 0, indices([2]), row), IndexError, /index 2 is out of bounds for size 2/],
    ["a row before the first", () => indexFill_(x, 0, indices([-3]), 0), IndexError, /index -3/],
    [
      "more indices than rows",
      () => indexCopy_(x, 0, indices([0, 1]), row),
      ShapeError,
      /source must have shape \[2, 2\] for 2 indices, got \[1, 2\]/,
    ],
    [
      "a source of a different dtype",
      () => indexAdd_(x, 0, indices([0]), row.to("int32")),
      DTypeError,
      /x and source must have the same dtype, got float32 and int32\. Convert it: source\.to\("float32"\)/,
    ],
    [
      "a matrix of indices",
      () => indexAdd_(x, 0, indices([0], [1, 1]), row),
      IndexError,
      /index must have one axis, got shape \[1, 1\]/,
    ],
    [
      "a place past the end",
      () => indexPut_(x, [indices([0]), indices([2])], tensor([1])),
      IndexError,
      /index 2 is out of bounds for axis 1 with size 2/,
    ],
    [
      "too many indices",
      () => indexPut_(x, [indices([0]), indices([0]), indices([0])], tensor([1])),
      IndexError,
      /too many indices/,
    ],
    [
      "values that do not fit",
      () => indexPut_(x, [indices([0, 1])], tensor([1, 2, 3])),
      ShapeError,
      /values \[3\] do not broadcast to the indexed shape \[2, 2\]/,
    ],
    ["an element past the end", () => put_(x, indices([4]), tensor([1])), IndexError, /index 4/],
    ["fewer elements than indices", () => put_(x, indices([0, 1]), tensor([1])), ShapeError, /same number of elements/],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
    expect(elementsIn(x)).toEqual([1, 2, 3, 4]);
  });
});
