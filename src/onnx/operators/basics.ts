/** Identity, shapes, and views of tensors: operators that change no element. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { type OnnxValue, TextTensor } from "../values.ts";
import { moved } from "./moved.ts";

const shapeOf = (call: Call): readonly number[] => {
  const value = call.inputs[0] ?? null;
  return value instanceof TextTensor ? value.shape : call.tensor(0).shape;
};

const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

/** Returns a value with a different shape. */
function reshaped(call: Call, shapeFor: (shape: readonly number[]) => readonly number[]): OnnxValue {
  const value = call.inputs[0] ?? null;
  const shape = shapeFor(shapeOf(call));
  return value instanceof TextTensor ? new TextTensor(shape, value.data) : call.tensor(0).reshape(shape);
}

function shape(call: Call): sw.Tensor {
  const sizes = shapeOf(call);
  // Before version 15 there is no attribute.
  const part = sizes.slice(call.int("start", 0), call.int("end", sizes.length));
  return sw.tensor(BigInt64Array.from(part, BigInt));
}

/** A 0 copies the size of the input, unless `allowzero` is set; a -1 is computed from the other sizes. */
function reshape(call: Call): OnnxValue {
  const target = call.numbers(1);
  const copiesZero = call.int("allowzero", 0) === 0;
  return reshaped(call, (from) => {
    const sizes = target.map((size, k) => {
      if (size !== 0 || !copiesZero) return size;
      if (k >= from.length) throw call.error(`axis ${k} of the shape [${target}] copies a size that [${from}] has not`);
      return from[k];
    });
    const free = sizes.indexOf(-1);
    if (free < 0) return checked(call, from, sizes, target);
    const rest = product(sizes.toSpliced(free, 1));
    if (rest === 0) throw call.error(`the shape [${target}] must not have both -1 and 0`);
    return checked(call, from, sizes.with(free, product(from) / rest), target);
  });
}

function checked(
  call: Call,
  from: readonly number[],
  sizes: readonly number[],
  target: readonly number[],
): readonly number[] {
  if (sizes.every((size) => Number.isInteger(size) && size >= 0) && product(sizes) === product(from)) return sizes;
  throw call.error(`[${from}] cannot be reshaped to [${target}]`);
}

/** Axes are an attribute before version 13, an input from then on; null if they are omitted. */
export function axesOf(call: Call, inputSince = 13): number[] | null {
  return call.version >= inputSince ? call.optionalNumbers(1) : call.ints("axes", null);
}

function squeeze(call: Call): OnnxValue {
  const listed = axesOf(call);
  return reshaped(call, (from) => {
    const axes = listed?.map((axis) => call.axis(axis, from.length));
    for (const axis of axes ?? [])
      if (from[axis] !== 1) throw call.error(`axis ${axis} of [${from}] must have the size 1`);
    return from.filter((size, axis) => (axes === undefined ? size !== 1 : !axes.includes(axis)));
  });
}

function unsqueeze(call: Call): OnnxValue {
  const listed = axesOf(call);
  if (listed === null) throw call.error("axes are missing");
  return reshaped(call, (from) => {
    const rank = from.length + listed.length;
    const axes = new Set(listed.map((axis) => call.axis(axis, rank)));
    if (axes.size !== listed.length) throw call.error(`the axes [${listed}] must be different`);
    let next = 0;
    return Array.from({ length: rank }, (_, axis) => (axes.has(axis) ? 1 : from[next++]));
  });
}

function flatten(call: Call): OnnxValue {
  return reshaped(call, (from) => {
    const axis = call.int("axis", 1);
    const at = axis === from.length ? axis : call.axis(axis, from.length);
    return [product(from.slice(0, at)), product(from.slice(at))];
  });
}

function transpose(call: Call): OnnxValue {
  return moved(call, [0], ([x]) => {
    const order = call.ints("perm", null) ?? x.shape.map((_, axis) => x.ndim - 1 - axis);
    if (order.length !== x.ndim)
      throw call.error(`the attribute perm must have ${x.ndim} axes for [${x.shape}], got [${order}]`);
    return x.permute(order);
  });
}

/** Broadcasts in both directions: a size of 1 in the shape keeps that of the input. */
function expand(call: Call): OnnxValue {
  const target = call.numbers(1);
  return moved(call, [0], ([x]) => x.broadcastTo(sw.broadcastShapes(x.shape, target)));
}

export const basics: OperatorTable = {
  Identity: (call) => call.inputs[0] ?? null,
  Shape: { readsShapes: true, run: shape },
  Size: { readsShapes: true, run: (call) => sw.tensor(BigInt64Array.of(BigInt(product(shapeOf(call))))).reshape([]) },
  Reshape: reshape,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Flatten: flatten,
  Transpose: transpose,
  Expand: expand,
};
