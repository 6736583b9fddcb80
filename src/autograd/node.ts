/**
 * The graph of recorded calls: a node for each call, with edges to the nodes that made its inputs. Nodes are numbered as they are
 * made, so on the way back a node has all its gradients once those with larger numbers have run.
 */
import type { DType } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";

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

/** One recorded call. */
export abstract class GradNode {
  /** As PyTorch calls it: MulBackward0. */
  readonly name: string;
  readonly sequence: number;
  /** One for each input; null where no gradient is asked for. */
  readonly edges: readonly (Edge | null)[];
  readonly outputs: OutputInfo[] = [];
  /** Hooks on the gradient of an output. */
  tensorHooks: Map<number, TensorHook[]> | null = null;
  hooks: NodeHook[] | null = null;

  constructor(name: string, edges: readonly (Edge | null)[], isFirst = false) {
    this.name = name;
    this.edges = edges;
    this.sequence = isFirst ? -1 : sequence++;
  }

  /** The gradients of the inputs. */
  abstract run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[];

  /** Lets go of what was kept. */
  release(): void {}

  /** The nodes that come next on the way back, and which output of theirs. */
  get nextFunctions(): readonly (readonly [GradNode | null, number])[] {
    return this.edges.map((edge) => (edge === null ? [null, 0] : [edge.node, edge.output]));
  }

  /** Calls a function with the gradients of inputs and outputs whenever the node has run. */
  registerHook(hook: NodeHook): HookHandle {
    this.hooks ??= [];
    return addedTo(this.hooks, hook);
  }

  /** Calls a function with the gradient of an output before the node runs. */
  hookOutput(output: number, hook: TensorHook): HookHandle {
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
