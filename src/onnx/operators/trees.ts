/**
 * Ensembles of decision trees: TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier. All become the same form: arrays of nodes with the
 * indices of their children, and leaves with votes for targets. A row walks each tree from its root, which takes at most as many steps as there are
 * nodes; trees with cycles throw.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { numbersOf } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { classLabels, labelsOfScores, transformed } from "./scores.ts";

type Tensor = sw.Tensor;

/** The comparisons of nodes, in the order of their codes in TreeEnsemble; BRANCH_MEMBER has the next code. */
const modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"];
const member = modes.length;
const leaf = -1;

interface Vote {
  readonly target: number;
  readonly weight: number;
}

interface TreeNode {
  /** An index of `modes`, `member`, or `leaf`. */
  readonly mode: number;
  readonly feature: number;
  readonly split: number;
  readonly members: ReadonlySet<number> | null;
  readonly missingIsTrue: boolean;
  /** The indices of nodes. */
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly votes: readonly Vote[];
}

interface Ensemble {
  readonly nodes: readonly TreeNode[];
  readonly roots: readonly number[];
  readonly targets: number;
  /** 0 average, 1 sum, 2 min, 3 max. */
  readonly aggregate: number;
  readonly base: readonly number[];
}

/** Throws unless all features, targets and children exist, and every walk ends. */
function checkEnsemble(call: Call, { nodes, roots, targets }: Ensemble, features: number): void {
  const state = new Uint8Array(nodes.length);
  const isNode = (k: number): boolean => Number.isInteger(k) && k >= 0 && k < nodes.length;
  for (const { feature, mode, votes } of nodes) {
    if (mode !== leaf && !(feature >= 0 && feature < features))
      throw call.error(`a node tests feature ${feature}, but the input has ${features} features`);
    for (const { target } of votes)
      if (!(target >= 0 && target < targets))
        throw call.error(`a leaf votes for target ${target}, but the number of targets is ${targets}`);
  }
  for (const root of roots) {
    const stack = [root];
    while (stack.length > 0) {
      const k = stack[stack.length - 1];
      if (!isNode(k)) throw call.error(`a tree refers to the node ${k}, which does not exist`);
      const { mode, whenTrue, whenFalse } = nodes[k];
      const next = mode === leaf || state[k] === 2 ? [] : [whenTrue, whenFalse].filter((each) => state[each] !== 2);
      if (next.length === 0) {
        state[k] = 2;
        stack.pop();
        continue;
      }
      if (next.some((each) => state[each] === 1 || each === k))
        throw call.error(`the nodes form a cycle through node ${k}`);
      state[k] = 1;
      stack.push(next[0]);
    }
  }
}

/** True if a value takes the true branch of a node. */
function takesTrue({ mode, split, members, missingIsTrue }: TreeNode, value: number): boolean {
  if (Number.isNaN(value) && missingIsTrue) return true;
  switch (mode) {
    case 0:
      return value <= split;
    case 1:
      return value < split;
    case 2:
      return value >= split;
    case 3:
      return value > split;
    case 4:
      return value === split;
    case 5:
      return value !== split;
    default:
      return members?.has(value) === true;
  }
}

/** The aggregated votes of all trees: rows by targets. */
function evaluate(call: Call, ensemble: Ensemble, x: Tensor): Float64Array {
  const { nodes, roots, targets, aggregate, base } = ensemble;
  if (x.ndim !== 2) throw call.error(`the input must have the shape [N, F], got [${x.shape}]`);
  const [rows, features] = x.shape;
  checkEnsemble(call, ensemble, features);
  if (base.length > 1 && base.length !== targets)
    throw call.error(`there are ${base.length} base values for ${targets} targets`);
  if (!(rows * targets <= 2 ** 26)) throw call.error(`${rows} x ${targets} scores are more than the limit of 2^26`);
  const values = numbersOf(x);
  const result = new Float64Array(rows * targets);
  const isVoted = new Uint8Array(targets);
  for (let row = 0; row < rows; row++) {
    isVoted.fill(0);
    for (const root of roots) {
      let node = nodes[root];
      while (node.mode !== leaf)
        node = nodes[takesTrue(node, values[row * features + node.feature]) ? node.whenTrue : node.whenFalse];
      for (const { target, weight } of node.votes) {
        const at = row * targets + target;
        if (isVoted[target] === 0 || aggregate < 2) result[at] += weight;
        else result[at] = aggregate === 2 ? Math.min(result[at], weight) : Math.max(result[at], weight);
        isVoted[target] = 1;
      }
    }
    for (let k = 0; k < targets; k++) {
      const at = row * targets + k;
      if (aggregate === 0 && roots.length > 0) result[at] /= roots.length;
      result[at] += (base.length === 1 ? base[0] : base[k]) ?? 0;
    }
  }
  return result;
}

