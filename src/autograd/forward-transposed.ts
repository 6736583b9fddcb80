/**
 * Tangents from gradients. The backward pass of a call is linear in the gradient that it starts from, and the gradient of this linear function
 * is its transpose, the forward derivative. So every op whose gradient is differentiable has tangents.
 */
import { zeros } from "../tensor/create/create-ops.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import { clone, view } from "../tensor/views/view-ops.ts";
import { grad, setRequiresGrad } from "./api.ts";
import { tensorsOf } from "./arguments.ts";
import { requiresGrad } from "./history.ts";
import { enableGrad, isGradEnabled } from "./scopes.ts";

/** The arguments with tensors replaced, in lists and objects too. */
function replaced(arg: unknown, change: (t: Tensor) => Tensor): unknown {
  if (arg instanceof Tensor) return change(arg);
  if (Array.isArray(arg)) return arg.map((each) => replaced(each, change));
  if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  return Object.fromEntries(Object.entries(arg).map(([key, value]) => [key, replaced(value, change)]));
}

/** The tangents of outputs from those of inputs, by two backward passes; null for outputs that require no gradient. */
export function twiceBack(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  tangents: readonly Tensor[],
  createGraph: boolean,
): (Tensor | null)[] {
  const recorded = outputs.filter(requiresGrad);
  if (recorded.length === 0) return outputs.map(() => null);
  const starts = recorded.map((t) => setRequiresGrad(zeros(sizesOf(t), { dtype: t.dtype }), true, "jvp"));
  const back = grad(recorded, inputs, { gradOutputs: starts, createGraph: true, allowUnused: true });
  const along = back.flatMap((g, k) => (g === null || !requiresGrad(g) ? [] : [[g, tangents[k]] as const]));
  const gradients: (Tensor | null)[] =
    along.length === 0
      ? starts.map(() => null)
      : grad(
          along.map(([g]) => g),
          starts,
          { gradOutputs: along.map(([, t]) => t), createGraph, allowUnused: true },
        );
  return outputs.map((t) => {
    const k = recorded.indexOf(t);
    return k < 0 ? null : (gradients[k] ?? zeros(sizesOf(t), { dtype: t.dtype }));
  });
}

/** The tangents of the results of a call; null for those that have none. */
export function transposedTangents(
  op: Operator,
  args: Arguments,
  tangentOf: (t: Tensor) => Tensor | null,
): (Tensor | null)[] {
  const isRecorded = isGradEnabled();
  const [inputs, tangents]: [Tensor[], Tensor[]] = [[], []];
  const leaves = new Map<Tensor, Tensor>();
  const leafOf = (t: Tensor): Tensor => {
    const tangent = tangentOf(t);
    if (tangent === null) return t;
    const known = leaves.get(t);
    if (known !== undefined) return known;
    // A tensor with a history gets a new node, where its gradient is captured: the node of one argument may come after that of another.
    const leaf = isRecorded && requiresGrad(t) ? view(t, sizesOf(t)) : setRequiresGrad(detach(t), true, "jvp");
    leaves.set(t, leaf);
    inputs.push(leaf);
    tangents.push(tangent);
    return leaf;
  };
  return enableGrad(() => {
    const mine = replaced(args, leafOf) as unknown[];
    if (op.isInPlace) mine[0] = clone(mine[0] as Tensor);
    const outputs = tensorsOf([op.call(mine)]);
    const isHigher = isRecorded && [...tensorsOf(args), ...tangents].some(requiresGrad);
    return twiceBack(outputs, inputs, tangents, isHigher);
  });
}
