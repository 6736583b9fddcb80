/**
 * The way back: nodes run in the order of their numbers, largest first, each once, with the sum of all gradients that reach it.
 *
 * What nodes have kept is given up as they run, unless the graph is to be kept. Gradients on their way belong to the engine: those that
 * nobody else has seen are freed as soon as all nodes that wait for them have run. With `createGraph` the way back is recorded itself,
 * and nothing is freed.
 */
import { show } from "../base/show.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { kernelsOf } from "../ops/formula-op.ts";
import { Storage } from "../storage/storage.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { excludeKeys, guarded, restoreKeys, userKernels } from "../tensor/dispatch/operator.ts";
import { Ended } from "../tensor/ended.ts";
import { hasSizes, showShape, sizesOf } from "../tensor/geometry.ts";
import { enterScope, CreatedList, createdIn } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { AccumulateGrad } from "./accumulate.ts";
import { checkAnomaly, nameCall } from "./anomaly.ts";
import { AutogradError } from "./error.ts";
import { likeInput } from "./formula-node.ts";
import type { Edge, GradNode } from "./node.ts";
import { hooksAfter, hooksBefore, replaced, retainedBy } from "./retained.ts";
import { recordingKeys } from "./scopes.ts";

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
  const way = new WayBack(options);
  if (options.createGraph) {
    way.run(roots);
    return;
  }
  const before = excludeKeys(recordingKeys);
  try {
    way.run(roots);
  } finally {
    restoreKeys(before);
  }
}

/** Why a gradient on its way is no longer there. */
const freed = /* @__PURE__ */ new Ended("freed on the way back, to which it belonged");
/** Whoever serves another key may look at tensors on the way. */
const others = ~(recordingKeys << keyShift) & (-1 << keyShift);

/** In the place of the history of a gradient that belongs to the engine: none, but the number of places in which it waits. */
class OnItsWay {
  places = 0;
  readonly asked = false;
  readonly made = null;
}

/** Each way back has a number. */
let ways = 0;

