/**
 * Loops over whole tensors in the order of their 1-D indices, on any engine: map and visit.
 * Loops are strided if the layouts allow, otherwise element by element. A source that shares memory with the destination is
 * copied first, unless element i of both has the same address, so the result is as if all sources were read before the first write.
 *
 * `stridedAxes` splits the layouts of several tensors into common axes, fastest first. It returns null if there is no common
 * strided loop: for a computed engine, a swizzle, or modes that do not divide each other.
 */
import { listOf } from "../../base/list-of.ts";
import { mapElements, visitElements } from "../../kernel/callbacks.ts";
import type { IntegerForm } from "../../kernel/element.ts";
import type { Operand } from "../../kernel/operand.ts";
import { type FlatLayout, refineFlat } from "../../layout/flat.ts";
import type { Value } from "../../storage/dtype.ts";
import { indexReader } from "../elements.ts";
import { flatLayoutOf, isComposedTensor, isStaticTensor } from "../geometry.ts";
import { mayOverlap } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { elementWriter } from "./destination.ts";

/** Returns true if and only if element i of two tensors with storage has the same address for every index i. */
function isInPlace(a: Tensor, b: Tensor, who: string): boolean {
  if (a.type !== b.type || a.start !== b.start || a.source !== b.source) return false;
  const axes = stridedAxes([a, b], who);
  if (axes === null) return false;
  const [first, second] = axes.strides as [readonly number[], readonly number[]];
  for (let i = 0; i < first.length; i++) if (first[i] !== second[i]) return false;
  return true;
}

/** Returns true if writing one tensor in order may change an element of the other before it is read. */
export function mayDisturb(written: Tensor, read: Tensor, who: string): boolean {
  if (written === read || !mayOverlap(written, read)) return false;
  return computedEngine(written, who) !== null || !isInPlace(written, read, who);
}

/** Returns a function that reads elements by 1-D index, from a copy of the source if writing the destination would change it. */
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
 * Calls `use` with the index and value of each element of the source for which `holds` returns true, in order; no other element is read.
 * `holds` is called once for each index. If writing the destination would change the source, all reads precede the first `use`.
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
 * Sets element i of `to` to the body's result for the elements i of `from`, for every i in order.
 * int64 and uint64 are passed in the form `form`. Sizes must agree, unchecked; the caller increments the version.
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

/** Calls `visit` with every element and its 1-D index, in order. */
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
 * Returns the axes of one strided loop over all tensors, or null.
 *
 * Postconditions: for every index i, the offset of element i of tensor k is the dot product of i's digits with strides[k].
 */
export function stridedAxes(tensors: readonly Tensor[], who: string): FlatLayout | null {
  for (let k = 0; k < tensors.length; k++) if (!hasStrides(tensors[k], who)) return null;
  return refineFlat(tensors.map(flatLayoutOf)) ?? null;
}

/** Returns tensor `k` as an operand whose row-major order is the order of 1-D indices. */
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
