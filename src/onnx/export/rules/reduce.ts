/** Reductions: sums, extremes, norms, variances and the indices of extremes. */
import type { DType } from "../../../storage/dtype.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";
import { numberOfSize } from "../size-nodes.ts";
import { scanAlong } from "./control.ts";

/** Reduces an operand over the axes of the call, and keeps the reduced axes with size 1. */
const reduced = (call: RuleCall, type: string, x: Operand, axes = call.axes()): Operand =>
  call.rank() === 0 ? x : call.op(type, [x, call.writer.list(axes)], { keepdims: 1 });

/** A reduction of values in the dtype of the result. */
const overAxes =
  (type: string): Rule =>
  (call) =>
    call.fit(reduced(call, type, call.input(0, call.result.dtype)));

const ofTruth =
  (type: string): Rule =>
  (call) =>
    call.fit(call.writer.cast(reduced(call, type, call.input(0, "bool"), call.axes()), "bool"));

const counted: Rule = (call) => call.fit(reduced(call, "ReduceSum", call.writer.cast(call.input(0, "bool"), "int64")));

/** The product of the sizes of axes, as a value of a dtype. */
export function countOf(call: RuleCall, axes: readonly number[], dtype: DType): Operand {
  const { shape } = call.type();
  const numbers = axes.map((axis) => numberOfSize(shape[axis]));
  if (numbers.every((size) => size !== null))
    return call.writer.number(
      dtype,
      numbers.reduce((a, b) => a * b, 1),
    );
  const sizes = axes.map((axis) => call.sizes.size(shape[axis]));
  return call.writer.cast(
    sizes.reduce((a, b) => call.op("Mul", [a, b])),
    dtype,
  );
}

/** The mean of float values over some axes, which are kept with size 1. */
export const meanOf = (call: RuleCall, x: Operand, axes: readonly number[]): Operand =>
  reduced(call, "ReduceMean", x, axes);

/** The variance and the mean, with the reduced axes. */
function momentsOf(call: RuleCall): readonly [variance: Operand, mean: Operand] {
  const axes = call.axes();
  const { dtype } = call.result;
  const x = call.input(0, dtype === "float16" || dtype === "bfloat16" ? "float32" : dtype);
  const mean = meanOf(call, x, axes);
  const distance = call.op("Sub", [x, mean]);
  const sum = reduced(call, "ReduceSum", call.op("Mul", [distance, distance]), axes);
  const correction = call.option("unbiased") === false ? 0 : call.number(-1, "correction", 1);
  const count = call.op("Sub", [countOf(call, axes, x.dtype), call.scalar(x, correction)]);
  return [call.op("Div", [sum, call.op("Max", [count, call.scalar(x, 0)])]), mean];
}

const varianceRule =
  (isRoot: boolean, hasMean: boolean): Rule =>
  (call) => {
    const [variance, mean] = momentsOf(call);
    const first = call.fit(isRoot ? call.op("Sqrt", [variance]) : variance, 0);
    return hasMean ? [first, call.fit(mean, 1)] : first;
  };

/** Norms of vectors. */
export function normOf(call: RuleCall, x: Operand, order: number, axes: readonly number[]): Operand {
  const size = call.op("Abs", [x]);
  if (order === Infinity) return reduced(call, "ReduceMax", size, axes);
  if (order === -Infinity) return reduced(call, "ReduceMin", size, axes);
  if (order === 0) {
    const isSet = call.op("Not", [call.op("Equal", [x, call.scalar(x, 0)], {}, "bool")]);
    return reduced(call, "ReduceSum", call.writer.cast(isSet, x.dtype), axes);
  }
  if (order === 1) return reduced(call, "ReduceSum", size, axes);
  const isTwo = order === 2;
  const powers = isTwo ? call.op("Mul", [x, x]) : call.op("Pow", [size, call.scalar(x, order)]);
  const sum = reduced(call, "ReduceSum", powers, axes);
  return isTwo ? call.op("Sqrt", [sum]) : call.op("Pow", [sum, call.scalar(x, 1 / order)]);
}

const vectorNorm: Rule = (call) => {
  const order = call.number(-1, "ord", 2);
  return call.fit(normOf(call, call.input(0, call.result.dtype), order, call.axes()));
};

