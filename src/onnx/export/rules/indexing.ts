/** Gathering and scattering by tensors of indices. */

import { Value } from "../../../graph/ir.ts";
import { isUnderscore } from "../../../layout/coord.ts";
import type { Int } from "../../../layout/int.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";
import { exportView } from "./views.ts";

/** An operand of indices in a type that ONNX takes. */
function indices(call: RuleCall, k: number): Operand {
  const { dtype } = call.type(k);
  return indexOperand(call, call.input(k), dtype);
}

function indexOperand(call: RuleCall, operand: Operand, dtype: string): Operand {
  if (dtype === "bool")
    throw new NotExported("selects elements by a mask, so the shape of the result depends on values");
  return dtype === "int32" ? operand : call.writer.cast(operand, "int64");
}

const gather: Rule = (call) => {
  if (call.rank() === 0) return call.fit(call.input());
  return call.op("GatherElements", [call.input(), indices(call, 2)], { axis: call.axis(call.number(1, "axis")) });
};

const rows =
  (data: number, index: number, axisAt: number | null): Rule =>
  (call) =>
    call.fit(
      call.op("Gather", [call.input(data), indices(call, index)], {
        axis: axisAt === null ? 0 : call.axis(call.number(axisAt, "axis"), call.rank(data)),
      }),
    );

const take: Rule = (call) => {
  const flat = call.op("Reshape", [call.input(), call.writer.list([-1])]);
  return call.op("Gather", [flat, indices(call, 1)], { axis: 0 });
};

/** Indexing by tensors of indices, with other axes whole; without tensors it is a view. */
const indexed: Rule = (call) => {
  const [, ...keys] = call.node.args;
  const list = keys.length === 1 && Array.isArray(keys[0]) ? (keys[0] as readonly unknown[]) : keys;
  if (!list.some((key) => key instanceof Value)) return exportView(call);
  if (!list.every((key) => key instanceof Value || isUnderscore(key) || key === null || key === undefined))
    throw new NotExported("combines indices with ranges or numbers");
  const axes = [...list.keys()].filter((axis) => list[axis] instanceof Value);
  const values = axes.map((axis) => list[axis] as Value);
  const operands = values.map((key) => indexOperand(call, call.operand(key), key.type.dtype));
  if (axes.length === 1) return call.fit(call.op("Gather", [call.input(), operands[0]], { axis: axes[0] }));
  // The axes of the indices come first, and GatherND replaces them by the axes that the index tensors have together.
  const rank = call.rank();
  const rest = Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !axes.includes(axis));
  const { shape } = call.result;
  const count = shape.length - rest.length;
  // Adjacent indices leave the new axes in their place; others put them first.
  const first = axes.every((axis, k) => axis === axes[0] + k) ? axes[0] : 0;
  const common = shape.slice(first, first + count);
  const parts = operands.map((operand, k) =>
    call.sizes.reshape(call.expanded(call.writer.cast(operand, "int64"), [values[k].type.shape], common), [
      ...common,
      1,
    ]),
  );
  const at = call.op("Concat", parts, { axis: count });
  const result = call.op("GatherND", [permuted(call, call.input(), [...axes, ...rest]), at]);
  const order = Array.from({ length: shape.length }, (_, axis) =>
    axis < first ? count + axis : axis < first + count ? axis - first : axis,
  );
  return call.fit(permuted(call, result, order));
};

const permuted = (call: RuleCall, operand: Operand, perm: readonly number[]): Operand =>
  perm.every((axis, k) => axis === k) ? operand : call.op("Transpose", [operand], { perm });

const reductionNames: Readonly<Record<string, string>> = {
  add: "add",
  sum: "add",
  multiply: "mul",
  prod: "mul",
  amax: "max",
  amin: "min",
};

/** Writes elements at indices along an axis; halves are combined in float32. */
function scattered(call: RuleCall, axis: number, at: Operand, updates: Operand, reduction = "none"): Operand {
  const { dtype } = call.result;
  const isHalf = reduction !== "none" && (dtype === "float16" || dtype === "bfloat16");
  const wide = isHalf ? "float32" : dtype;
  const x = call.input(0, wide);
  const attributes = reduction === "none" ? { axis } : { axis, reduction };
  return call.writer.cast(call.op("ScatterElements", [x, at, call.writer.cast(updates, wide)], attributes), dtype);
}

/** The elements of argument k for a tensor of indices: a number is repeated, a larger tensor is cut. */
function updatesFor(call: RuleCall, k: number, shape: readonly Int[]): Operand {
  const arg = call.node.args[k];
  if (!(arg instanceof Value)) {
    const number = call.writer.number(call.result.dtype, call.number(k, "value"));
    return call.op("Expand", [number, call.sizes.list(shape)]);
  }
  const own = arg.type.shape;
  if (String(own) === String(shape)) return call.operand(arg);
  const zeros = call.writer.list(shape.map(() => 0));
  return call.op("Slice", [
    call.operand(arg),
    zeros,
    call.sizes.list(shape),
    call.writer.list(shape.map((_, axis) => axis)),
  ]);
}

