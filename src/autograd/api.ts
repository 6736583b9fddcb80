/**
 * What users call: `backward`, `grad`, and what a tensor says of its gradients.
 */

import { show } from "../base/show.ts";
import { unknownOption } from "../ops/signature.ts";
import { full } from "../tensor/create/create.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import { checkTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isDifferentiable } from "./arguments.ts";
import { runBackward } from "./engine.ts";
import { AutogradError } from "./error.ts";
import { likeInput } from "./formula-node.ts";
import { accumulate, edgeOf, ensureHistory, gradFnOf, historyOf, isLeaf, requiresGrad, setKey } from "./history.ts";
import { checkImplicit } from "./implicit-gradient.ts";
import { isInference } from "./inference.ts";
import type { Edge, GradNode, HookHandle, TensorHook } from "./node.ts";
import { retain, unretain } from "./retained.ts";
import { isInferenceModeEnabled } from "./scopes.ts";
import { type GraphFlags, wrapping } from "./wrapped.ts";

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
      throw new AutogradError(
        `${who}: element ${k} of tensors does not require grad and does not have a grad_fn. Make it of tensors with { requiresGrad: true }, outside of noGrad`,
      );
    const gradient = given[k];
    if (gradient == null) {
      const call = who === "grad" ? "grad(outputs, inputs, { gradOutputs })" : "backward(gradient)";
      checkImplicit(who, t, `Sum it first, or give its gradient: ${call}`);
      return [edge, full(sizesOf(t), 1, { dtype: t.dtype, device: t.device.type as "cpu" })];
    }
    if (!(gradient instanceof Tensor)) throw noGradient(who, k, gradient);
    const [shape, wanted] = [sizesOf(gradient), sizesOf(t)];
    if (!hasSizes(gradient, wanted))
      throw new AutogradError(
        `${who}: the gradient of output ${k} has shape ${show(shape)}, and the output ${show(wanted)}`,
      );
    return [edge, gradient.type === t.type ? gradient : likeInput(gradient, { shape, dtype: t.dtype })];
  });
}

function noGradient(who: string, place: number, given: unknown): AutogradError {
  const isOption = typeof given === "object" && Object.getPrototypeOf(given) === Object.prototype;
  return new AutogradError(
    `${who}: the gradient of output ${place} must be a tensor or null, got ${describeValue(given)}. ${
      isOption && who === "backward"
        ? "Options come second: backward(null, { retainGraph: true })"
        : "Make one: tensor(...)"
    }`,
  );
}

/** Refuses an option that there is not, which would change nothing. */
function checkOptions(who: string, options: object, known: readonly string[]): void {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknownOption(who, key, known);
}

const backwardOptions = ["retainGraph", "createGraph", "inputs"] as const;
const gradOptions = ["retainGraph", "createGraph", "gradOutputs", "allowUnused"] as const;

/** Adds the gradients of all leaves that a tensor depends on to their `grad`. */
export function backward(t: Tensor, gradient?: Tensor | null, options: BackwardOptions = {}): void {
  checkPlain("backward", t);
  checkOptions("backward", options, backwardOptions);
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
    capture: (index, each) => accumulate(ensureHistory(inputs[index]), each),
  });
}

function inputEdge(who: string, t: Tensor): Edge {
  checkTensor(who, t);
  const edge = edgeOf(t);
  if (edge === null)
    throw new AutogradError(`${who}: one of the inputs does not require grad. Ask for it before use: requiresGrad_()`);
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
  checkOptions("grad", options, gradOptions);
  const { createGraph = false, allowUnused = false, gradOutputs } = options;
  const list = Array.isArray(outputs) ? (outputs as readonly Tensor[]) : [outputs as Tensor];
  const wanted = Array.isArray(inputs) ? (inputs as readonly Tensor[]) : [inputs as Tensor];
  const given = Array.isArray(gradOutputs)
    ? (gradOutputs as readonly (Tensor | null)[])
    : [gradOutputs as Tensor | null];
  const flags = { retainGraph: options.retainGraph ?? createGraph, createGraph };
  const found = wrapping?.grad(list, wanted, given, flags) ?? plainGrad(list, wanted, given, flags);
  if (!allowUnused && found.includes(null))
    throw new AutogradError(
      "grad: One of the differentiated Tensors appears to not have been used in the graph. Set { allowUnused: true } if this is the desired behavior.",
    );
  return Array.isArray(inputs) ? found : found[0];
}

