/** Sorting, the largest elements, and searching. */
import type { Int } from "../../../layout/int.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";

/** The first elements of an axis in their order, and their indices. */
function top(call: RuleCall, x: Operand, count: Int, axis: number, largest: boolean): readonly [Operand, Operand] {
  const attributes = { axis, largest: Number(largest), sorted: 1 };
  const [values, at] = call.writer.ops("TopK", [x, call.sizes.size(count)], attributes, [null, "int64"]);
  return [values, at];
}

/** A tensor with at least one axis. */
const withAxis = (call: RuleCall): Operand =>
  call.rank() === 0 ? call.op("Reshape", [call.input(), call.writer.list([1])]) : call.input();

const sort: Rule = (call) => {
  const axis = call.axis(call.number(1, "axis", -1), Math.max(call.rank(), 1));
  const [values, at] = top(
    call,
    withAxis(call),
    call.type().shape[axis] ?? 1,
    axis,
    call.option("descending") === true,
  );
  return [call.fit(values, 0), call.fit(at, 1)];
};

const topk: Rule = (call) => {
  const axis = call.axis(call.number(2, "axis", -1), Math.max(call.rank(), 1));
  const [values, at] = top(call, withAxis(call), call.number(1, "k"), axis, call.option("largest") !== false);
  return [call.fit(values, 0), call.fit(at, 1)];
};

/** The element of some rank along an axis, and its index. */
function ranked(call: RuleCall, x: Operand, rank: number, axis: number): readonly Operand[] {
  return top(call, x, rank, axis, false).map((each, k) => {
    const last = call.op("Slice", [
      each,
      call.writer.list([rank - 1]),
      call.writer.list([rank]),
      call.writer.list([axis]),
    ]);
    return call.fit(last, k);
  });
}

const kthvalue: Rule = (call) => {
  const axis = call.axis(call.number(2, "axis", -1), Math.max(call.rank(), 1));
  return ranked(call, withAxis(call), call.number(1, "k"), axis);
};

/** The lower of the two middle elements. NaN, which the library returns if there is one, is not expected. */
const medianAlong: Rule = (call) => {
  const axis = call.axis(call.number(1, "axis", -1), Math.max(call.rank(), 1));
  const [count] = call.concrete([call.type().shape[axis] ?? 1]);
  return ranked(call, withAxis(call), Math.ceil(count / 2), axis);
};

/** The number of bounds below each value, or with `right`, at or below it. */
function searched(call: RuleCall, bounds: number, values: number): Operand {
  if (call.option("sorter") != null) throw new NotExported("searches by a sorter");
  if (call.rank(bounds) !== 1) throw new NotExported("searches several lists of bounds");
  const right = call.option("right") === true || call.option("side") === "right";
  const { shape } = call.type(values);
  const column = call.sizes.reshape(call.input(values), [...shape, 1]);
  const list = call.writer.cast(call.input(bounds), column.dtype);
  const isBelow = call.op(right ? "LessOrEqual" : "Less", [list, column], {}, "bool");
  const count = call.op("ReduceSum", [call.writer.cast(isBelow, "int64"), call.writer.list([shape.length])], {
    keepdims: 0,
  });
  return call.fit(count);
}

const isin: Rule = (call) => {
  const { shape } = call.type();
  const column = call.sizes.reshape(call.input(), [...shape, 1]);
  const list = call.op("Reshape", [call.input(1, column.dtype), call.writer.list([-1])]);
  const isEqual = call.writer.cast(call.op("Equal", [column, list], {}, "bool"), "int32");
  const isMember = call.writer.cast(
    call.op("ReduceMax", [isEqual, call.writer.list([shape.length])], { keepdims: 0 }),
    "bool",
  );
  return call.option("invert") === true ? call.op("Not", [isMember]) : isMember;
};

export const orders: Readonly<Record<string, Rule>> = {
  sort,
  topk,
  kthvalue,
  medianAlong,
  searchsorted: (call) => searched(call, 0, 1),
  bucketize: (call) => searched(call, 1, 0),
  isin,
};
