/**
 * Gradients of the distances of all pairs: for each pair and each coordinate a term by the formula of the norm, added up over the rows
 * of the other list. Rows that are alike have none; by the largest norm, every coordinate that is as large as the distance has all.
 */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { neg } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { sum } from "../reduce/reduce.ts";
import { sumTo } from "../sum-to.ts";
import { to, unsqueeze } from "../views.ts";
import type { Part } from "./composite-types.ts";

const formulas: Readonly<Record<string, string>> = {
  0: "0 * (x + y + distance + g)",
  1: "g * sign(x - y) + 0 * distance",
  2: "distance == 0 ? 0 : g * (x - y) / distance",
  Infinity: "abs(x - y) == distance ? g * sign(x - y) : 0",
};

const term = /* @__PURE__ */ map<Part>(
  "pairTerm(x, y, distance, g, p)",
  ({ p }) =>
    formulas[String(p)] ?? "(distance == 0) | (x == y) ? 0 : g * sign(x - y) * pow(abs(x - y) / distance, p - 1.0)",
);

export const allPairsGradient: GradientRule = (call) => {
  const [x, other, p] = call.args as [Tensor, Tensor, number];
  const [first, second, distances] = [call.save(x), call.save(other), call.saveResult()];
  const [needsX, needsOther] = [call.needs(x), call.needs(other)];
  const [shapeX, shapeOther, dtypeX, dtypeOther] = [sizesOf(x), sizesOf(other), x.dtype, other.dtype];
  return ([g]) => {
    const column = (t: Tensor): Tensor => unsqueeze(t, -1);
    const terms = term(unsqueeze(first(), -2), unsqueeze(second(), -3), column(distances()), column(g), p);
    const over = (axis: number, shape: readonly number[]): Tensor => sumTo(sum(terms, axis), shape);
    return [
      needsX ? to(over(-2, shapeX), dtypeX) : null,
      needsOther ? to(neg(over(-3, shapeOther)), dtypeOther) : null,
    ];
  };
};
