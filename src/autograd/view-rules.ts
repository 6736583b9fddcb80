/**
 * Gradients of views, copies and writes of whole tensors. The gradient of a view that only regroups or reorders axes is the inverse view. The
 * gradient of any other view is copied into a tensor of zeros, through the same view of that tensor.
 *
 * The gradient of a read by index tensors is added to the elements that were read; elements that a write replaces have a gradient of 0. To get flat
 * indices, the same read is applied to the flat indices of all elements (`arange`), along the axes that the index covers.
 */
import { indicesLike } from "../ops/composite/tensors-like.ts";
import { complex } from "../ops/elementwise/choose.ts";
import {
  rowIndices,
  saveItems,
  scatterAddUnchecked,
  sumToValues,
  zeroOverwritten,
} from "../ops/movement/gather-scatter.ts";
import { cat, stack } from "../ops/movement/join.ts";
import { indexAdd } from "../ops/movement/scatter.ts";
import { sum } from "../ops/reduce/reduce.ts";
import { sumTo } from "../ops/sum-to.ts";
import { deviceOption } from "../storage/device.ts";
import { isMask } from "../tensor/access/advanced-index.ts";
import type { Index } from "../tensor/access/indexing.ts";
import { type Axis, axesOf, axisOf } from "../tensor/axes.ts";
import { zeros, zerosBeside } from "../tensor/create/create-ops.ts";
import type { GradientRule, RecordedCall } from "../tensor/dispatch/gradient.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { sizeOf, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { type GradientKind, gradientKinds } from "../tensor/views/view-facts.ts";
import {
  assignAt,
  at,
  clone,
  contiguous,
  copy_,
  matrixTranspose,
  movedim,
  permute,
  reshape,
  reversed,
  to,
  transpose,
  viewAsComplex,
  viewAsReal,
} from "../tensor/views/view-ops.ts";
import { geometryOf, memoryLike } from "./base-memory.ts";

const first = ({ args }: RecordedCall): Tensor => args[0] as Tensor;

/** The same elements with a different shape. */
const regrouped: GradientRule = (call) => {
  const shape = sizesOf(first(call));
  return ([g]) => [reshape(g, shape)];
};

const undoneByItself =
  (view: (t: Tensor) => Tensor): GradientRule =>
  () =>
  ([g]) => [view(g)];

/** Views of a part of the elements, each at most once: the gradient is copied to the same part of zeros. */
const partial =
  (op: Operator): GradientRule =>
  (call) => {
    const { shape, dtype } = first(call);
    const rest = call.args.slice(1);
    return (gradients) => {
      const whole = zerosBeside(gradients[0], shape, dtype);
      copy_(op.call([whole, ...rest]) as Tensor, gradients[0]);
      return [whole];
    };
  };

/** Views of consecutive pieces along an axis; the pieces of tensorSplit may overlap. */
const pieces =
  (op: Operator): GradientRule =>
  (call) => {
    const [x, cuts, axis = 0] = call.args as [Tensor, unknown, Axis?];
    const [at, shape, { dtype }] = [axisOf(op.name, x, axis), sizesOf(x), x];
    const size = shape[at];
    return (gradients) => {
      const all = cat(gradients, at);
      if (sizesOf(all)[at] === size) return [all];
      const numbers = cat(op.call([indicesLike(all, size), cuts]) as Tensor[]);
      return [indexAdd(zeros(shape, { dtype, device: deviceOption(all.device) }), at, numbers, all)];
    };
  };

/** Views in which elements may occur several times: their gradients are added, by flat index. */
const repeated =
  (op: Operator): GradientRule =>
  (call) => {
    const { shape, dtype, size } = first(call);
    const rest = call.args.slice(1);
    return ([g]) => {
      const numbers = reshape(indicesLike(g, size), shape);
      const seen = op.call([numbers, ...rest]) as Tensor;
      const flat = zeros([size], { dtype, device: deviceOption(g.device) });
      const total = indexAdd(flat, 0, reshape(seen, [-1]), reshape(g, [-1])) as Tensor;
      return [reshape(total, shape)];
    };
  };

const converted: GradientRule = (call) => {
  const { dtype } = first(call);
  return ([g]) => [to(g, dtype)];
};

/** The number of leading axes that the index items of `at` cover; all axes if an item is `...` or nested. */
function axesReached(items: readonly Index[], rank: number): number {
  let count = 0;
  for (const item of items) {
    if (item === "..." || Array.isArray(item)) return rank;
    if (item instanceof Tensor) count += isMask(item) ? item.rank : 1;
    else if (item !== null && typeof item !== "boolean") count++;
  }
  return count;
}

