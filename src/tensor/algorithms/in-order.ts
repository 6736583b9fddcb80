/**
 * Loops over whole tensors in the order of their 1-D indices, on any engine: map and visit.
 * Strided loops where the layouts allow, else element by element. A source that shares memory with the destination is copied
 * away first, unless element i of both is one place, so the result is as if all sources had been read before the first write.
 */
import type { IntegerForm } from "../../kernel/element.ts";
import { mapElements, visitElements } from "../../kernel/loops.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import { indexReader, indexWriter } from "../elements.ts";
import { leafNumbers } from "../geometry.ts";
import { computedEngine, storageOf, type Tensor } from "../tensor.ts";
import { operandInOrder, stridedAxes } from "./strided-axes.ts";

/** The bytes a tensor may touch, as addresses; of a swizzled one, its whole storage. */
function byteSpan(t: Tensor, who: string): readonly [low: number, end: number] {
  const storage = storageOf(t, who);
  if ("inner" in t.layout) return [storage.address, storage.address + storage.nbytes];
  const [sizes, strides] = leafNumbers(t);
  let low = t.start;
  let high = t.start;
  for (let i = 0; i < sizes.length; i++) {
    const reach = ((sizes[i] as number) - 1) * (strides[i] as number);
    if (reach < 0) low += reach;
    else high += reach;
  }
  const { itemsize } = dtypes[t.dtype];
  return [storage.address + low * itemsize, storage.address + (high + 1) * itemsize];
}

/** True if and only if both have the same element in the same place for every index. */
function isInPlace(a: Tensor, b: Tensor): boolean {
  if (a === b) return true;
  if (a.type !== b.type || a.start !== b.start || a.source !== b.source || "inner" in a.layout || "inner" in b.layout)
    return false;
  const axes = computedEngine(a, "copy") === null ? stridedAxes([a, b], "copy") : null;
  if (axes === null) return false;
  const [first, second] = axes.strides as [readonly number[], readonly number[]];
  return first.every((stride, i) => stride === second[i]);
}

/** True if writing one tensor may change an element of the other that is still to be read. */
export function mayDisturb(written: Tensor, read: Tensor, who: string): boolean {
  if (written.size === 0 || isInPlace(written, read)) return false;
  if (computedEngine(written, who) !== null || computedEngine(read, who) !== null)
    return written.source === read.source;
  const [low, end] = byteSpan(written, who);
  const [readLow, readEnd] = byteSpan(read, who);
  return low < readEnd && readLow < end;
}

/** Reads elements by 1-D index, from a copy of the source where writing the destination would disturb it. */
export function undisturbedReader(
  source: Tensor,
  destination: Tensor,
  who: string,
  form: IntegerForm = "number",
): (index: number) => Value {
  const read = indexReader(source, who, form);
  if (!mayDisturb(destination, source, who)) return read;
  const values = Array.from({ length: source.size }, (_unused, i) => read(i));
  return (index) => values[index] as Value;
}

/** The same where only some elements may be read: those for which `holds` says so. */
export function readerWhere(
  holds: (index: number) => boolean,
  source: Tensor,
  destination: Tensor,
  who: string,
  form: IntegerForm,
): (index: number) => Value {
  const read = indexReader(source, who, form);
  if (!mayDisturb(destination, source, who)) return read;
  const values: Value[] = new Array(source.size);
  for (let i = 0; i < source.size; i++) if (holds(i)) values[i] = read(i);
  return (index) => values[index] as Value;
}

/**
 * Sets element i of `to` to the body's answer for the elements i of `from`, for every i in order.
 * int64 and uint64 are given as `form` says. Sizes are trusted to agree; the version is the caller's business.
 */
export function mapInOrder(
  to: Tensor,
  from: readonly Tensor[],
  body: (...values: Value[]) => Value,
  form: IntegerForm,
  who: string,
): void {
  if (to.size === 0) return;
  const axes = from.some((source) => mayDisturb(to, source, who)) ? null : stridedAxes([to, ...from], who);
  if (axes === null) return mapOneByOne(to, from, body, form, who);
  const operands = from.map((source, k) => operandInOrder(source, axes, k + 1, who));
  mapElements(operandInOrder(to, axes, 0, who), operands, body, form);
}

function mapOneByOne(
  to: Tensor,
  from: readonly Tensor[],
  body: (...values: Value[]) => Value,
  form: IntegerForm,
  who: string,
): void {
  const write = indexWriter(to, who);
  const [first, second] = from.map((source) => undisturbedReader(source, to, who, form));
  if (first === undefined) for (let i = 0; i < to.size; i++) write(i, body());
  else if (second === undefined) for (let i = 0; i < to.size; i++) write(i, body(first(i)));
  else for (let i = 0; i < to.size; i++) write(i, body(first(i), second(i)));
}

/** Shows every element with its 1-D index, in order. */
export function visitInOrder(
  t: Tensor,
  visit: (value: Value, index: number) => void,
  form: IntegerForm,
  who: string,
): void {
  if (t.size === 0) return;
  const axes = stridedAxes([t], who);
  if (axes !== null) return visitElements(operandInOrder(t, axes, 0, who), visit, form);
  const read = indexReader(t, who, form);
  for (let i = 0; i < t.size; i++) visit(read(i), i);
}