const scatter =
  (fixed: string | null): Rule =>
  (call) => {
    const option = (fixed ?? call.option("reduce") ?? null) as string | null;
    const reduction = option === null ? "none" : reductionNames[option];
    const axis = call.axis(call.number(1, "axis"));
    return scattered(call, axis, indices(call, 2), updatesFor(call, 3, call.type(2).shape), reduction);
  };

const scatterReduce: Rule = (call) => {
  const name = call.get(4, "reduce") as string;
  if (call.option("includeSelf") === false || reductionNames[name] === undefined)
    throw new NotExported(
      `is not exported for ${name}${call.option("includeSelf") === false ? " without the tensor itself" : ""}`,
    );
  const axis = call.axis(call.number(1, "axis"));
  return scattered(call, axis, indices(call, 2), updatesFor(call, 3, call.type(2).shape), reductionNames[name]);
};

/** Indices of whole rows along an axis, as indices of elements. */
function elementIndices(call: RuleCall, axis: number, shape: readonly Int[]): Operand {
  const at = call.op("Reshape", [indices(call, 2), call.writer.list(shape.map((_, k) => (k === axis ? -1 : 1)))]);
  return call.op("Expand", [at, call.sizes.list(shape)]);
}

const rowsWritten =
  (reductionOf: (call: RuleCall) => string): Rule =>
  (call) => {
    const reduction = reductionOf(call);
    const axis = call.axis(call.number(1, "axis"));
    const isNumber = !(call.node.args[3] instanceof Value);
    const shape = isNumber ? call.type().shape.with(axis, call.type(2).shape[0] ?? 1) : call.type(3).shape;
    let updates = isNumber ? updatesFor(call, 3, shape) : call.input(3);
    const alpha = call.option("alpha");
    if (typeof alpha === "number" && alpha !== 1) updates = call.op("Mul", [updates, call.scalar(updates, alpha)]);
    return scattered(call, axis, elementIndices(call, axis, shape), updates, reduction);
  };

const indexReduce = rowsWritten((call) => {
  const name = call.get(4, "reduce") as string;
  if (call.option("includeSelf") === false || reductionNames[name] === undefined)
    throw new NotExported(`is not exported for ${name}`);
  return reductionNames[name];
});

/** Writes to elements by one tensor of indices for each of the first axes. */
const indexPut: Rule = (call) => {
  const keys = call.node.args[1];
  if (!Array.isArray(keys) || !keys.every((key) => key instanceof Value))
    throw new NotExported("writes along axes that are not the first ones");
  const values = keys as readonly Value[];
  const own = call.type().shape;
  const first = values[0].type.shape;
  if (values.some(({ type }) => String(type.shape) !== String(first))) throw new NotExported("broadcasts its indices");
  const parts = values.map((key) =>
    call.sizes.reshape(call.writer.cast(indexOperand(call, call.operand(key), key.type.dtype), "int64"), [...first, 1]),
  );
  const at = parts.length === 1 ? parts[0] : call.op("Concat", parts, { axis: first.length });
  const shape = [...first, ...own.slice(values.length)];
  const updates = call.op("Expand", [call.input(2), call.sizes.list(shape)]);
  const { dtype } = call.result;
  const isSum = call.option("accumulate") === true;
  const wide = isSum && (dtype === "float16" || dtype === "bfloat16") ? "float32" : dtype;
  const inputs = [call.input(0, wide), at, call.writer.cast(updates, wide)];
  return call.writer.cast(call.op("ScatterND", inputs, isSum ? { reduction: "add" } : {}), dtype);
};

/** Writes to elements by their row-major index. */
const put: Rule = (call) => {
  const flat = (k: number): Operand => call.op("Reshape", [call.input(k), call.writer.list([-1])]);
  const at = call.op("Reshape", [indices(call, 1), call.writer.list([-1])]);
  if (call.option("accumulate") === true) throw new NotExported("accumulates");
  return call.fit(call.op("ScatterElements", [flat(0), at, flat(2)], { axis: 0 }));
};

const oneHot: Rule = (call) => {
  const depth = call.sizes.size(call.result.shape.at(-1) as Int);
  const hot = call.op("OneHot", [call.input(0, "int64"), depth, call.writer.list([0, 1])], { axis: -1 }, "int64");
  return call.writer.cast(hot, call.result.dtype);
};

export const indexings: Readonly<Record<string, Rule>> = {
  gather,
  indexSelect: rows(0, 2, 1),
  embedding: rows(1, 0, null),
  take,
  at: indexed,
  pick: indexed,
  scatter: scatter(null),
  scatterAdd: scatter("add"),
  scatterReduce,
  indexAdd: rowsWritten(() => "add"),
  indexCopy: rowsWritten(() => "none"),
  indexFill: rowsWritten(() => "none"),
  indexReduce,
  indexPut,
  put,
  oneHot,
};
