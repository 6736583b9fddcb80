/** Quantization, and products and convolutions of quantized tensors. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { type NarrowType, narrowTypes, roundToNarrow } from "../narrow.ts";
import type { OperatorTable } from "../operator.ts";
import { dtypeOfElement, elementName } from "../value-type.ts";
import { integerConvolution, integerProduct } from "./integer-products.ts";

/** The smallest and largest values of a dtype of integers of up to 16 bits. */
const ranges: Partial<Record<sw.DType, readonly [low: number, high: number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
};

/**
 * Brings a scale or zero point to a shape that broadcasts with x: one for the whole tensor, one for each index of an axis, or one for each block of
 * an axis.
 */
export function spread(call: Call, parameter: sw.Tensor, x: sw.Tensor): sw.Tensor {
  if (parameter.size === 1) return parameter.reshape([]);
  const axis = call.axis(x.rank === 1 ? 0 : call.int("axis", 1), x.rank);
  if (parameter.rank === 1 && (x.rank > 1 || parameter.size === x.size)) {
    if (parameter.size !== x.shape[axis])
      throw call.error(`axis ${axis} has the size ${x.shape[axis]}, but there are ${parameter.size} scales`);
    return parameter.reshape(x.shape.map((_, k) => (k === axis ? parameter.size : 1)));
  }
  const blocks = parameter.shape[axis] ?? 0;
  const size = call.int("block_size", 0) || Math.ceil(x.shape[axis] / blocks);
  const fits = parameter.rank === x.rank && parameter.shape.every((each, k) => k === axis || each === x.shape[k]);
  if (!fits || Math.ceil(x.shape[axis] / size) !== blocks)
    throw call.error(
      `scales of the shape [${parameter.shape.join(", ")}] do not fit the input [${x.shape.join(", ")}] in blocks of ${size} along axis ${axis}`,
    );
  return sw.repeatInterleave(parameter, size, axis).narrow(axis, 0, x.shape[axis]);
}

/** The dtype of an attribute that holds an element type; null if it is absent. */
function dtypeOf(call: Call, attribute: string): sw.DType | null {
  const type = call.int(attribute, 0);
  if (type === 0) return null;
  const dtype = dtypeOfElement[type];
  if (dtype === undefined) throw call.error(`${attribute} ${elementName(type)} is not supported`);
  return dtype;
}

/** The element type of a quantized tensor. */
export interface QuantizedType {
  readonly dtype: sw.DType;
  readonly narrow?: NarrowType | null;
  /** For floats of 8 bits: false if values that are too large become infinity or NaN. */
  readonly saturate?: boolean;
}

/** Rounds values that were divided by their scales, adds a zero point, and saturates. */
export function quantized(scaled: sw.Tensor, zeroPoint: sw.Tensor | null, type: QuantizedType): sw.Tensor {
  const { dtype, narrow = null, saturate } = type;
  const isFloat = narrow?.dtype === "float32";
  const rounded = isFloat ? scaled : sw.round(scaled);
  const moved = zeroPoint === null ? rounded : sw.add(rounded.to("float32"), zeroPoint.to("float32"));
  if (isFloat) return roundToNarrow(moved, narrow, { saturate });
  const [low, high] = rangeOf(dtype, narrow);
  return sw.clamp(moved.to("float32"), low, high).to(dtype);
}

/** The smallest and largest value of a type of integers. */
function rangeOf(dtype: sw.DType, narrow: NarrowType | null): readonly [low: number, high: number] {
  if (narrow === null) return ranges[dtype] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const count = 2 ** narrow.bits;
  return dtype === "uint8" ? [0, count - 1] : [-count / 2, count / 2 - 1];
}

/** Returns (x - zeroPoint) * scale, computed in float32. */
export function dequantized(x: sw.Tensor, scale: sw.Tensor, zeroPoint: sw.Tensor | null): sw.Tensor {
  const difference =
    zeroPoint === null
      ? x
      : x.dtype === "float32"
        ? sw.sub(x, zeroPoint)
        : sw.sub(x.to("int32"), zeroPoint.to("int32"));
  return sw.mul(difference.to("float32"), scale.to("float32"));
}

