/** Products of matrices, convolutions, and pooling. */
import { product } from "../../../base/ints.ts";
import type { Windows } from "../../../ops/contract/windows.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";
import { numberOfSize } from "../size-nodes.ts";

const matrixProduct: Rule = (call) =>
  call.writer.cast(
    call.op("MatMul", [call.input(0, commonType(call)), call.input(1, commonType(call))]),
    call.result.dtype,
  );

const commonType = (call: RuleCall) => call.result.dtype;

const isByte = ({ dtype }: Operand): boolean => dtype === "int8" || dtype === "uint8";

/** Products of bytes; those of 16 bits are computed in int32. */
const integerMatmul: Rule = (call) => {
  const [a, b] = [call.input(), call.input(1)];
  if (isByte(a) && isByte(b)) return call.op("MatMulInteger", [a, b], {}, "int32");
  return call.op("MatMul", [call.writer.cast(a, "int32"), call.writer.cast(b, "int32")]);
};

const windowsAt = (call: RuleCall, k: number): Windows => call.node.args[k] as unknown as Windows;

const numbersIn = (call: RuleCall, k: number): readonly number[] =>
  call.concrete(call.node.args[k] as readonly number[]);

const convolution: Rule = (call) => {
  const { stride, dilation, before, after, kernel } = windowsAt(call, 2);
  const group = call.number(3, "groups");
  const attributes = { kernel_shape: kernel, strides: stride, dilations: dilation, pads: [...before, ...after], group };
  return call.op("Conv", [call.input(), call.input(1)], attributes);
};

/** An operand as bytes: the operand is the sum of their values, less `zero`, times `factor`. */
interface Bytes {
  readonly value: Operand;
  readonly zero: number;
  readonly factor: number;
}

/** The low and the high bytes of integers of 16 bits. */
function bytesOf(call: RuleCall, x: Operand): readonly Bytes[] {
  if (isByte(x)) return [{ value: x, zero: 0, factor: 1 }];
  const { writer } = call;
  const wide = writer.cast(x, "int32");
  const low = call.op("Mod", [wide, call.scalar(wide, 256)]);
  // A byte of high bits is at least -128.
  const high = call.op("Add", [
    call.op("Div", [call.op("Sub", [wide, low]), call.scalar(wide, 256)]),
    call.scalar(wide, 128),
  ]);
  return [
    { value: writer.cast(low, "uint8"), zero: 0, factor: 1 },
    { value: writer.cast(high, "uint8"), zero: 128, factor: 256 },
  ];
}

/** ONNX has convolutions of bytes only. */
const integerConvolution: Rule = (call) => {
  const { stride, dilation, before, after, kernel } = windowsAt(call, 2);
  const group = call.number(3, "groups");
  const attributes = { kernel_shape: kernel, strides: stride, dilations: dilation, pads: [...before, ...after], group };
  const zero = ({ value, zero }: Bytes): Operand => call.writer.number(value.dtype, zero);
  const [parts, weights] = [bytesOf(call, call.input()), bytesOf(call, call.input(1))];
  return parts
    .flatMap((x) =>
      weights.map((w) => {
        const inputs = [x.value, w.value, zero(x), zero(w)];
        const sum = call.op("ConvInteger", inputs, attributes, "int32");
        const factor = x.factor * w.factor;
        return factor === 1 ? sum : call.op("Mul", [sum, call.scalar(sum, factor)]);
      }),
    )
    .reduce((a, b) => call.op("Add", [a, b]));
};

const transposed: Rule = (call) => {
  const { stride, dilation, before, after, kernel } = windowsAt(call, 2);
  const group = call.number(3, "groups");
  const more = call.node.args[4] === undefined ? [] : numbersIn(call, 4);
  if (more.some((count, axis) => count >= stride[axis]))
    throw new NotExported("adds at least a stride to the end of an axis, which ONNX does not allow");
  const attributes = { kernel_shape: kernel, strides: stride, dilations: dilation, pads: [...before, ...after], group };
  return call.op(
    "ConvTranspose",
    [call.input(), call.input(1)],
    more.some((count) => count > 0) ? { ...attributes, output_padding: more } : attributes,
  );
};

/** Pooling over the last axes, of a tensor with any axes before them. */
function pooled(call: RuleCall, type: string, windows: Windows, attributes: Readonly<Record<string, number>>): Operand {
  const { kernel, stride, dilation, before, after } = windows;
  const { shape } = call.type();
  const counts = call.result.shape.slice(-kernel.length);
  const first = shape.length - kernel.length;
  // Windows past the end need more padding.
  const ends = kernel.map((size, axis) => {
    const [own, count] = [numberOfSize(shape[first + axis]), numberOfSize(counts[axis])];
    if (own === null || count === null) return after[axis];
    return Math.max(after[axis], (count - 1) * stride[axis] + dilation[axis] * (size - 1) + 1 - own - before[axis]);
  });
  const inner = shape.slice(first);
  const isUsual = first === 2;
  const x = isUsual
    ? call.input()
    : call.sizes.reshape(call.input(), [1, 1, ...inner].toSpliced(0, 2, ...flatAxes(call, first)));
  const value = call.op(type, [x], {
    ...attributes,
    kernel_shape: kernel,
    strides: stride,
    dilations: dilation,
    pads: [...before, ...ends],
  });
  return isUsual ? value : call.sizes.reshape(value, call.result.shape);
}

/** The first axes as two: their product, and 1. */
function flatAxes(call: RuleCall, first: number): readonly number[] {
  return [product(call.concrete(call.type().shape.slice(0, first))), 1];
}

const windowMax: Rule = (call) => {
  const { dtype } = call.result;
  return call.writer.cast(pooled(call, "MaxPool", windowsAt(call, 1), {}), dtype);
};

/** A sum over windows is the average, padding included, times their size. */
const windowSum: Rule = (call) => {
  const chosen = call.node.args[1];
  if (chosen !== null && chosen !== undefined) throw new NotExported("sums chosen elements of windows");
  const windows = windowsAt(call, 2);
  const average = pooled(call, "AveragePool", windows, { count_include_pad: 1 });
  const sum = call.op("Mul", [average, call.scalar(average, product(windows.kernel))]);
  return call.writer.cast(sum, call.result.dtype);
};

export const products: Readonly<Record<string, Rule>> = {
  matmul: matrixProduct,
  integerMatmul,
  convolution,
  integerConvolution,
  convolutionTransposed: transposed,
  windowMax,
  windowSum,
};
