/**
 * Gradients of traced control flow. The backward pass computes a region again, with the ops of its graph, and differentiates it: the gradient of
 * `cond` is a `cond` of the gradients of its branches, that of `scan` a scan in the opposite direction over the saved carries.
 */
import { grad, setRequiresGrad } from "../../autograd/api.ts";
import { isDifferentiable } from "../../autograd/arguments.ts";
import { requiresGrad } from "../../autograd/history.ts";
import { enableGrad } from "../../autograd/scopes.ts";
import { add } from "../../ops/elementwise/arithmetic.ts";
import { zeros } from "../../tensor/create/create-ops.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { detach } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Graph, GraphError, type Regions } from "../ir.ts";
import { isRandom } from "../passes/node-facts.ts";
import { replay } from "../run/replay.ts";
import { cond, scan } from "./control.ts";

type Tensors = readonly Tensor[];

/** Throws if a region draws random numbers, because computing it again would draw different ones. */
function checkNotRandom(who: string, graphs: readonly Graph[]): void {
  const name = graphs.flatMap(({ nodes }) => nodes).find(isRandom)?.op.name;
  if (name !== undefined)
    throw new GraphError(
      `backward: the gradient of ${who} computes its function again, but ${name} would then draw different random numbers. Draw them outside of ${who}`,
    );
}

const zerosOf = (t: Tensor): Tensor => zeros(sizesOf(t), { dtype: t.dtype }) as Tensor;

/** Returns the gradients of the wanted inputs of a graph from the gradients of its outputs, which may be null. */
function gradientsOf(
  graph: Graph,
  inputs: Tensors,
  isWanted: readonly boolean[],
  gradients: readonly (Tensor | null)[],
): Tensor[] {
  return enableGrad(() => {
    const leaves = inputs.map((t, k) => (isWanted[k] ? setRequiresGrad(detach(t), true) : detach(t)));
    const wanted = leaves.filter((_, k) => isWanted[k]);
    const outputs = replay(graph, leaves);
    const useful = outputs.flatMap((t, k) => (gradients[k] !== null && requiresGrad(t) ? [k] : []));
    const results =
      useful.length === 0
        ? wanted.map(() => null)
        : grad(
            useful.map((k) => outputs[k]),
            wanted,
            { gradOutputs: useful.map((k) => gradients[k]), allowUnused: true },
          );
    return results.map((g, k) => (g === null ? zerosOf(wanted[k]) : (detach(g) as Tensor)));
  });
}

/** Returns a list with the next of `gradients` where one is wanted, and null elsewhere. */
const spread = (isWanted: readonly boolean[], gradients: Tensors): (Tensor | null)[] => {
  let next = 0;
  return isWanted.map((each) => (each ? gradients[next++] : null));
};

export const condGradient: GradientRule = ({ args, needs, save }) => {
  const [regions, predicate, captured] = args as [Regions, Tensor, Tensors];
  const isWanted = captured.map((t) => needs(t) && isDifferentiable(t));
  const [savedPredicate, saved] = [save(predicate), captured.map(save)];
  return (gradients) => {
    checkNotRandom("cond", regions.graphs);
    const inputs = saved.map((unpack) => unpack());
    const branch = (graph: Graph) => (): Tensor[] => gradientsOf(graph, inputs, isWanted, gradients);
    const [one, other] = regions.graphs;
    return [null, null, spread(isWanted, cond(savedPredicate(), branch(one), branch(other)))];
  };
};

export const whileGradient: GradientRule = () => () => {
  throw new GraphError(
    "backward: a compiled whileLoop has no gradient, because its number of iterations is not known. Use scan, which has a fixed number of iterations, or call the function without compile",
  );
};

export const scanGradient: GradientRule = ({ args, needs, save, saveResult }) => {
  const [regions, carry, xs, captured, reverse] = args as [Regions, Tensors, Tensors, Tensors, boolean];
  const [graph] = regions.graphs;
  const hasGradient = carry.map(isDifferentiable);
  const [wantsX, wantsCaptured] = [xs, captured].map((list) => list.map((t) => needs(t) && isDifferentiable(t)));
  const [savedXs, savedCaptured] = [xs.map(save), captured.map(save)];
  const outputs = graph.outputs.length - carry.length;
  const savedCarries = carry.map((_, k) => saveResult(carry.length + outputs + k));
  const isWanted = [...hasGradient, ...wantsX, ...wantsCaptured];
  const differentiable = (list: Tensors): Tensor[] => list.filter((_, k) => hasGradient[k]);
  return (gradients) => {
    checkNotRandom("scan", [graph]);
    const constants = savedCaptured.map((unpack) => unpack());
    const step = (
      [last, sums]: readonly [Tensors, Tensors],
      row: { readonly carry: Tensors; readonly xs: Tensors; readonly ys: Tensors; readonly saved: Tensors },
    ): readonly [readonly [Tensors, Tensors], Tensors] => {
      const inputs = [...row.carry, ...row.xs, ...constants];
      const flat = gradientsOf(graph, inputs, isWanted, [...spread(hasGradient, last), ...row.ys]);
      const before = flat.slice(0, last.length).map((g, k) => add(g, row.saved[k]) as Tensor);
      const rows = flat.slice(last.length, flat.length - sums.length);
      const all = flat.slice(flat.length - sums.length).map((g, k) => add(sums[k], g) as Tensor);
      return [[before, all], rows];
    };
    const start: readonly [Tensors, Tensors] = [
      differentiable(gradients.slice(0, carry.length)),
      constants.filter((_, k) => wantsCaptured[k]).map(zerosOf),
    ];
    const rows = {
      carry: savedCarries.map((unpack) => unpack()),
      xs: savedXs.map((unpack) => unpack()),
      ys: gradients.slice(carry.length, carry.length + outputs),
      saved: differentiable(gradients.slice(carry.length + outputs)),
    };
    const [[first, sums], perRow] = scan(step, start, rows, { reverse: !reverse });
    return [null, spread(hasGradient, first), spread(wantsX, perRow), spread(wantsCaptured, sums)];
  };
};