class WayBack {
  readonly #number = ++ways;
  readonly #options: EngineOptions;
  readonly #list = new CreatedList();
  /** False if others may see everything, so that nothing is freed. */
  readonly #frees: boolean;
  /** The gradients for nodes at which those of another way back, that is not done, are waiting. */
  #aside: Map<GradNode, (Tensor | null)[]> | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#frees = !options.createGraph && guarded === 0 && userKernels === 0;
  }

  run(roots: readonly (readonly [Edge, Tensor])[]): void {
    const order = reachable(roots, this.#number);
    const { captured } = this.#options;
    const useful = captured === null ? null : leadingTo(order, captured);
    try {
      for (const [edge, gradient] of roots) this.#give(edge, gradient);
      for (let k = 0; k < order.length; k++) {
        const node = order[k];
        if (useful === null || useful.has(node)) this.#visit(node, useful);
      }
    } finally {
      // What waits where nothing runs, or where nothing ran because of an error.
      for (let k = 0; k < order.length; k++) this.#letAllGo(this.#takeFrom(order[k]));
    }
  }

  #visit(node: GradNode, useful: ReadonlySet<GradNode> | null): void {
    const given = this.#takeFrom(node);
    if (given === null) return;
    try {
      const seen = node.isWatched || useful !== null ? this.#show(node, given) : given;
      if (node instanceof AccumulateGrad) {
        if (useful === null) this.#accumulate(node, seen[0]);
      } else if (useful === null || leadsOn(node, useful)) this.#pass(node, seen);
    } catch (error) {
      nameCall(node, error);
      throw error;
    } finally {
      this.#letAllGo(given);
    }
  }

  /** The gradients that wait at a node, which they leave. */
  #takeFrom(node: GradNode): (Tensor | null)[] | null {
    if (node.way !== this.#number) {
      const list = this.#aside?.get(node);
      if (list === undefined) return null;
      this.#aside?.delete(node);
      return list;
    }
    const { waiting } = node;
    node.waiting = null;
    return waiting;
  }

  /** The list of gradients that wait at a node. */
  #listAt(node: GradNode): (Tensor | null)[] {
    if (node.waiting === null) node.way = this.#number;
    if (node.way === this.#number) {
      node.waiting ??= [];
      return node.waiting;
    }
    this.#aside ??= new Map();
    let list = this.#aside.get(node);
    if (list === undefined) {
      list = [];
      this.#aside.set(node, list);
    }
    return list;
  }

  /** Lets hooks see the gradients of a node's outputs, which they may replace, and takes out those that are asked for. */
  #show(node: GradNode, given: (Tensor | null)[]): readonly (Tensor | null)[] {
    const { captured, capture } = this.#options;
    let seen: readonly (Tensor | null)[] = given;
    if (node.isWatched) {
      given.forEach(disown);
      const changed = given.slice();
      applyHooks(node, changed);
      seen = changed;
      changed.forEach((gradient, k) => {
        if (gradient != null) retainedBy(node, k)?.(gradient);
      });
    }
    captured?.forEach((edge, index) => {
      const gradient = edge.node === node ? seen[edge.output] : null;
      if (gradient == null) return;
      disown(gradient);
      capture(index, gradient);
    });
    return node.prehooks === null ? seen : hooksBefore(node, seen);
  }

  #accumulate(node: AccumulateGrad, gradient: Tensor | null | undefined): void {
    if (gradient == null) return;
    const isOurs = placesOf(gradient) === 1;
    if (isOurs) gradient.history = null;
    const isTaken = node.accept(gradient, isOurs);
    if (isOurs && !isTaken) gradient.endWith(freed);
    if (node.isWatched) hooksAfter(node, [], [gradient]);
  }

  #pass(node: GradNode, given: readonly (Tensor | null)[]): void {
    // The user's function may keep what it is given, too.
    if (!node.isPrivate) given.forEach(disown);
    let passed = this.#frees && node.isPrivate ? runPrivately(node, given, this.#list) : node.run(given);
    passed = fitted(node, passed);
    if (node.isWatched) {
      passed.forEach(disown);
      passed = fitted(node, hooksAfter(node, passed, given));
    }
    checkAnomaly(node, passed);
    if (!this.#options.retainGraph) node.release();
    const { edges } = node;
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k];
      const gradient = passed[k];
      if (edge != null && gradient != null) this.#give(edge, gradient);
    }
    // Gradients of inputs that need none.
    for (const gradient of passed)
      if (gradient?.history instanceof OnItsWay && gradient.history.places === 0) gradient.endWith(freed);
  }

  /** A gradient reaches an output of a node. */
  #give({ node, output }: Edge, gradient: Tensor): void {
    const list = this.#listAt(node);
    const before = list[output];
    if (gradient.history instanceof OnItsWay) gradient.history.places++;
    if (before == null) {
      list[output] = gradient;
      return;
    }
    if (placesOf(before) === 1 && isAlone(before) && before.type === gradient.type && (gradient.bits & others) === 0) {
      kernelsOf("x + other").run([before, gradient], [before]);
      this.#letGo(gradient);
      return;
    }
    list[output] = this.#frees ? ours(() => add(before, gradient)) : add(before, gradient);
    this.#letGo(before);
    this.#letGo(gradient);
  }

  #letAllGo(given: readonly (Tensor | null)[] | null): void {
    if (given !== null) for (let k = 0; k < given.length; k++) this.#letGo(given[k]);
  }

  /** One place less in which a gradient waits. */
  #letGo(gradient: Tensor | null | undefined): void {
    if (gradient == null || !(gradient.history instanceof OnItsWay)) return;
    if (--gradient.history.places <= 0) gradient.endWith(freed);
  }
}

/** In how many places a gradient of the engine's waits; 0 if it is not the engine's. */
const placesOf = ({ history }: Tensor): number => (history instanceof OnItsWay ? history.places : 0);