/** Reads that copy: by the index items of `at`, or along one axis, as `pick` does. */
const reading =
  (op: Operator, isAt: boolean): GradientRule =>
  (call) => {
    const [x, index, axis = 0] = call.args as [Tensor, readonly Index[] | Tensor, Axis?];
    const shape = sizesOf(x);
    const reached = isAt ? axesReached(index as readonly Index[], x.rank) : axisOf("pick", x, axis) + 1;
    const [outer, inner] = [shape.slice(0, reached), sizeOf(shape.slice(reached))];
    const items = index instanceof Tensor ? call.save(index) : isAt ? saveItems(call, index) : () => index;
    return ([g]) => {
      const numbers = reshape(indicesLike(g, sizeOf(outer)), outer);
      const indices = reshape(op.call(isAt ? [numbers, items()] : [numbers, items(), reached - 1]) as Tensor, [-1]);
      const rows = [indices.size, inner];
      return [
        reshape(scatterAddUnchecked(reshape(g, rows), 0, rowIndices(indices, 0, rows), [sizeOf(outer), inner]), shape),
      ];
    };
  };

/** Writes by index items. */
const assigned: GradientRule = (call) => {
  const [x, index, value] = call.args as [Tensor, readonly Index[], unknown];
  const items = saveItems(call, index);
  const needsX = call.needs(x);
  const like = value instanceof Tensor && call.needs(value) ? { shape: sizesOf(value), dtype: value.dtype } : null;
  // Only integer index tensors can select an element twice.
  const mayRepeat = index.some((item) => item instanceof Tensor && !isMask(item));
  const indexed = (t: Tensor): Tensor => at(t, items());
  const last = (g: Tensor): Tensor =>
    mayRepeat ? zeroOverwritten(indexed(g), sizesOf(g), (t, from) => assignAt(t, items(), from), indexed) : indexed(g);
  return ([g]) => [
    needsX ? assignAt(clone(g), items(), 0) : null,
    null,
    like === null ? null : sumToValues(last(g), like),
  ];
};

/** The rules by kind, for an op whose call returned a view or a copy. */
const rules: Readonly<Record<GradientKind, (op: Operator, isView: boolean) => GradientRule>> = {
  reshape: () => regrouped,
  permute: () => (call) => {
    const [x, order] = call.args as [Tensor, readonly Axis[]];
    const axes = axesOf("permute", x, order);
    const back = axes.map((_, axis) => axes.indexOf(axis));
    return ([g]) => [permute(g, back)];
  },
  transpose: () => (call) => {
    const [x, a, b] = call.args as [Tensor, Axis, Axis];
    const [i, j] = [axisOf("transpose", x, a), axisOf("transpose", x, b)];
    return ([g]) => [transpose(g, i, j)];
  },
  T: () => undoneByItself(reversed),
  mT: () => undoneByItself(matrixTranspose),
  movedim: () => (call) => {
    const [x, ...moves] = call.args as [Tensor, Axis | readonly Axis[], Axis | readonly Axis[]];
    const [sources, targets] = moves.map((axes) => axesOf("movedim", x, Array.isArray(axes) ? axes : [axes]));
    return ([g]) => [movedim(g, targets, sources)];
  },
  expand: () => (call) => {
    const shape = sizesOf(first(call));
    return ([g]) => [sumTo(g, shape)];
  },
  clone: () => converted,
  detach: () => () => null,
  split: pieces,
  unbind: () => (call) => {
    const axis = (call.args[1] as Axis | undefined) ?? 0;
    return (gradients) => [stack(gradients, axis)];
  },
  unfold: repeated,
  // Strides and offset refer to the storage, not to the input.
  asStrided: () => (call) => {
    const memory = memoryLike(first(call));
    const view = geometryOf(call.results[0]);
    return ([g]) => [memory(g).withAdded(view, g)];
  },
  viewAsReal:
    () =>
    () =>
    ([g]) => [viewAsComplex(contiguous(g))],
  viewAsComplex:
    () =>
    () =>
    ([g]) => [viewAsReal(g)],
  partView: () => (call) => {
    const isReal = call.args[1] === "real";
    return ([g]) => {
      const none = zeros(sizesOf(g), { dtype: g.dtype });
      return [isReal ? complex(g as never, none as never) : complex(none as never, g as never)];
    };
  },
  copy_: () => (call) => {
    const from = call.args[1] as Tensor;
    const [shape, { dtype }] = [sizesOf(from), from];
    return ([g]) => [null, sumTo(to(g, dtype), shape)];
  },
  fill_: () => (call) => {
    const value = call.args[1];
    if (!(value instanceof Tensor)) return () => [null];
    const shape = sizesOf(value);
    return ([g]) => [null, reshape(sum(g), shape)];
  },
  at: (op, isView) => (isView ? partial(op) : reading(op, true)),
  pick: (op) => reading(op, false),
  assignAt_: () => assigned,
  takeAxes_:
    () =>
    () =>
    ([g]) => [null, g],
};

/** The rule of a view, a copy or a write of a whole tensor; null for all other ops. */
export function viewRule(op: Operator, [x]: Arguments, [result]: readonly Tensor[]): GradientRule | null {
  const kind = gradientKinds[op.name] ?? op.name;
  const isView = result !== undefined && result.source === (x as Tensor).source;
  if (Object.hasOwn(rules, kind)) return rules[kind](op, isView);
  return isView ? partial(op) : null;
}
