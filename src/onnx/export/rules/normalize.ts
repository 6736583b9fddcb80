/** Softmax, normalization and attention. */
import type { DType } from "../../../storage/dtype.ts";
import type { Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";
import { meanOf } from "./reduce.ts";

const softmax =
  (type: string): Rule =>
  (call) => {
    const x = call.input(0, call.result.dtype);
    if (call.rank() === 0) return call.op(type === "Softmax" ? "Exp" : "Identity", [call.op("Sub", [x, x])]);
    return call.op(type, [x], { axis: call.axis(call.number(1, "axis")) });
  };

/** Softmax with zeros where all elements are -Infinity. */
function safe(call: RuleCall, x: Operand, axis: number): Operand {
  const highest = call.op("ReduceMax", [x, call.writer.list([axis])], { keepdims: 1 });
  const isEmpty = call.op("Equal", [highest, call.scalar(x, -Infinity)], {}, "bool");
  return call.op("Where", [isEmpty, call.scalar(x, 0), call.op("Softmax", [x], { axis })]);
}

const safeSoftmax: Rule = (call) => safe(call, call.input(0, call.result.dtype), call.axis(call.number(1, "axis")));

/** The dtype in which a normalization is computed. */
const wideType = (dtype: DType): DType => (dtype === "float64" ? "float64" : "float32");

/** Rows over some axes with mean 0 and variance 1, times a factor, plus a shift. */
const standardize: Rule = (call) => {
  const axes = (call.numbers(1, "axes") as readonly number[]).map((axis) => call.axis(axis));
  const eps = call.number(-1, "eps");
  const isCentered = call.option("isCentered") !== false;
  const wide = wideType(call.result.dtype);
  const x = call.input(0, wide);
  const [factor, shift] = [2, 3].map((k) => (call.value(k) === undefined ? null : call.input(k, wide)));
  const rank = call.rank();
  const areLast = axes.every((axis, k) => axis === rank - axes.length + k);
  if (isCentered && factor !== null && areLast && call.rank(2) === axes.length)
    return call.writer.cast(
      call.op("LayerNormalization", [x, factor, ...(shift === null ? [] : [shift])], {
        axis: axes[0],
        epsilon: { float: eps },
      }),
      call.result.dtype,
    );
  const distance = isCentered ? call.op("Sub", [x, meanOf(call, x, axes)]) : x;
  const variance = meanOf(call, call.op("Mul", [distance, distance]), axes);
  const root = call.op("Sqrt", [call.op("Add", [variance, call.scalar(x, eps)])]);
  let value = call.op("Div", [distance, root]);
  if (factor !== null) value = call.op("Mul", [value, factor]);
  if (shift !== null) value = call.op("Add", [value, shift]);
  return call.writer.cast(value, call.result.dtype);
};

/** Channels, which are axis 1, with mean 0 and variance 1 over all other axes; and the means and variances. */
const batchStandardize: Rule = (call) => {
  const rank = call.rank();
  const channels = rank > 1 ? 1 : 0;
  const axes = Array.from({ length: rank }, (_, axis) => axis).filter((axis) => axis !== channels);
  const wide = wideType(call.result.dtype);
  const x = call.input(0, wide);
  const mean = meanOf(call, x, axes);
  const distance = call.op("Sub", [x, mean]);
  const variance = meanOf(call, call.op("Mul", [distance, distance]), axes);
  const root = call.op("Sqrt", [call.op("Add", [variance, call.scalar(x, call.number(-1, "eps"))])]);
  const across = (k: number): Operand =>
    call.op("Reshape", [
      call.input(k, wide),
      call.writer.list(Array.from({ length: rank }, (_, axis) => (axis === channels ? -1 : 1))),
    ]);
  let value = call.op("Div", [distance, root]);
  if (call.value(1) !== undefined) value = call.op("Mul", [value, across(1)]);
  if (call.value(2) !== undefined) value = call.op("Add", [value, across(2)]);
  return [call.writer.cast(value, call.result.dtype), call.fit(mean, 1), call.fit(variance, 2)];
};

/** softmax(scale q k' + mask) v. */
const attend: Rule = (call) => {
  const wide = wideType(call.result.dtype);
  let [q, k, v] = [0, 1, 2].map((at) => call.input(at, wide));
  const heads = call.rank() - 3;
  const width = call.concrete(call.type().shape.slice(-1))[0];
  const scale = call.number(-1, "scale", 1 / Math.sqrt(width));
  let mask = call.value(3) === undefined ? null : call.input(3);
  const isGrouped =
    call.option("enableGqa") === true &&
    heads >= 0 &&
    `${call.type(0).shape[heads]}` !== `${call.type(1).shape[call.rank(1) - 3]}`;
  if (isGrouped) {
    // Each head of keys serves adjacent heads of queries.
    const own = call.concrete(call.type().shape.slice(-3))[0];
    const [shared] = call.concrete(call.type(1).shape.slice(-3));
    const numbers = call.writer.list(Array.from({ length: own }, (_, head) => Math.floor((head * shared) / own)));
    k = call.op("Gather", [k, numbers], { axis: call.rank(1) - 3 });
    v = call.op("Gather", [v, numbers], { axis: call.rank(2) - 3 });
  }
  const rank = call.rank(1);
  const perm = [...Array.from({ length: rank - 2 }, (_, axis) => axis), rank - 1, rank - 2];
  q = call.op("Mul", [q, call.scalar(q, scale)]);
  let scores = call.op("MatMul", [q, call.op("Transpose", [k], { perm })]);
  const none = call.scalar(scores, -Infinity);
  if (call.option("isCausal") === true) {
    const sizes = [call.type(0), call.type(1)].map(({ shape }) => shape[shape.length - 2]);
    const ones = call.op("Expand", [call.writer.number("float32", 1), call.sizes.list(sizes)]);
    const isSeen = call.writer.cast(call.op("Trilu", [ones, call.writer.number("int64", 0)], { upper: 0 }), "bool");
    scores = call.op("Where", [isSeen, scores, none]);
  }
  if (mask !== null) {
    if (mask.dtype === "bool") scores = call.op("Where", [mask, scores, none]);
    else {
      mask = call.writer.cast(mask, scores.dtype);
      scores = call.op("Add", [scores, mask]);
    }
  }
  const weights = safe(call, scores, call.result.shape.length - 1);
  return call.writer.cast(call.op("MatMul", [weights, v]), call.result.dtype);
};

/** The log probabilities of classes along an axis, and the logarithms of the sums. */
const classLogs: Rule = (call) => {
  const axis = call.axis(call.number(2, "axis"));
  const x = call.input();
  const total = call.op("ReduceLogSumExp", [x, call.writer.list([axis])], { keepdims: 1 });
  const chosen = call.op("GatherElements", [x, call.input(1, "int64")], { axis });
  return [call.op("Sub", [chosen, total]), total];
};

export const normalizations: Readonly<Record<string, Rule>> = {
  softmax: softmax("Softmax"),
  logSoftmax: softmax("LogSoftmax"),
  safeSoftmax,
  standardize,
  batchStandardize,
  attend,
  classLogs,
};
