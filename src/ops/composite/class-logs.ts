/**
 * The log probability of one class in each place, x[class] - logsumexp(x): all that crossEntropy needs of softmax. The gradient is made in
 * one pass over x: 1 at the class less the probabilities.
 */
import { listOf } from "../../base/list-of.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { sub } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { logsumexp } from "../reduce/reduce.ts";
import { shapeOf } from "../shape-rules.ts";
import { reshape, to } from "../views.ts";
import { numbersBeside } from "./beside.ts";
import type { Part } from "./composite-types.ts";
import { ofClass } from "./of-class.ts";

type Arguments = [x: Tensor, classes: Tensor, axis: number];
interface ClassLogs extends OpFunction {
  (...args: Arguments): [logs: Tensor, totals: Tensor];
}

const oneLess = /* @__PURE__ */ map<Part>(
  "classGradient(x, total, class, number, g, h)",
  "(class == number ? g : like(0, g)) + (h - g) * exp(x - total)",
);

const classGradient: GradientRule = (call) => {
  const [x, classes, axis] = call.args as Arguments;
  const [kept, places, total] = [call.save(x), call.save(classes), call.saveResult(1)];
  return ([g, h]) => {
    const values = kept();
    const count = sizeAt(values, axis);
    const numbers = reshape(
      numbersBeside(values, count),
      listOf(values.rank, (at) => (at === axis ? count : 1)),
    );
    // Integers as wide as float32 are compared in its lanes.
    const narrow = (t: Tensor): Tensor => to(t, "int32");
    return [oneLess(values, total(), narrow(places()), narrow(numbers), g as Tensor, h as Tensor)];
  };
};

/** The log probabilities of these classes along an axis, which stays with a size of 1, and the logarithms of the sums of exp(x). */
export const classLogs: ClassLogs = /* @__PURE__ */ structuredOp<ClassLogs, Arguments>(
  "classLogs(x: Tensor, classes: Tensor, ...)",
  "composite",
  {
    batch: "classLogs",
    infer(x, _, axis) {
      const each = { dtype: x.dtype, shape: shapeOf(x).map((size, at) => (at === axis ? 1 : size)) };
      return [each, each];
    },
    fill([logs, totals], x, classes, axis) {
      logsumexp(x, axis, { keepdims: true, out: totals as Tensor } as never);
      sub(ofClass("crossEntropy", x, axis, classes), totals as never, { out: logs } as never);
    },
    gradient: classGradient,
  },
);
