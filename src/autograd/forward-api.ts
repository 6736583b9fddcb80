/**
 * The functions of forward mode: a level, and tensors with tangents in it. `dualLevel(() => unpackDual(f(makeDual(x, t))).tangent)` is the
 * product of the Jacobian of f at x with t, computed along with f.
 */
import { checkFunction, refusePromise } from "../base/arguments.ts";
import { show } from "../base/show.ts";
import { dtypes } from "../storage/dtype.ts";
import { WrapperTensor } from "../tensor/dispatch/wrapper.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { checkTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { clone, to, view } from "../tensor/views/view-ops.ts";
import { isDifferentiable } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { withoutTangents, withTangents } from "./forward.ts";
import { inLevel, inLevelScope, isForward, setTangent, tangentOf } from "./forward-level.ts";
import { requiresGrad } from "./history.ts";
import { isGradEnabled, isInferenceModeEnabled } from "./scopes.ts";
import { wrapping } from "./wrapped.ts";

/** A tensor without its tangent, and the tangent. */
export interface UnpackedDual {
  readonly primal: Tensor;
  readonly tangent: Tensor | null;
}

/** Runs a function in which tensors can have tangents. The tangents end with the function. */
export function dualLevel<T>(fn: () => T): T {
  checkFunction("dualLevel", fn);
  if (isForward())
    throw new AutogradError("dualLevel: Nested forward mode AD is not supported at the moment. Use jvp inside");
  if (isInferenceModeEnabled())
    throw new AutogradError(
      "dualLevel: no tangents are computed in inferenceMode. Call it outside of inferenceMode(...)",
    );
  return refusePromise(
    "dualLevel",
    inLevel(() => withTangents(fn)),
  );
}

/** The same elements as a new tensor; a tensor with a history is copied, because writes to the result must not reach it. */
const unaliased = (t: Tensor): Tensor => (isGradEnabled() && requiresGrad(t) ? clone(t) : detach(t));

/** Returns the tensor with a tangent; results computed from it inside the level have tangents too. */
export function makeDual(primal: Tensor, tangent: Tensor): Tensor {
  checkTensor("makeDual", primal);
  checkTensor("makeDual", tangent);
  if (primal instanceof WrapperTensor) return primal.wrap(makeDual(primal.value, tangent));
  const wrapped = wrapping?.under([primal, tangent], makeDual) ?? null;
  if (wrapped !== null) return wrapped;
  if (!isForward())
    throw new AutogradError(
      "makeDual: Trying to create a dual Tensor for forward AD but no level exists, make sure to call dualLevel(() => ...) first.",
    );
  for (const [which, t] of Object.entries({ primal, tangent }))
    if (!isDifferentiable(t))
      throw new AutogradError(
        `makeDual: ${which} must be floating point or complex, got ${t.type}. Convert it: x.to("float32")`,
      );
  checkTangent("makeDual", primal, tangent);
  if (tangentOf(primal) !== null)
    throw new AutogradError(
      "makeDual: the primal already has a tangent at this level. Take its primal: unpackDual(x).primal",
    );
  if (tangentOf(tangent) !== null)
    throw new AutogradError(
      "makeDual: the tangent itself has a tangent at this level. Take its primal: unpackDual(x).primal",
    );
  const dual = withoutTangents(() => unaliased(primal));
  // A view of the tangent, which lives as long as the tensor.
  setTangent(
    dual,
    inLevelScope(() => view(to(tangent, primal.dtype), sizesOf(primal))),
  );
  return dual;
}

/** Throws for a tangent of a different shape, and for a complex tangent of a real tensor. */
export function checkTangent(who: string, primal: Tensor, tangent: Tensor): void {
  const [actual, expected] = [sizesOf(tangent), sizesOf(primal)];
  if (actual.length !== expected.length || actual.some((size, axis) => size !== expected[axis]))
    throw new AutogradError(
      `${who}: Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is of size ${show(expected)} while the given forward gradient is of size ${show(actual)}.`,
    );
  if (dtypes[tangent.dtype].parts > dtypes[primal.dtype].parts)
    throw new AutogradError(
      `${who}: the tangent of a ${primal.dtype} tensor is real, got ${tangent.dtype}. Take its real part: real(x)`,
    );
}

/** The tensor without its tangent, and the tangent, or null if it has none. */
export function unpackDual(t: Tensor): UnpackedDual {
  checkTensor("unpackDual", t);
  if (t instanceof WrapperTensor) {
    const { primal, tangent } = unpackDual(t.value);
    return { primal: primal === t.value ? t : t.wrap(primal), tangent };
  }
  const wrapped = wrapping?.under([t], unpackDual) ?? null;
  if (wrapped !== null) return wrapped;
  const tangent = tangentOf(t);
  return tangent === null ? { primal: t, tangent } : { primal: withoutTangents(() => unaliased(t)), tangent };
}
