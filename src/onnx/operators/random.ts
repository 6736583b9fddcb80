/** Random numbers, and dropout. With the attribute `seed`, each run draws the same numbers. */
import * as sw from "../../index.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorBody, OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { dtypeAttribute } from "./creation.ts";

/** The generator of a node. A seed is an integer for Dropout and a float for others, of which the bits count. */
function generatorOf(call: Call): { readonly generator?: sw.Generator } {
  const seed = call.attribute("seed");
  if (seed === undefined) return {};
  if (seed.i !== undefined) return { generator: new sw.Generator(Number(BigInt.asUintN(32, BigInt(seed.i)))) };
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, call.float("seed"));
  return { generator: new sw.Generator(bits.getUint32(0)) };
}

const uniform = (call: Call, shape: readonly number[], low: number, high: number): sw.Tensor =>
  sw.elementwise("low + (high - low) * u", {
    u: sw.rand(shape, { dtype: "float64", ...generatorOf(call) }),
    low,
    high,
  });

const randomUniform = (call: Call, shape: readonly number[], dtype: DType): sw.Tensor =>
  uniform(call, shape, call.float("low", 0), call.float("high", 1)).to(dtype);

const randomNormal = (call: Call, shape: readonly number[], dtype: DType): sw.Tensor =>
  sw
    .elementwise("mean + scale * z", {
      z: sw.randn(shape, { dtype: "float64", ...generatorOf(call) }),
      mean: call.float("mean", 0),
      scale: call.float("scale", 1),
    })
    .to(dtype);

type Draw = (call: Call, shape: readonly number[], dtype: DType) => sw.Tensor;

/** An operator whose result has the shape in an attribute. */
const ofShape = (draw: Draw) => (call: Call) => draw(call, call.ints("shape"), dtypeAttribute(call, "float32"));
/** An operator whose result has the shape of its input. */
const likeInput = (draw: Draw) => (call: Call) => {
  const { shape, dtype } = call.tensor(0);
  return draw(call, shape, dtypeAttribute(call, dtype as DType));
};

/** 1 with the probability in the input, otherwise 0. */
function bernoulli(call: Call): sw.Tensor {
  const x = call.tensor(0);
  return sw.lt(uniform(call, x.shape, 0, 1), x).to(dtypeAttribute(call, x.dtype as DType));
}

/** Samples of classes; the input has the logarithms of their probabilities, up to a constant for each row. */
function multinomial(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const samples = sw.multinomial(sw.softmax(x.to("float64"), -1), call.int("sample_size", 1), true, generatorOf(call));
  return samples.to(dtypeAttribute(call, "int32"));
}

/** Ratio and mode are inputs from version 12 on; before, dropout does nothing, because models are run and not trained. */
function dropout(call: Call): readonly OnnxValue[] {
  const x = call.tensor(0);
  const maskType = call.version >= 10 ? "bool" : (x.dtype as DType);
  const isTraining = call.version >= 12 && call.optionalNumber(2, 0) !== 0;
  const ratio = isTraining ? call.optionalNumber(1, 0.5) : 0;
  if (ratio < 0 || ratio >= 1) throw call.error(`input 1, the ratio, must be in [0, 1), got ${ratio}`);
  if (ratio === 0) return [x, ...(call.wants(1) ? [sw.ones(x.shape, { dtype: maskType })] : [])];
  const mask = sw.ge(uniform(call, x.shape, 0, 1), ratio);
  const y = sw.elementwise("mask ? x * scale : 0", { mask, x, scale: 1 / (1 - ratio) });
  return [y, mask.to(maskType)];
}

const random = (run: OperatorBody) => ({ run, isRandom: true });

export const randomOperators: OperatorTable = {
  RandomNormal: random(ofShape(randomNormal)),
  RandomNormalLike: random(likeInput(randomNormal)),
  RandomUniform: random(ofShape(randomUniform)),
  RandomUniformLike: random(likeInput(randomUniform)),
  Bernoulli: random(bernoulli),
  Multinomial: random(multinomial),
  Dropout: random(dropout),
};
