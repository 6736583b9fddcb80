/** Ops whose tangents have a formula of their own: shorter than by their gradients, or, as for eigenvectors, PyTorch's for any matrix. */
import { add, div, mul, sub } from "../ops/elementwise/arithmetic.ts";
import { exp } from "../ops/elementwise/functions.ts";
import { adjoint, realPart, times } from "../ops/linalg/adjoint.ts";
import { diagEmbed } from "../ops/movement/diagonals.ts";
import { sum } from "../ops/reduce/reduce.ts";
import { eye } from "../tensor/create/create.ts";
import type { Arguments } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { diagonal, to, unsqueeze } from "../tensor/views/view-ops.ts";

/** From the tangent of the first argument, the results and the arguments to the tangents of the results. */
type Rule = (tangent: Tensor, results: readonly Tensor[], args: Arguments) => Tensor[];

const weighted = (weights: Tensor, t: Tensor, axis: unknown): Tensor =>
  sum(mul(weights, t as never) as Tensor, axis as number, { keepdims: true }) as Tensor;

const softmax: Rule = (given, [y], [, axis]) => {
  const [p, t] = [y as Tensor, to(given, (y as Tensor).dtype)];
  return [mul(p, sub(t, weighted(p, t, axis) as never) as never) as Tensor];
};

const byName: Readonly<Record<string, Rule>> = {
  softmax,
  safeSoftmax: softmax,
  logSoftmax: (given, [y], [, axis]) => {
    const t = to(given, (y as Tensor).dtype);
    return [sub(t, weighted(exp(y as never) as Tensor, t, axis) as never) as Tensor];
  },
  "linalg.eigh": (t, [values, vectors]) => {
    const [L, V] = [values as Tensor, vectors as Tensor];
    const n = sizesOf(L).at(-1) as number;
    const inV = times(adjoint(V), t, V);
    const own = diagonal(inV, 0, -2, -1);
    const apart = add(
      sub(unsqueeze(L, -2), unsqueeze(L, -1) as never) as Tensor,
      eye(n, n, { dtype: L.dtype }) as never,
    );
    const turned = div(sub(inV, diagEmbed(own, 0, -2, -1) as never) as Tensor, apart as never) as Tensor;
    return [realPart(own), times(V, turned)];
  },
};

/** The rule of an op, or null. */
export const ruleOf = (name: string): Rule | null => (Object.hasOwn(byName, name) ? (byName[name] as Rule) : null);
