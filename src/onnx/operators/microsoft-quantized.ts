/** Operators of com.microsoft on quantized tensors: arithmetic, pooling and products between scales and zero points. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { definitionIn, type OperatorTable } from "../operator.ts";
import { integerProduct } from "./integer-products.ts";
import { pooling } from "./pooling.ts";
import { dequantized, dynamicallyQuantized, quantize, quantized } from "./quantize.ts";

const scalar = (t: sw.Tensor | null): sw.Tensor | null => t?.reshape([]) ?? null;

/** Input k as real numbers; its scale and zero point are the next inputs. */
const real = (call: Call, k: number): sw.Tensor =>
  dequantized(call.tensor(k), call.tensor(k + 1).reshape([]), scalar(call.optionalTensor(k + 2)));

/** Quantizes real numbers by the scale in input k and the zero point after it. */
const requantized = (call: Call, x: sw.Tensor, k: number, dtype: sw.DType | null): sw.Tensor =>
  quantized(sw.div(x, call.tensor(k).reshape([])), scalar(call.optionalTensor(k + 1)), { dtype: dtype as sw.DType });

const binary = (fn: (a: sw.Tensor, b: sw.Tensor) => sw.Tensor) => (call: Call) =>
  requantized(call, fn(real(call, 0), real(call, 3)), 6, call.tensor(0).dtype);

const unary = (fn: (x: sw.Tensor, call: Call) => sw.Tensor) => (call: Call) =>
  requantized(call, fn(real(call, 0), call), 3, call.tensor(0).dtype);

/** Applies a function of images [N, C, ...] to tensors whose channels may be last. */
function byChannels(call: Call, x: sw.Tensor, fn: (x: sw.Tensor) => sw.Tensor): sw.Tensor {
  if (call.int("channels_last", 0) === 0) return fn(x);
  return sw.moveaxis(fn(sw.moveaxis(x, -1, 1)), 1, -1);
}

function averagePool(x: sw.Tensor, call: Call): sw.Tensor {
  const pool = definitionIn(pooling, "AveragePool");
  return byChannels(call, x, (images) => pool?.run(call.delegate([images], 19)) as sw.Tensor);
}

const globalAverage = (x: sw.Tensor, call: Call): sw.Tensor =>
  byChannels(call, x, (images) => sw.mean(images, images.shape.map((_, k) => k).slice(2), { keepdim: true }));

function softmax(x: sw.Tensor, call: Call): sw.Tensor {
  const axis = call.axis(call.int("axis", -1), x.rank);
  if (call.int("opset") >= 13) return sw.softmax(x, axis);
  return sw.softmax(x.reshape([...x.shape.slice(0, axis), -1]), axis).reshape(x.shape);
}

function concat(call: Call): sw.Tensor {
  const parts: sw.Tensor[] = [];
  for (let k = 2; k < call.inputs.length; k += 3) parts.push(real(call, k));
  const dtype = call.tensor(1).dtype;
  return requantized(call, sw.cat(parts, call.axis(call.int("axis"), parts[0].rank)), 0, dtype);
}

/** The scale of the columns of a product of real numbers and a quantized matrix, and the product itself. */
function dynamicQuantizeMatMul(call: Call): sw.Tensor {
  const [a, scale, zeroPoint] = dynamicallyQuantized(call.tensor(0));
  const sums = integerProduct(a, call.tensor(1), zeroPoint, call.optionalTensor(3));
  return plusBias(call, sw.mul(sums.to("float32"), sw.mul(scale, call.tensor(2))), 4);
}

function matMulIntegerToFloat(call: Call): sw.Tensor {
  const sums = integerProduct(call.tensor(0), call.tensor(1), call.optionalTensor(4), call.optionalTensor(5));
  return plusBias(call, sw.mul(sums.to("float32"), sw.mul(call.tensor(2), call.tensor(3))), 6);
}

const plusBias = (call: Call, x: sw.Tensor, k: number): sw.Tensor => (call.has(k) ? sw.add(x, call.tensor(k)) : x);

function gemm(call: Call): sw.Tensor {
  const operand = (k: number, name: string): sw.Tensor =>
    call.int(name, 0) !== 0 ? call.tensor(k).transpose(0, 1) : call.tensor(k);
  const sums = integerProduct(operand(0, "transA"), operand(3, "transB"), call.tensor(2), call.tensor(5));
  const whole = call.has(6) ? sw.add(sums, call.tensor(6)) : sums;
  const scale = sw.mul(call.tensor(1), call.tensor(4)).mul(call.float("alpha", 1));
  const result = sw.mul(whole.to("float32"), scale);
  return call.has(7) ? requantized(call, result, 7, call.optionalTensor(8)?.dtype ?? "uint8") : result;
}

/** Runs an operator on images [N, C, ...], whose channels are last in the node. */
function channelsLast(table: OperatorTable, type: string, call: Call): sw.Tensor {
  const [x, ...rest] = call.inputs;
  const images = sw.moveaxis(x as sw.Tensor, -1, 1);
  const result = definitionIn(table, type)?.run(call.delegate([images, ...rest], 18));
  return sw.moveaxis([result].flat()[0] as sw.Tensor, 1, -1);
}

/** A choice between two quantized tensors. */
const where = (call: Call): sw.Tensor =>
  requantized(call, sw.where(call.tensor(0), real(call, 1), real(call, 4)), 7, call.tensor(1).dtype);

const reduceMean = (x: sw.Tensor, call: Call): sw.Tensor =>
  sw.mean(
    x,
    call.ints("axes", []).map((axis) => call.axis(axis, x.rank)),
    { keepdim: call.int("keepdims", 1) !== 0 },
  );

export const microsoftQuantized: OperatorTable = {
  NhwcMaxPool: (call) => channelsLast(pooling, "MaxPool", call),
  QLinearConv: (call) =>
    call.int("channels_last", 0) !== 0
      ? channelsLast(quantize, "QLinearConv", call)
      : (definitionIn(quantize, "QLinearConv")?.run(call.delegate(call.inputs, 18)) as sw.Tensor),
  QLinearWhere: where,
  QLinearReduceMean: unary(reduceMean),
  QLinearAdd: binary((a, b) => sw.add(a, b)),
  QLinearMul: binary((a, b) => sw.mul(a, b)),
  QLinearSigmoid: unary((x) => sw.sigmoid(x)),
  QLinearLeakyRelu: unary((x, call) => sw.leakyRelu(x, call.float("alpha", 0.01))),
  QLinearAveragePool: unary(averagePool),
  QLinearGlobalAveragePool: unary(globalAverage),
  QLinearSoftmax: unary(softmax),
  QLinearConcat: concat,
  QGemm: gemm,
  DynamicQuantizeMatMul: dynamicQuantizeMatMul,
  MatMulIntegerToFloat: matMulIntegerToFloat,
};
