/** Sequences and optionals. A sequence has its values by reference; an empty optional is null, another one is its value. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { joinTexts, partOfText, reshapedText } from "../text-parts.ts";
import { describeOnnxValue, type OnnxValue, TextTensor, ValueSequence } from "../values.ts";

type Item = sw.Tensor | TextTensor;

/** Input k, which must be a tensor, of strings or of numbers. */
function item(call: Call, k: number): Item {
  const value = call.inputs[k] ?? null;
  return value instanceof TextTensor ? value : call.tensor(k);
}

/** Returns an index of a sequence in [0, last]; negative ones count from the end. */
function indexIn(call: Call, k: number, length: number, last: number): number {
  const index = call.number(k);
  const result = index < 0 ? index + length : index;
  if (!Number.isInteger(result) || result < 0 || result > last)
    throw call.error(`the index ${index} is outside of a sequence of ${length}`);
  return result;
}

const part = (x: Item, axis: number, start: number, length: number): Item =>
  x instanceof TextTensor ? partOfText(x, axis, start, length) : x.narrow(axis, start, length);

const reshaped = (x: Item, shape: readonly number[]): Item =>
  x instanceof TextTensor ? reshapedText(x, shape) : x.reshape(shape);

/** The lengths of the parts that an axis is split into. */
function partLengths(call: Call, size: number): number[] {
  const lengths = call.optionalNumbers(1) ?? [1];
  if (call.has(1) && call.tensor(1).ndim > 0) {
    if (lengths.some((each) => each < 0) || lengths.reduce((a, b) => a + b, 0) !== size)
      throw call.error(`the lengths ${lengths.join(", ")} must not be negative, and their sum must be ${size}`);
    return lengths;
  }
  const [length] = lengths;
  if (!(length > 0)) throw call.error(`the length of parts must be positive, got ${length}`);
  const count = call.count(Math.ceil(size / length), "the number of parts");
  return Array.from({ length: count }, (_, k) => Math.min(length, size - k * length));
}

function splitToSequence(call: Call): ValueSequence {
  const x = item(call, 0);
  const axis = call.axis(call.int("axis", 0), x.shape.length);
  const keepsAxis = call.has(1) || call.int("keepdims", 1) !== 0;
  let start = 0;
  const parts = partLengths(call, x.shape[axis]).map((length) => {
    const result = part(x, axis, start, length);
    start += length;
    return keepsAxis
      ? result
      : reshaped(
          result,
          x.shape.filter((_, k) => k !== axis),
        );
  });
  return new ValueSequence(parts);
}

function concatFromSequence(call: Call): OnnxValue {
  const { items } = call.sequence(0);
  if (items.length === 0) throw call.error("the sequence is empty");
  const isNew = call.int("new_axis", 0) !== 0;
  const rank = (items[0] as Item).shape?.length ?? 0;
  const axis = call.axis(call.int("axis"), isNew ? rank + 1 : rank);
  const wrong = items.find((each) => !(each instanceof sw.Tensor || each instanceof TextTensor));
  if (wrong !== undefined) throw call.error(`the sequence must have tensors, got ${describeOnnxValue(wrong)}`);
  const widened = (items as readonly Item[]).map((each) =>
    isNew ? reshaped(each, [...each.shape.slice(0, axis), 1, ...each.shape.slice(axis)]) : each,
  );
  if (widened.every((each) => each instanceof TextTensor)) return joinTexts(widened, axis);
  if (widened.every((each) => each instanceof sw.Tensor)) return sw.concat(widened, axis) as sw.Tensor;
  throw call.error("the sequence must not have both numbers and strings");
}

/** Runs a graph for the items of sequences; inputs that are tensors are the same for all items. */
function sequenceMap(call: Call): readonly OnnxValue[] {
  const body = call.graph("body");
  const { length } = call.sequence(0).items;
  const columns: OnnxValue[][] = body.output.map(() => []);
  for (let k = 0; k < length; k++) {
    const inputs = call.inputs.map((value) => {
      if (!(value instanceof ValueSequence)) return value;
      if (value.items.length !== length)
        throw call.error(`all sequences must have ${length} items, got one with ${value.items.length}`);
      return value.items[k];
    });
    if (body.input.length !== inputs.length)
      throw call.error(`its graph takes ${body.input.length} inputs, but the node passes ${inputs.length}`);
    for (const [j, value] of call.runGraph(body, inputs).entries()) columns[j].push(value);
  }
  return columns.map((items) => new ValueSequence(items));
}

export const sequence: OperatorTable = {
  SequenceEmpty: () => new ValueSequence([]),
  SequenceConstruct: (call) => new ValueSequence(call.inputs.map((_, k) => item(call, k))),
  SequenceAt(call) {
    const { items } = call.sequence(0);
    return items[indexIn(call, 1, items.length, items.length - 1)];
  },
  SequenceInsert(call) {
    const { items } = call.sequence(0);
    const value = item(call, 1);
    const at = call.has(2) ? indexIn(call, 2, items.length, items.length) : items.length;
    return new ValueSequence([...items.slice(0, at), value, ...items.slice(at)]);
  },
  SequenceErase(call) {
    const { items } = call.sequence(0);
    const last = items.length - 1;
    const at = call.has(1) ? indexIn(call, 1, items.length, last) : last;
    if (at < 0) throw call.error("the sequence is empty");
    return new ValueSequence(items.filter((_, k) => k !== at));
  },
  SequenceLength: (call) => sw.tensor(call.sequence(0).items.length, { dtype: "int64" }),
  SplitToSequence: splitToSequence,
  ConcatFromSequence: concatFromSequence,
  SequenceMap: { run: sequenceMap, isLoop: true },
  Optional: (call) => call.inputs[0] ?? null,
  OptionalGetElement(call) {
    if (!call.has(0)) throw call.error("the optional is empty. Ask OptionalHasElement first");
    return call.inputs[0];
  },
  OptionalHasElement: { readsShapes: true, run: (call) => sw.tensor(call.has(0)) },
};
