/**
 * Views: reshapes as Reshape, permutations as Transpose, and every other view by its geometry. The view is formed of a dense tensor without memory;
 * its start, strides and sizes determine the slice of each axis, the order of axes, and repeated elements. Other views, such as
 * diagonals, gather their elements by flat index.
 */
import { resultsOf } from "../../../autograd/arguments.ts";
import type { SymbolAtom } from "../../../expr/polynomial.ts";
import type { Node, TensorType, Value } from "../../../graph/ir.ts";
import { Graph } from "../../../graph/ir.ts";
import { concreteArgument, numberOf, type SymbolValues, symbolsOf } from "../../../graph/sizes.ts";
import { scratch } from "../../../graph/trace/traced.ts";
import { tensor } from "../../../index.ts";
import type { Int } from "../../../layout/int.ts";
import { dtypes } from "../../../storage/dtype.ts";
import { rowMajorStrides } from "../../../tensor/contiguity.ts";
import { outsideModes } from "../../../tensor/dispatch/modes.ts";
import { flatStrides, sizesOf } from "../../../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../../../tensor/tensor.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import type { Rule, RuleCall } from "../rule-call.ts";
import { numberOfSize } from "../size-nodes.ts";

/** A reshape, which does not change the order of elements. */
export const reshaped: Rule = (call) => call.sizes.reshape(call.input(), call.result.shape);

/** The slice of one axis that a view has: from its first element to one after the last. */
interface Slice {
  readonly axis: number;
  /** The size of the axis. */
  readonly size: number;
  readonly start: number;
  readonly end: number;
  readonly step: number;
  /** True if the view has all elements of the axis in their order. */
  readonly isWhole: boolean;
}

/** One result of a view: slices of the axes of its tensor; for each axis of the result, the axis that it is, null if it repeats elements. */
interface ViewPlan {
  readonly slices: readonly Slice[];
  readonly order: readonly (number | null)[];
}

export const exportView: Rule = (call) => {
  const { node } = call;
  const [first, second] = samplesOf(node).map((symbols) => plansOf(node, symbols));
  return node.results.map(({ type }, k) => {
    const plan = second === undefined ? first[k] : commonPlan(first[k], second[k]);
    return plan === null ? gathered(call, k) : composed(call, plan, type);
  });
};

/** Numbers above and below all indices of an axis. */
const above = 2 ** 31 - 1;
const below = -(2 ** 31);

/** The plan for all sizes, from those for two combinations of sizes: bounds are counted from the start of an axis, or from its end. */
function commonPlan(a: ViewPlan | null, b: ViewPlan | null): ViewPlan | null {
  if (a === null || b === null || String(a.order) !== String(b.order)) return null;
  const slices: Slice[] = [];
  for (const [k, one] of a.slices.entries()) {
    const other = b.slices[k];
    const bound = (x: number, y: number): number | null =>
      x === y ? x : x - one.size === y - other.size ? (x === one.size ? above : x - one.size) : null;
    const [start, end] = [bound(one.start, other.start), bound(one.end, other.end)];
    if (one.isWhole && other.isWhole) slices.push(one);
    else if (one.step !== other.step || one.isWhole !== other.isWhole || start === null || end === null) return null;
    else slices.push({ ...one, start, end });
  }
  return { slices, order: a.order };
}

/** Values of the symbols of a call: none, or two combinations. */
function samplesOf({ args, results }: Node): readonly SymbolValues[] {
  const graph = new Graph("");
  const symbols = new Map<string, SymbolAtom>();
  graph.nodes = [{ args, results, regions: [] } as unknown as Node];
  for (const arg of args) if (isValue(arg)) graph.addInput(arg.type);
  symbolsOf(graph, symbols);
  if (symbols.size === 0) return [{}];
  const all = [...symbols.values()];
  return [5, 11].map((from) =>
    Object.fromEntries(
      all.map(({ name, min, max, divisor }, k) => [name, sizeNear((from + 2 * k) * divisor, min, max)]),
    ),
  );
}

