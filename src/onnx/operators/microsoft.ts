/** The domain com.microsoft: operators that onnxruntime's exporters and optimizers write. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { definitionIn, type OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { creation } from "./creation.ts";
import { gathering } from "./gather.ts";
import { attentionBlocks } from "./microsoft-attention.ts";
import { fused } from "./microsoft-fused.ts";
import { groupedAttention } from "./microsoft-grouped.ts";
import { packedWeights } from "./microsoft-packed.ts";
import { microsoftQuantized } from "./microsoft-quantized.ts";
import { movement } from "./movement.ts";
import { quantize } from "./quantize.ts";

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
  QuantizeLinear: like(quantize, "QuantizeLinear"),
  DequantizeLinear: like(quantize, "DequantizeLinear"),
  Trilu: like(movement, "Trilu"),
  GatherND: like(gathering, "GatherND"),
  Pad: like(movement, "Pad", (call) => [call.tensor(0), call.tensor(1).reshape([-1]), call.inputs[2] ?? null]),
  Unique: unique,
  Inverse: (call) => sw.linalg.inv(call.tensor(0)),
  ExpandDims: (call) => call.tensor(0).unsqueeze(call.number(1)),
  Range: like(creation, "Range", (call) => {
    const start = call.tensor(0);
    return [start, call.tensor(1), call.optionalTensor(2) ?? sw.ones([], { dtype: start.dtype })];
  }),
};