/** The index of an extreme along an axis; without an axis, among all elements. */
function argOf(call: RuleCall, type: string): Operand {
  const axis = call.get(1, "axis");
  const isAll = axis === undefined;
  const x = isAll ? call.op("Reshape", [call.input(), call.writer.list([-1])]) : call.input();
  if (!isAll && call.rank() === 0) return call.writer.number("int64", 0);
  const at = isAll ? 0 : call.axis(call.number(1, "axis"));
  return call.op(type, [x], { axis: at, keepdims: 1 }, "int64");
}

const argReduction =
  (type: string): Rule =>
  (call) =>
    call.fit(argOf(call, type));

/** An extreme along an axis, and its index. */
const along =
  (type: string, argType: string): Rule =>
  (call) => [call.fit(reduced(call, type, call.input()), 0), call.fit(argOf(call, argType), 1)];

/** Distances between all rows of two tensors. */
const pairDistances: Rule = (call) => {
  const order = call.number(2, "p", 2);
  const rows = (k: number, axis: number): Operand => {
    const { shape } = call.type(k);
    return call.sizes.reshape(call.input(k), shape.toSpliced(shape.length + axis, 0, 1));
  };
  const distance = call.op("Sub", [rows(0, -1), rows(1, -2)]);
  return call.fit(normOf(call, distance, order, [call.rank()]));
};

const cumulativeSum: Rule = (call) => {
  const x = call.input(0, call.result.dtype);
  if (call.rank() === 0) return x;
  return call.op("CumSum", [x, call.writer.number("int64", call.axis(call.number(1, "axis")))]);
};

/** An associative function of each element and those before it, by a loop over an axis. */
const cumulative =
  (type: "Mul" | "LogAddExp"): Rule =>
  (call) => {
    const x = call.input(0, call.result.dtype);
    if (call.rank() === 0) return x;
    if (x.dtype === "float16" || x.dtype === "bfloat16") throw new NotExported(`is not exported for ${x.dtype}`);
    const axis = call.axis(call.number(1, "axis"));
    const { shape } = call.result;
    const before = call.writer.number(x.dtype, type === "Mul" ? 1 : -Infinity);
    const row = shape.filter((_, k) => k !== axis);
    const start = call.op("Expand", [before, call.sizes.list(row)]);
    return scanAlong(call, x, start, axis, (writer, state, each) => {
      if (type === "Mul") return writer.op("Mul", [state, each]);
      const high = writer.op("Max", [state, each]);
      const distance = writer.op("Neg", [writer.op("Abs", [writer.op("Sub", [state, each])])]);
      const sum = writer.op("Log", [writer.op("Add", [writer.op("Exp", [distance]), writer.number(x.dtype, 1)])]);
      // The difference of two infinities is NaN.
      const isEqual = writer.op("Equal", [state, each], {}, "bool");
      const doubled = writer.op("Add", [high, writer.number(x.dtype, Math.LN2)]);
      return writer.op("Where", [isEqual, doubled, writer.op("Add", [high, sum])]);
    });
  };

export const reductions: Readonly<Record<string, Rule>> = {
  sum: overAxes("ReduceSum"),
  mean: overAxes("ReduceMean"),
  prod: overAxes("ReduceProd"),
  amax: overAxes("ReduceMax"),
  amin: overAxes("ReduceMin"),
  max: overAxes("ReduceMax"),
  min: overAxes("ReduceMin"),
  logsumexp: overAxes("ReduceLogSumExp"),
  any: ofTruth("ReduceMax"),
  all: ofTruth("ReduceMin"),
  countNonzero: counted,
  var: varianceRule(false, false),
  std: varianceRule(true, false),
  varMean: varianceRule(false, true),
  stdMean: varianceRule(true, true),
  vectorNorm,
  argmax: argReduction("ArgMax"),
  argmin: argReduction("ArgMin"),
  maxAlong: along("ReduceMax", "ArgMax"),
  minAlong: along("ReduceMin", "ArgMin"),
  cdistPairs: pairDistances,
  cumsum: cumulativeSum,
  cumprod: cumulative("Mul"),
  logcumsumexp: cumulative("LogAddExp"),
};
