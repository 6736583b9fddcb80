/** Writing elements and slices by index, into a copy. Indices may be negative: they count from the end. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { coordinatesIn, nonNegative } from "./gather.ts";
import { moved } from "./moved.ts";

const reductions = { add: "sum", mul: "prod", max: "amax", min: "amin" } as const;
type Reduction = keyof typeof reductions;

/** Returns the reduction of new elements with existing ones; null to replace them. */
function reductionOf(call: Call): Reduction | null {
  const name = call.string("reduction", "none");
  if (name === "none") return null;
  if (!Object.hasOwn(reductions, name))
    throw call.error(`the attribute reduction must be none, add, mul, max or min, got "${name}"`);
  return name as Reduction;
}

function scatterElements(call: Call): OnnxValue {
  const reduction = reductionOf(call);
  return moved(call, [0, 2], ([x, updates]) => {
    const axis = call.axis(call.int("axis", 0), x.ndim);
    const index = nonNegative(call.tensor(1), x.shape[axis]);
    return reduction === null
      ? sw.scatter(x, axis, index, updates)
      : sw.scatterReduce(x, axis, index, updates, reductions[reduction]);
  });
}

function scatterND(call: Call): OnnxValue {
  const reduction = reductionOf(call);
  const index = call.tensor(1);
  return moved(call, [0, 2], ([x, updates]) => {
    const coordinates = coordinatesIn(call, index, x.ndim);
    const rest = x.shape.slice(coordinates.length);
    const needed = [...index.shape.slice(0, -1), ...rest];
    if (`${needed}` !== `${updates.shape}`)
      throw call.error(`input 2 must have the shape [${needed}], got [${updates.shape}]`);
    const values = updates.reshape([...coordinates[0].shape, ...rest]);
    if (reduction === null) return sw.indexPut(x, coordinates, values);
    if (reduction === "add") return sw.indexPut(x, coordinates, values, { accumulate: true });
    return reducedRows(x, coordinates, values, reduction);
  });
}

/** The same over the rows that each index addresses, by row index. */
function reducedRows(
  x: sw.Tensor,
  coordinates: readonly sw.Tensor[],
  values: sw.Tensor,
  reduction: Reduction,
): sw.Tensor {
  const sizes = x.shape.slice(0, coordinates.length);
  const count = sizes.reduce((a, b) => a * b, 1);
  const width = x.shape.slice(coordinates.length).reduce((a, b) => a * b, 1);
  const rows = sw
    .arange(count, { dtype: "int64" })
    .reshape(sizes)
    .at(...coordinates)
    .reshape([-1, 1]);
  const index = rows.broadcastTo([rows.shape[0], width]);
  const source = values.reshape([rows.shape[0], width]);
  return sw.scatterReduce(x.reshape([count, width]), 0, index, source, reductions[reduction]).reshape(x.shape);
}

/** Writes new elements along the sequence axis of a cache, from an index for each sample on. */
function tensorScatter(call: Call): OnnxValue {
  const mode = call.string("mode", "linear");
  if (mode !== "linear" && mode !== "circular")
    throw call.error(`the attribute mode must be linear or circular, got "${mode}"`);
  return moved(call, [0, 1], ([past, update]) => {
    const axis = call.axis(call.int("axis", -2), past.ndim);
    if (axis === 0) throw call.error("the attribute axis must not be 0, the axis of samples");
    const along = (t: sw.Tensor, k: number): sw.Tensor => t.reshape(past.shape.map((_, each) => (each === k ? -1 : 1)));
    const steps = along(sw.arange(update.shape[axis], { dtype: "int64" }), axis);
    const starts = call.optionalTensor(2);
    const linear = starts === null ? steps : sw.add(along(starts, 0), steps);
    const index = mode === "circular" ? sw.remainder(linear, past.shape[axis]) : linear;
    return sw.scatter(past, axis, index.broadcastTo(update.shape), update);
  });
}

export const scattering: OperatorTable = {
  // The name before version 11.
  Scatter: scatterElements,
  ScatterElements: scatterElements,
  ScatterND: scatterND,
  TensorScatter: tensorScatter,
};
