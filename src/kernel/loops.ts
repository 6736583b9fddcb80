/**
 * The simple element loops: fill, copy, map and visit over strided operands, behind one interface.
 * An operand is a storage, a dtype, an offset, a shape and strides, all in elements; nothing here knows tensors. Shapes are
 * trusted to agree and every element to lie in its storage. Plain JavaScript, correct for every stride and dtype; generated
 * kernels take over where speed matters.
 */
import { type ArrayKind, type DType, dtypes, type TypedArray, type Value } from "../storage/dtype.ts";
import { type IntegerForm, type Reader, reader, writer } from "./element.ts";
import { moveElements } from "./move.ts";
import { type Nest, nextTurn, planNest } from "./nest.ts";
import { overlapOf } from "./overlap.ts";
import { type Windows, windowsOver } from "./windows.ts";

/** What the loops ask of a storage: its memory, and the byte where it begins, valid once the memory was asked for. */
export interface ElementStorage {
  readable(): Windows;
  writable(): Windows;
  readonly byteOffset: number;
}

/** A strided region of a storage; offset and strides count elements of the dtype, strides may be negative or 0. */
export interface Operand {
  readonly storage: ElementStorage;
  readonly dtype: DType;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/** Where an operand begins, in elements from the start of its memory; ask for the memory first. */
export function firstElement(operand: Operand): number {
  return operand.storage.byteOffset / dtypes[operand.dtype].itemsize + operand.offset;
}

function isEmpty(shape: readonly number[]): boolean {
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] === 0) return true;
  return false;
}

/** Sets every element to one value, converted to the dtype; elements that share memory are no matter. */
export function fillElements(to: Operand, value: Value): void {
  if (isEmpty(to.shape)) return;
  const memory = to.storage.writable();
  const start = firstElement(to);
  const nest = planNest(to.shape, [start], [to.stride], "free");
  const first = nest.starts[0] as number;
  const { array, itemsize } = dtypes[to.dtype];
  writer(to.dtype)(memory.array(array), first, value);
  // The first element now holds the bits, and all others are copies of it.
  if (nest.sizes.length === 1 && nest.strides[0]?.[0] === 1)
    repeatFirst(memory, itemsize, first, nest.sizes[0] as number);
  else if (nest.sizes.length > 0) {
    const bits = new ArrayBuffer(itemsize);
    const pattern = new Uint8Array(bits);
    pattern.set(new Uint8Array(memory.array(array).buffer, first * itemsize, itemsize));
    nest.strides.push(nest.sizes.map(() => 0));
    nest.starts.push(0);
    moveElements(nest, memory, to.dtype, windowsOver(bits), to.dtype);
  }
}

/** Copies element `first` over the `count - 1` ones behind it. */
function repeatFirst(memory: Windows, itemsize: number, first: number, count: number): void {
  if (itemsize <= 8) {
    const array = memory.array(itemsize === 1 ? "u8" : itemsize === 2 ? "u16" : itemsize === 4 ? "i32" : "i64");
    (array as Int32Array).fill(array[first] as number, first, first + count);
    return;
  }
  // No array has elements this wide: what is already there is doubled.
  const words = memory.array("i64");
  const width = itemsize / 8;
  const start = first * width;
  const total = count * width;
  for (let done = width; done < total; done *= 2)
    words.copyWithin(start + done, start, start + Math.min(done, total - done));
}

/**
 * Copies every element to the one at the same coordinate, cast to the target's dtype.
 *
 * Promise: the target ends as if the source had been copied away first, also where both share memory. If elements of the
 * target itself share memory, which of them is kept is open.
 */
export function copyElements(from: Operand, to: Operand): void {
  if (isEmpty(to.shape)) return;
  // Both first, then windows and offsets: making one writable may move or grow the memory.
  const target = to.storage.writable();
  const source = from.storage.readable();
  const nest = planNest(to.shape, [firstElement(to), firstElement(from)], [to.stride, from.stride], "free");
  const { array, itemsize, parts } = dtypes[from.dtype];
  const overlap = sharesMemory(target, source) ? overlapOf(nest, dtypes[to.dtype].itemsize, itemsize) : "apart";
  if (overlap === "in place" && to.dtype === from.dtype) return;
  if (overlap !== "across") moveElements(nest, target, to.dtype, source, from.dtype);
  else if (to.dtype === from.dtype && isRun(nest)) {
    const start = (nest.starts[1] as number) * parts;
    const end = start + (nest.sizes[0] ?? 1) * parts;
    target.array(array).copyWithin((nest.starts[0] as number) * parts, start, end);
  } else copyStaged(nest, target, to.dtype, source, from.dtype);
}

