/** Operators by the order of elements along an axis: cumulative ones, the largest elements and their indices, distinct elements. */
import * as sw from "../../index.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Call, numbersOf } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

/** A cumulative sum or product; `first` is that of no elements. */
function cumulative(scan: (x: sw.Tensor, axis: number) => sw.Tensor, first: number) {
  return (call: Call): sw.Tensor => {
    const x = call.tensor(0);
    const axis = call.axis(call.number(1), x.ndim);
    const isReversed = call.int("reverse", 0) !== 0;
    const scanned = scan(isReversed ? sw.flip(x, [axis]) : x, axis);
    const size = x.shape[axis];
    let result = scanned;
    if (call.int("exclusive", 0) !== 0 && size > 0) {
      const start = sw.full(x.shape.with(axis, 1), first, { dtype: x.dtype as DType });
      result = sw.cat([start, scanned.narrow(axis, 0, size - 1)], axis);
    }
    return isReversed ? sw.flip(result, [axis]) : result;
  };
}

/** The index of the first largest or smallest element, or of the last one. */
function extremeIndex(find: typeof sw.argmax) {
  return (call: Call): sw.Tensor => {
    const x = call.tensor(0);
    const axis = call.axis(call.int("axis", 0), x.ndim);
    const options = { keepdims: call.int("keepdims", 1) !== 0 };
    if (x.size === 0 && x.shape.with(axis, 1).includes(0)) {
      const shape = options.keepdims ? x.shape.with(axis, 1) : x.shape.toSpliced(axis, 1);
      return sw.zeros(shape, { dtype: "int64" });
    }
    if (call.int("select_last_index", 0) === 0) return find(x, axis, options).to("int64");
    const fromEnd = find(sw.flip(x, [axis]), axis, options).to("int64");
    return sw.rsub(fromEnd, x.shape[axis] - 1);
  };
}

function topK(call: Call): readonly OnnxValue[] {
  const x = call.tensor(0);
  const axis = call.axis(call.int("axis", -1), x.ndim);
  const count = call.version >= 10 ? call.number(1) : call.int("k");
  if (count < 0 || count > x.shape[axis])
    throw call.error(`k is ${count}, but axis ${axis} of [${x.shape}] has ${x.shape[axis]} elements`);
  // Of equal elements the first one counts, in all sorts of the library.
  const options = { largest: call.int("largest", 1) !== 0, sorted: call.int("sorted", 1) !== 0 };
  const { values, indices } = sw.topk(x, count, axis, options);
  return [values, indices.to("int64")];
}

/** 1 at the first largest element along an axis, else 0. Before version 13, along all axes from this one on. */
function hardmax(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const axis = call.axis(call.int("axis", call.version >= 13 ? -1 : 1), x.ndim);
  if (x.size === 0) return x;
  if (call.version >= 13) return firstLargest(x, axis);
  const rows = x.shape.slice(0, axis).reduce((a, b) => a * b, 1);
  return firstLargest(x.reshape([rows, -1]), 1).reshape(x.shape);
}

function firstLargest(x: sw.Tensor, axis: number): sw.Tensor {
  const largest = sw.argmax(x, axis, { keepdims: true });
  const shape = x.shape.map((size, k) => (k === axis ? size : 1));
  return sw.eq(sw.arange(x.shape[axis], { dtype: "int32" }).reshape(shape), largest).to(x.dtype);
}

/** Distinct elements, or distinct slices of an axis: their values, first indices, the number of each element among them, and their counts. */
function unique(call: Call): readonly OnnxValue[] {
  const value = call.inputs[0] ?? null;
  if (!(value instanceof TextTensor)) return uniqueOf(call, call.tensor(0));
  const ascending = [...new Set(value.data)].sort((a, b) => (a < b ? -1 : 1));
  const ids = new Map(ascending.map((text, id) => [text, id]));
  const numbers = sw.tensor(Int32Array.from(value.data, (text) => ids.get(text) as number)).reshape(value.shape);
  const [distinct, ...rest] = uniqueOf(call, numbers);
  return [
    new TextTensor(
      distinct.shape,
      numbersOf(distinct).map((id) => ascending[id]),
    ),
    ...rest,
  ];
}

function uniqueOf(call: Call, input: sw.Tensor): readonly [sw.Tensor, ...sw.Tensor[]] {
  const axis = call.hasAttribute("axis") ? call.axis(call.int("axis"), input.ndim) : null;
  const x = axis === null ? input.reshape([-1]) : input;
  const { output, inverseIndices, counts } = sw.unique(x, { axis: axis ?? 0, returnInverse: true, returnCounts: true });
  const inverse = numbersOf(inverseIndices);
  const count = output.shape[axis ?? 0];
  const first = new Array<number>(count).fill(-1);
  for (const [k, id] of inverse.entries()) if (first[id] < 0) first[id] = k;
  const order = first.map((_, id) => id);
  if (call.int("sorted", 1) === 0) order.sort((a, b) => first[a] - first[b]);
  const rank = new Array<number>(count);
  for (const [k, id] of order.entries()) rank[id] = k;
  const times = numbersOf(counts);
  return [
    output.indexSelect(axis ?? 0, sw.tensor(Int32Array.from(order))),
    longs(order.map((id) => first[id])),
    longs(inverse.map((id) => rank[id])),
    longs(order.map((id) => times[id])),
  ];
}

const longs = (numbers: readonly number[]): sw.Tensor => sw.tensor(BigInt64Array.from(numbers, BigInt));

export const order: OperatorTable = {
  CumSum: cumulative((x, axis) => sw.cumsum(x, axis, { dtype: x.dtype as DType }), 0),
  CumProd: cumulative((x, axis) => sw.cumprod(x, axis, { dtype: x.dtype as DType }), 1),
  ArgMax: extremeIndex(sw.argmax),
  ArgMin: extremeIndex(sw.argmin),
  TopK: topK,
  Hardmax: hardmax,
  Unique: unique,
};
