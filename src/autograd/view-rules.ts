/**
 * How gradients pass through views, copies and writes of whole tensors. Views that only regroup axes are undone; of all others the
 * gradient is put where the elements lie in a tensor of zeros, by making the same view of that.
 */
import { complex } from "../ops/elementwise/choose.ts";
import { cat, stack } from "../ops/movement/join.ts";
import { indexAdd } from "../ops/movement/scatter.ts";
import { sum } from "../ops/reduce/reduce.ts";
import { sumTo } from "../ops/sum-to.ts";
import { type Axis, axisOf } from "../tensor/axes.ts";
import { zeros } from "../tensor/create/create.ts";
import { zerosBeside } from "../tensor/create/create-ops.ts";
import { arange } from "../tensor/create/ranges.ts";
import type { GradientRule, RecordedCall } from "../tensor/dispatch/gradient.ts";
import { keySet } from "../tensor/dispatch/keys.ts";
import type { Operator } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { type GradientKind, gradientKinds } from "../tensor/views/view-facts.ts";
import { contiguous, copy_, permute, reshape, to, viewAsComplex, viewAsReal } from "../tensor/views/view-ops.ts";
import { geometryOf, memoryLike } from "./base-memory.ts";
import { assigned, reading } from "./index-rules.ts";

const first = ({ args }: RecordedCall): Tensor => args[0] as Tensor;

/** The same elements under another shape. */
const regrouped: GradientRule = (call) => {
  const shape = sizesOf(first(call));
  return ([g]) => [reshape(g, shape)];
};

/** Axes in another order, which a probe finds: a tensor without memory whose sizes tell the axes apart. */
const reordered =
  (op: Operator): GradientRule =>
  (call) => {
    const shape = sizesOf(first(call));
    const probe = zeros(
      shape.map((_, axis) => axis + 2),
      { device: "meta" },
    );
    const sizes = sizesOf(op.callWith(keySet("meta"), [probe, ...call.args.slice(1)]) as Tensor);
    const back = shape.map((_, axis) => sizes.indexOf(axis + 2));
    return ([g]) => [permute(g, back)];
  };

/** Part of the elements, each at most once: the same part of zeros is written. */
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

/** Pieces along an axis, one behind the other; those of tensorSplit may overlap. */
const pieces =
  (op: Operator): GradientRule =>
  (call) => {
    const [x, cuts, axis = 0] = call.args as [Tensor, unknown, Axis?];
    const [at, shape, { dtype }] = [axisOf(op.name, x, axis), sizesOf(x), x];
    const size = shape[at];
    return (gradients) => {
      const all = cat(gradients, at);
      if (sizesOf(all)[at] === size) return [all];
      const numbers = cat(op.call([arange(0, size, 1, { dtype: "int32" }), cuts]) as Tensor[]);
      return [indexAdd(zeros(shape, { dtype }), at, numbers, all)];
    };
  };

/** Elements that may be seen several times: their gradients are added, by their numbers. */
const repeated =
  (op: Operator): GradientRule =>
  (call) => {
    const { shape, dtype, size } = first(call);
    const rest = call.args.slice(1);
    return ([g]) => {
      const numbers = reshape(arange(0, size, 1, { dtype: "int32" }), shape);
      const seen = op.call([numbers, ...rest]) as Tensor;
      const flat = zeros([size], { dtype });
      const total = indexAdd(flat, 0, reshape(seen, [-1]), reshape(g, [-1])) as Tensor;
      return [reshape(total, shape)];
    };
  };

const converted: GradientRule = (call) => {
  const { dtype } = first(call);
  return ([g]) => [to(g, dtype)];
};

/** The rules, each made for the op whose call it sees, which may give a view or a copy. */
const rules: Readonly<Record<GradientKind, (op: Operator, isView: boolean) => GradientRule>> = {
  reshape: () => regrouped,
  permute: reordered,
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
  // Strides and offset are those of the storage, whatever the input makes of it.
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
export function viewRule(op: Operator, call: RecordedCall): GradientRule | null {
  const kind = gradientKinds[op.name] ?? op.name;
  const [result] = call.results;
  const isView = result !== undefined && result.source === first(call).source;
  if (Object.hasOwn(rules, kind)) return rules[kind](op, isView);
  return isView ? partial(op) : null;
}