export const quantize: OperatorTable = {
  QuantizeLinear(call) {
    const x = call.tensor(0);
    const scale = call.tensor(1);
    const zeroPoint = call.optionalTensor(2);
    const dtype = dtypeOf(call, "output_dtype") ?? (zeroPoint?.dtype as sw.DType | undefined) ?? "uint8";
    const narrow = call.narrowType(2) ?? narrowTypes[call.int("output_dtype", 0)] ?? null;
    const saturate = call.int("saturate", 1) !== 0;
    const precision = dtypeOf(call, "precision") ?? (scale.dtype as sw.DType);
    const scaled = sw.div(x.to(precision), spread(call, scale, x).to(precision));
    return quantized(scaled, zeroPoint === null ? null : spread(call, zeroPoint, x), { dtype, narrow, saturate });
  },
  DequantizeLinear(call) {
    const x = call.tensor(0);
    const scale = call.tensor(1);
    const zeroPoint = call.optionalTensor(2);
    const dtype = dtypeOf(call, "output_dtype") ?? (scale.dtype as sw.DType);
    return dequantized(x, spread(call, scale, x), zeroPoint === null ? null : spread(call, zeroPoint, x)).to(dtype);
  },
  DynamicQuantizeLinear: (call) => dynamicallyQuantized(call.tensor(0)),
  MatMulInteger: (call) =>
    integerProduct(call.tensor(0), call.tensor(1), call.optionalTensor(2), call.optionalTensor(3)),
  ConvInteger: (call) =>
    integerConvolution(call, call.tensor(0), call.tensor(1), call.optionalTensor(2), call.optionalTensor(3)),
  QLinearMatMul(call) {
    const [a, b] = [call.tensor(0), call.tensor(3)];
    const product = integerProduct(a, b, call.tensor(2), call.tensor(5));
    const scale = sw.mul(rowsOf(call.tensor(1), a), call.tensor(4).to("float32"));
    return rescaled(call, product, scale, 6);
  },
  QLinearConv(call) {
    const [x, w] = [call.tensor(0), call.tensor(3)];
    const sums = integerConvolution(call, x, w, call.tensor(2), call.tensor(5));
    const perChannel = (t: sw.Tensor): sw.Tensor =>
      t.size === 1 ? t.reshape([]) : t.reshape([t.size, ...new Array<number>(x.rank - 2).fill(1)]);
    const whole = call.has(8) ? sw.add(sums, perChannel(call.tensor(8))) : sums;
    const scale = sw.mul(call.tensor(1).reshape([]), perChannel(call.tensor(4)));
    return rescaled(call, whole, scale, 6);
  },
};

/** Quantizes to uint8 by the range of the elements, which is extended to include 0. Returns the values, the scale and the zero point. */
export function dynamicallyQuantized(x: sw.Tensor): [y: sw.Tensor, scale: sw.Tensor, zeroPoint: sw.Tensor] {
  if (x.size === 0) return [x.to("uint8"), sw.tensor(1, { dtype: "float32" }), sw.tensor(0, { dtype: "uint8" })];
  const low = sw.clampMax(sw.amin(x), 0);
  const high = sw.clampMin(sw.amax(x), 0);
  const range = sw.sub(high, low);
  const scale = sw.where(sw.eq(range, 0), 1, sw.div(range, 255));
  const zeroPoint = sw.round(sw.clamp(sw.div(sw.neg(low), scale), 0, 255)).to("uint8");
  return [quantized(sw.div(x, scale), zeroPoint, { dtype: "uint8" }), scale, zeroPoint];
}

/** Requantizes sums: multiplies by the scale of the operands and divides by that in input k; the zero point is the next input. */
function rescaled(call: Call, sums: sw.Tensor, scale: sw.Tensor, k: number): sw.Tensor {
  const zeroPoint = call.tensor(k + 1);
  const factor = sw.div(scale.to("float32"), call.tensor(k).to("float32"));
  return quantized(sw.mul(sums.to("float32"), factor), zeroPoint, {
    dtype: zeroPoint.dtype as sw.DType,
    narrow: call.narrowType(k + 1),
  });
}

/** The scale of the left operand of a product, by rows if it is a vector. */
function rowsOf(scale: sw.Tensor, a: sw.Tensor): sw.Tensor {
  const wide = scale.to("float32");
  return scale.rank === 1 && scale.size > 1 && a.rank > 1 ? wide.unsqueeze(-1) : wide;
}