/** The numbers of an attribute that is a tensor. */
function tensorNumbers(call: Call, name: string): readonly number[] {
  const value = call.value(name);
  if (!(value instanceof sw.Tensor)) throw call.error(`${name} must be a tensor of numbers`);
  return numbersOf(value);
}

/** Throws unless lists have the same length. */
function checkLengths(call: Call, lists: Readonly<Record<string, { readonly length: number }>>): void {
  const [[first, { length }], ...others] = Object.entries(lists);
  for (const [name, list] of others)
    if (list.length !== length) throw call.error(`${first} has ${length} items, but ${name} has ${list.length}`);
}

/** The sets of members, which NaN separates in the attribute. */
function memberSets(call: Call): readonly ReadonlySet<number>[] {
  const sets: Set<number>[] = [new Set()];
  if (!call.hasAttribute("membership_values")) return sets;
  for (const each of tensorNumbers(call, "membership_values"))
    if (Number.isNaN(each)) sets.push(new Set());
    else sets[sets.length - 1].add(each);
  return sets;
}

/** The attributes of TreeEnsemble. Its leaves follow the inner nodes. */
function ensembleOf(call: Call): Ensemble {
  const ints = (name: string): readonly number[] => call.ints<number[]>(name);
  const [features, trueIds, falseIds] = [
    ints("nodes_featureids"),
    ints("nodes_truenodeids"),
    ints("nodes_falsenodeids"),
  ];
  const [trueLeafs, falseLeafs] = [ints("nodes_trueleafs"), ints("nodes_falseleafs")];
  const kinds = tensorNumbers(call, "nodes_modes");
  const splits = tensorNumbers(call, "nodes_splits");
  const [targetIds, weights] = [ints("leaf_targetids"), tensorNumbers(call, "leaf_weights")];
  checkLengths(call, {
    nodes_featureids: features,
    nodes_truenodeids: trueIds,
    nodes_falsenodeids: falseIds,
    nodes_trueleafs: trueLeafs,
    nodes_falseleafs: falseLeafs,
    nodes_modes: kinds,
    nodes_splits: splits,
  });
  checkLengths(call, { leaf_targetids: targetIds, leaf_weights: weights });
  const missing = call.ints("nodes_missing_value_tracks_true", [] as number[]);
  const sets = memberSets(call);
  let set = 0;
  const inner = features.map((feature, k): TreeNode => {
    if (!(kinds[k] >= 0 && kinds[k] <= member))
      throw call.error(`nodes_modes[${k}] is ${kinds[k]}, which is not a mode`);
    return {
      mode: kinds[k],
      feature,
      split: splits[k],
      members: kinds[k] === member ? (sets[set++] ?? new Set()) : null,
      missingIsTrue: missing[k] === 1,
      whenTrue: trueIds[k] + (trueLeafs[k] === 1 ? features.length : 0),
      whenFalse: falseIds[k] + (falseLeafs[k] === 1 ? features.length : 0),
      votes: [],
    };
  });
  const leaves = targetIds.map((target, k) => leafNode([{ target, weight: weights[k] }]));
  return {
    nodes: [...inner, ...leaves],
    roots: ints("tree_roots"),
    targets: call.int("n_targets"),
    aggregate: call.int("aggregate_function", 1),
    base: [],
  };
}

const leafNode = (votes: readonly Vote[]): TreeNode => ({
  mode: leaf,
  feature: 0,
  split: 0,
  members: null,
  missingIsTrue: false,
  whenTrue: 0,
  whenFalse: 0,
  votes,
});

