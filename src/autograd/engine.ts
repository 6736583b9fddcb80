/**
 * The way back: nodes run in the order of their numbers, largest first, each once, with the sum of all gradients that reach it.
 *
 * What nodes have kept is given up as they run, unless the graph is to be kept. With `createGraph` the way back is recorded itself.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkAnomaly } from "./anomaly.ts";
import { AutogradError } from "./error.ts";
import type { Edge, GradNode, TensorHook } from "./node.ts";
import { hooksAfter, retainedBy } from "./retained.ts";
import { noGrad } from "./scopes.ts";

export interface EngineOptions {
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
  /** Where gradients are taken out; nodes that lead to none of them do not run. Null: all leaves get theirs. */
  readonly captured: readonly Edge[] | null;
  /** Takes a gradient that has arrived. */
  readonly capture: (index: number, gradient: Tensor) => void;
}

/** Runs the graph from some outputs, given with their gradients. */
export function runBackward(roots: readonly (readonly [Edge, Tensor])[], options: EngineOptions): void {
  if (options.createGraph) run(roots, options);
  else noGrad(() => run(roots, options));
}

function run(roots: readonly (readonly [Edge, Tensor])[], options: EngineOptions): void {
  const { captured, capture, retainGraph } = options;
  const order = reachable(roots.map(([edge]) => edge.node));
  const useful = captured === null ? null : leadingTo(order, captured);
  const gradients = new Map<GradNode, (Tensor | null)[]>();
  for (const [edge, gradient] of roots) give(gradients, edge, gradient);
  for (const node of order) {
    const given = gradients.get(node);
    if (given === undefined || (useful !== null && !useful.has(node))) continue;
    gradients.delete(node);
    applyHooks(node, given);
    for (let k = 0; k < given.length; k++) {
      const gradient = given[k] as Tensor | null | undefined;
      if (gradient != null) retainedBy(node, k)?.(gradient);
    }
    captured?.forEach((edge, index) => {
      const gradient = edge.node === node ? given[edge.output] : null;
      if (gradient != null) capture(index, gradient);
    });
    if (captured !== null && node.edges.length === 0) continue;
    if (captured !== null && !node.edges.some((edge) => edge !== null && (useful as Set<GradNode>).has(edge.node)))
      continue;
    const passed = hooksAfter(node, checked(node, node.run(given)), given);
    checkAnomaly(node, passed);
    if (!retainGraph) node.release();
    node.edges.forEach((edge, k) => {
      const gradient = passed[k];
      if (edge !== null && gradient != null) give(gradients, edge, gradient);
    });
  }
}

/** Refuses gradients of a wrong shape, which a rule or a hook may give. */
function checked(node: GradNode, passed: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
  node.edges.forEach((edge, k) => {
    const gradient = passed[k];
    const info = edge?.node.outputs[edge.output];
    if (gradient == null || info === undefined) return;
    const shape = sizesOf(gradient);
    if (shape.length !== info.shape.length || shape.some((size, axis) => size !== info.shape[axis]))
      throw new AutogradError(
        `backward: Function ${node.name} returned an invalid gradient at index ${k} - got [${shape.join(", ")}] but expected shape compatible with [${info.shape.join(", ")}]`,
      );
  });
  return passed;
}

function applyHooks(node: GradNode, given: (Tensor | null)[]): void {
  node.tensorHooks?.forEach((hooks, output) => {
    for (const hook of [...hooks] as TensorHook[]) {
      const gradient = given[output];
      if (gradient != null) given[output] = hook(gradient) ?? gradient;
    }
  });
}

function give(gradients: Map<GradNode, (Tensor | null)[]>, { node, output }: Edge, gradient: Tensor): void {
  let list = gradients.get(node);
  if (list === undefined) {
    list = [];
    gradients.set(node, list);
  }
  const before = list[output];
  list[output] = before == null ? gradient : (add(before, gradient as never) as Tensor);
}

/** All nodes that can be reached, those with larger numbers first, and leaves last. */
function reachable(from: readonly GradNode[]): GradNode[] {
  const seen = new Set<GradNode>();
  const stack = [...from];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const edge of node.edges) if (edge !== null) stack.push(edge.node);
  }
  return [...seen].sort((a, b) => b.sequence - a.sequence);
}

/** The nodes from which a gradient that is taken out can be reached. */
function leadingTo(order: readonly GradNode[], captured: readonly Edge[]): Set<GradNode> {
  const found = new Set(captured.map(({ node }) => node));
  // Those with smaller numbers first: what a node leads to is known before the node.
  for (let k = order.length - 1; k >= 0; k--) {
    const node = order[k] as GradNode;
    if (node.edges.some((edge) => edge !== null && found.has(edge.node))) found.add(node);
  }
  return found;
}
