/**
 * Gradients of extremes, variances, norms and log-sum-exp. All elements equal to an extreme share its gradient evenly, unless its index
 * is returned, too. At points without a slope, as 0 for a norm or equal elements for a standard deviation, gradients are 0, as in PyTorch.
 */
import { isComplexDType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, div } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { to } from "../views.ts";
import { atIndices, type GradientFormula, reducedCall } from "./reduced-call.ts";
import { mean, sum } from "./sums.ts";

const isExtreme: GradientFormula = /* @__PURE__ */ map("isExtreme(x, y)", "x == y");
/** NaN is the extreme if any element is NaN. */
const isExtremeOrNaN: GradientFormula = /* @__PURE__ */ map("isExtremeOrNaN(x, y)", "(x == y) | ((x != x) & (y != y))");
const share: GradientFormula = /* @__PURE__ */ map("share(g, mask, count)", "(mask ? g : 0) / count");

const shared =
  (isOne: GradientFormula): GradientRule =>
  (call) => {
    const { dtype, reduced, withReducedAxes, elements } = reducedCall(call);
    const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
    return ([g]) => {
      const mask = isOne(elements(x()), withReducedAxes(y()));
      const count = sum(mask, reduced, { keepdims: true });
      return [to(share(withReducedAxes(g), mask, count), dtype)];
    };
  };

/** The gradient of amax and amin: NaN where these are NaN. */
export const amaxGradient: GradientRule = /* @__PURE__ */ shared(isExtreme);

/** The gradient of max and min over all elements. */
export const maxGradient: GradientRule = /* @__PURE__ */ shared(isExtremeOrNaN);

/** The gradient of max and min along an axis: the element at the returned index gets all of it. */
export const pickedGradient: GradientRule = (call) => {
  const { shape, reduced, withReducedAxes } = reducedCall(call);
  const indices = call.saveResult(1);
  return ([g]) => {
    const [axis] = reduced;
    return [
      axis === undefined
        ? withReducedAxes(g)
        : atIndices(withReducedAxes(g), withReducedAxes(indices()), axis, shape[axis]),
    ];
  };
};

const ofVariance: GradientFormula = /* @__PURE__ */ map(
  "ofVariance(g, x, mean, scale)",
  "g * (2 * scale) * (x - mean)",
);
const ofDeviation: GradientFormula = /* @__PURE__ */ map(
  "ofDeviation(g, x, mean, scale, y)",
  "(y == 0 ? 0 : g / y) * scale * (x - mean)",
);

/** The gradient of the reduction of this name; `correctionOf` returns the difference of the number of elements and the divisor. */
export const momentsGradient =
  (name: string, correctionOf: (options: object) => number): GradientRule =>
  (call) => {
    const { reduced, count, options, withReducedAxes } = reducedCall(call);
    const scale = 1 / (count - correctionOf(options));
    const x = call.save(call.args[0] as Tensor);
    const y = name.startsWith("std") ? call.saveResult() : null;
    const withMean = call.results.length > 1 ? call.saveResult(1) : null;
    return ([g, ofMean]) => {
      const elements = x();
      const center = withMean === null ? mean(elements, reduced, { keepdims: true }) : withReducedAxes(withMean());
      const spread =
        y === null
          ? ofVariance(withReducedAxes(g), elements, center, scale)
          : ofDeviation(withReducedAxes(g), elements, center, scale, withReducedAxes(y()));
      if (withMean === null) return [spread];
      return [add(spread, div(withReducedAxes(ofMean), count))];
    };
  };

const direction = ({ x }: Readonly<Record<string, unknown>>): string =>
  isComplexDType((x as Tensor).dtype) ? "(x == 0 ? like(0, x) : x / abs(x))" : "like(x > 0 ? 1 : x < 0 ? -1 : 0, x)";
/** A formula of the gradient of a norm of order p; n is the number of elements of the largest absolute value. */
const formula = (name: string, body: string): GradientFormula =>
  map(`${name}(g, x, y, p, n)`, (values) => body.replace("D", direction(values)));

const ofSum = /* @__PURE__ */ formula("ofSum", "g * D");
const ofRoot = /* @__PURE__ */ formula("ofRoot", "y == 0 ? 0 : g * (x / y)");
const ofLargest = /* @__PURE__ */ formula("ofLargest", "(abs(x) == y) | (x != x) ? g / n * D : 0");
const ofPower = /* @__PURE__ */ formula("ofPower", "(x == 0) | (y == 0) ? 0 : g * D * (abs(x) / y) ** (p - 1)");
const isLargest: GradientFormula = /* @__PURE__ */ map("isLargest(x, y)", "(abs(x) == y) | (x != x)");

/** The gradient of vectorNorm. */
export const normGradient: GradientRule = (call) => {
  const { dtype, reduced, options, withReducedAxes, elements } = reducedCall(call);
  const { ord: p = 2 } = options as { readonly ord?: number };
  // The number of nonzero elements has no slope; PyTorch returns no gradient, either.
  if (p === 0) return () => [null];
  const isInfinite = Math.abs(p) === Infinity;
  const passed = isInfinite ? ofLargest : p === 1 ? ofSum : p === 2 ? ofRoot : ofPower;
  const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
  return ([g]) => {
    const [from, norm] = [elements(x()), withReducedAxes(y())];
    const n = isInfinite ? sum(isLargest(from, norm), reduced, { keepdims: true }) : 1;
    return [to(passed(withReducedAxes(g), from, norm, p, n), dtype)];
  };
};
