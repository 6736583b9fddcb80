/**
 * Gradients of variances and standard deviations, alone or beside the mean. The standard deviation of equal elements has none that is
 * finite; as in PyTorch, it counts as 0.
 */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, div } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { type GradientFormula, reducedCall } from "./reduced-call.ts";
import { mean } from "./sums.ts";

const ofVariance: GradientFormula = /* @__PURE__ */ map(
  "ofVariance(g, x, mean, scale)",
  "g * (2 * scale) * (x - mean)",
);
const ofDeviation: GradientFormula = /* @__PURE__ */ map(
  "ofDeviation(g, x, mean, scale, y)",
  "(y == 0 ? 0 : g / y) * scale * (x - mean)",
);

/** Of the reduction of this name; `correctionOf` says what the number of elements was lessened by. */
export const momentsGradient =
  (name: string, correctionOf: (options: object) => number): GradientRule =>
  (call) => {
    const { reduced, count, options, beside } = reducedCall(call);
    const scale = 1 / (count - correctionOf(options));
    const x = call.save(call.args[0] as Tensor);
    const y = name.startsWith("std") ? call.saveResult() : null;
    const withMean = call.results.length > 1 ? call.saveResult(1) : null;
    return ([g, ofMean]) => {
      const elements = x();
      const center = withMean === null ? mean(elements, reduced, { keepdims: true }) : beside(withMean());
      const given = beside(g);
      const spread =
        y === null
          ? ofVariance(given, elements, center, scale)
          : ofDeviation(given, elements, center, scale, beside(y()));
      if (withMean === null) return [spread];
      return [add(spread, div(beside(ofMean), count))];
    };
  };
