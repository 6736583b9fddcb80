/** Losses of classes. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

function lossOf(call: Call, logProbs: sw.Tensor): sw.Tensor {
  const reduction = call.string("reduction", "mean");
  if (reduction !== "none" && reduction !== "mean" && reduction !== "sum")
    throw call.error(`reduction must be "none", "mean" or "sum", got "${reduction}"`);
  const weight = call.optionalTensor(2);
  return sw.nllLoss(logProbs, call.tensor(1), {
    reduction,
    ...(weight === null ? {} : { weight }),
    ...(call.hasAttribute("ignore_index") ? { ignoreIndex: call.int("ignore_index") } : {}),
  });
}

export const losses: OperatorTable = {
  NegativeLogLikelihoodLoss: (call) => lossOf(call, call.tensor(0)),
  SoftmaxCrossEntropyLoss(call) {
    const logProbs = sw.logSoftmax(call.tensor(0), 1);
    return [lossOf(call, logProbs), logProbs];
  },
};
