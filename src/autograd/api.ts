/** The functions that implement `backward`, `grad` and the gradient methods of tensors. */
import { show } from "../base/show.ts";
import { checkOptions } from "../ops/signature.ts";
import { deviceOption } from "../storage/device.ts";
import { ones } from "../tensor/create/create-ops.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { hasSizes, showShape, sizesOf } from "../tensor/geometry.ts";
import { checkTensor, isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isDifferentiable } from "./arguments.ts";
import { runBackward } from "./engine.ts";
import { AutogradError } from "./error.ts";
import {
  accumulate,
  edgeOf,
  ensureHistory,
  gradFnOf,
  gradients,
  historyOf,
  isLeaf,
  requiresGrad,
  setKey,
} from "./history.ts";
import { type Edge, type GradNode, type HookHandle, likeInput, type TensorHook } from "./node.ts";
import { retain, unretain } from "./retained.ts";
import { isInference, isInferenceModeEnabled } from "./scopes.ts";
import { type GraphFlags, wrapping } from "./wrapped.ts";

export interface BackwardOptions {
  /** Keeps the graph for another backward pass. Default: the value of `createGraph`. */
  readonly retainGraph?: boolean;
  /** Records the backward pass, so that gradients have gradients. */
  readonly createGraph?: boolean;
  /** The only tensors that accumulate gradients. */
  readonly inputs?: readonly Tensor[];
}

export interface GradOptions extends Omit<BackwardOptions, "inputs"> {
  /** The gradients of the outputs. Default: ones. */
  readonly gradOutputs?: Tensor | readonly (Tensor | null)[] | null;
  /** Returns null for inputs that no output depends on, instead of throwing. */
  readonly allowUnused?: boolean;
}

/** The nodes of outputs with their gradients, checked. */
function rootsOf(
  who: string,
  outputs: readonly Tensor[],
  gradients: readonly (Tensor | null | undefined)[],
): [Edge, Tensor][] {
  return outputs.map((t, k) => {
    checkTensor(who, t);
    const edge = edgeOf(t);
    if (edge === null)
      throw new AutogradError(
        `${who}: element ${k} of tensors does not require grad and does not have a gradFn. Compute it from tensors with { requiresGrad: true }, outside of noGrad`,
      );
    const gradient = gradients[k];
    if (gradient == null) {
      const call = who === "grad" ? "grad(outputs, inputs, { gradOutputs })" : "backward(gradient)";
      checkImplicit(who, t, `Sum it first, or pass its gradient: ${call}`);
      return [edge, ones(sizesOf(t), { dtype: t.dtype, device: deviceOption(t.device) })];
    }
    if (!(gradient instanceof Tensor)) throw noGradient(who, k, gradient);
    const [shape, expected] = [sizesOf(gradient), sizesOf(t)];
    if (!hasSizes(gradient, expected))
      throw new AutogradError(
        `${who}: the gradient of output ${k} must have the shape ${show(expected)} of the output, got ${show(shape)}`,
      );
    return [edge, gradient.type === t.type ? gradient : likeInput(gradient, { shape, dtype: t.dtype })];
  });
}

/** Throws unless the gradient of an output may be omitted: it is one real number. `remedy` says what to do with several elements. */
export function checkImplicit(who: string, t: Tensor, remedy: string): void {
  if (t.size === 1 && !isComplexTensor(t)) return;
  const [kind, got] =
    t.size !== 1 ? ["scalar", `shape ${showShape(t)}. ${remedy}`] : ["real", `${t.dtype}. Take its real part: real(x)`];
  throw new AutogradError(`${who}: grad can be implicitly created only for ${kind} outputs, got ${got}`);
}

function noGradient(who: string, output: number, value: unknown): AutogradError {
  const isOption = typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
  return new AutogradError(
    `${who}: the gradient of output ${output} must be a tensor or null, got ${describeValue(value)}. ${
      isOption && who === "backward"
        ? "Options come second: backward(null, { retainGraph: true })"
        : "Create one: tensor(...)"
    }`,
  );
}

/** Runs the backward pass and accumulates gradients into the `grad` of each leaf that a tensor depends on. */
export function backward(t: Tensor, gradient?: Tensor | null, options: BackwardOptions = {}): void {
  checkPlain("backward", t);
  checkOptions("backward", options, "retainGraph", "createGraph", "inputs");
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
    capture: (index, each) => {
      gradients.note?.(inputs[index]);
      accumulate(ensureHistory(inputs[index]), each);
    },
  });
}

function inputEdge(who: string, t: Tensor): Edge {
  checkTensor(who, t);
  const edge = edgeOf(t);
  if (edge === null)
    throw new AutogradError(`${who}: one of the inputs does not require grad. Call requiresGrad_() before using it`);
  return edge;
}