function plainGrad(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  given: readonly (Tensor | null)[],
  flags: GraphFlags,
): (Tensor | null)[] {
  const roots = rootsOf("grad", outputs, given);
  const found: (Tensor | null)[] = inputs.map(() => null);
  runBackward(roots, {
    ...flags,
    captured: inputs.map((input) => inputEdge("grad", input)),
    capture: (index, each) => {
      found[index] = each;
    },
  });
  return found;
}

/** Refuses what changes tensors outside where a tensor stands for a batch. */
function checkPlain(who: string, t: Tensor): void {
  wrapping?.under([t], () => {
    throw new AutogradError(
      `${who}: this tensor stands for all samples of a vmap. Use grad(outputs, inputs), or gradOf(fn), inside vmap`,
    );
  });
}

/** Asks for gradients of a leaf, or no longer. */
export function setRequiresGrad(t: Tensor, asked: boolean, who = "requiresGrad_"): Tensor {
  if (wrapping !== null && wrapping.under([t], (value) => setRequiresGrad(value, asked, who)) !== null) return t;
  if (!isLeaf(t)) {
    if (asked) return t;
    throw new AutogradError(`${who}: only leaf tensors can change requiresGrad. Use detach() for a computed one.`);
  }
  if (asked && isInference(t) && !isInferenceModeEnabled())
    throw new AutogradError(
      `${who}: Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. Use a clone() of it`,
    );
  if (asked && !isDifferentiable(t))
    throw new AutogradError(
      `${who}: only floating point and complex tensors can require gradients, got ${t.type}. Convert it first: to("float32")`,
    );
  if (!asked && historyOf(t) === null) return t;
  ensureHistory(t).asked = asked;
  setKey(t);
  return t;
}

/** Makes a tensor a leaf that asks for no gradients, whatever made it. */
export function detach_(t: Tensor): Tensor {
  if (wrapping !== null && wrapping.under([t], detach_) !== null) return t;
  if (t.root !== null) throw new AutogradError("detach_: Can't detach views in-place. Use detach() instead");
  const history = historyOf(t);
  if (history === null) return t;
  if (history.retains && history.made !== null) unretain(history.made);
  history.retains = false;
  history.made = null;
  history.asked = false;
  setKey(t);
  return t;
}

/** Has a result keep its gradient, as leaves do. */
export function retainGrad(t: Tensor): void {
  checkPlain("retainGrad", t);
  if (!requiresGrad(t))
    throw new AutogradError(
      "retainGrad: can't retain_grad on Tensor that has requires_grad=False. Ask for it first: requiresGrad_()",
    );
  const made = gradFnOf(t);
  const history = ensureHistory(t);
  if (made === null || history.retains) return;
  history.retains = true;
  retain(made, (gradient) => accumulate(history, gradient));
}

/** Calls a function with the gradient of a tensor when it is known; what it returns takes its place. */
export function registerHook(t: Tensor, hook: TensorHook): HookHandle {
  checkPlain("registerHook", t);
  const edge = edgeOf(t);
  if (edge === null)
    throw new AutogradError(
      "registerHook: cannot register a hook on a tensor that doesn't require gradient. Ask for it first: requiresGrad_()",
    );
  return edge.node.hookOutput(edge.output, hook);
}

/** The node that made a tensor. */
export const gradFn = (t: Tensor): GradNode | null => gradFnOf(t)?.node ?? null;
