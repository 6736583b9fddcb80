/** What nodes do besides passing gradients on: results that keep theirs, and hooks on the node. */
import { show } from "../base/show.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import type { Edge, GradNode } from "./node.ts";

const kept = /* @__PURE__ */ new WeakMap<GradNode, Map<number, (gradient: Tensor) => void>>();

/** Has the gradient of an output kept. */
export function retain({ node, output }: Edge, keep: (gradient: Tensor) => void): void {
  node.isWatched = true;
  const outputs = kept.get(node) ?? new Map<number, (gradient: Tensor) => void>();
  kept.set(node, outputs);
  outputs.set(output, keep);
}

/** Has the gradient of an output kept no longer. */
export function unretain({ node, output }: Edge): void {
  kept.get(node)?.delete(output);
}

/** Who keeps the gradient of an output. */
export const retainedBy = (node: GradNode, output: number): ((gradient: Tensor) => void) | undefined =>
  kept.get(node)?.get(output);

/** What a hook gives in the place of a gradient: of the same shape and dtype, or nothing to leave it as it is. */
export function replaced(who: string, gradient: Tensor | null | undefined, given: unknown): Tensor | null {
  if (given == null) return gradient ?? null;
  if (!(given instanceof Tensor))
    throw new AutogradError(
      `backward: ${who} returned ${describeValue(given)} for a gradient. Return a tensor, or nothing to keep it`,
    );
  if (gradient == null) return given;
  const [has, wants] = [sizesOf(given), sizesOf(gradient)];
  if (!hasSizes(given, wants))
    throw new AutogradError(`backward: ${who} changed the shape of the gradient from ${show(wants)} to ${show(has)}`);
  if (given.type !== gradient.type)
    throw new AutogradError(
      `backward: ${who} changed the dtype of the gradient from ${gradient.type} to ${given.type}. Convert it: to("${gradient.type}")`,
    );
  return given;
}

/** The gradients of a node's outputs, as its prehooks leave them. */
export function hooksBefore(node: GradNode, outputs: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
  let given = outputs;
  for (const hook of node.prehooks ?? []) {
    const changed = hook(given);
    if (changed == null) continue;
    if (!Array.isArray(changed) || changed.length > given.length)
      throw new AutogradError(
        `backward: a prehook of ${node.name} returned ${describeValue(changed)}. Return ${given.length} gradients, tensors or null, or nothing to keep them`,
      );
    given = given.map((gradient, k) =>
      changed[k] == null ? null : replaced(`a prehook of ${node.name}`, gradient, changed[k]),
    );
  }
  return given;
}

/** The gradients of a node's inputs, as its hooks leave them. */
export function hooksAfter(
  node: GradNode,
  inputs: readonly (Tensor | null)[],
  outputs: readonly (Tensor | null)[],
): readonly (Tensor | null)[] {
  let passed = inputs;
  for (const hook of node.hooks ?? []) {
    const changed = hook(passed, outputs);
    if (changed == null) continue;
    if (!Array.isArray(changed) || changed.length > passed.length)
      throw new AutogradError(
        `backward: a hook of ${node.name} returned ${describeValue(changed)}. Return ${passed.length} gradients, tensors or null, or nothing to keep them`,
      );
    passed = changed as readonly (Tensor | null)[];
  }
  return passed;
}
