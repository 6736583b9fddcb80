/**
 * The backward pass: nodes run in descending order of their sequence numbers, each once, with the sum of all gradients of its outputs.
 *
 * Saved tensors are released as nodes run, unless the graph is retained. Gradients in flight belong to the engine: one that nobody else has
 * seen is freed as soon as all nodes that wait for it have run. With `createGraph` the backward pass is recorded itself, and nothing is
 * freed.
 */
import { runtime } from "../base/runtime.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { Storage } from "../storage/storage.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { excludeKeys, guarded, restoreKeys, userKernels } from "../tensor/dispatch/operator.ts";
import { DisposedSource } from "../tensor/disposed.ts";
import { CreatedList, createdIn, enterScope } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { anomaly, checkAnomaly, nameCall } from "./anomaly.ts";
import { AccumulateGrad, accumulate, addInto, gradients } from "./history.ts";
import { type Edge, fitted, type GradNode } from "./node.ts";
import { hooksAfter, hooksBefore, replaced, retainedBy } from "./retained.ts";
import { recordingKeys } from "./scopes.ts";

type Gradients = readonly (Tensor | null)[];
/** Outputs of nodes, each with its gradient. */
type Roots = readonly (readonly [Edge, Tensor])[];

export interface EngineOptions {
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
  /** The outputs whose gradients are captured; nodes that lead to none of them do not run. Null: all leaves accumulate theirs. */
  readonly captured: readonly Edge[] | null;
  /** Receives a captured gradient. */
  readonly capture: (index: number, gradient: Tensor) => void;
}

/** Runs the graph from some outputs. */
export function runBackward(roots: Roots, options: EngineOptions): void {
  const pass = new BackwardPass(options);
  if (options.createGraph) {
    pass.run(roots);
    return;
  }
  const before = excludeKeys(recordingKeys);
  try {
    pass.run(roots);
  } finally {
    restoreKeys(before);
  }
}

/** The reason in errors about a gradient in flight that was freed. */
const freed = /* @__PURE__ */ new DisposedSource("freed by the backward pass, which owned it");
/** All keys except those of recording: code that serves one of them may see tensors of the backward pass. */
const otherKeys = ~(recordingKeys << keyShift) & (-1 << keyShift);

/** The history of a gradient that the backward pass owns: counts the lists in which the gradient is pending. */
class InFlight {
  holders = 0;
  readonly isRequested = false;
  readonly edge = null;
}

/** The number of backward passes so far. */
const passes = /* @__PURE__ */ runtime.own("autograd/engine", { count: 0 });

