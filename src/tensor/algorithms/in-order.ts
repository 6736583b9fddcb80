/**
 * Loops over whole tensors in the order of their 1-D indices, on any engine: map and visit.
 * Strided loops where the layouts allow, else element by element. A source that shares memory with the destination is copied
 * away first, unless element i of both is one place, so the result is as if all sources had been read before the first write.
 *
 * Several tensors as operands of one strided loop: their layouts cut into common axes, the fastest first.
 * Null where no such loop exists: an engine that computes, a swizzle, or cuts that do not divide each other. The
 * algorithms then go element by element.
 */
import { listOf } from "../../base/list-of.ts";
import { mapElements, visitElements } from "../../kernel/callbacks.ts";
import type { IntegerForm } from "../../kernel/element.ts";
import type { Operand } from "../../kernel/operand.ts";
import { type FlatLayout, refineFlat } from "../../layout/flat.ts";
import type { Value } from "../../storage/dtype.ts";
import { indexReader } from "../elements.ts";
import { flatLayoutOf, isComposedTensor, isStaticTensor } from "../geometry.ts";
import { mayMeet } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { elementWriter } from "./destination.ts";

/** True if and only if both, which have storage, have the same element in the same place for every index. */
function isInPlace(a: Tensor, b: Tensor, who: string): boolean {
  if (a.type !== b.type || a.start !== b.start || a.source !== b.source) return false;
  const axes = stridedAxes([a, b], who);
  if (axes === null) return false;
  const [first, second] = axes.strides as [readonly number[], readonly number[]];
  for (let i = 0; i < first.length; i++) if (first[i] !== second[i]) return false;
  return true;
}

/** True if writing one tensor may change an element of the other that is still to be read. */
export function mayDisturb(written: Tensor, read: Tensor, who: string): boolean {
  if (written === read || !mayMeet(written, read)) return false;
  return computedEngine(written, who) !== null || !isInPlace(written, read, who);
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
  const values = listOf(source.size, (i) => read(i));
  return (index) => values[index];
}

/**
 * Hands over the elements of the source for which `holds` says so, with their indices, in order; no other is read. `holds` is asked
 * once for each index, and before anything is handed over where writing the destination would disturb the source.
 */
export function visitWhere(
  holds: (index: number) => boolean,
  source: Tensor,
  destination: Tensor,
  who: string,
  form: IntegerForm,
  use: (index: number, value: Value) => void,
): void {
  const read = indexReader(source, who, form);
  if (!mayDisturb(destination, source, who)) {
    for (let i = 0; i < source.size; i++) if (holds(i)) use(i, read(i));
    return;
  }
  const indices: number[] = [];
  const values: Value[] = [];
  for (let i = 0; i < source.size; i++) {
    if (!holds(i)) continue;
    indices.push(i);
    values.push(read(i));
  }
  for (let k = 0; k < indices.length; k++) use(indices[k], values[k]);
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
  if (axes === null) {
    mapOneByOne(to, from, body, form, who);
    return;
  }
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
  const write = elementWriter(to, who);
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
  if (axes !== null) visitElements(operandInOrder(t, axes, 0, who), visit, form);
  else {
    const read = indexReader(t, who, form);
    for (let i = 0; i < t.size; i++) visit(read(i), i);
  }
}

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && !isComposedTensor(t);

/**
 * The axes of one loop over all tensors, or null.
 *
 * Promises: for every index i, the offset of element i of tensor k is the dot product of i's digits with strides[k].
 */
export function stridedAxes(tensors: readonly Tensor[], who: string): FlatLayout | null {
  for (let k = 0; k < tensors.length; k++) if (!hasStrides(tensors[k], who)) return null;
  return refineFlat(tensors.map(flatLayoutOf)) ?? null;
}

/** Tensor `k` as an operand whose row-major order is the order of 1-D indices. */
export function operandInOrder(t: Tensor, axes: FlatLayout, k: number, who: string): Operand {
  return {
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: axes.starts[k],
    shape: axes.sizes.toReversed(),
    stride: axes.strides[k].toReversed(),
    isStatic: isStaticTensor(t),
  };
}
