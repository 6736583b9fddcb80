/**
 * Plans of copies, writes and indexing of whole tensors, which run directly in eager calls. They are installed with the first graph, so that
 * programs without graphs do not contain them.
 */
import { once } from "../base/lazy.ts";
import { exactValue } from "../kernel/checked-value.ts";
import type { Value } from "../storage/dtype.ts";
import { dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { planAssign, planAt, planPick } from "../tensor/access/advanced-index.ts";
import { copyStrides } from "../tensor/clone.ts";
import type { CopyFormat } from "../tensor/contiguity.ts";
import type { Allocate, Operator, PlannedCall } from "../tensor/dispatch/operator.ts";
import { scalarOf } from "../tensor/elements.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { broadcastInto } from "../tensor/in-place.ts";
import { lowerCopyAll, lowerFillAll } from "../tensor/lowering.ts";
import { carryNames } from "../tensor/names.ts";
import { checkNoPartialOverlap, checkNoSelfOverlap, checkTensor, checkWritable } from "../tensor/operand.ts";
import { Tensor, tensorOver } from "../tensor/tensor.ts";
import { assignAt, at, clone, copy_, fill_, pick } from "../tensor/views/view-ops.ts";

type Plan = NonNullable<Operator["plan"]>;

const planClone: Plan = ([t, format = "preserve", dtype], allocate: Allocate = Storage.allocate): PlannedCall => {
  const x = t as Tensor;
  const to = (dtype ?? x.dtype) as Tensor["dtype"];
  const storage = allocate(x.size * dtypes[to].itemsize);
  const copy = tensorOver(storage, to, 0, sizesOf(x), copyStrides("clone", x, format as CopyFormat));
  return { results: [carryNames(copy, x)], lower: (builder) => lowerCopyAll(builder, x, copy, "clone") };
};

const planCopy: Plan = ([t, from, who = "copy_"]): PlannedCall => {
  const [target, name] = [t as Tensor, who as string];
  checkTensor(name, from);
  checkWritable(target, name);
  checkNoSelfOverlap(target, name);
  checkNoPartialOverlap(target, from, name);
  const source = broadcastInto(target, from, name);
  return { results: [target], lower: (builder) => lowerCopyAll(builder, source, target, name) };
};

const planFill: Plan = ([t, value, who = "fill_"]): PlannedCall => {
  const [target, name] = [t as Tensor, who as string];
  checkWritable(target, name);
  if (value instanceof Tensor) return planCopy([t, value, name]) as PlannedCall;
  const exact = exactValue(name, scalarOf(name, value as Value), target.dtype);
  return { results: [target], lower: (builder) => lowerFillAll(builder, target, exact, name) };
};

/** Installs the plans. */
export const installPlans: () => unknown = /* @__PURE__ */ once(() => {
  clone.operator.plan = planClone;
  copy_.operator.plan = planCopy;
  fill_.operator.plan = planFill;
  at.operator.plan = planAt;
  pick.operator.plan = planPick;
  assignAt.operator.plan = planAssign;
  return "installed";
});
