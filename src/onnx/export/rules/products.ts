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

const windowsAt = (call: RuleCall, k: number): Windows => call.node.args[k] as unknown as Windows;

const numbersIn = (call: RuleCall, k: number): readonly number[] =>
  call.concrete(call.node.args[k] as readonly number[]);

const convolution: Rule = (call) => {
  const { stride, dilation, before, after, kernel } = windowsAt(call, 2);
  const group = call.number(3, "groups");
  const attributes = { kernel_shape: kernel, strides: stride, dilations: dilation, pads: [...before, ...after], group };
  return call.op("Conv", [call.input(), call.input(1)], attributes);
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
  // Windows beyond the end need more padding, as many as there are.
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
  convolution,
  convolutionTransposed: transposed,
  windowMax,
  windowSum,
};
