/**
 * Fits the values of a graph into a memory budget by recomputing some of them. A training step keeps values of the forward pass for the backward
 * pass. While the plan exceeds the budget, a value that is in memory during the task with the most bytes, but used only before and after it, is
 * recomputed for its later uses. Only cheap nodes are repeated (elementwise ops, movements of elements and views); they return the same bits.
 */

import type { Storage } from "../../storage/storage.ts";
import { type Argument, Graph, GraphError, mapValues, Node, type Value, valuesIn } from "../ir.ts";
import { isPure } from "../passes/node-facts.ts";
import { removeDead } from "../passes/remove-dead.ts";
import { isView } from "./aliases.ts";
import type { ArenaBlock } from "./arena.ts";
import type { GraphLowering } from "./lower.ts";
import { storagesOf } from "./tasks.ts";

/** The maximum number of nodes that are repeated for one value. */
const maxRepeated = 16;

/** The maximum number of changes that are tried, for each node of the graph. */
const maxChanges = 2;

/** A plan of a graph. */
interface Measured {
  readonly lowering: GraphLowering;
  readonly size: number;
  /** The bytes in use at each task, in descending order, and the first task with the most. */
  readonly live: readonly number[];
  readonly peakAt: number;
}

function measure(lowering: GraphLowering): Measured {
  const { size, blocks } = lowering.planMemory();
  const live = lowering.tasks.map((_, k) => bytesAt(blocks, k));
  const peakAt = live.indexOf(Math.max(0, ...live));
  return { lowering, size, live: live.sort((a, b) => b - a), peakAt };
}

const bytesAt = (blocks: readonly ArenaBlock[], task: number): number =>
  blocks.reduce((sum, { first, last, bytes }) => (first <= task && task <= last ? sum + bytes : sum), 0);

/** Compares the bytes of all tasks, in descending order, lexicographically: true if they are fewer than before. This does not depend on the budget. */
function isBetter({ live: now }: Measured, { live: before }: Measured): boolean {
  const k = now.findIndex((bytes, at) => bytes !== before[at]);
  return k >= 0 ? now[k] < (before[k] ?? 0) : now.length < before.length;
}

/** Returns a graph whose values need at most `budget` bytes. `plan` plans a graph. `graph` may be changed. Throws if the budget cannot be met. */
export function fitMemory(graph: Graph, budget: number, plan: (graph: Graph) => GraphLowering): Graph {
  const measured = (): Measured => measure(plan(removeDead.run(Object.assign(new Graph(graph.name), graph))));
  let current = measured();
  const { size: first } = current;
  const rejected = new Set<Value>();
  const max = maxChanges * graph.nodes.length;
  for (let count = 0; current.size > budget; count++) {
    const change = count < max ? nextChange(graph, current, rejected) : null;
    if (change === null)
      throw new GraphError(
        `compile: ${graph.name} needs ${current.size} bytes of memory for its values (${first} bytes without recomputing values), but the budget is ${budget}. Raise the option memory, or pass smaller tensors`,
      );
    const next = measured();
    if (isBetter(next, current)) current = next;
    else {
      change.undo();
      rejected.add(change.root);
    }
  }
  return removeDead.run(graph);
}

/** A change of a graph. */
interface Change {
  /** The value that is computed again. */
  readonly root: Value;
  undo(): void;
}

/** The tasks that use a storage, and those that compute a node, from the first to the last one. */
class Uses {
  readonly storages = new Map<unknown, [first: number, last: number]>();
  readonly nodes = new Map<Node, [first: number, last: number]>();

  constructor({ tasks }: GraphLowering) {
    tasks.forEach((task, k) => {
      const { reads, writes } = storagesOf(task);
      for (const storage of [...reads, ...writes]) extend(this.storages, storage, k);
      for (const node of task.nodes ?? []) extend(this.nodes, node, k);
    });
  }
}

function extend<K>(ranges: Map<K, [number, number]>, key: K, at: number): void {
  const range = ranges.get(key);
  if (range === undefined) ranges.set(key, [at, at]);
  else range[1] = at;
}

