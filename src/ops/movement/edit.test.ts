/** append, insert, deleteAt and trimZeros: recorded results of NumPy, laws, gradients, the meta device, and errors. */
import { arange, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { append, block, deleteAt, ediff1d, insert, trimZeros } from "./edit.ts";

const ints = (data: unknown): Tensor => tensor(data as never, { dtype: "int64" }) as Tensor;
const list = ints([1, 2, 3]);
const matrix = arange(6n).reshape(2, 3) as Tensor;
/** The same matrix, column-major. */
const turned = tensor([0n, 3n, 1n, 4n, 2n, 5n]).reshape(3, 2).transpose(0, 1) as Tensor;

// All arrays here as NumPy 1.24 prints them.
describe("as NumPy has it", () => {
  const rows = (...lists: number[][]): number[][] => lists;
  test.each([matrix, turned])("append", (x) => {
    expect(append(x, 7).toArray()).toEqual([0, 1, 2, 3, 4, 5, 7]);
    expect(append(x, ints([[7], [8]])).toArray()).toEqual([0, 1, 2, 3, 4, 5, 7, 8]);
    expect(append(x, ints([[1, 2, 3]]), 0).toArray()).toEqual(rows([0, 1, 2], [3, 4, 5], [1, 2, 3]));
    expect(append(x, ints([[7], [8]]), -1).toArray()).toEqual(rows([0, 1, 2, 7], [3, 4, 5, 8]));
  });

  test.each([matrix, turned])("insert", (x) => {
    expect(insert(x, 1, 9).toArray()).toEqual([0, 9, 1, 2, 3, 4, 5]);
    expect(insert(x, 1, 5, -1).toArray()).toEqual(rows([0, 5, 1, 2], [3, 5, 4, 5]));
    expect(insert(x, 1, ints([8, 9]), 1).toArray()).toEqual(rows([0, 8, 1, 2], [3, 9, 4, 5]));
    expect(insert(x, 1, ints([[8], [9]]), 1).toArray()).toEqual(rows([0, 8, 9, 1, 2], [3, 8, 9, 4, 5]));
    expect(insert(x, [1], ints([[8], [9]]), 1).toArray()).toEqual(rows([0, 8, 1, 2], [3, 9, 4, 5]));
    expect(insert(x, [1], ints([8, 9]), 1).toArray()).toEqual(rows([0, 8, 9, 1, 2], [3, 8, 9, 4, 5]));
    expect(insert(x, 1, ints([7, 8, 9]), 0).toArray()).toEqual(rows([0, 1, 2], [7, 8, 9], [3, 4, 5]));
    expect(insert(x, [0, 2], ints([7, 8]), 1).toArray()).toEqual(rows([7, 0, 1, 8, 2], [7, 3, 4, 8, 5]));
    expect(insert(x, [0, 2], ints([[7], [9]]), 1).toArray()).toEqual(rows([7, 0, 1, 7, 2], [9, 3, 4, 9, 5]));
  });

  test("insert into a list: in the order of the indices; values at one index keep their order", () => {
    expect(insert(list, [3, 0, 0], ints([7, 8, 9])).toArray()).toEqual([8, 9, 1, 2, 3, 7]);
    expect(insert(list, [3, 0, -1], 5).toArray()).toEqual([5, 1, 2, 5, 3, 5]);
    expect(insert(list, [1], ints([7, 8])).toArray()).toEqual([1, 7, 8, 2, 3]);
    expect(insert(list, [], 7).toArray()).toEqual([1, 2, 3]);
    expect(insert(list, 1, tensor([2.7])).toArray()).toEqual([1, 2, 2, 3]);
    expect(insert(zeros([0]), 0, 4).toArray()).toEqual([4]);
    expect(insert(tensor([true, false]), [0, 1], tensor([false, true])).toArray()).toEqual([false, true, true, false]);
  });

  test.each([matrix, turned])("deleteAt", (x) => {
    expect(deleteAt(x, 1).toArray()).toEqual([0, 2, 3, 4, 5]);
    expect(deleteAt(x, []).toArray()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(deleteAt(x, [0, 0, -1], 1).toArray()).toEqual(rows([1], [4]));
    expect(deleteAt(x, -1, -2).toArray()).toEqual(rows([0, 1, 2]));
    expect(deleteAt(tensor(5), 0).shape).toEqual([0]);
    expect(deleteAt(tensor([true, false]), [0]).toArray()).toEqual([false]);
  });

  test("trimZeros", () => {
    const x = ints([0, 0, 1, 0, 2, 0]);
    expect(trimZeros(x).toArray()).toEqual([1, 0, 2]);
    expect(trimZeros(x, "f").toArray()).toEqual([1, 0, 2, 0]);
    expect(trimZeros(x, "b").toArray()).toEqual([0, 0, 1, 0, 2]);
    expect(trimZeros(tensor([false, true])).toArray()).toEqual([true]);
    for (const empty of [zeros([3]), zeros([0])]) expect(trimZeros(empty, "f").shape).toEqual([0]);
  });

  test("ediff1d", () => {
    const x = ints([
      [1, 2],
      [4, 0],
    ]);
    expect(ediff1d(x).toArray()).toEqual([1, 2, -4]);
    expect(ediff1d(ints([1, 2, 4]), { toBegin: -9, toEnd: ints([88, 99]) }).toArray()).toEqual([-9, 1, 2, 88, 99]);
    expect([ediff1d(zeros([0])).shape, ediff1d(tensor([5]), { toBegin: 1 }).toArray()]).toEqual([[0], [1]]);
  });

  test("block", () => {
    const [a, b, c] = [
      tensor([
        [1, 0],
        [0, 1],
      ]),
      zeros([2, 1]),
      tensor([[1, 1, 1]]),
    ];
    expect(block([[a, b], [c]]).toArray()).toEqual(rows([1, 0, 0], [0, 1, 0], [1, 1, 1]));
    expect(block([tensor(1), tensor([2, 3])]).toArray()).toEqual([1, 2, 3]);
    expect(block([[tensor(1), tensor(2)]]).toArray()).toEqual(rows([1, 2]));
    expect(block([[[a]], [[a]]]).shape).toEqual([2, 2, 2]);
    expect(block([ints([1]), tensor([true])]).dtype).toBe("int64");
  });
});

test("append has the common dtype, the others that of the tensor", () => {
  const float = tensor([1.5], { dtype: "float64" });
  expect([append(list, float), insert(list, 0, float), insert(float, 0, list)].map((t) => t.dtype)).toEqual([
    "float64",
    "int64",
    "float64",
  ]);
  expect(ediff1d(float, { toEnd: list }).dtype).toBe("float64");
});

test("deleteAt removes inserted elements again", () => {
  for (const x of [list, matrix, turned])
    for (let axis = -x.rank; axis < x.rank; axis++) {
      const n = x.shape.at(axis) as number;
      const indices = [0, 1, n];
      expect(deleteAt(insert(x, indices, 9, axis), [0, 2, n + 2], axis).toArray()).toEqual(x.toArray());
      expect(deleteAt(insert(x, n, 9, axis), -1, axis).toArray()).toEqual(x.toArray());
    }
});

test("gradients go back to where elements came from", () => {
  const leaf = (data: number[]): Tensor => tensor(data, { requiresGrad: true }) as Tensor;
  const weights = tensor([1, 2, 4, 8, 16]);
  const gradientsOf = (result: Tensor, ...leaves: Tensor[]): unknown[] => {
    result
      .mul(weights.narrow(0, 0, result.size) as Tensor)
      .sum()
      .backward();
    return leaves.map(({ grad }) => grad?.toArray());
  };
  let [x, v] = [leaf([1, 2, 3]), leaf([5, 6])];
  expect(gradientsOf(append(x, v), x, v)).toEqual([
    [1, 2, 4],
    [8, 16],
  ]);
  [x, v] = [leaf([1, 2, 3]), leaf([5, 6])];
  expect(gradientsOf(insert(x, [2, 0], v), x, v)).toEqual([
    [2, 4, 16],
    [8, 1],
  ]);
  [x, v] = [leaf([1, 2, 3]), leaf([5, 6])];
  expect(gradientsOf(insert(x, 1, v), x, v)).toEqual([
    [1, 8, 16],
    [2, 4],
  ]);
  x = leaf([1, 2, 3]);
  expect(gradientsOf(deleteAt(x, [1]), x)).toEqual([[1, 0, 2]]);
  x = leaf([1, 2, 3]);
  expect(gradientsOf(deleteAt(x, [0, 2]), x)).toEqual([[0, 1, 0]]);
  x = leaf([0, 3, 0]);
  expect(gradientsOf(trimZeros(x), x)).toEqual([[0, 1, 0]]);
  x = leaf([1, 2, 3]);
  expect(
    gradientsOf(
      block([[x], [x]])
        .reshape(-1)
        .narrow(0, 0, 5) as Tensor,
      x,
    ),
  ).toEqual([[9, 18, 4]]);
});

test("the meta device knows shapes", () => {
  const x = zeros([2, 3], { device: "meta" });
  const shapes = [
    append(x, 1),
    append(x, x, 1),
    insert(x, 1, 5, 1),
    insert(x, [0, 1, 1], x.narrow(1, 0, 1), -1),
    deleteAt(x, [0, 2], 1),
    deleteAt(x, 2),
    ediff1d(x, { toBegin: 0 }),
    block([
      [x, x],
      [x, x],
    ]),
  ].map((t) => t.shape);
  expect(shapes).toEqual([[7], [2, 6], [2, 4], [2, 6], [2, 1], [5], [6], [4, 6]]);
});

test("invalid arguments throw", () => {
  const x = tensor([1, 2, 3]);
  const square = zeros([2, 2]);
  expect(
    refusals([
      () => append(x, ["1"] as never),
      () => append(list, 2.5),
      () => append(square, x, 0),
      () => insert(x, 4, 0),
      () => insert(x, [0, -4], 0),
      () => insert(x, 1.5 as never, 0),
      () => insert(x, [0, 1], tensor([1, 2, 3])),
      () => insert(x, 0, 1, 1),
      () => insert(x, 0, 1, { axis: 0 } as never),
      () => deleteAt(x, 3),
      () => deleteAt(x, [0, -4]),
      () => deleteAt(zeros([0]), 0),
      () => trimZeros(square),
      () => trimZeros(x, "x" as never),
      () => trimZeros(zeros([2], { device: "meta" })),
      () => ediff1d(list, { toEnd: x }),
      () => ediff1d(tensor([true, false])),
      () => ediff1d(x, { to_end: x } as never),
      () => block([[x], x]),
      () => block([[x], []]),
      () => block([]),
      () => block(x as never),
      () => block([[square, zeros([3, 1])]]),
    ]),
  ).toMatchInlineSnapshot(`
    "DTypeError: append: the elements of values must be numbers, bigints, booleans or { re, im }, got "1"
    DTypeError: append: values is 2.5, but the tensors are int64. Pass an integer, or convert the tensors: to("float32")
    ShapeError: append: tensors must have the same number of axes, got 2 and 1
    IndexError: insert: index 4 is out of range for an axis with size 3 (valid: -3 to 3)
    IndexError: insert: index -4 is out of range for an axis with size 3 (valid: -3 to 3)
    StridewiseError: insert: indices must be an integer, or a list of them, got 1.5. Write insert(x, indices, values)
    ShapeError: insert: axis -1 of size 3 cannot expand to 2, [3] to [2]. Only axes of size 1 expand
    IndexError: insert: axis 1 is out of range, expected -1 to 0
    StridewiseError: insert: there is no option axis; it takes no options. Pass the axis before the options
    IndexError: deleteAt: index 3 is out of range for an axis with size 3 (valid: -3 to 2)
    IndexError: deleteAt: index -4 is out of range for an axis with size 3 (valid: -3 to 2)
    IndexError: deleteAt: index 0 is out of range for an axis with size 0
    ShapeError: trimZeros: expected a tensor with one axis, and "fb", "f" or "b", got [tensor (float32 [2, 2]), "fb"]
    ShapeError: trimZeros: expected a tensor with one axis, and "fb", "f" or "b", got [tensor (float32 [3]), "x"]
    DispatchError: trimZeros: the shape depends on the elements, which meta tensors do not have
    DTypeError: ediff1d: values must fit the dtype of x, int64, got float32. Convert x: to("float32")
    DTypeError: ediff1d: bool tensors cannot be subtracted. Use logicalXor(x, other)
    StridewiseError: ediff1d: there is no option to_end; the options are toBegin, toEnd. Did you mean toEnd?
    StridewiseError: block: expected non-empty lists of tensors, nested equally deep, block([[a, b], [c]]), got tensor (float32 [3])
    StridewiseError: block: expected non-empty lists of tensors, nested equally deep, block([[a, b], [c]]), got []
    DispatchError: block: no argument is a tensor. Create one: tensor(...)
    StridewiseError: block: expected non-empty lists of tensors, nested equally deep, block([[a, b], [c]]), got tensor (float32 [3])
    ShapeError: block: sizes must match except at axis 1: tensor 1 has size 3 instead of 2 at axis 0"
  `);
});

test("ends that could wrap around in the dtype of the differences are refused", () => {
  const bytes = tensor([1, 2, 4], { dtype: "uint8" }) as Tensor;
  expect(
    refusals([
      () => ediff1d(bytes, { toEnd: tensor([300, -1], { dtype: "int32" }) as Tensor }),
      () => ediff1d(bytes, { toBegin: tensor([1], { dtype: "int8" }) as Tensor }),
      () => ediff1d(list, { toEnd: tensor([0.5]) as Tensor }),
    ]),
  ).toMatchInlineSnapshot(`
    "DTypeError: ediff1d: values must fit the dtype of x, uint8, got int32. Convert x: to("int32")
    DTypeError: ediff1d: values must fit the dtype of x, uint8, got int8. Convert x: to("int8")
    DTypeError: ediff1d: values must fit the dtype of x, int64, got float32. Convert x: to("float32")"
  `);
  expect(ediff1d(list, { toEnd: bytes }).toArray()).toEqual([1, 1, 1, 2, 4].map((n) => n));
  expect(ediff1d(tensor([1, 2]), { toEnd: tensor([0.5], { dtype: "float64" }) as Tensor }).toArray()).toEqual([1, 0.5]);
});
