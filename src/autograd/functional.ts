/**
 * Function transforms: gradients, vector-Jacobian and Jacobian-vector products, Jacobians and Hessians.
 *
 * A Jacobian-vector product is computed in forward mode, and inside of forward mode by two backward passes. All transforms keep the tangents of
 * their arguments, so they can be used inside of `jvp`.
 */
import { checkFunction } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { mul } from "../ops/elementwise/arithmetic.ts";
import { stack } from "../ops/movement/join.ts";
import { sum } from "../ops/reduce/reduce.ts";
import { checkOptions } from "../ops/signature.ts";
import { eye, zeros } from "../tensor/create/create-ops.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { WrapperTensor } from "../tensor/dispatch/wrapper.ts";
import { showShape, sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { checkTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Shape } from "../tensor/types/types.ts";
import { movedim, reshape, unbind, view } from "../tensor/views/view-ops.ts";
import { checkImplicit, grad, setRequiresGrad } from "./api.ts";
import { vmap } from "./batching/vmap.ts";
import { differentiated } from "./captured.ts";
import { AutogradError } from "./error.ts";
import { dualLevel, makeDual, unpackDual } from "./forward-api.ts";
import { carryTangent, isForward } from "./forward-level.ts";
import { twiceBack } from "./forward-transposed.ts";
import { requiresGrad } from "./history.ts";
import { enableGrad } from "./scopes.ts";
import { wrapping } from "./wrapped.ts";

type TensorFunction = (...inputs: Tensor[]) => Tensor;
type Tensors = readonly Tensor[];
/** The arguments of a function, from one tensor or a list of them. */
type Listed<I extends Tensor | Tensors> = I extends Tensors ? I : [input: I];
/** A tensor with the shape and dtype of another: its gradient or tangent. */
type Like<T extends Tensor> = Tensor<T["shape"], T["dtype"]>;
type Gradients<I extends Tensors> = { -readonly [K in keyof I]: Like<I[K]> };
/** A function whose first argument is X. */
type FunctionOf<X extends Tensor, More extends Tensors, R extends Tensor = Tensor> = (input: X, ...more: More) => R;

/** The same elements without a history. */
const detached = (t: Tensor): Tensor =>
  t instanceof WrapperTensor
    ? t.wrap(detached(t.value))
    : (wrapping?.under([t], detached) ?? carryTangent(t, detach(t)));

/** The arguments as leaves of a new graph; arguments that require gradients stay in theirs. Throws unless `fn` is a function. */
function leavesOf(who: string, fn: TensorFunction, inputs: readonly Tensor[]): Tensor[] {
  checkFunction(who, fn);
  return inputs.map((input) => {
    checkTensor(who, input);
    const t = wrapping === null ? input : wrapping.leafOf(input);
    return requiresGrad(t) ? t : setRequiresGrad(detached(t), true, who);
  });
}

/** Calls a function that is differentiated. */
function applied(who: string, fn: TensorFunction, inputs: readonly Tensor[]): Tensor {
  const value = differentiated(inputs, () => fn(...inputs));
  if (!(value instanceof Tensor))
    throw new StridewiseError(`${who}: the function must return a tensor, got ${describeValue(value)}`);
  return value;
}

/** Returns the value of a function and its gradients with respect to all arguments. */
export function valueAndGrad<I extends Tensors, R extends Tensor>(
  fn: (...inputs: I) => R,
  ...inputs: I
): { value: Like<R>; gradients: Gradients<I> };
export function valueAndGrad(fn: TensorFunction, ...inputs: Tensor[]): { value: Tensor; gradients: Tensor[] } {
  return enableGrad(() => {
    const leaves = leavesOf("valueAndGrad", fn, inputs);
    const value = applied("valueAndGrad", fn, leaves);
    checkImplicit(
      "valueAndGrad",
      value,
      "Reduce it in the function: sum() or mean(). For all derivatives use jacobian",
    );
    return { value: detached(value), gradients: filled(grad(value, leaves, { allowUnused: true }), leaves) };
  });
}

/** Returns the function that computes the gradient of another, of any order: `gradOf(gradOf(f))`. */
export function gradOf<X extends Tensor, More extends Tensors>(
  fn: FunctionOf<X, More>,
): (input: X, ...more: More) => Like<X>;
export function gradOf(fn: TensorFunction): (input: Tensor, ...more: Tensor[]) => Tensor {
  checkFunction("gradOf", fn);
  return (input, ...more) =>
    enableGrad(() => {
      const leaf = leavesOf("gradOf", fn, [input])[0];
      const isInner = requiresGrad(input) || more.some((t) => t instanceof Tensor && requiresGrad(t));
      const value = applied("gradOf", fn, [leaf, ...more]);
      checkImplicit("gradOf", value, "Reduce it in the function: sum() or mean(). For all derivatives use jacobian");
      return filled(grad(value, [leaf], { createGraph: isInner, allowUnused: true }), [leaf])[0];
    });
}

const filled = (gradients: readonly (Tensor | null)[], inputs: readonly Tensor[]): Tensor[] =>
  gradients.map((g, k) => g ?? zeros(sizesOf(inputs[k]), { dtype: inputs[k].dtype }));

const listOf = (inputs: Tensor | readonly Tensor[]): readonly Tensor[] =>
  Array.isArray(inputs) ? inputs : [inputs as Tensor];

/** Returns the value of a function and the vector-Jacobian product: a vector times the Jacobian. */
export function vjp<const I extends Tensor | Tensors, R extends Tensor>(
  fn: (...inputs: Listed<I>) => R,
  inputs: I,
  vector?: Tensor,
): { value: Like<R>; gradients: Gradients<Listed<I>> };
export function vjp(
  fn: TensorFunction,
  inputs: Tensor | readonly Tensor[],
  vector?: Tensor,
): { value: Tensor; gradients: Tensor[] } {
  return enableGrad(() => {
    const leaves = leavesOf("vjp", fn, listOf(inputs));
    const value = applied("vjp", fn, leaves);
    if (vector == null) checkImplicit("vjp", value, "Pass the vector: vjp(fn, inputs, vector)");
    const gradients = grad(value, leaves, { gradOutputs: vector ?? null, allowUnused: true });
    return { value: detached(value), gradients: filled(gradients, leaves) };
  });
}

/** Returns the value of a function and the Jacobian-vector product: the Jacobian times the tangents of the arguments. */
export function jvp<const I extends Tensor | Tensors, R extends Tensor>(
  fn: (...inputs: Listed<I>) => R,
  inputs: I,
  tangents: Tensor | readonly Tensor[],
): { value: Like<R>; tangent: Like<R> };
export function jvp(
  fn: TensorFunction,
  inputs: Tensor | readonly Tensor[],
  tangents: Tensor | readonly Tensor[],
): { value: Tensor; tangent: Tensor } {
  checkFunction("jvp", fn);
  const [primals, directions] = [listOf(inputs), listOf(tangents)];
  primals.forEach((t, k) => {
    checkTensor("jvp", t);
    const direction = directions[k];
    checkTensor("jvp", direction);
    const [actual, expected] = [sizesOf(direction), sizesOf(t)];
    if (actual.length !== expected.length || actual.some((size, axis) => size !== expected[axis]))
      throw new AutogradError(
        `jvp: tangent ${k} must have the shape ${show(expected)} of its argument, got ${show(actual)}`,
      );
  });
  if (isForward())
    return enableGrad(() => {
      // A tensor with a history gets a new node: the node of one argument may come after that of another.
      const leaves = primals.map((t) => (requiresGrad(t) ? view(t, sizesOf(t)) : leavesOf("jvp", fn, [t])[0]));
      const value = applied("jvp", fn, leaves);
      const [tangent] = twiceBack([value], leaves, directions, primals.some(requiresGrad));
      return { value: detached(value), tangent: tangent ?? zeros(sizesOf(value), { dtype: value.dtype }) };
    });
  return dualLevel(() => {
    const { primal, tangent } = unpackDual(
      applied(
        "jvp",
        fn,
        primals.map((t, k) => makeDual(t, directions[k])),
      ),
    );
    return { value: primal, tangent: tangent ?? zeros(sizesOf(primal), { dtype: primal.dtype }) };
  });
}

export interface JacobianOptions {
  /** "reverse" (the default): a backward pass for each element of the result; "forward": a pass for each element of the arguments. */
  readonly mode?: "reverse" | "forward";
  /** Computes all rows, or columns, at once by `vmap`: faster, with memory for all of them. */
  readonly vectorize?: boolean;
}

/** Returns the Jacobian, of shape [...result, ...argument]; a list of them for several arguments. */
export function jacobian<X extends Tensor>(
  fn: (input: X) => Tensor,
  input: X,
  options?: JacobianOptions,
): Tensor<Shape, X["dtype"]>;
export function jacobian<const I extends Tensors>(
  fn: (...inputs: I) => Tensor,
  inputs: I,
  options?: JacobianOptions,
): Tensor[];
export function jacobian(
  fn: TensorFunction,
  inputs: Tensor | readonly Tensor[],
  options: JacobianOptions = {},
): Tensor | Tensor[] {
  checkFunction("jacobian", fn);
  checkOptions("jacobian", options, "mode", "vectorize");
  const { mode = "reverse", vectorize = false } = options;
  if (mode === "forward") {
    const primals = listOf(inputs);
    const all = primals.map((_, k) => forwardJacobian(fn, primals, k, vectorize));
    return inputs instanceof Tensor ? all[0] : all;
  }
  const list = enableGrad(() => {
    const leaves = leavesOf("jacobian", fn, listOf(inputs));
    const isInner = listOf(inputs).some(requiresGrad);
    const value = applied("jacobian", fn, leaves);
    const shape = sizesOf(value);
    const directions = directionsIn(shape, value);
    const rowsAlong = (gradOutputs: Tensor): Tensor[] => {
      const options = { gradOutputs, retainGraph: true, createGraph: isInner, allowUnused: true } as const;
      return filled(grad(value, leaves, options), leaves);
    };
    const rows = vectorize ? vmap(rowsAlong)(directions) : sideBySide(unbind(directions).map(rowsAlong));
    return leaves.map((leaf, k) => reshape(rows[k], [...shape, ...sizesOf(leaf)]));
  });
  return inputs instanceof Tensor ? list[0] : list;
}

/** The unit vectors of the space of tensors of this shape. */
const directionsIn = (shape: readonly number[], { size, dtype }: Tensor): Tensor =>
  reshape(eye(size, size, { dtype }), [size, ...shape]);

/** Stacks the tensors of several lists, index by index. */
const sideBySide = (rows: readonly (readonly Tensor[])[]): Tensor[] =>
  (rows[0] ?? []).map((_, k) => stack(rows.map((row) => row[k])));

/** The Jacobian with respect to one argument, column by column. */
function forwardJacobian(fn: TensorFunction, inputs: readonly Tensor[], which: number, vectorize: boolean): Tensor {
  const input = inputs[which];
  checkTensor("jacobian", input);
  const own = sizesOf(input);
  const alone = (x: Tensor): Tensor => fn(...inputs.map((t, k) => (k === which ? x : t)));
  const along = (direction: Tensor): Tensor => jvp(alone, input, direction).tangent;
  const directions = directionsIn(own, input);
  if (input.size > 0) {
    const columns = vectorize ? movedim(vmap(along)(directions), 0, -1) : stack(unbind(directions).map(along), -1);
    return reshape(columns, [...sizesOf(columns).slice(0, -1), ...own]);
  }
  const value = fn(...inputs);
  return zeros([...sizesOf(value), ...own], { dtype: value.dtype });
}

/** Returns the Hessian of a scalar function, of shape [...argument, ...argument]. */
export function hessian<X extends Tensor>(
  fn: (input: X) => Tensor,
  input: X,
  options?: JacobianOptions,
): Tensor<Shape, X["dtype"]>;
export function hessian(fn: TensorFunction, input: Tensor, options: JacobianOptions = {}): Tensor {
  return enableGrad(() => {
    const leaf = leavesOf("hessian", fn, [input])[0];
    const number = (y: Tensor): Tensor => {
      const value = fn(y);
      checkTensor("hessian: the function", value);
      if (value.size !== 1)
        throw new AutogradError(
          `hessian: the function must return one number, got shape ${showShape(value)}. Reduce it with sum(), or compute the Hessian of each output separately`,
        );
      return reshape(value, []);
    };
    const matrix = jacobian((x) => gradOf(number)(x), leaf, options);
    return requiresGrad(input) ? matrix : detached(matrix);
  });
}

/** Returns the product of the Hessian of a function with a vector, without computing the Hessian. */
export function hvp<X extends Tensor>(fn: (input: X) => Tensor, input: X, vector: Tensor): Like<X>;
export function hvp(fn: TensorFunction, input: Tensor, vector: Tensor): Tensor {
  return enableGrad(() => {
    const leaf = leavesOf("hvp", fn, [input])[0];
    const value = applied("hvp", fn, [leaf]);
    checkImplicit("hvp", value, "Reduce it in the function: sum() or mean()");
    const first = grad(value, leaf, { createGraph: true });
    if (!requiresGrad(first)) return zeros(sizesOf(leaf), { dtype: leaf.dtype });
    return grad(sum(mul(first, detached(vector))), leaf);
  });
}