/** The attributes of the older operators, whose votes start with `prefix`: nodes are named by a tree and a number in it. */
function olderEnsemble(call: Call, prefix: string, targets: number, aggregate: number): Ensemble {
  const ints = (name: string): readonly number[] => call.ints(name, [] as number[]);
  const floats = (name: string): readonly number[] =>
    call.hasAttribute(`${name}_as_tensor`)
      ? tensorNumbers(call, `${name}_as_tensor`)
      : call.floats(name, [] as number[]);
  const trees = ints("nodes_treeids");
  const ids = ints("nodes_nodeids");
  const [features, trueIds, falseIds] = [
    ints("nodes_featureids"),
    ints("nodes_truenodeids"),
    ints("nodes_falsenodeids"),
  ];
  const kinds = call.strings("nodes_modes", [] as string[]);
  const splits = floats("nodes_values");
  checkLengths(call, {
    nodes_treeids: trees,
    nodes_nodeids: ids,
    nodes_featureids: features,
    nodes_truenodeids: trueIds,
    nodes_falsenodeids: falseIds,
    nodes_modes: kinds,
    nodes_values: splits,
  });
  const index = new Map(trees.map((tree, k) => [`${tree} ${ids[k]}`, k]));
  const votes = votesOf(call, prefix, floats(`${prefix}_weights`), ints);
  const missing = ints("nodes_missing_value_tracks_true");
  const nodes = trees.map((tree, k): TreeNode => {
    const own = votes.get(`${tree} ${ids[k]}`) ?? [];
    if (kinds[k] === "LEAF") return leafNode(own);
    const mode = modes.indexOf(kinds[k]);
    if (mode < 0) throw call.error(`nodes_modes[${k}] is "${kinds[k]}", which is not a mode`);
    return {
      mode,
      feature: features[k],
      split: splits[k],
      members: null,
      missingIsTrue: missing[k] === 1,
      whenTrue: index.get(`${tree} ${trueIds[k]}`) ?? -1,
      whenFalse: index.get(`${tree} ${falseIds[k]}`) ?? -1,
      votes: [],
    };
  });
  const children = new Set(
    nodes.flatMap(({ mode, whenTrue, whenFalse }) => (mode === leaf ? [] : [whenTrue, whenFalse])),
  );
  // The root of a tree is its only node that is not a child of another one.
  const roots = nodes.flatMap((_, k) => (children.has(k) ? [] : [k]));
  return { nodes, roots, targets, aggregate, base: floats("base_values") };
}

function votesOf(
  call: Call,
  prefix: string,
  weights: readonly number[],
  ints: (name: string) => readonly number[],
): ReadonlyMap<string, readonly Vote[]> {
  const [trees, ids, targets] = [ints(`${prefix}_treeids`), ints(`${prefix}_nodeids`), ints(`${prefix}_ids`)];
  checkLengths(call, {
    [`${prefix}_ids`]: targets,
    [`${prefix}_treeids`]: trees,
    [`${prefix}_nodeids`]: ids,
    [`${prefix}_weights`]: weights,
  });
  const votes = new Map<string, Vote[]>();
  for (const [k, target] of targets.entries()) {
    const key = `${trees[k]} ${ids[k]}`;
    const list = votes.get(key) ?? [];
    list.push({ target, weight: weights[k] });
    votes.set(key, list);
  }
  return votes;
}

function treeEnsemble(call: Call): Tensor {
  const x = call.tensor(0);
  const ensemble = ensembleOf(call);
  const scores = sw.tensor(evaluate(call, ensemble, x)).reshape([x.shape[0], ensemble.targets]);
  return transformed(call, call.int("post_transform", 0), scores).to(x.dtype as sw.DType);
}

function treeRegressor(call: Call): Tensor {
  const x = call.tensor(0);
  const aggregate = ["AVERAGE", "SUM", "MIN", "MAX"].indexOf(call.string("aggregate_function", "SUM"));
  if (aggregate < 0) throw call.error("aggregate_function must be AVERAGE, SUM, MIN or MAX");
  const targets = call.int("n_targets", 1);
  const result = evaluate(call, olderEnsemble(call, "target", targets, aggregate), x);
  const scores = sw.tensor(Float32Array.from(result)).reshape([x.shape[0], targets]);
  return transformed(call, call.string("post_transform", "NONE"), scores);
}

function treeClassifier(call: Call): readonly OnnxValue[] {
  const x = call.tensor(0);
  const labels = classLabels(call, "classlabels_int64s");
  const ensemble = olderEnsemble(call, "class", labels.length, 1);
  const votes = ensemble.nodes.flatMap((node) => node.votes);
  const scores = sw.tensor(Float32Array.from(evaluate(call, ensemble, x))).reshape([x.shape[0], labels.length]);
  const transform = call.string("post_transform", "NONE");
  const [target] = new Set(votes.map((vote) => vote.target));
  if (labels.length !== 2 || votes.some((vote) => vote.target !== target) || ensemble.base.length > 1)
    return [labelsOfScores(call, labels, scores), transformed(call, transform, scores)];
  // Two classes with votes for one of them: the score of class 1 decides. Positive weights are probabilities.
  const own = scores.narrow(1, target ?? 0, 1);
  const isProbability = votes.every(({ weight }) => weight >= 0) && transform === "NONE";
  const other = isProbability ? sw.sub(1, own) : sw.neg(own);
  const both = sw.concat([other, own], 1) as Tensor;
  return [labelsOfScores(call, labels, both), transformed(call, transform, both)];
}

export const trees: OperatorTable = {
  TreeEnsemble: treeEnsemble,
  TreeEnsembleClassifier: treeClassifier,
  TreeEnsembleRegressor: treeRegressor,
};
