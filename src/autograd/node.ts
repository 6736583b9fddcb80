/**
 * The graph of recorded calls: a node for each call, with edges to the nodes that computed its inputs. Nodes are numbered in the order of
 * their creation, so a node has all its gradients once those with larger numbers have run.
 */

import { runtime } from "../base/runtime.ts";
import { show } from "../base/show.ts";
import { sumTo } from "../ops/sum-to.ts";
import { deviceOption } from "../storage/device.ts";
import { type DType, isComplexDType } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create-ops.ts";
import { hasSizes, showShape, sizesOf } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { partView, to } from "../tensor/views/view-ops.ts";
import { expand } from "../tensor/views/views-shape.ts";
import { anomaly, traceNode } from "./anomaly.ts";
import { AutogradError } from "./error.ts";

/** An output of a node, which receives a gradient. */
export interface Edge {
  readonly node: GradNode;
  readonly output: number;
}

/** Receives the gradients of a node's inputs and outputs after it has run, and may replace the former. */
export type NodeHook = (
  inputs: readonly (Tensor | null)[],
  outputs: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | undefined;

/** Receives the gradients of a node's outputs before it runs, and may replace them. */
export type NodePrehook = (outputs: readonly (Tensor | null)[]) => readonly (Tensor | null)[] | undefined;

/** Receives the gradient of a tensor, and may replace it. */
export type TensorHook = (gradient: Tensor) => Tensor | undefined | null;

/** A registered hook. */
export interface HookHandle {
  remove(): void;
}

/** The shape and dtype of an output. */
export interface OutputInfo {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** The number of the next node. */
const counter = /* @__PURE__ */ runtime.own("autograd/node", { next: 0 });

/** One recorded call. */
export abstract class GradNode {
  /** PyTorch's name: MulBackward0. */
  declare readonly name: string;
  declare readonly sequence: number;
  /** One edge for each input; null for inputs that require no gradient. */
  declare readonly edges: readonly (Edge | null)[];
  declare readonly outputs: OutputInfo[];
  /** True if and only if the tensors that it creates in the backward pass are seen by their receivers only. */
  isPrivate = true;
  /** The number of the last backward pass that reached it. */
  pass = 0;
  /** The gradients that have arrived in the running backward pass. */
  pending: (Tensor | null)[] | null = null;
  /** True if others see gradients here: a hook, or a tensor that keeps its gradient. */
  isWatched = false;
  /** Hooks on the gradient of an output. */
  tensorHooks: Map<number, TensorHook[]> | null = null;
  hooks: NodeHook[] | null = null;
  prehooks: NodePrehook[] | null = null;

  constructor(name: string, edges: readonly (Edge | null)[], outputs: OutputInfo[] = [], isFirst = false) {
    this.name = name;
    this.edges = edges;
    this.outputs = outputs;
    this.sequence = isFirst ? -1 : counter.next++;
    if (anomaly.isOn) traceNode(this);
  }

  /** Returns the gradients of the inputs. */
  abstract run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[];

  /** Releases the saved tensors. */
  release(): void {}

  /** The tensors saved for the backward pass. */
  get savedTensors(): readonly Tensor[] {
    return [];
  }

  /** The nodes that run after this one in the backward pass, each with the index of its output. */
  get nextFunctions(): readonly (readonly [GradNode | null, number])[] {
    return this.edges.map((edge) => (edge === null ? [null, 0] : [edge.node, edge.output]));
  }

  /** Registers a function that is called with the gradients of inputs and outputs after the node has run. */
  registerHook(hook: NodeHook): HookHandle {
    this.isWatched = true;
    this.hooks ??= [];
    return addedTo(this.hooks, hook);
  }

  /** Registers a function that is called with the gradients of the outputs before the node runs. */
  registerPrehook(hook: NodePrehook): HookHandle {
    this.isWatched = true;
    this.prehooks ??= [];
    return addedTo(this.prehooks, hook);
  }

  /** Registers a function that is called with the gradient of an output before the node runs. */
  hookOutput(output: number, hook: TensorHook): HookHandle {
    this.isWatched = true;
    this.tensorHooks ??= new Map();
    const list = this.tensorHooks.get(output) ?? [];
    this.tensorHooks.set(output, list);
    return addedTo(list, hook);
  }

  toString(): string {
    return `<${this.name}>`;
  }
}

function addedTo<T>(list: T[], hook: T): HookHandle {
  list.push(hook);
  return {
    remove() {
      const at = list.indexOf(hook);
      if (at >= 0) list.splice(at, 1);
    },
  };
}

/** Zeros for an output without a gradient, on the device of the other gradients: one element with strides of 0. */
export function zerosFor({ shape, dtype }: OutputInfo, others: readonly (Tensor | null)[]): Tensor {
  const like = others.find((gradient) => gradient != null);
  return expand(zeros([], { dtype, device: like && deviceOption(like.device) }), shape);
}

/** A gradient with the shape and dtype of an input: summed over the axes along which the input was broadcast, and converted. */
export function likeInput(gradient: Tensor, { shape, dtype }: OutputInfo): Tensor {
  const isNarrower = isComplexTensor(gradient) && !isComplexDType(dtype);
  const part = isNarrower ? partView(gradient, "real") : gradient;
  const sum = hasSizes(part, shape) ? part : sumTo(part, shape);
  return sum.type === dtype ? sum : to(sum, dtype);
}

/** The gradients that a node or a hook returned, each with the shape and dtype of its input. Throws for shapes that do not broadcast. */
export function fitted(node: GradNode, passed: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
  const { edges } = node;
  let changed: (Tensor | null)[] | null = null;
  for (let k = 0; k < edges.length; k++) {
    const gradient = passed[k];
    const edge = edges[k];
    if (gradient == null || edge == null) continue;
    const info = edge.node.outputs[edge.output];
    if (info === undefined || (gradient.type === info.dtype && hasSizes(gradient, info.shape))) continue;
    if (!isBroadcast(info.shape, sizesOf(gradient)))
      throw new AutogradError(
        `backward: Function ${node.name} returned an invalid gradient at index ${k}: shape ${showShape(gradient)} for an input of ${show(info.shape)}`,
      );
    changed ??= passed.slice();
    changed[k] = likeInput(gradient, info);
  }
  return changed ?? passed;
}

/** True if and only if a shape can be broadcast to another. */
const isBroadcast = (from: readonly number[], to: readonly number[]): boolean =>
  from.length <= to.length && from.every((size, axis) => size === 1 || size === to[axis + to.length - from.length]);
