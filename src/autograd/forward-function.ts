/** Tangents through functions with gradients of one's own: what their `jvp` says. */
import { describeValue } from "../tensor/describe-value.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isDifferentiable } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { withoutTangents } from "./forward.ts";
import { checkTangent } from "./forward-api.ts";
import { inLevelScope, setTangent, tangentOf, writeTangent } from "./forward-level.ts";

/** A function that may say what its tangents are. */
interface WithJvp<C> {
  jvp?(context: C, ...tangents: (Tensor | null)[]): unknown;
}

/** The tangents of arguments, null for those without; null if none has one. */
export function argumentTangents(args: readonly unknown[]): (Tensor | null)[] | null {
  const tangents = args.map((arg) => (arg instanceof Tensor ? tangentOf(arg) : null));
  return tangents.every((t) => t === null) ? null : tangents;
}

/** Gives the results of a function their tangents; `dirty` are those that were written to. */
export function passTangents<C>(
  name: string,
  definition: WithJvp<C>,
  context: C,
  tangents: readonly (Tensor | null)[],
  results: readonly Tensor[],
  dirty: ReadonlySet<Tensor>,
): void {
  if (definition.jvp === undefined)
    throw new AutogradError(`${name}: forward mode needs its jvp. Write defineFunction({ forward, backward, jvp })`);
  withoutTangents(() => {
    const given = inLevelScope(() => definition.jvp?.(context, ...tangents));
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (list.length !== results.length)
      throw new AutogradError(
        `${name}: jvp must return ${results.length} tangents, one for each result of forward, got ${list.length}`,
      );
    results.forEach((t, k) => {
      const tangent = list[k];
      if (tangent == null || !isDifferentiable(t)) return;
      if (!(tangent instanceof Tensor))
        throw new AutogradError(`${name}: tangent ${k} must be a tensor or null, got ${describeValue(tangent)}`);
      checkTangent(name, t, tangent);
      if (dirty.has(t)) writeTangent(t, tangent);
      else setTangent(t, tangent);
    });
  });
}