const sharesMemory = (a: Windows, b: Windows): boolean => a === b || a.buffer === b.buffer;

/** True if and only if every operand goes through neighbouring elements, one after the other. */
function isRun(nest: Nest): boolean {
  if (nest.sizes.length > 1) return false;
  for (let k = 0; k < nest.strides.length; k++) if ((nest.strides[k]?.[0] ?? 1) !== 1) return false;
  return true;
}

/** Copies the source away, then to its place. */
function copyStaged(nest: Nest, target: Windows, toType: DType, source: Windows, fromType: DType): void {
  const { sizes } = nest;
  const dense: number[] = [];
  let count = 1;
  for (let d = sizes.length - 1; d >= 0; d--) {
    dense[d] = count;
    count *= sizes[d] as number;
  }
  const staged = windowsOver(new ArrayBuffer(count * dtypes[fromType].itemsize));
  const toStrides = nest.strides[0] as number[];
  const fromStrides = nest.strides[1] as number[];
  const away: Nest = { sizes, strides: [dense, fromStrides], starts: [0, nest.starts[1] as number] };
  const back: Nest = { sizes, strides: [toStrides, dense], starts: [nest.starts[0] as number, 0] };
  moveElements(away, staged, fromType, source, fromType);
  moveElements(back, target, toType, staged, fromType);
}

/** An operand opened for reading one element after the other. */
interface Source {
  readonly memory: Windows;
  readonly kind: ArrayKind;
  readonly read: Reader;
  window: TypedArray;
}

function openSource(operand: Operand, form: IntegerForm): Source {
  const memory = operand.storage.readable();
  const kind = dtypes[operand.dtype].array;
  return { memory, kind, read: reader(operand.dtype, form), window: memory.array(kind) };
}

/** One element. A window of length 0 was ended by growth, which the caller's own code may cause between two elements. */
function readFrom(source: Source, position: number): Value {
  if (source.window.length === 0) source.window = source.memory.array(source.kind);
  return source.read(source.window, position);
}

/**
 * Sets every element of `to` to the body's answer for the elements of `from` at the same coordinate, in row-major order.
 * int64 and uint64 are given as `form` says. `to` may lie exactly on an operand of `from`, but not across one.
 */
export function mapElements(
  to: Operand,
  from: readonly Operand[],
  body: (...values: Value[]) => Value,
  form: IntegerForm = "number",
): void {
  if (isEmpty(to.shape)) return;
  const memory = to.storage.writable();
  const { array } = dtypes[to.dtype];
  const write = writer(to.dtype);
  const sources = from.map((operand) => openSource(operand, form));
  const strides = [to.stride, ...from.map((operand) => operand.stride)];
  const nest = planNest(to.shape, [to, ...from].map(firstElement), strides, "row-major");
  const loops = nest.sizes.length;
  const size = loops > 0 ? (nest.sizes[loops - 1] as number) : 1;
  const steps = nest.strides.map((of) => (loops > 0 ? (of[loops - 1] as number) : 0));
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  const values: Value[] = sources.map(() => 0);
  let window = memory.array(array);
  do {
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < sources.length; k++)
        values[k] = readFrom(sources[k] as Source, (positions[k + 1] as number) + i * (steps[k + 1] as number));
      const value = callBody(body, values);
      if (window.length === 0) window = memory.array(array);
      write(window, (positions[0] as number) + i * (steps[0] as number), value);
    }
  } while (nextTurn(nest, 1, turns, positions));
}

/** body(...values), without the cost of spreading for the usual numbers of operands. */
function callBody(body: (...values: Value[]) => Value, values: readonly Value[]): Value {
  switch (values.length) {
    case 0:
      return body();
    case 1:
      return body(values[0] as Value);
    case 2:
      return body(values[0] as Value, values[1] as Value);
    default:
      return body(...values);
  }
}

/** Shows every element with its index in row-major order; int64 and uint64 as `form` says. */
export function visitElements(
  from: Operand,
  visit: (value: Value, index: number) => void,
  form: IntegerForm = "number",
): void {
  if (isEmpty(from.shape)) return;
  const source = openSource(from, form);
  const nest = planNest(from.shape, [firstElement(from)], [from.stride], "row-major");
  const loops = nest.sizes.length;
  const size = loops > 0 ? (nest.sizes[loops - 1] as number) : 1;
  const step = loops > 0 ? (nest.strides[0]?.[loops - 1] as number) : 0;
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  let index = 0;
  do {
    for (let i = 0; i < size; i++) visit(readFrom(source, (positions[0] as number) + i * step), index++);
  } while (nextTurn(nest, 1, turns, positions));
}
