/** Quantized operators against their definitions, element by element. */
import { expect, test } from "vitest";
import { type NodeCase, runNode } from "../../../test/support/onnx-node.ts";
import { numbersFrom } from "../../../test/support/seeded-numbers.ts";
import * as sw from "../../index.ts";

const ranges = { int8: [-128, 127], uint8: [0, 255], int16: [-32768, 32767], uint16: [0, 65535] } as const;
type Narrow = keyof typeof ranges;
const narrow = Object.keys(ranges) as Narrow[];

/** Numbers in [-scale, scale). */
function real(shape: readonly number[], seed: number, scale = 1): sw.Tensor {
  const next = numbersFrom(seed);
  return sw.fromFunction([...shape], () => (next(2e6) / 1e6 - 1) * scale);
}
/** Integers over the whole range of a dtype. */
function integers(shape: readonly number[], dtype: Narrow, seed: number): sw.Tensor {
  const [low, high] = ranges[dtype];
  return sw
    .round(
      sw.clamp(
        real(shape, seed)
          .mul((high - low) / 2)
          .add((low + high) / 2),
        low,
        high,
      ),
    )
    .to(dtype);
}
const numbers = (t: sw.Tensor): number[] => (t.reshape([-1]).toArray() as (number | bigint)[]).map(Number);
const run = (node: NodeCase): sw.Tensor => runNode(node)[0];

