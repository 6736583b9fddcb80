/**
 * Loops that call the user's own function for every element: map and visit, in row-major order.
 * Such a function can do anything, so these loops run here, element by element; everything that is known to be arithmetic
 * or a copy is a kernel. Shapes are trusted to agree.
 */

import { coalesceFlat, type FlatLayout, flatLayout, reversed } from "../layout/flat.ts";
import { type ArrayKind, dtypes, type Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { type IntegerForm, type Reader, reader, writer } from "./element.ts";
import type { Operand } from "./operand.ts";

/** Where an operand begins, in elements from the start of its memory; ask for the memory first. */
function firstElement(operand: Operand): number {
  return operand.storage.byteOffset / dtypes[operand.dtype].itemsize + operand.offset;
}

/** The loops that visit row-major axes in order, the innermost first, in as few loops as possible. */
const loopNest = (axes: FlatLayout): FlatLayout => coalesceFlat(reversed(axes));

/**
 * Moves `positions` to the next round of all loops but the innermost, counting in `turns`; false after the last one. Both arrays are the
 * caller's: `turns` starts as zeros, `positions` as the starts.
 */
function nextRound({ sizes, strides }: FlatLayout, turns: number[], positions: number[]): boolean {
  for (let d = 1; d < sizes.length; d++) {
    const size = sizes[d];
    const isLast = turns[d] === size - 1;
    turns[d] = isLast ? 0 : turns[d] + 1;
    const steps = isLast ? 1 - size : 1;
    for (let k = 0; k < positions.length; k++) positions[k] = positions[k] + steps * strides[k][d];
    if (!isLast) return true;
  }
  return false;
}

function isEmpty(shape: readonly number[]): boolean {
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] === 0) return true;
  return false;
}

/** An operand opened for reading one element after the other. */
interface Source {
  readonly memory: Memory;
  readonly kind: ArrayKind;
  readonly read: Reader;
}

function openSource(operand: Operand, form: IntegerForm): Source {
  const memory = operand.storage.readable();
  const kind = dtypes[operand.dtype].array;
  return { memory, kind, read: reader(operand.dtype, form) };
}

/** One element. The window is asked for each time: the caller's own code may end one between two elements, by growth or a transfer. */
const readFrom = ({ memory, kind, read }: Source, position: number): Value => read(memory.array(kind), position);

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
  const operands = [to, ...from];
  const nest = loopNest({
    sizes: to.shape,
    strides: operands.map(({ stride }) => stride),
    starts: operands.map(firstElement),
  });
  const size = nest.sizes[0] ?? 1;
  const steps = nest.strides.map((of) => of[0] ?? 0);
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  const values: Value[] = sources.map(() => 0);
  do {
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < sources.length; k++) values[k] = readFrom(sources[k], positions[k + 1] + i * steps[k + 1]);
      const value = callBody(body, values);
      write(memory.array(array), positions[0] + i * steps[0], value);
    }
  } while (nextRound(nest, turns, positions));
}

/** body(...values), without the cost of spreading for the usual numbers of operands. */
function callBody(body: (...values: Value[]) => Value, values: readonly Value[]): Value {
  switch (values.length) {
    case 0:
      return body();
    case 1:
      return body(values[0]);
    case 2:
      return body(values[0], values[1]);
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
  const nest = loopNest(flatLayout(from.shape, from.stride, firstElement(from)));
  const size = nest.sizes[0] ?? 1;
  const step = nest.strides[0]?.[0] ?? 0;
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  let index = 0;
  do {
    for (let i = 0; i < size; i++) visit(readFrom(source, positions[0] + i * step), index++);
  } while (nextRound(nest, turns, positions));
}