class BackwardPass {
  readonly #options: EngineOptions;
  readonly #list = new CreatedList();
  /** False if others may see every gradient, so that nothing is freed. */
  readonly #frees: boolean;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#frees = !options.createGraph && guarded === 0 && userKernels === 0;
  }

  run(roots: Roots): void {
    const { captured } = this.#options;
    const suspended: [GradNode, (Tensor | null)[]][] = [];
    const order = reachable(
      roots.map(([edge]) => edge),
      suspended,
    );
    const useful = captured === null ? null : leadingTo(order, captured);
    try {
      for (const [edge, gradient] of roots) this.#enqueue(edge, gradient);
      for (let k = 0; k < order.length; k++) {
        const node = order[k];
        const gradients = node.pending;
        if (gradients === null || (useful !== null && !useful.has(node))) continue;
        node.pending = null;
        this.#visit(node, gradients, useful);
      }
    } finally {
      // Gradients at nodes that do not run, or did not run because of an error.
      for (let k = 0; k < order.length; k++) {
        const { pending } = order[k];
        order[k].pending = null;
        if (pending !== null) drop(pending);
      }
      for (const [node, gradients] of suspended) node.pending = gradients;
    }
  }

  #visit(node: GradNode, gradients: Gradients, useful: ReadonlySet<GradNode> | null): void {
    try {
      const seen = node.isWatched || useful !== null ? this.#runHooks(node, gradients) : gradients;
      if (node instanceof AccumulateGrad) {
        if (useful === null) this.#accumulate(node, seen[0]);
      } else if (useful === null || hasPathTo(node, useful)) this.#pass(node, seen);
    } catch (error) {
      nameCall(node, error);
      throw error;
    } finally {
      drop(gradients);
    }
  }

  /** Calls hooks with the gradients of a node's outputs, which they may replace, and captures gradients. */
  #runHooks(node: GradNode, gradients: Gradients): Gradients {
    const { captured, capture } = this.#options;
    let seen = gradients;
    if (node.isWatched) {
      gradients.forEach(releaseOwnership);
      const changed = gradients.slice();
      applyHooks(node, changed);
      seen = changed;
      changed.forEach((gradient, k) => {
        if (gradient != null) retainedBy(node, k)?.(gradient);
      });
    }
    captured?.forEach((edge, index) => {
      const gradient = edge.node === node ? seen[edge.output] : null;
      if (gradient == null) return;
      releaseOwnership(gradient);
      capture(index, gradient);
    });
    return node.prehooks === null ? seen : hooksBefore(node, seen);
  }

  #accumulate(node: AccumulateGrad, gradient: Tensor | null | undefined): void {
    if (gradient == null) return;
    const isOurs = holdersOf(gradient) === 1;
    if (isOurs) gradient.history = null;
    gradients.note?.(node.variable);
    const isTaken = accumulate(node.history, gradient, isOurs);
    if (isOurs && !isTaken) gradient.endWith(freed);
    if (node.isWatched) hooksAfter(node, [], [gradient]);
  }

  #pass(node: GradNode, gradients: Gradients): void {
    // A user-defined function may keep the gradients that it receives.
    if (!node.isPrivate) gradients.forEach(releaseOwnership);
    let passed =
      this.#frees && node.isPrivate ? runPrivately(node, gradients, this.#list) : fitted(node, node.run(gradients));
    if (node.isWatched) {
      passed.forEach(releaseOwnership);
      passed = fitted(node, hooksAfter(node, passed, gradients));
    }
    if (anomaly.isOn) checkAnomaly(node, passed);
    if (!this.#options.retainGraph) node.release();
    const { edges } = node;
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k];
      const gradient = passed[k];
      if (edge != null && gradient != null) this.#enqueue(edge, gradient);
    }
    // Gradients of inputs that need none.
    for (const gradient of passed)
      if (gradient?.history instanceof InFlight && gradient.history.holders === 0) gradient.endWith(freed);
  }

  /** Adds a gradient to those pending at an output of a node. */
  #enqueue({ node, output }: Edge, gradient: Tensor): void {
    node.pending ??= [];
    const list = node.pending;
    const before = list[output];
    if (gradient.history instanceof InFlight) gradient.history.holders++;
    if (before == null) {
      list[output] = gradient;
      return;
    }
    if (
      holdersOf(before) === 1 &&
      isUniquelyOwned(before) &&
      before.type === gradient.type &&
      (gradient.bits & otherKeys) === 0
    ) {
      addInto(before, gradient);
      drop([gradient]);
      return;
    }
    list[output] = this.#frees ? engineOwned(() => add(before, gradient)) : add(before, gradient);
    drop([before, gradient]);
  }
}

/** Counts one list fewer for each of these pending gradients, and frees those that are in none. */
function drop(gradients: Gradients): void {
  for (let k = 0; k < gradients.length; k++) {
    const gradient = gradients[k];
    if (gradient == null || !(gradient.history instanceof InFlight)) continue;
    if (--gradient.history.holders <= 0) gradient.endWith(freed);
  }
}

/** The number of lists in which a gradient of the engine is pending; 0 if it is not the engine's. */
const holdersOf = ({ history }: Tensor): number => (history instanceof InFlight ? history.holders : 0);

