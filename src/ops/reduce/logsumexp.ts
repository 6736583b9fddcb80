/** The logarithm of a sum of exponentials of real numbers, without overflow. */
import { makeLogSumExp } from "../../kernel/reduce/norms.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import type { Reduce } from "./reduce-types.ts";
import { type GradientFormula, reducedCall } from "./reduced-call.ts";
import { isFloating, reduction } from "./reduction.ts";

const ofExponentials: GradientFormula = /* @__PURE__ */ map("ofExponentials(g, x, y)", "g * exp(x - y)");

/** g times the share of each exponential in the sum. */
const gradient: GradientRule = (call) => {
  const { withReducedAxes } = reducedCall(call);
  const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
  return ([g]) => [ofExponentials(withReducedAxes(g), x(), withReducedAxes(y()))];
};

export const realLogsumexp: Reduce = /* @__PURE__ */ reduction(
  "logsumexp",
  {
    from: (dtype) => (isFloating(dtype) ? dtype : "float32"),
    results: (dtype) => [dtype],
    kernel: (dtype) => makeLogSumExp("logsumexp", dtype),
    gradient,
  },
  "",
);
