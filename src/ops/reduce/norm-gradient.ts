/**
 * Gradients of norms and of log-sum-exp. A norm has no slope at 0; as in PyTorch, it counts as 0 there. Elements of the largest size
 * share the gradient of the norm of infinite order.
 */
import { isComplexDType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { to } from "../views.ts";
import { type GradientFormula, reducedCall } from "./reduced-call.ts";
import { sum } from "./sums.ts";

const direction = ({ x }: Readonly<Record<string, unknown>>): string =>
  isComplexDType((x as Tensor).dtype) ? "(x == 0 ? like(0, x) : x / abs(x))" : "like(x > 0 ? 1 : x < 0 ? -1 : 0, x)";
/** What a norm of order p passes on; n is the number of elements that it depends on. */
const formula = (name: string, body: string): GradientFormula =>
  map(`${name}(g, x, y, p, n)`, (values) => body.replace("D", direction(values)));

const ofSum = /* @__PURE__ */ formula("ofSum", "g * D");
const ofRoot = /* @__PURE__ */ formula("ofRoot", "y == 0 ? 0 : g * (x / y)");
const ofLargest = /* @__PURE__ */ formula("ofLargest", "(abs(x) == y) | (x != x) ? g / n * D : 0");
const ofPower = /* @__PURE__ */ formula("ofPower", "(x == 0) | (y == 0) ? 0 : g * D * (abs(x) / y) ** (p - 1)");
const isLargest: GradientFormula = /* @__PURE__ */ map("isLargest(x, y)", "(abs(x) == y) | (x != x)");

/** Of vectorNorm. */
export const normGradient: GradientRule = (call) => {
  const { dtype, reduced, options, beside, elements } = reducedCall(call);
  const { ord: p = 2 } = options as { readonly ord?: number };
  // How many elements are not 0 has no slope, and PyTorch passes nothing on.
  if (p === 0) return () => [null];
  const isInfinite = Math.abs(p) === Infinity;
  const passed = isInfinite ? ofLargest : p === 1 ? ofSum : p === 2 ? ofRoot : ofPower;
  const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
  return ([g]) => {
    const [from, norm] = [elements(x()), beside(y())];
    const n = isInfinite ? sum(isLargest(from, norm), reduced, { keepdims: true }) : 1;
    return [to(passed(beside(g), from, norm, p, n), dtype)];
  };
};

const ofExponentials: GradientFormula = /* @__PURE__ */ map("ofExponentials(g, x, y)", "g * exp(x - y)");

/** Of logsumexp: the gradient times the share that each exponential has of the sum. */
export const logsumexpGradient: GradientRule = (call) => {
  const { beside } = reducedCall(call);
  const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
  return ([g]) => [ofExponentials(beside(g), x(), beside(y()))];
};