/** Makes the change that frees the most bytes at the peak; null if no change remains. */
function nextChange(graph: Graph, { lowering, peakAt }: Measured, rejected: ReadonlySet<Value>): Change | null {
  const uses = new Uses(lowering);
  const storageOf = (value: Value): Storage => lowering.tensorOf(value).source as Storage;
  const atPeak = storagesOf(lowering.tasks[peakAt]);
  const busy = new Set<unknown>([...atPeak.reads, ...atPeak.writes]);
  for (const value of [...graph.outputs, ...graph.writes.map((write) => write.value)]) busy.add(storageOf(value));
  /** The values of each storage that later nodes use. */
  const later = new Map<Storage, Set<Value>>();
  for (const node of graph.nodes) {
    const range = uses.nodes.get(node);
    if (range === undefined || range[0] <= peakAt) continue;
    for (const value of valuesIn(node.args)) {
      const storage = storageOf(value);
      const own = uses.storages.get(storage);
      if (own === undefined || own[0] >= peakAt || !storage.isScratch || busy.has(storage)) continue;
      const values = later.get(storage);
      if (values === undefined) later.set(storage, new Set([value]));
      else values.add(value);
    }
  }
  const candidates = [...later].sort(([a], [b]) => b.nbytes - a.nbytes);
  for (const [storage, values] of candidates) {
    const [root] = values;
    if (rejected.has(root)) continue;
    const change = recompute(graph, storage, [...values], { uses, peakAt, storageOf });
    if (change !== null) return change;
  }
  return null;
}

interface Context {
  readonly uses: Uses;
  readonly peakAt: number;
  storageOf(value: Value): Storage;
}

/** True if a node may be computed again. */
const isCheap = (node: Node): boolean =>
  isPure(node) && (isView(node) || node.op.makes || node.op.family === "elementwise" || node.op.family === "movement");

/** Recomputes values of a storage for their uses after the peak. If that is not cheap, returns null and changes nothing. */
function recompute(graph: Graph, storage: Storage, values: readonly Value[], context: Context): Change | null {
  const { uses, peakAt, storageOf } = context;
  const isLate = (node: Node): boolean => (uses.nodes.get(node)?.[0] ?? -1) > peakAt;
  const users = graph.nodes.filter((node) => isLate(node) && valuesIn(node.args).some((each) => values.includes(each)));
  const from = Math.min(...users.map((node) => uses.nodes.get(node)?.[0] ?? 0));
  const inputs = new Set(graph.inputs.map(({ value }) => value));
  const clones: Node[] = [];
  const copies = new Map<Value, Value>();
  let kept = 0;
  const isAvailable = (value: Value): boolean => {
    const own = storageOf(value);
    return inputs.has(value) || !own.isScratch || (own !== storage && (uses.storages.get(own)?.[1] ?? -1) >= from);
  };
  const copyOf = (value: Value): Value | null => {
    const known = copies.get(value);
    if (known !== undefined) return known;
    if (isAvailable(value)) return value;
    const { node } = value;
    if (node === null || !isCheap(node) || clones.length >= maxRepeated) {
      if (storageOf(value) === storage) return null;
      // A small value may be kept in memory for the recomputation.
      kept += storageOf(value).nbytes;
      return kept <= storage.nbytes / 2 ? value : null;
    }
    let isPossible = true;
    const args = node.args.map(
      (arg) =>
        mapValues(arg, (each) => {
          const copy = copyOf(each);
          isPossible &&= copy !== null;
          return copy ?? each;
        }) as Argument,
    );
    if (!isPossible) return null;
    const clone = new Node(
      node.op,
      args,
      node.results.map(({ type }) => type),
    );
    clones.push(clone);
    for (const [k, result] of node.results.entries()) copies.set(result, clone.results[k]);
    return copies.get(value) as Value;
  };
  if (users.length === 0 || !values.every((value) => copyOf(value) !== null && copies.has(value))) return null;
  const before = users.map(({ args }) => args);
  const at = graph.nodes.indexOf(users[0]);
  for (const node of users)
    node.args = node.args.map(
      (arg) => mapValues(arg, (each) => (values.includes(each) ? (copies.get(each) as Value) : each)) as Argument,
    );
  graph.nodes.splice(at, 0, ...clones);
  return {
    root: values[0],
    undo() {
      graph.nodes.splice(at, clones.length);
      for (const [k, node] of users.entries()) node.args = before[k];
    },
  };
}
