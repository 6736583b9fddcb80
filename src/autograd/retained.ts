/** What nodes do besides passing gradients on: results that keep theirs, and hooks on the node. */
import type { Tensor } from "../tensor/tensor.ts";
import type { GradNode } from "./node.ts";

let kept: WeakMap<GradNode, Map<number, (gradient: Tensor) => void>> | null = null;

/** Has the gradient of an output kept. */
export function retain(node: GradNode, output: number, keep: (gradient: Tensor) => void): void {
  kept ??= new WeakMap();
  const outputs = kept.get(node) ?? new Map<number, (gradient: Tensor) => void>();
  kept.set(node, outputs);
  outputs.set(output, keep);
}

/** Has the gradient of an output kept no longer. */
export function unretain(node: GradNode, output: number): void {
  kept?.get(node)?.delete(output);
}

/** Who keeps the gradient of an output. */
export const retainedBy = (node: GradNode, output: number): ((gradient: Tensor) => void) | undefined =>
  kept?.get(node)?.get(output);

/** The gradients of a node's inputs, as its hooks leave them. */
export function hooksAfter(
  node: GradNode,
  inputs: readonly (Tensor | null)[],
  outputs: readonly (Tensor | null)[],
): readonly (Tensor | null)[] {
  let passed = inputs;
  for (const hook of node.hooks ?? []) passed = hook(passed, outputs) ?? passed;
  return passed;
}