const sizeNear = (size: number, min: number, max: number): number => Math.min(Math.max(size, min), max);

const isValue = (arg: unknown): arg is Value =>
  typeof arg === "object" && arg !== null && "type" in arg && "node" in arg;

function plansOf(node: Node, symbols: SymbolValues): readonly (ViewPlan | null)[] {
  const shape = (node.args[0] as Value).type.shape.map((size) => numberOf(size, symbols));
  return viewsOf(node, shape, symbols).map((view) => planOf(shape, view));
}

/** The views that a node forms of a dense tensor without memory. */
function viewsOf({ op, args }: Node, shape: readonly number[], symbols: SymbolValues): readonly Tensor[] {
  const { dtype } = (args[0] as Value).type;
  const size = shape.reduce((a, b) => a * b, dtypes[dtype].itemsize);
  const base = tensorOver(scratch(size), dtype, 0, shape, rowMajorStrides(shape));
  const own = args.map((arg) => concreteArgument(arg, symbols, () => base));
  return resultsOf((op.kernelFor("cpu") as (...args: readonly unknown[]) => unknown)(...own));
}

function planOf(shape: readonly number[], view: Tensor): ViewPlan | null {
  const [sizes, strides] = [sizesOf(view), flatStrides(view)];
  const steps = rowMajorStrides(shape);
  if (shape.includes(0) || sizes.includes(0)) return null;
  const starts: number[] = [];
  let rest = view.start;
  for (const [axis, step] of steps.entries()) {
    starts.push(Math.min(Math.floor(rest / step), shape[axis] - 1));
    rest -= starts[axis] * step;
  }
  if (rest !== 0) return null;
  const slices: Slice[] = starts.map((start, axis) => {
    const size = shape[axis];
    return { axis, size, start, end: start + 1, step: 1, isWhole: size === 1 };
  });
  const order: (number | null)[] = [];
  const taken = new Set<number>();
  for (const [k, stride] of strides.entries()) {
    if (stride === 0 || sizes[k] === 1) {
      order.push(null);
      continue;
    }
    const axis = steps.findIndex((step, each) => {
      const last = starts[each] + (sizes[k] - 1) * (stride / step);
      return stride % step === 0 && !taken.has(each) && shape[each] > 1 && last >= 0 && last < shape[each];
    });
    if (axis < 0) return null;
    taken.add(axis);
    const step = stride / steps[axis];
    const last = starts[axis] + (sizes[k] - 1) * step;
    const end = step > 0 ? last + 1 : last === 0 ? below : last - 1;
    const isWhole = sizes[k] === shape[axis] && step === 1;
    slices[axis] = { axis, size: shape[axis], start: starts[axis], end, step, isWhole };
    order.push(axis);
  }
  return { slices, order };
}

function composed(call: RuleCall, { slices, order }: ViewPlan, type: TensorType): Operand {
  const base = call.type().shape;
  const cut = slices.filter(({ isWhole }) => !isWhole);
  let value = call.input();
  if (cut.length > 0) {
    const list = (of: (slice: Slice) => number): Operand => call.writer.list(cut.map(of));
    value = call.op("Slice", [
      value,
      list(({ start }) => start),
      list(({ end }) => end),
      list(({ axis }) => axis),
      list(({ step }) => step),
    ]);
  }
  const kept = order.filter((axis) => axis !== null);
  const dropped = slices.map(({ axis }) => axis).filter((axis) => !kept.includes(axis));
  const perm = [...dropped, ...kept];
  if (kept.some((axis, k) => k > 0 && kept[k - 1] > axis)) value = call.op("Transpose", [value], { perm });
  const shape: Int[] = order.map((axis, k) => (axis === null ? 1 : type.shape[k]));
  const isSame = dropped.length === 0 && !order.includes(null);
  if (!isSame && String(shape) !== String(base)) value = call.sizes.reshape(value, shape);
  if (String(shape) !== String(type.shape)) value = call.op("Expand", [value, call.sizes.list(type.shape)]);
  return value;
}

