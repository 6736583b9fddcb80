/** The domain com.microsoft: operators that onnxruntime's exporters and optimizers write. */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import { definitionIn, type OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { convolution } from "./convolution.ts";
import { creation } from "./creation.ts";
import { cropAndResize } from "./crop-and-resize.ts";
import { gathering } from "./gather.ts";
import { microsoftLinearAttention } from "./linear-attention.ts";
import { attentionBlocks } from "./microsoft-attention.ts";
import { positionBiases } from "./microsoft-bias.ts";
import { fused } from "./microsoft-fused.ts";
import { groupedAttention } from "./microsoft-grouped.ts";
import { packedWeights } from "./microsoft-packed.ts";
import { microsoftQuantized } from "./microsoft-quantized.ts";
import { movement } from "./movement.ts";
import { quantize } from "./quantize.ts";
import { quantizedRecurrent } from "./recurrent.ts";
import { sampling } from "./sampling.ts";

/** The version of the default domain whose operators these are the same as. */
const sameAs = 18;

/** An operator that is the same as one of the default domain. */
const like =
  (table: OperatorTable, type: string, inputs: (call: Call) => readonly OnnxValue[] = (call) => call.inputs) =>
  (call: Call): OnnxValue | readonly OnnxValue[] => {
    const definition = definitionIn(table, type);
    if (definition === undefined) throw call.error(`the operator ${type} is not supported`);
    return definition.run(call.delegate(inputs(call), sameAs));
  };

/** Fourier transforms along the last axis, with pairs for complex numbers. */
function realFourier(call: Call, transform: (x: sw.Tensor) => sw.Tensor): sw.Tensor {
  if (call.int("signal_ndim", 1) !== 1 || call.int("onesided", 1) !== 1 || call.int("normalized", 0) !== 0)
    throw call.error("only signal_ndim=1, onesided=1 and normalized=0 are supported");
  const x = call.tensor(0);
  return transform(x.to(computedAs(x.dtype as sw.DType))).to(x.dtype as sw.DType);
}

/** The distances of the rows of two matrices. */
function distances(call: Call): sw.Tensor {
  const [a, b] = [call.tensor(0), call.tensor(1)];
  const metric = call.string("metric", "sqeuclidean");
  if (metric !== "euclidean" && metric !== "sqeuclidean")
    throw call.error(`metric must be euclidean or sqeuclidean, got "${metric}"`);
  const result = sw.cdist(a, b);
  return metric === "euclidean" ? result : sw.square(result);
}

/** Sets the scores of tokens that would repeat n tokens to -infinity. */
function withoutRepeats(call: Call): sw.Tensor {
  const [ids, scores, n] = [call.tensor(0), call.tensor(1), call.int("ngram_size")];
  const length = ids.shape[1];
  if (n < 1) throw call.error(`ngram_size must be at least 1, got ${n}`);
  if (length < n) return scores.clone();
  const windows = ids.unfold(1, n, 1);
  const last = ids.narrow(1, length - n + 1, n - 1).unsqueeze(1);
  const isSame = sw.all(sw.eq(windows.narrow(2, 0, n - 1), last), 2);
  const next = windows.select(2, n - 1);
  const count = sw.scatterAdd(sw.zeros(scores.shape, { dtype: "int32" }), 1, next, isSame.to("int32"));
  return sw.where(sw.gt(count, 0), Number.NEGATIVE_INFINITY, scores).to(scores.dtype as sw.DType);
}

/** The distinct elements of a vector in the order of their first occurrence, where each element is among them, and how often each one occurs. */
function unique(call: Call): readonly OnnxValue[] {
  const x = call.tensor(0);
  const { output, inverseIndices, counts } = sw.unique(x, { returnInverse: true, returnCounts: true });
  const steps = sw.arange(0, x.size, 1, { dtype: "int64" });
  const first = sw.scatterReduce(sw.full(output.shape, x.size, { dtype: "int64" }), 0, inverseIndices, steps, "amin");
  const order = sw.argsort(first);
  return [
    sw.indexSelect(output, 0, order),
    sw.indexSelect(sw.argsort(order), 0, inverseIndices),
    sw.indexSelect(counts, 0, order),
  ].map((each, k) => (k === 0 ? each : each.to("int64")));
}

export const microsoft: OperatorTable = {
  ...attentionBlocks,
  ...groupedAttention,
  ...fused,
  ...packedWeights,
  ...microsoftQuantized,
  ...quantizedRecurrent,
  ...positionBiases,
  ...microsoftLinearAttention,
  QuantizeLinear: like(quantize, "QuantizeLinear"),
  DequantizeLinear: like(quantize, "DequantizeLinear"),
  Trilu: like(movement, "Trilu"),
  GatherND: like(gathering, "GatherND"),
  Pad: like(movement, "Pad", (call) => [call.tensor(0), call.tensor(1).reshape([-1]), call.inputs[2] ?? null]),
  Unique: unique,
  CDist: distances,
  NGramRepeatBlock: withoutRepeats,
  CropAndResize: cropAndResize,
  GridSample: like(sampling, "GridSample"),
  CausalConvWithState: (call) => {
    if (call.int("ndim", 1) !== 1 || call.int("state_window", 0) !== 0)
      throw call.error("only ndim=1 and state_window=0 are supported");
    return like(convolution, "CausalConvWithState")(call);
  },
  Rfft: (call) => realFourier(call, (x) => sw.fft.rfft(x).viewAsReal()),
  Irfft: (call) => realFourier(call, (x) => sw.fft.irfft(sw.complex(x.select(-1, 0), x.select(-1, 1)))),
  Inverse: (call) => sw.linalg.inv(call.tensor(0)),
  ExpandDims: (call) => call.tensor(0).unsqueeze(call.number(1)),
  Range: like(creation, "Range", (call) => {
    const start = call.tensor(0);
    return [start, call.tensor(1), call.optionalTensor(2) ?? sw.ones([], { dtype: start.dtype })];
  }),
};
