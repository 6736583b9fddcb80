/** Reading elements and slices by index. Indices may be negative: they count from the end. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { moved } from "./moved.ts";

/** Returns indices in [0, size) for indices in [-size, size). */
export const nonNegative = (index: sw.Tensor, size: number): sw.Tensor =>
  sw.elementwise("i < 0 ? i + size : i", { i: index, size });

function gather(call: Call): OnnxValue {
  const index = call.tensor(1);
  return moved(call, [0], ([x]) => {
    const axis = call.axis(call.int("axis", 0), x.ndim);
    const slices = x.indexSelect(axis, nonNegative(index.reshape([-1]), x.shape[axis]));
    return index.ndim === 1 ? slices : slices.reshape(x.shape.toSpliced(axis, 1, ...index.shape));
  });
}

function gatherElements(call: Call): OnnxValue {
  return moved(call, [0], ([x]) => {
    const axis = call.axis(call.int("axis", 0), x.ndim);
    return sw.gather(x, axis, nonNegative(call.tensor(1), x.shape[axis]));
  });
}

/** The coordinates in the last axis of an index, as one index tensor for each of the first axes of x. */
export function coordinatesIn(call: Call, index: sw.Tensor, rank: number): readonly sw.Tensor[] {
  const count = index.shape[index.ndim - 1];
  if (index.ndim === 0 || count > rank)
    throw call.error(`the indices [${index.shape}] address more axes than there are: ${rank}`);
  // A 0-d index would be read as a number.
  return (index.ndim === 1 ? index.unsqueeze(0) : index).unbind(-1);
}

function gatherND(call: Call): OnnxValue {
  const index = call.tensor(1);
  const batches = call.int("batch_dims", 0);
  return moved(call, [0], ([x]) => {
    const rank = Math.min(x.ndim, index.ndim);
    if (batches < 0 || batches >= Math.max(rank, 1))
      throw call.error(`the attribute batch_dims must be in [0, ${rank}), got ${batches}`);
    const coordinates = coordinatesIn(call, index, x.ndim - batches);
    const fromBatch = x.shape.slice(0, batches).map((size, axis) => {
      const shape = Array.from({ length: Math.max(index.ndim - 1, 1) }, (_, k) => (k === axis ? size : 1));
      return sw.arange(size, { dtype: "int64" }).reshape(shape);
    });
    const rest = x.shape.slice(batches + coordinates.length);
    return x.at(...fromBatch, ...coordinates).reshape([...index.shape.slice(0, -1), ...rest]);
  });
}

/** The slices of an axis, or the elements, where a condition holds. */
function compress(call: Call): OnnxValue {
  const condition = call.tensor(1);
  return moved(call, [0], ([x]) => {
    const isFlat = !call.hasAttribute("axis");
    const from = isFlat ? x.reshape([-1]) : x;
    const axis = isFlat ? 0 : call.axis(call.int("axis"), x.ndim);
    return from.indexSelect(axis, sw.nonzero(condition.reshape([-1])).reshape([-1]));
  });
}

/** Coordinates of nonzero elements, one column for each. */
const nonZero = (call: Call): sw.Tensor => sw.nonzero(call.tensor(0)).to("int64").permute([1, 0]);

/** values[1] at the index along a new axis, else values[0]. */
function oneHot(call: Call): OnnxValue {
  const depth = Math.trunc(call.number(1));
  const index = call.tensor(0).to("int64");
  const axis = call.axis(call.int("axis", -1), index.ndim + 1);
  const shape = Array.from({ length: index.ndim + 1 }, (_, k) => (k === axis ? depth : 1));
  const classes = sw.arange(depth, { dtype: "int64" }).reshape(shape);
  const isHot = sw.eq(classes, nonNegative(index, depth).unsqueeze(axis));
  return moved(call, [2], ([values]) => {
    if (values.size !== 2) throw call.error(`input 2 must have two elements, got ${values.size}`);
    return sw.where(isHot, values.select(0, 1), values.select(0, 0));
  });
}

/** Reverses the first elements along the time axis, as many as each sequence of the batch has. */
function reverseSequence(call: Call): OnnxValue {
  const lengths = call.tensor(1).to("int64");
  const [batch, time] = [call.int("batch_axis", 1), call.int("time_axis", 0)];
  return moved(call, [0], ([x]) => {
    const along = (t: sw.Tensor, axis: number): sw.Tensor => t.reshape(x.shape.map((_, k) => (k === axis ? -1 : 1)));
    const [batchAxis, timeAxis] = [call.axis(batch, x.ndim), call.axis(time, x.ndim)];
    const index = sw.elementwise("t < n ? n - 1 - t : t", {
      t: along(sw.arange(x.shape[timeAxis], { dtype: "int64" }), timeAxis),
      n: along(lengths, batchAxis),
    });
    return sw.gather(x, timeAxis, index.broadcastTo(x.shape));
  });
}

export const gathering: OperatorTable = {
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherND,
  Compress: compress,
  NonZero: nonZero,
  OneHot: oneHot,
  ReverseSequence: reverseSequence,
};