/** Releases ownership of a gradient that other code can see: the engine does not free it. */
function releaseOwnership(gradient: Tensor | null | undefined): void {
  if (gradient == null || !(gradient.history instanceof InFlight)) return;
  gradient.history = null;
  enterScope(gradient);
}

/** Runs a node whose tensors nobody else sees: the engine owns the gradients that it returns, and frees all other tensors. */
function runPrivately(node: GradNode, gradients: Gradients, list: CreatedList): Gradients {
  const created: Tensor[] = [];
  let passed: Gradients = [];
  list.open(created);
  try {
    passed = fitted(node, node.run(gradients));
  } finally {
    list.close();
    let bits = 0;
    for (let k = 0; k < passed.length; k++) bits |= passed[k]?.bits ?? 0;
    for (let k = 0; k < created.length; k++) {
      const t = created[k];
      if ((bits & otherKeys) !== 0) enterScope(t);
      else if (!passed.includes(t)) t.endWith(freed);
      else if (t.history === null) t.history = new InFlight();
    }
  }
  return passed;
}

/** A sum that belongs to the engine and is pending in one list. */
function engineOwned(sum: () => Tensor): Tensor {
  const created: Tensor[] = [];
  const t = createdIn(sum, created);
  if (created.length > 1 || (t.bits & otherKeys) !== 0 || t.history !== null) created.forEach(enterScope);
  else {
    const mark = new InFlight();
    mark.holders = 1;
    t.history = mark;
  }
  return t;
}

/** True for a tensor that may be written to and shares its memory with no other. */
const isUniquelyOwned = (t: Tensor): boolean =>
  t.source instanceof Storage && t.source.unique && t.isContiguous() && (t.bits & otherKeys) === 0;

function applyHooks(node: GradNode, gradients: (Tensor | null)[]): void {
  node.tensorHooks?.forEach((hooks, output) => {
    for (const hook of [...hooks]) {
      const gradient = gradients[output];
      if (gradient != null)
        gradients[output] = replaced("a hook on the gradient of a tensor", gradient, hook(gradient));
    }
  });
}

/**
 * All nodes that can be reached from some outputs, those with larger numbers first, and leaves last. Gradients of an outer backward pass that
 * are pending at these nodes are moved to `suspended`.
 */
function reachable(roots: readonly Edge[], suspended: [GradNode, (Tensor | null)[]][]): GradNode[] {
  const pass = ++passes.count;
  const order: GradNode[] = [];
  const leaves: GradNode[] = [];
  // Chains are found in their order.
  let isOrdered = true;
  let last = Infinity;
  for (let k = -1; k < order.length; k++) {
    const edges = k < 0 ? roots : order[k].edges;
    for (let j = 0; j < edges.length; j++) {
      const node = edges[j]?.node;
      if (node === undefined || node.pass === pass) continue;
      node.pass = pass;
      if (node.pending !== null) {
        suspended.push([node, node.pending]);
        node.pending = null;
      }
      if (node.sequence < 0) {
        leaves.push(node);
        continue;
      }
      isOrdered &&= node.sequence < last;
      last = node.sequence;
      order.push(node);
    }
  }
  if (!isOrdered) order.sort((a, b) => b.sequence - a.sequence);
  for (let k = 0; k < leaves.length; k++) order.push(leaves[k]);
  return order;
}

/** The nodes that lead to a captured gradient. */
function leadingTo(order: readonly GradNode[], captured: readonly Edge[]): Set<GradNode> {
  const needed = new Set(captured.map(({ node }) => node));
  // Smaller numbers first: the nodes that a node leads to come before it.
  for (let k = order.length - 1; k >= 0; k--) {
    const node = order[k];
    if (hasPathTo(node, needed)) needed.add(node);
  }
  return needed;
}

const hasPathTo = ({ edges }: GradNode, needed: ReadonlySet<GradNode>): boolean =>
  edges.some((edge) => edge !== null && needed.has(edge.node));
