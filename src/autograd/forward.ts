/**
 * Forward mode: inside a level every call comes here, runs below, and gives its results tangents if an argument has one. Tangents are
 * the op itself where it is linear, a derived formula where it is one, and otherwise what the gradient transposed says; ops made of
 * others are seen as those. Tangents are computed by ops, so that they have gradients, and outside of scopes: they live as long as their
 * tensors.
 */
import { once } from "../base/remember.ts";
import { zeros } from "../tensor/create/create.ts";
import { type KeySet, keySet } from "../tensor/dispatch/keys.ts";
import { type Arguments, type Operator, setFallback, withKeys } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { to } from "../tensor/views/view-ops.ts";
import { allWrittenBy, isDifferentiable, tensorsOf, withoutOut } from "./arguments.ts";
import { checkCaptured } from "./captured.ts";
import { AutogradError } from "./error.ts";
import { formulaTangents } from "./forward-formula.ts";
import { inLevelScope, isForward, setTangent, tangentOf, writeTangent } from "./forward-level.ts";
import { callOp, linearTangents } from "./forward-linear.ts";
import { transposedTangents } from "./forward-transposed.ts";
import { isInferenceModeEnabled } from "./scopes.ts";

const key = /* @__PURE__ */ keySet("forward");

const install = /* @__PURE__ */ once(() => {
  setFallback("forward", forward);
  return null;
});

/** Runs a function whose calls give no tangents. */
export const withoutTangents = <T>(fn: () => T): T => withKeys({ exclude: key }, fn);

/** Runs a function whose calls give tangents. Forward mode gets into dispatch here: who never asks for it does not load it. */
export function withTangents<T>(fn: () => T): T {
  install();
  return withKeys({ include: key, allow: key }, fn);
}

function forward(op: Operator, keys: KeySet, args: Arguments): unknown {
  const below = (): unknown => op.callWith(keys & ~key, args);
  if (!isForward() || isInferenceModeEnabled()) return below();
  const [written, own] = [allWrittenBy(op, args), withoutOut(args)];
  const moves = tensorsOf(own).some((t) => tangentOf(t) !== null);
  if (!moves && written.every((t) => tangentOf(t) === null)) return withoutTangents(below);
  const composed = op.kernelFor("autograd");
  if (composed !== null && written.length === 0) return composed(...(args as never[]));
  return withoutTangents(() => (written.length > 0 ? write(op, own, written, moves, below) : make(op, args, below)));
}

function make(op: Operator, args: Arguments, below: () => unknown): unknown {
  const result = below();
  const results = tensorsOf([result]);
  if (!results.some(isDifferentiable)) return result;
  const inputs = tensorsOf(args);
  const tangents = inLevelScope(() => tangentsOf(op, args, results, results));
  results.forEach((t, k) => {
    const tangent = tangents[k];
    // What comes out as it went in has its own.
    if (tangent != null && isDifferentiable(t) && !inputs.includes(t)) setTangent(t, tangent);
  });
  return result;
}

/** A call that writes: tangents are computed first, from what the tensors were before. */
function write(
  op: Operator,
  args: Arguments,
  written: readonly Tensor[],
  moves: boolean,
  below: () => unknown,
): unknown {
  if (moves) for (const t of written) checkCaptured(op.name, t);
  let tangents: readonly (Tensor | null)[] = [];
  let fault: unknown;
  try {
    if (moves && written.some(isDifferentiable)) tangents = inLevelScope(() => tangentsOf(op, args, written, null));
  } catch (error) {
    fault = error;
  }
  // What is wrong with the arguments, the op itself says.
  const result = below();
  if (fault !== undefined) throw fault;
  inLevelScope(() => {
    written.forEach((t, k) => {
      if (!isDifferentiable(t)) return;
      const tangent = tangents[k];
      writeTangent(t, tangent == null ? zeros(sizesOf(t), { dtype: t.dtype }) : to(tangent, t.dtype));
    });
  });
  return result;
}

/** The tangents of results, given by tensors that have their shapes and dtypes; those are the results, unless they are still to come. */
function tangentsOf(
  op: Operator,
  args: Arguments,
  like: readonly Tensor[],
  results: readonly Tensor[] | null,
): readonly (Tensor | null)[] {
  const { body, gradient, facts, name } = op;
  if (body !== null && gradient === null) {
    let known = results;
    const made = (): readonly Tensor[] => {
      known ??= tensorsOf([callOp(op, args)]);
      return known;
    };
    return formulaTangents(body(args), like, made, tangentOf);
  }
  if (facts.tangent !== undefined && results !== null)
    return facts.tangent(tangentOf(args[0] as Tensor) as Tensor, results, args);
  const linear = linearTangents(op, args, results, tangentOf);
  if (linear !== null) return linear;
  if (gradient === null)
    throw new AutogradError(
      `${name}: forward mode is not implemented for it. Detach its argument, or define its tangent: defineFunction({ forward, backward, jvp })`,
    );
  return transposedTangents(op, args, tangentOf);
}
