/** Softmax and the ops composed of it: layouts, dtypes, out, the meta device, errors. The kernels have their own tests. */
import { empty, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { refusals } from "../../../test/support/refusals.ts";
import { coordsOf, elementAt, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { glu, prelu, rrelu, softmin } from "./gates.ts";
import { logSoftmax, softmax } from "./softmax.ts";

describe("softmax", () => {
  test("sums to 1 along the axis, keeps ratios of exp, and its logarithm is logSoftmax, in any layout", () => {
    const roll = dice(2);
    for (let round = 0; round < 10; round++) {
      const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 6));
      const axis = roll(0, shape.length - 1);
      const x = stridedTensor(roll, shape, "float64");
      const [result, log] = [softmax(x, axis - shape.length), logSoftmax(x, axis)];
      for (const coord of coordsOf(shape)) {
        const along = Array.from({ length: shape[axis] as number }, (_, i) => coord.with(axis, i));
        const row = along.map((at) => elementAt(x, at) as number);
        const max = Math.max(...row);
        const sum = row.reduce((total, value) => total + Math.exp(value - max), 0);
        const value = (elementAt(x, coord) as number) - max;
        expect(elementAt(result, coord)).toBeCloseTo(Math.exp(value) / sum, 12);
        expect(elementAt(log, coord)).toBeCloseTo(value - Math.log(sum), 12);
      }
    }
  });

  test("is 1 for a 0-d tensor, nothing of nothing, and converts first if a dtype is given", () => {
    expect(softmax(tensor(3), 0).item()).toBe(1);
    expect(softmax(empty([0, 3]), 0).shape).toEqual([0, 3]);
    const result = softmax(tensor([1, 1], { dtype: "int64" }), 0, { dtype: "float64" });
    expect([result.dtype, result.toArray()]).toEqual(["float64", [0.5, 0.5]]);
  });

  test("writes to out, of a wider dtype too, and knows shapes on the meta device", () => {
    const x = tensor([[1, 2, 3]]);
    const out = empty([1, 3], { dtype: "float64" }) as Tensor;
    softmax(x, 1, { out });
    expect(out.toArray()).toEqual(softmax(x, 1).toArray());
    expect(softmax(empty([2, 3], { device: "meta" }), 0).device.type).toBe("meta");
  });

  test("refuses integers, axes that are not there, and itself as out", () => {
    const x = tensor([1, 2, 3]);
    expect(
      refusals([
        () => softmax(tensor([1], { dtype: "int64" }), 0),
        () => softmax(x as Tensor, 1),
        () => logSoftmax(x, 0, { out: x as Tensor }),
      ]),
    ).toMatchInlineSnapshot(`
      "DTypeError: softmax: not implemented for 'int64'. Convert it: to("float32")
      IndexError: softmax: axis 1 is out of range, expected -1 to 0
      WriteError: logSoftmax: unsupported operation: out is also an input. Please clone() the tensor before performing the operation."
    `);
  });
});

test("softmin is softmax of the negative", () => {
  const x = tensor([1, 2, 4]);
  expect(softmin(x, 0).toArray()).toEqual(softmax(tensor([-1, -2, -4]), 0).toArray());
});

test("glu multiplies the first half with the sigmoid of the second", () => {
  const result = glu(tensor([[3, 5, 0, 100]]));
  expect(result.toArray()).toEqual([[1.5, 5]]);
  expect(() => glu(tensor([1, 2, 3]))).toThrow("axis 0 must have an even size, got 3");
});

test("prelu has one slope, or one for each channel", () => {
  const x = tensor([
    [-1, -2],
    [3, -4],
  ]);
  expect(prelu(x, tensor([0.5])).toArray()).toEqual([
    [-0.5, -1],
    [3, -2],
  ]);
  expect(prelu(x, tensor([1, 10])).toArray()).toEqual([
    [-1, -20],
    [3, -40],
  ]);
  expect(() => prelu(x, tensor([1, 2, 3]))).toThrow(
    "weight must have one element, or one for each of 2 channels, got 3",
  );
});

test("rrelu takes the middle slope, and in training slopes between the bounds", () => {
  const x = tensor([-1, 2]);
  expect(rrelu(x, { lower: 0.25, upper: 0.75 }).toArray()).toEqual([-0.5, 2]);
  const [slope, positive] = rrelu(x, { lower: 0.25, upper: 0.75, training: true }).toArray() as [number, number];
  expect(-slope).toBeGreaterThanOrEqual(0.25);
  expect(-slope).toBeLessThanOrEqual(0.75);
  expect(positive).toBe(2);
});
