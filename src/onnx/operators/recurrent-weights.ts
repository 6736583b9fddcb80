/**
 * The weights of recurrent operators: matrices of floats, or of quantized integers. Quantized ones multiply integers, to which the inputs of all
 * steps, and the state of each step, are quantized by their range.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { integerProduct } from "./integer-products.ts";
import { dynamicallyQuantized } from "./quantize.ts";

/** The product of a hidden state [batch, hidden] with a recurrence weight. */
export interface StateProduct {
  /** Returns base + state @ weight; null as the base is 0. */
  plus(base: sw.Tensor | null, state: sw.Tensor): sw.Tensor;
  /** The product with some of the columns. */
  columns(from: number, count: number): StateProduct;
}

export interface GateWeights {
  /** The size of the hidden state. */
  readonly size: number;
  /** Returns the inputs of all steps for the gates of a direction, [steps, batch, gates * hidden], plus a bias. */
  readonly project: (direction: number, bias: sw.Tensor | null) => sw.Tensor;
  readonly recurrence: (direction: number) => StateProduct;
}

function checkShapes(call: Call, weight: sw.Tensor, recurrence: sw.Tensor, expected: readonly (readonly number[])[]) {
  if (`${weight.shape}|${recurrence.shape}` === expected.join("|")) return;
  throw call.error(
    `W must be [${expected[0]}] and R [${expected[1]}], got [${weight.shape}] and [${recurrence.shape}]`,
  );
}

const floatProduct = (matrix: sw.Tensor): StateProduct => ({
  plus: (base, state) => (base === null ? sw.matmul(state, matrix) : sw.addmm(base, state, matrix)),
  columns: (from, count) => floatProduct(matrix.narrow(1, from, count)),
});

/** The weights W [directions, gates * hidden, input] and R [directions, gates * hidden, hidden] in the dtype of x. */
export function gateWeights(call: Call, x: sw.Tensor, directions: number, gates: number): GateWeights {
  const dtype = x.dtype as sw.DType;
  const [weight, recurrence] = [call.tensor(1).to(dtype), call.tensor(2).to(dtype)] as [sw.Tensor, sw.Tensor];
  const size = recurrence.shape[2];
  checkShapes(call, weight, recurrence, [
    [directions, gates * size, x.shape[2]],
    [directions, gates * size, size],
  ]);
  return {
    size,
    project: (d, bias) => sw.linear(x, weight.select(0, d), bias),
    recurrence: (d) => floatProduct(recurrence.select(0, d).transpose(0, 1)),
  };
}

/** A quantized matrix with its scale and zero point, one for the matrix or one for each column. */
interface QuantizedMatrix {
  readonly matrix: sw.Tensor;
  readonly scale: sw.Tensor;
  readonly zeroPoint: sw.Tensor;
}

/** Returns base + x @ matrix, where x is quantized by its range. */
function plusProduct(base: sw.Tensor | null, x: sw.Tensor, { matrix, scale, zeroPoint }: QuantizedMatrix): sw.Tensor {
  const [codes, own, zero] = dynamicallyQuantized(x);
  const sums = integerProduct(codes, matrix, zero, zeroPoint);
  const product = sw.mul(sums.to("float32"), sw.mul(scale, own));
  return base === null ? product : sw.add(product, base);
}

const quantizedProduct = (weight: QuantizedMatrix): StateProduct => ({
  plus: (base, state) => plusProduct(base, state, weight),
  columns(from, count) {
    const part = (t: sw.Tensor): sw.Tensor => (t.rank === 0 ? t : t.narrow(0, from, count));
    const { matrix, scale, zeroPoint } = weight;
    return quantizedProduct({
      matrix: matrix.narrow(1, from, count),
      scale: part(scale),
      zeroPoint: part(zeroPoint),
    });
  },
});

/**
 * The weights W [directions, input, gates * hidden] and R [directions, hidden, gates * hidden] of 8 bits. Their scales and zero points, the inputs 8
 * to 11, are [directions] or [directions, gates * hidden].
 */
export function quantizedGateWeights(call: Call, x: sw.Tensor, directions: number, gates: number): GateWeights {
  const [weight, recurrence] = [call.tensor(1), call.tensor(2)];
  const size = recurrence.shape[1];
  checkShapes(call, weight, recurrence, [
    [directions, x.shape[2], gates * size],
    [directions, size, gates * size],
  ]);
  const parameter = (k: number, d: number): sw.Tensor => {
    const t = call.tensor(k);
    if (`${t.shape}` !== `${directions}` && `${t.shape}` !== `${[directions, gates * size]}`)
      throw call.error(`input ${k} must be [${directions}] or [${[directions, gates * size]}], got [${t.shape}]`);
    return t.select(0, d);
  };
  const part = (matrix: sw.Tensor, k: number, d: number): QuantizedMatrix => ({
    matrix: matrix.select(0, d),
    scale: parameter(k, d),
    zeroPoint: parameter(k + 1, d),
  });
  return {
    size,
    project: (d, bias) => plusProduct(bias, x, part(weight, 8, d)),
    recurrence: (d) => quantizedProduct(part(recurrence, 10, d)),
  };
}