/** Gathers the elements of result k by flat index. */
function gathered(call: RuleCall, k: number): Operand {
  const { node } = call;
  const shape = call.concrete(call.type().shape);
  const view = viewsOf(node, shape, {})[k];
  return gatherAt(call, view);
}

/** Gathers elements of the first operand by row-major index: those of a view of a dense tensor. */
export function gatherAt(call: RuleCall, view: Tensor): Operand {
  const [sizes, strides] = [sizesOf(view), flatStrides(view)];
  let numbers = [view.start];
  for (const [axis, size] of sizes.entries())
    numbers = numbers.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[axis]));
  const count = call.concrete(call.type().shape).reduce((a, b) => a * b, 1);
  if (numbers.some((at) => at < 0 || at >= count)) throw new NotExported("reads memory outside of its tensor");
  return gatherNumbers(call, call.input(), numbers, sizes);
}

/** Gathers elements by flat index. */
export function gatherNumbers(
  call: RuleCall,
  from: Operand,
  numbers: readonly number[],
  shape: readonly number[],
): Operand {
  const flat = call.op("Reshape", [from, call.writer.list([-1])]);
  const at = outsideModes(() => tensor(numbers as number[], { dtype: "int64" }).reshape([...shape]));
  return call.op("Gather", [flat, call.writer.tensor(at as Tensor)], { axis: 0 });
}

/** Expansion, also to symbolic sizes. */
export const expanded: Rule = (call) => {
  const { shape } = call.result;
  return call.op("Expand", [call.input(), call.sizes.list(shape)]);
};

/** A part of an axis by its first index and its length, which may be symbolic. */
export const narrowed: Rule = (call) => {
  const axis = call.axis(call.number(1, "axis"));
  const start = call.get(2, "start") as Int;
  const size = call.result.shape[axis];
  if (typeof start === "number" && numberOfSize(size) !== null && start >= 0)
    return call.op("Slice", [
      call.input(),
      call.writer.list([start]),
      call.writer.list([start + (numberOfSize(size) as number)]),
      call.writer.list([axis]),
    ]);
  const from = call.sizes.size(start);
  const length = call.type().shape[axis];
  const first = typeof start === "number" && start < 0 ? call.op("Add", [from, call.sizes.size(length)]) : from;
  return call.op("Slice", [
    call.input(),
    first,
    call.op("Add", [first, call.sizes.size(size)]),
    call.writer.list([axis]),
  ]);
};

/** A part by sizes, strides and the first element, in the memory of a row-major tensor. */
export const strided: Rule = (call) => {
  const { type } = call.node.args[0] as Value;
  const [, sizes, strides, offset, dtype] = call.node.args;
  if (type.strides !== null) throw new NotExported("reads the memory of a tensor that is not contiguous");
  if (typeof dtype === "string" && dtype !== type.dtype)
    throw new NotExported(`uses the bits of ${type.dtype} as ${dtype}`);
  const [own, steps] = [sizes, strides].map((list) => call.concrete(list as readonly Int[]));
  const [start] = call.concrete([(offset ?? 0) as Int]);
  return gatherAt(call, tensorOver(scratch(1), type.dtype, start, own, steps));
};

/** A tensor of which a part by sizes, strides and the first element has a new value. */
export const stridedScattered: Rule = (call) => {
  const { type } = call.node.args[0] as Value;
  const [, , sizes, strides, offset] = call.node.args;
  if (type.strides !== null) throw new NotExported("writes the memory of a tensor that is not contiguous");
  const [own, steps] = [sizes, strides].map((list) => call.concrete(list as readonly Int[]));
  let numbers = call.concrete([(offset ?? 0) as Int]);
  for (const [axis, size] of own.entries())
    numbers = numbers.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * steps[axis]));
  const flat = (value: Operand): Operand => call.op("Reshape", [value, call.writer.list([-1])]);
  const result = call.op("ScatterElements", [flat(call.input()), call.writer.list(numbers), flat(call.input(1))], {
    axis: 0,
  });
  return call.fit(result);
};
