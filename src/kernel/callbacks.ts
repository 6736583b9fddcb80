/**
 * Loops that call a user-defined function for every element, in row-major order: map and visit.
 * Such a function can do anything, so these loops run in JavaScript; arithmetic and copies are kernels. Shapes are trusted to agree.
 */

import { coalesceFlat, type FlatLayout, flatLayout, reversed } from "../layout/flat.ts";
import { type ArrayKind, dtypes, type Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { type ElementReader, type IntegerForm, reader, writer } from "./element.ts";
import type { Operand } from "./operand.ts";

/** The first element of an operand, counted from the start of its memory. Valid once the storage was opened. */
function firstElement(operand: Operand): number {
  return operand.storage.byteOffset / dtypes[operand.dtype].itemsize + operand.offset;
}

/** The loops over row-major axes in order, the innermost first, as few as possible. */
const loopNest = (axes: FlatLayout): FlatLayout => coalesceFlat(reversed(axes));

/**
 * Moves `positions` to the next round of all loops but the innermost, and counts in `turns`; returns false after the last round. The caller
 * owns both arrays: `turns` starts as zeros, `positions` as the starts.
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

/** An operand that is open for reading. */
interface OpenOperand {
  readonly memory: Memory;
  readonly kind: ArrayKind;
  readonly read: ElementReader;
}

function openSource(operand: Operand, form: IntegerForm): OpenOperand {
  const memory = operand.storage.readable();
  const kind = dtypes[operand.dtype].array;
  return { memory, kind, read: reader(operand.dtype, form) };
}

/** Reads one element. The typed array is requested each time, because user code may detach it between two elements. */
const readFrom = ({ memory, kind, read }: OpenOperand, position: number): Value => read(memory.array(kind), position);

/**
 * Sets every element of `to` to the result of the body for the elements of `from` at the same coordinate, in row-major order.
 * int64 and uint64 are passed in this form. `to` may be the same region as an operand of `from`, but must not overlap one otherwise.
 */
export function mapElements(
  to: Operand,
  from: readonly Operand[],
  body: (...values: Value[]) => Value,
  form: IntegerForm = "number",
): void {
  if (to.shape.includes(0)) return;
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
  const steps = nest.strides.map((operandStrides) => operandStrides[0] ?? 0);
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

/** body(...values), without the cost of spreading up to two operands. */
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

/** Calls `visit` with every element and its index in row-major order; int64 and uint64 in this form. */
export function visitElements(
  from: Operand,
  visit: (value: Value, index: number) => void,
  form: IntegerForm = "number",
): void {
  if (from.shape.includes(0)) return;
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