type Unused = GradOptions & { readonly allowUnused: true };

/** Returns the gradients of outputs with respect to inputs, without accumulating into any `grad`. */
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
  checkOptions("grad", options, "retainGraph", "createGraph", "gradOutputs", "allowUnused");
  const { createGraph = false, allowUnused = false, gradOutputs } = options;
  const list = Array.isArray(outputs) ? (outputs as readonly Tensor[]) : [outputs as Tensor];
  const targets = Array.isArray(inputs) ? (inputs as readonly Tensor[]) : [inputs as Tensor];
  const starts = Array.isArray(gradOutputs)
    ? (gradOutputs as readonly (Tensor | null)[])
    : [gradOutputs as Tensor | null];
  const flags = { retainGraph: options.retainGraph ?? createGraph, createGraph };
  const gradients = wrapping?.grad(list, targets, starts, flags) ?? plainGrad(list, targets, starts, flags);
  if (!allowUnused && gradients.includes(null))
    throw new AutogradError(
      "grad: One of the differentiated Tensors appears to not have been used in the graph. Set { allowUnused: true } if this is the desired behavior.",
    );
  return Array.isArray(inputs) ? gradients : gradients[0];
}

function plainGrad(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  starts: readonly (Tensor | null)[],
  flags: GraphFlags,
): (Tensor | null)[] {
  const roots = rootsOf("grad", outputs, starts);
  const gradients: (Tensor | null)[] = inputs.map(() => null);
  runBackward(roots, {
    ...flags,
    captured: inputs.map((input) => inputEdge("grad", input)),
    capture: (index, each) => {
      gradients[index] = each;
    },
  });
  return gradients;
}

/** Throws for a tensor inside vmap, whose effects would reach tensors outside. */
function checkPlain(who: string, t: Tensor): void {
  wrapping?.under([t], () => {
    throw new AutogradError(
      `${who}: this tensor represents all samples of a vmap. Use grad(outputs, inputs), or gradOf(fn), inside vmap`,
    );
  });
}

/** Sets whether a leaf requires a gradient. */
export function setRequiresGrad(t: Tensor, isRequired: boolean, who = "requiresGrad_"): Tensor {
  if (wrapping !== null && wrapping.under([t], (value) => setRequiresGrad(value, isRequired, who)) !== null) return t;
  if (!isLeaf(t)) {
    if (isRequired) return t;
    throw new AutogradError(`${who}: only leaf tensors can change requiresGrad. Use detach() for a computed one.`);
  }
  if (isRequired && isInference(t) && !isInferenceModeEnabled())
    throw new AutogradError(
      `${who}: Setting requiresGrad on inference tensor outside inferenceMode is not allowed. Use a clone()`,
    );
  if (isRequired && !isDifferentiable(t))
    throw new AutogradError(
      `${who}: only floating point and complex tensors can require gradients, got ${t.type}. Convert it first: to("float32")`,
    );
  if (!isRequired && historyOf(t) === null) return t;
  ensureHistory(t).isRequested = isRequired;
  setKey(t);
  return t;
}

/** Makes a tensor a leaf that requires no gradient. */
export function detach_(t: Tensor): Tensor {
  if (wrapping !== null && wrapping.under([t], detach_) !== null) return t;
  if (t.root !== null) throw new AutogradError("detach_: Can't detach views in-place. Use detach() instead");
  const history = historyOf(t);
  if (history === null) return t;
  if (history.retains && history.edge !== null) unretain(history.edge);
  history.retains = false;
  history.edge = null;
  history.isRequested = false;
  setKey(t);
  return t;
}

/** Makes a result keep its gradient, as leaves do. */
export function retainGrad(t: Tensor): void {
  checkPlain("retainGrad", t);
  if (!requiresGrad(t))
    throw new AutogradError(
      "retainGrad: can't retainGrad on a tensor that doesn't require gradient. Call requiresGrad_() first",
    );
  const edge = gradFnOf(t);
  const history = ensureHistory(t);
  if (edge === null || history.retains) return;
  history.retains = true;
  retain(edge, (gradient) => accumulate(history, gradient));
}

/** Registers a function that is called with the gradient of a tensor; a tensor that it returns replaces the gradient. */
export function registerHook(t: Tensor, hook: TensorHook): HookHandle {
  checkPlain("registerHook", t);
  const edge = edgeOf(t);
  if (edge === null)
    throw new AutogradError(
      "registerHook: cannot register a hook on a tensor that doesn't require gradient. Call requiresGrad_() first",
    );
  return edge.node.hookOutput(edge.output, hook);
}

/** The node that computed a tensor. */
export const gradFn = (t: Tensor): GradNode | null => gradFnOf(t)?.node ?? null;
