/**
 * Functions of functions: gradients, products with Jacobians from either side, whole Jacobians and Hessians.
 *
 * A product with the Jacobian from the right is found by going back twice: the way back is linear in the gradient it starts from, and
 * the gradient of that linear function is its transpose. So every op that has a gradient has this, too.
 */

import { mul } from "../ops/elementwise/arithmetic.ts";
import { stack } from "../ops/movement/join.ts";
import { sum } from "../ops/reduce/reduce.ts";
import { eye, zeros } from "../tensor/create/create.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { checkTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { reshape, select } from "../tensor/views/view-ops.ts";
import { grad, setRequiresGrad } from "./api.ts";
import { AutogradError } from "./error.ts";
import { requiresGrad } from "./history.ts";
import { enableGrad } from "./scopes.ts";

type TensorFunction = (...inputs: Tensor[]) => Tensor;

/** The arguments as leaves of a graph of their own; of arguments that are recorded, as parts of theirs if that is asked for. */
function leavesOf(who: string, inputs: readonly Tensor[]): Tensor[] {
  return inputs.map((t) => {
    checkTensor(who, t);
    return requiresGrad(t) ? t : setRequiresGrad(detach(t), true, who);
  });
}

/** The value of a function and its gradients with respect to all its arguments. */
export function valueAndGrad(fn: TensorFunction, ...inputs: Tensor[]): { value: Tensor; gradients: Tensor[] } {
  return enableGrad(() => {
    const leaves = leavesOf("valueAndGrad", inputs);
    const value = fn(...leaves);
    return { value: detach(value), gradients: filled(grad(value, leaves, { allowUnused: true }), leaves) };
  });
}

/** The function that gives the gradients of another one, of any order: `gradOf(gradOf(f))`. */
export function gradOf(fn: TensorFunction): (input: Tensor, ...more: Tensor[]) => Tensor {
  return (input, ...more) =>
    enableGrad(() => {
      const [leaf, ...others] = leavesOf("gradOf", [input, ...more]) as [Tensor, ...Tensor[]];
      const isInner = requiresGrad(input);
      const value = fn(leaf, ...others);
      const [found] = filled(grad(value, [leaf], { createGraph: isInner, allowUnused: true }), [leaf]);
      return found as Tensor;
    });
}

const filled = (gradients: readonly (Tensor | null)[], inputs: readonly Tensor[]): Tensor[] =>
  gradients.map((g, k) => g ?? zeros(sizesOf(inputs[k] as Tensor), { dtype: (inputs[k] as Tensor).dtype }));

const listOf = (inputs: Tensor | readonly Tensor[]): readonly Tensor[] =>
  inputs instanceof Tensor ? [inputs] : inputs;

/** The value of a function, and the product of a vector with its Jacobian from the left. */
export function vjp(
  fn: TensorFunction,
  inputs: Tensor | readonly Tensor[],
  vector?: Tensor,
): { value: Tensor; gradients: Tensor[] } {
  return enableGrad(() => {
    const leaves = leavesOf("vjp", listOf(inputs));
    const value = fn(...leaves);
    const gradients = grad(value, leaves, { gradOutputs: vector ?? null, allowUnused: true });
    return { value: detach(value), gradients: filled(gradients, leaves) };
  });
}

/** The value of a function, and the product of its Jacobian with the changes of its arguments. */
export function jvp(
  fn: TensorFunction,
  inputs: Tensor | readonly Tensor[],
  tangents: Tensor | readonly Tensor[],
): { value: Tensor; tangent: Tensor } {
  return enableGrad(() => {
    const [leaves, directions] = [leavesOf("jvp", listOf(inputs)), listOf(tangents)];
    directions.forEach((t, k) => {
      checkTensor("jvp", t);
      const [has, wants] = [sizesOf(t), sizesOf(leaves[k] as Tensor)];
      if (has.length !== wants.length || has.some((size, axis) => size !== wants[axis]))
        throw new AutogradError(
          `jvp: tangent ${k} has shape [${has.join(", ")}], and its argument [${wants.join(", ")}]`,
        );
    });
    const value = fn(...leaves);
    const start = setRequiresGrad(zeros(sizesOf(value), { dtype: value.dtype }), true, "jvp");
    const back = grad(value, leaves, { gradOutputs: start, createGraph: true, allowUnused: true });
    const along = back.flatMap((g, k) =>
      g === null || !requiresGrad(g) ? [] : [[g, directions[k] as Tensor] as const],
    );
    if (along.length === 0) return { value: detach(value), tangent: zeros(sizesOf(value), { dtype: value.dtype }) };
    const tangent = grad(
      along.map(([g]) => g),
      start,
      { gradOutputs: along.map(([, t]) => t) },
    );
    return { value: detach(value), tangent };
  });
}

/** The Jacobian: of shape (result, argument), a list of them if there are several arguments. */
export function jacobian(fn: TensorFunction, input: Tensor): Tensor;
export function jacobian(fn: TensorFunction, inputs: readonly Tensor[]): Tensor[];
export function jacobian(fn: TensorFunction, inputs: Tensor | readonly Tensor[]): Tensor | Tensor[] {
  const list = enableGrad(() => {
    const leaves = leavesOf("jacobian", listOf(inputs));
    const isInner = listOf(inputs).some(requiresGrad);
    const value = fn(...leaves);
    const shape = sizesOf(value);
    const directions = eye(value.size, value.size, { dtype: value.dtype });
    const rows = Array.from({ length: value.size }, (_, k) =>
      filled(
        grad(value, leaves, {
          gradOutputs: reshape(select(directions, 0, k), shape),
          retainGraph: true,
          createGraph: isInner,
          allowUnused: true,
        }),
        leaves,
      ),
    );
    return leaves.map((leaf, k) =>
      reshape(stack(rows.map((row) => row[k] as Tensor)) as Tensor, [...shape, ...sizesOf(leaf)]),
    );
  });
  return inputs instanceof Tensor ? (list[0] as Tensor) : list;
}

/** The Hessian of a function with one number as its value, of shape (argument, argument). */
export function hessian(fn: TensorFunction, input: Tensor): Tensor {
  return enableGrad(() => {
    const leaf = leavesOf("hessian", [input])[0] as Tensor;
    return jacobian((x) => gradOf((y) => reshape(fn(y), []))(x), leaf);
  });
}

/** The product of the Hessian of a function with a vector, without the Hessian. */
export function hvp(fn: TensorFunction, input: Tensor, vector: Tensor): Tensor {
  return enableGrad(() => {
    const leaf = leavesOf("hvp", [input])[0] as Tensor;
    const first = grad(fn(leaf), leaf, { createGraph: true });
    if (!requiresGrad(first)) return zeros(sizesOf(leaf), { dtype: leaf.dtype });
    return grad(sum(mul(first, detach(vector) as never) as Tensor) as Tensor, leaf);
  });
}
