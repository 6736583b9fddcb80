/**
 * What users call: `backward`, `grad`, and what a tensor says of its gradients.
 */
import { dtypes } from "../storage/dtype.ts";
import { fullLike } from "../tensor/create/create.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { checkTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { runBackward } from "./engine.ts";
import { AutogradError } from "./error.ts";
import { accumulate, edgeOf, ensureHistory, gradFnOf, historyOf, isLeaf, requiresGrad, setKey } from "./history.ts";
import type { Edge, GradNode, HookHandle, TensorHook } from "./node.ts";
import { isDifferentiable } from "./record.ts";
import { retain } from "./retained.ts";

export interface BackwardOptions {
  /** The graph stays, for another way back; so it does with `createGraph`. */
  readonly retainGraph?: boolean;
  /** The way back is recorded, so that gradients have gradients. */
  readonly createGraph?: boolean;
  /** Only these get gradients. */
  readonly inputs?: readonly Tensor[];
}

export interface GradOptions extends Omit<BackwardOptions, "inputs"> {
  /** The gradients of the outputs; ones unless given. */
  readonly gradOutputs?: Tensor | readonly (Tensor | null)[] | null;
  /** Inputs that no output depends on get null. */
  readonly allowUnused?: boolean;
}

const show = (t: Tensor): string => `[${sizesOf(t).join(", ")}]`;

/** The outputs with their gradients, checked. */
function rootsOf(
  who: string,
  outputs: readonly Tensor[],
  given: readonly (Tensor | null | undefined)[],
): [Edge, Tensor][] {
  return outputs.map((t, k) => {
    checkTensor(who, t);
    const edge = edgeOf(t);
    if (edge === null)
      throw new AutogradError(`${who}: element ${k} of tensors does not require grad and does not have a grad_fn`);
    const gradient = given[k];
    if (gradient == null) {
      if (t.size !== 1)
        throw new AutogradError(`${who}: grad can be implicitly created only for scalar outputs, got shape ${show(t)}`);
      if (dtypes[t.dtype].category === "complex")
        throw new AutogradError(
          `${who}: grad can be implicitly created only for real scalar outputs but got ${t.dtype}`,
        );
      return [edge, fullLike(detach(t), 1)];
    }
    const [shape, wanted] = [sizesOf(gradient), sizesOf(t)];
    if (shape.length !== wanted.length || shape.some((size, axis) => size !== wanted[axis]))
      throw new AutogradError(
        `${who}: Mismatch in shape: grad_output[${k}] has a shape of [${shape.join(", ")}] and output[${k}] has a shape of [${wanted.join(", ")}].`,
      );
    return [edge, gradient];
  });
}

/** Adds the gradients of all leaves that a tensor depends on to their `grad`. */
export function backward(t: Tensor, gradient?: Tensor | null, options: BackwardOptions = {}): void {
  const { createGraph = false, inputs } = options;
  const retainGraph = options.retainGraph ?? createGraph;
  const roots = rootsOf("backward", [t], [gradient]);
  if (inputs === undefined) {
    runBackward(roots, { retainGraph, createGraph, captured: null, capture: () => {} });
    return;
  }
  const edges = inputs.map((input) => inputEdge("backward", input));
  runBackward(roots, {
    retainGraph,
    createGraph,
    captured: edges,
    capture: (index, each) => accumulate(ensureHistory(inputs[index] as Tensor), each),
  });
}

function inputEdge(who: string, t: Tensor): Edge {
  checkTensor(who, t);
  const edge = edgeOf(t);
  if (edge === null) throw new AutogradError(`${who}: One of the differentiated Tensors does not require grad`);
  return edge;
}

type Unused = GradOptions & { readonly allowUnused: true };

/** The gradients of outputs with respect to inputs, without touching any `grad`. */
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: readonly Tensor[],
  options: Unused,
): (Tensor | null)[];
export function grad(outputs: Tensor | readonly Tensor[], inputs: Tensor, options: Unused): Tensor | null;
export function grad(outputs: Tensor | readonly Tensor[], inputs: readonly Tensor[], options?: GradOptions): Tensor[];
export function grad(outputs: Tensor | readonly Tensor[], inputs: Tensor, options?: GradOptions): Tensor;
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: GradOptions = {},
): Tensor | null | (Tensor | null)[] {
  const { createGraph = false, allowUnused = false, gradOutputs } = options;
  const list = Array.isArray(outputs) ? (outputs as readonly Tensor[]) : [outputs as Tensor];
  const wanted = Array.isArray(inputs) ? (inputs as readonly Tensor[]) : [inputs as Tensor];
  const given = Array.isArray(gradOutputs)
    ? (gradOutputs as readonly (Tensor | null)[])
    : [gradOutputs as Tensor | null];
  const roots = rootsOf("grad", list, given);
  const edges = wanted.map((input) => inputEdge("grad", input));
  const found: (Tensor | null)[] = wanted.map(() => null);
  runBackward(roots, {
    retainGraph: options.retainGraph ?? createGraph,
    createGraph,
    captured: edges,
    capture: (index, each) => {
      found[index] = each;
    },
  });
  if (!allowUnused && found.includes(null))
    throw new AutogradError(
      "grad: One of the differentiated Tensors appears to not have been used in the graph. Set { allowUnused: true } if this is the desired behavior.",
    );
  return Array.isArray(inputs) ? found : (found[0] as Tensor | null);
}

/** Asks for gradients of a leaf, or no longer. */
export function setRequiresGrad(t: Tensor, asked: boolean, who = "requiresGrad_"): Tensor {
  if (!isLeaf(t)) {
    if (asked) return t;
    throw new AutogradError(
      `${who}: you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use detach().`,
    );
  }
  if (asked && !isDifferentiable(t))
    throw new AutogradError(
      `${who}: only Tensors of floating point and complex dtype can require gradients, got ${t.type}`,
    );
  if (!asked && historyOf(t) === null) return t;
  ensureHistory(t).asked = asked;
  setKey(t);
  return t;
}

/** Has a result keep its gradient, as leaves do. */
export function retainGrad(t: Tensor): void {
  if (!requiresGrad(t)) throw new AutogradError("retainGrad: can't retain_grad on Tensor that has requires_grad=False");
  const made = gradFnOf(t);
  const history = ensureHistory(t);
  if (made === null || history.retains) return;
  history.retains = true;
  retain(made.node, made.output, (gradient) => accumulate(history, gradient));
}

/** Calls a function with the gradient of a tensor when it is known; what it returns takes its place. */
export function registerHook(t: Tensor, hook: TensorHook): HookHandle {
  const edge = edgeOf(t);
  if (edge === null)
    throw new AutogradError("registerHook: cannot register a hook on a tensor that doesn't require gradient");
  return edge.node.hookOutput(edge.output, hook);
}

/** The node that made a tensor. */
export const gradFn = (t: Tensor): GradNode | null => gradFnOf(t)?.node ?? null;
