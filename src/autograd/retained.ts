/** Results that keep their gradients, and hooks on nodes. */
import { show } from "../base/show.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import type { Edge, GradNode } from "./node.ts";

const hooks = /* @__PURE__ */ new WeakMap<GradNode, Map<number, (gradient: Tensor) => void>>();

/** Keeps the gradient of an output. */
export function retain({ node, output }: Edge, keep: (gradient: Tensor) => void): void {
  node.isWatched = true;
  const outputs = hooks.get(node) ?? new Map<number, (gradient: Tensor) => void>();
  hooks.set(node, outputs);
  outputs.set(output, keep);
}

/** Stops keeping the gradient of an output. */
export function unretain({ node, output }: Edge): void {
  hooks.get(node)?.delete(output);
}

/** The function that keeps the gradient of an output. */
export const retainedBy = (node: GradNode, output: number): ((gradient: Tensor) => void) | undefined =>
  hooks.get(node)?.get(output);

/** The gradient after a hook: the tensor that it returned, of the same shape and dtype, or the gradient itself if it returned nothing. */
export function replaced(who: string, gradient: Tensor | null | undefined, returned: unknown): Tensor | null {
  if (returned == null) return gradient ?? null;
  if (!(returned instanceof Tensor))
    throw new AutogradError(
      `backward: ${who} returned ${describeValue(returned)} for a gradient. Return a tensor, or nothing to keep it`,
    );
  if (gradient == null) return returned;
  const [actual, expected] = [sizesOf(returned), sizesOf(gradient)];
  if (!hasSizes(returned, expected))
    throw new AutogradError(
      `backward: ${who} changed the shape of the gradient from ${show(expected)} to ${show(actual)}`,
    );
  if (returned.type !== gradient.type)
    throw new AutogradError(
      `backward: ${who} changed the dtype of the gradient from ${gradient.type} to ${returned.type}. Convert it: to("${gradient.type}")`,
    );
  return returned;
}

/** The gradients of a node's outputs after its prehooks. */
export function hooksBefore(node: GradNode, outputs: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
  let gradients = outputs;
  for (const hook of node.prehooks ?? []) {
    const changed = hook(gradients);
    if (changed == null) continue;
    if (!Array.isArray(changed) || changed.length > gradients.length)
      throw new AutogradError(
        `backward: a prehook of ${node.name} returned ${describeValue(changed)}. Return tensors or null, ${gradients.length} in all, or nothing to keep them`,
      );
    gradients = gradients.map((gradient, k) =>
      changed[k] == null ? null : replaced(`a prehook of ${node.name}`, gradient, changed[k]),
    );
  }
  return gradients;
}

/** The gradients of a node's inputs after its hooks. */
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
        `backward: a hook of ${node.name} returned ${describeValue(changed)}. Return tensors or null, ${passed.length} in all, or nothing to keep them`,
      );
    passed = changed as readonly (Tensor | null)[];
  }
  return passed;
}