/** Somebody else sees a gradient: it is no longer the engine's to free. */
function disown(gradient: Tensor | null | undefined): void {
  if (gradient == null || !(gradient.history instanceof OnItsWay)) return;
  gradient.history = null;
  enterScope(gradient);
}

/** Runs a node of which nobody sees what it makes: what it does not pass on is freed, and what it does is the engine's. */
function runPrivately(node: GradNode, given: readonly (Tensor | null)[], list: CreatedList): readonly (Tensor | null)[] {
  const made: Tensor[] = [];
  let passed: readonly (Tensor | null)[] = [];
  list.open(made);
  try {
    passed = node.run(given);
  } finally {
    list.close();
    let bits = 0;
    for (let k = 0; k < passed.length; k++) bits |= passed[k]?.bits ?? 0;
    for (let k = 0; k < made.length; k++) {
      const t = made[k];
      if ((bits & others) !== 0) enterScope(t);
      else if (!passed.includes(t)) t.endWith(freed);
      else if (t.history === null) t.history = new OnItsWay();
    }
  }
  return passed;
}

/** A sum that belongs to the engine, and waits in one place. */
function ours(sum: () => Tensor): Tensor {
  const made: Tensor[] = [];
  const t = createdIn(sum, made);
  if (made.length > 1 || (t.bits & others) !== 0 || t.history !== null) made.forEach(enterScope);
  else {
    const mark = new OnItsWay();
    mark.places = 1;
    t.history = mark;
  }
  return t;
}

/** True of a tensor that nobody else shares memory with, and that may be written to. */
const isAlone = (t: Tensor): boolean =>
  t.source instanceof Storage && t.source.unique && t.isContiguous() && (t.bits & others) === 0;

/**
 * The gradients that a rule or a hook gives, as the inputs want them: of a shape to which an input could be broadcast they are summed, and
 * of another dtype converted. Refuses other shapes.
 */
function fitted(node: GradNode, passed: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
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

function applyHooks(node: GradNode, given: (Tensor | null)[]): void {
  node.tensorHooks?.forEach((hooks, output) => {
    for (const hook of [...hooks]) {
      const gradient = given[output];
      if (gradient != null) given[output] = replaced("a hook on the gradient of a tensor", gradient, hook(gradient));
    }
  });
}

/** All nodes that can be reached, those with larger numbers first, and leaves last. */
function reachable(roots: readonly (readonly [Edge, Tensor])[], way: number): GradNode[] {
  const found: GradNode[] = [];
  const leaves: GradNode[] = [];
  // Chains are found in their order.
  let isOrdered = true;
  let last = Infinity;
  const find = (node: GradNode): void => {
    if (node.found === way) return;
    node.found = way;
    if (node.sequence < 0) {
      leaves.push(node);
      return;
    }
    isOrdered &&= node.sequence < last;
    last = node.sequence;
    found.push(node);
  };
  for (const [{ node }] of roots) find(node);
  for (let k = 0; k < found.length; k++) {
    const { edges } = found[k];
    for (let j = 0; j < edges.length; j++) {
      const edge = edges[j];
      if (edge != null) find(edge.node);
    }
  }
  if (!isOrdered) found.sort((a, b) => b.sequence - a.sequence);
  for (let k = 0; k < leaves.length; k++) found.push(leaves[k]);
  return found;
}

/** The nodes from which a gradient that is taken out can be reached. */
function leadingTo(order: readonly GradNode[], captured: readonly Edge[]): Set<GradNode> {
  const found = new Set(captured.map(({ node }) => node));
  // Those with smaller numbers first: what a node leads to is known before the node.
  for (let k = order.length - 1; k >= 0; k--) {
    const node = order[k];
    if (leadsOn(node, found)) found.add(node);
  }
  return found;
}

const leadsOn = ({ edges }: GradNode, found: ReadonlySet<GradNode>): boolean =>
  edges.some((edge) => edge !== null && found.has(edge.node));