/** Rounds half to even. */
function even(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

test.each(narrow)("QuantizeLinear to %s rounds half to even and saturates", (dtype) => {
  const [low, high] = ranges[dtype];
  const x = [0.25, 0.75, 1.25, -0.25, -0.75, 1e9, -1e9, Infinity, -Infinity, 0, -0, 12.3];
  const zero = low + 3;
  const scale = sw.tensor(0.5, { dtype: "float32" });
  const y = run({
    op: "QuantizeLinear",
    inputs: [sw.tensor(x, { dtype: "float32" }), scale, sw.tensor(zero, { dtype })],
  });
  expect(y.dtype).toBe(dtype);
  expect(numbers(y)).toEqual(x.map((each) => Math.min(high, Math.max(low, even(each / 0.5) + zero))));
});

test.each([
  ["one scale", [], 1, 0],
  ["an axis", [4], 1, 0],
  ["a negative axis", [6], -1, 0],
  ["blocks", [3, 2, 6], 1, 2],
  ["blocks with a shorter last one", [3, 4, 2], 2, 4],
] as const)("quantizing and dequantizing by %s keeps values within half a step", (_name, shape, axis, block) => {
  const x = real([3, 4, 6], 1, 3);
  const scale = real(shape, 2).abs().add(0.05);
  const zero = integers(shape, "int8", 3).to("int32").remainder(20).to("int8");
  const attributes = { axis, ...(block === 0 ? {} : { block_size: block }) };
  const q = run({ op: "QuantizeLinear", version: 21, attributes, inputs: [x, scale, zero] });
  const y = run({ op: "DequantizeLinear", version: 21, attributes, inputs: [q, scale, zero] });
  const steps =
    shape.length === 0
      ? scale
      : shape.length === 1
        ? scale.reshape(x.shape.map((_, k) => (k === (axis + 3) % 3 ? -1 : 1)))
        : sw.repeatInterleave(scale, block, axis).narrow(axis, 0, x.shape[axis]);
  const inside = sw.logicalAnd(sw.gt(q, -128), sw.lt(q, 127));
  expect(sw.le(sw.sub(x, y).abs(), steps.mul(0.5001)).logicalOr(inside.logicalNot()).all().item()).toBe(true);
});

test("scales that do not fit the input are named", () => {
  const node = (scale: sw.Tensor, attributes: NodeCase["attributes"]): NodeCase => ({
    op: "QuantizeLinear",
    version: 21,
    attributes: attributes ?? {},
    inputs: [real([3, 4], 1), scale, null],
  });
  expect(() => run(node(real([5], 1), { axis: 1 }))).toThrow("axis 1 has the size 4, but there are 5 scales");
  expect(() => run(node(real([3, 3], 1), { axis: 1, block_size: 1 }))).toThrow("do not fit the input");
});

test("DynamicQuantizeLinear covers the elements and 0", () => {
  for (const x of [real([40], 4, 3), real([40], 5).abs().add(1), real([7], 6).abs().neg(), sw.zeros([5])]) {
    const [y, scale, zero] = runNode({ op: "DynamicQuantizeLinear", inputs: [x.to("float32")], outputs: 3 });
    const back = sw.mul(sw.sub(y.to("int32"), zero.to("int32")).to("float32"), scale);
    const step = scale.item() as number;
    expect([y.dtype, scale.shape, zero.shape]).toEqual(["uint8", [], []]);
    for (const [k, each] of numbers(back).entries())
      expect(Math.abs(each - numbers(x)[k])).toBeLessThanOrEqual(step * 0.51);
  }
});

test.each([
  ["int8", "int8"],
  ["int8", "uint8"],
  ["uint8", "int8"],
  ["uint8", "uint8"],
] as const)("MatMulInteger of %s and %s subtracts zero points of rows and columns", (first, second) => {
  const [a, b] = [integers([5, 7], first, 1), integers([7, 3], second, 2)];
  const zeros = {
    one: [[], []],
    each: [[5], [3]],
    wide: [
      [5, 1],
      [1, 3],
    ],
  } as const;
  for (const [zeroA, zeroB] of Object.values(zeros)) {
    const [za, zb] = [integers(zeroA, first, 3), integers(zeroB, second, 4)];
    const y = run({ op: "MatMulInteger", inputs: [a, b, za, zb] });
    const [p, q, u, v] = [numbers(a), numbers(b), numbers(za), numbers(zb)];
    const expected: number[] = [];
    for (let i = 0; i < 5; i++)
      for (let j = 0; j < 3; j++) {
        let sum = 0;
        for (let k = 0; k < 7; k++) sum += (p[i * 7 + k] - u[i % u.length]) * (q[k * 3 + j] - v[j % v.length]);
        expected.push(sum);
      }
    expect(y.dtype).toBe("int32");
    expect(numbers(y)).toEqual(expected);
  }
});

test("ConvInteger pads with the zero point", () => {
  const [x, w] = [integers([2, 4, 5, 6], "uint8", 1), integers([6, 2, 3, 2], "int8", 2)];
  const [zx, zw] = [sw.tensor(200, { dtype: "uint8" }), integers([6], "int8", 3)];
  const attributes = { group: 2, pads: [1, 0, 2, 1], strides: [2, 1], dilations: [1, 2] };
  const y = run({ op: "ConvInteger", attributes, inputs: [x, w, zx, zw] });
  const padded = sw.pad(x.to("int32").sub(200), [0, 1, 1, 2]);
  const expected = sw.conv2d(padded, sw.sub(w.to("int32"), zw.to("int32").reshape([6, 1, 1, 1])), null, {
    stride: [2, 1],
    dilation: [1, 2],
    groups: 2,
  });
  expect(y.toArray()).toEqual(expected.toArray());
});

test("QLinearMatMul and QLinearConv requantize the sums of real values", () => {
  const scalar = (value: number, dtype: sw.DType = "float32"): sw.Tensor => sw.tensor(value, { dtype });
  const [a, b] = [integers([4, 8], "uint8", 1), integers([8, 3], "int8", 2)];
  const product = run({
    op: "QLinearMatMul",
    inputs: [
      a,
      scalar(0.02),
      scalar(110, "uint8"),
      b,
      scalar(0.01),
      scalar(5, "int8"),
      scalar(0.1),
      scalar(90, "uint8"),
    ],
  });
  const exact = sw.matmul(a.to("float64").sub(110), b.to("float64").sub(5)).mul(0.02 * 0.01);
  const expected = sw.clamp(sw.round(exact.div(0.1)).add(90), 0, 255);
  expect(sw.sub(product.to("float64"), expected).abs().max().item()).toBeLessThanOrEqual(1);
  const [x, w] = [integers([1, 2, 5, 5], "uint8", 3), integers([3, 2, 3, 3], "int8", 4)];
  const bias = sw.tensor([100, -2000, 30], { dtype: "int32" });
  const image = run({
    op: "QLinearConv",
    inputs: [
      x,
      scalar(0.02),
      scalar(110, "uint8"),
      w,
      real([3], 5).abs(),
      integers([3], "int8", 6),
      scalar(2),
      scalar(7, "int8"),
      bias,
    ],
  });
  expect([image.shape, image.dtype]).toEqual([[1, 3, 3, 3], "int8"]);
});
