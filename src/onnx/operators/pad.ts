/**
 * Pads axes with a constant, with the elements at their ends, or with wrapped elements. A negative number removes elements.
 */
import * as sw from "../../index.ts";
import { type Call, numbersOf } from "../call.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

/** The numbers of elements that are added before and after an axis. */
type Ends = readonly [before: number, after: number];

/** Pads with a constant. */
export function cropOrPad(x: sw.Tensor, ends: readonly Ends[], value: sw.Value): sw.Tensor {
  if (ends.every(([before, after]) => before === 0 && after === 0)) return x;
  return sw.pad(x, [...ends].reverse().flat(), { value });
}

/** The index that padding reads for an index of the result, which may be outside of the axis. */
const sources: Readonly<Record<string, (index: number, size: number) => number>> = {
  edge: (index, size) => Math.min(Math.max(index, 0), size - 1),
  reflect(index, size) {
    const period = Math.max(2 * (size - 1), 1);
    const inside = ((index % period) + period) % period;
    return inside < size ? inside : period - inside;
  },
  wrap: (index, size) => ((index % size) + size) % size,
};

/** Pads with elements of x; negative padding removes elements first. */
function padFrom(
  call: Call,
  x: sw.Tensor,
  ends: readonly Ends[],
  source: (index: number, size: number) => number,
): sw.Tensor {
  return ends.reduce((padded, [before, after], axis) => {
    if (before === 0 && after === 0) return padded;
    const first = Math.max(0, -before);
    const size = x.shape[axis] - first - Math.max(0, -after);
    const length = call.count(Math.max(0, before) + size + Math.max(0, after), `the size of axis ${axis}`);
    const index = Int32Array.from({ length }, (_, k) => first + source(k - Math.max(0, before), size));
    return padded.indexSelect(axis, sw.tensor(index));
  }, x);
}

/** Before version 11 the numbers are attributes. */
export function pad(call: Call): OnnxValue {
  const isInput = call.version >= 11;
  const pads = isInput ? call.numbers(1) : call.ints("pads");
  const value = call.inputs[0] ?? null;
  const rank = value instanceof TextTensor ? value.shape.length : call.tensor(0).ndim;
  const listed = call.version >= 18 ? call.optionalNumbers(3) : null;
  const axes = listed?.map((axis) => call.axis(axis, rank)) ?? Array.from({ length: rank }, (_, axis) => axis);
  if (pads.length !== 2 * axes.length)
    throw call.error(`pads must have two numbers for each of ${axes.length} axes, got [${pads}]`);
  const ends = Array.from({ length: rank }, (_, axis): Ends => {
    const k = axes.indexOf(axis);
    return k < 0 ? [0, 0] : [pads[k], pads[k + axes.length]];
  });
  const mode = call.string("mode", "constant");
  if (value instanceof TextTensor) return padText(call, value, ends, mode);
  const x = call.tensor(0);
  if (mode !== "constant") return padFrom(call, x, ends, sourceOf(call, mode, x.shape));
  return cropOrPad(x, ends, isInput ? constantOf(call) : call.float("value", 0));
}

/** The value of a constant, exact for integers of 64 bits. */
function constantOf(call: Call): sw.Value {
  const value = call.optionalTensor(2);
  if (value === null) return 0;
  if (value.size !== 1) throw call.error(`input 2 must have one element, got ${value.size}`);
  const isLong = value.dtype === "int64" || value.dtype === "uint64";
  return value.reshape([]).toArray({ bigint: isLong }) as sw.Value;
}

function sourceOf(call: Call, mode: string, shape: readonly number[]): (index: number, size: number) => number {
  const source = Object.hasOwn(sources, mode) ? sources[mode] : undefined;
  if (source === undefined)
    throw call.error(`the attribute mode must be constant, reflect, edge or wrap, got "${mode}"`);
  if (shape.includes(0)) throw call.error(`the mode ${mode} needs elements, got [${shape}]`);
  return source;
}

/** Strings are padded by number; 0 is the constant. */
function padText(call: Call, { data, shape }: TextTensor, ends: readonly Ends[], mode: string): TextTensor {
  const numbers = sw.tensor(Int32Array.from(data, (_, k) => k + 1)).reshape(shape);
  const constant = call.has(2) ? call.text(2).data[0] : "";
  const padded =
    mode === "constant" ? cropOrPad(numbers, ends, 0) : padFrom(call, numbers, ends, sourceOf(call, mode, shape));
  return new TextTensor(
    padded.shape,
    numbersOf(padded).map((k) => (k === 0 ? constant : data[k - 1])),
  );
}
