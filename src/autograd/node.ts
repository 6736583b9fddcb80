/**
 * The graph of recorded calls: a node for each call, with edges to the nodes that made its inputs. Nodes are numbered as they are
 * made, so on the way back a node has all its gradients once those with larger numbers have run.
 */
import type { DType } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { expand } from "../tensor/views/views-shape.ts";

/** Where a gradient goes: an output of a node. */
export interface Edge {
  readonly node: GradNode;
  readonly output: number;
}

/** Sees the gradients of a node's inputs and outputs after it has run, and may replace the former. */
export type NodeHook = (
  inputs: readonly (Tensor | null)[],
  outputs: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | undefined;

/** Sees the gradients of a node's outputs before it runs, and may replace them. */
export type NodePrehook = (outputs: readonly (Tensor | null)[]) => readonly (Tensor | null)[] | undefined;

/** Sees the gradient of a tensor, and may replace it. */
export type TensorHook = (gradient: Tensor) => Tensor | undefined | null;

/** What a hook was registered by: it can be taken back. */
export interface HookHandle {
  remove(): void;
}

/** What is known of an output without the tensor. */
export interface OutputInfo {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

let sequence = 0;
let isNoting = false;
let places: WeakMap<GradNode, string> | null = null;

/** Says whether nodes note where they are made. */
export function notePlaces(on: boolean): void {
  isNoting = on;
  places ??= new WeakMap();
}

function notePlace(node: GradNode): void {
  // The library's own lines come first, and may be many.
  const limits = Error as { stackTraceLimit?: number };
  const limit = limits.stackTraceLimit;
  if (limit !== undefined) limits.stackTraceLimit = 50;
  places?.set(node, new Error().stack ?? "");
  if (limit !== undefined) limits.stackTraceLimit = limit;
}

/** Where a node was made: the first lines of the program above the library's own; null if that was not noted. */
export function placeOf(node: GradNode): string | null {
  const lines =
    places
      ?.get(node)
      ?.split("\n")
      .filter((line) => /^\s*at |@/.test(line)) ?? [];
  const own = /([^\s(]*\/)autograd\/node\.[jt]s/.exec(lines[0] ?? "")?.[1];
  const outside = own === undefined ? lines : lines.filter((line) => !line.includes(own));
  return lines.length === 0 ? null : (outside.length > 0 ? outside : lines).slice(0, 5).join("\n");
}

/** One recorded call. */
export abstract class GradNode {
  /** As PyTorch calls it: MulBackward0. */
  declare readonly name: string;
  declare readonly sequence: number;
  /** One for each input; null where no gradient is asked for. */
  readonly edges: readonly (Edge | null)[];
  declare readonly outputs: OutputInfo[];
  /** The number of the way back that found it last. */
  found = 0;
  /** The gradients that wait here, and the number of their way back. */
  waiting: (Tensor | null)[] | null = null;
  way = 0;
  /** Somebody else sees gradients here: a hook, or a tensor that keeps its own. */
  isWatched = false;
  /** Hooks on the gradient of an output. */
  tensorHooks: Map<number, TensorHook[]> | null = null;
  hooks: NodeHook[] | null = null;
  prehooks: NodePrehook[] | null = null;

  constructor(name: string, edges: readonly (Edge | null)[], outputs: OutputInfo[] = [], isFirst = false) {
    this.name = name;
    this.edges = edges;
    this.outputs = outputs;
    this.sequence = isFirst ? -1 : sequence++;
    if (isNoting) notePlace(this);
  }

  /** The gradients of the inputs. */
  abstract run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[];

  /** True if and only if what it makes on the way back is seen by nobody but who it is given to. */
  get isPrivate(): boolean {
    return true;
  }

  /** Lets go of what was kept. */
  release(): void {}

  /** The tensors that are kept for the way back. */
  get savedTensors(): readonly Tensor[] {
    return [];
  }

  /** The nodes that come next on the way back, and which output of theirs. */
  get nextFunctions(): readonly (readonly [GradNode | null, number])[] {
    return this.edges.map((edge) => (edge === null ? [null, 0] : [edge.node, edge.output]));
  }

  /** Calls a function with the gradients of inputs and outputs whenever the node has run. */
  registerHook(hook: NodeHook): HookHandle {
    this.isWatched = true;
    this.hooks ??= [];
    return addedTo(this.hooks, hook);
  }

  /** Calls a function with the gradients of the outputs before the node runs. */
  registerPrehook(hook: NodePrehook): HookHandle {
    this.isWatched = true;
    this.prehooks ??= [];
    return addedTo(this.prehooks, hook);
  }

  /** Calls a function with the gradient of an output before the node runs. */
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

/** Zeros in the place of the gradient of an output that nothing has reached, on the device of the others: one element, seen everywhere. */
export function zerosFor({ shape, dtype }: OutputInfo, others: readonly (Tensor | null)[]): Tensor {
  const device = others.find((gradient) => gradient != null)?.device.type as "cpu" | undefined;
  return expand(zeros([], { dtype, device }), shape);
}
