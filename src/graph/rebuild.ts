/**
 * Rebuilding a graph: the way in which passes change one. The original stays as it is; the copy has values and nodes of its own.
 *
 * Also what passes ask about nodes: the values that a node uses, and the values whose memory a caller can see.
 */
import { type Argument, Graph, mapValues, type Node, type Value, valuesIn } from "./ir.ts";
import { isView, overwritten } from "./lower.ts";

/**
 * Handles a node while a graph is rebuilt: `args` are its arguments in the new graph. Returns the values of the new graph that replace its
 * results, or null to copy the node.
 */
export type Visit = (node: Node, args: readonly Argument[], into: Graph) => readonly Value[] | null;

const copyNode: Visit = () => null;

/** Returns a copy of a graph, with nodes replaced by `visit`. `values` receives the value of the copy for each value of the graph. */
export function rebuilt(graph: Graph, visit: Visit = copyNode, values: Map<Value, Value> = new Map()): Graph {
  const into = new Graph(graph.name);
  const current = (value: Value): Value => values.get(value) ?? value;
  for (const { value, kind, name, tensor } of graph.inputs)
    values.set(value, into.addInput(value.type, kind, name, tensor));
  for (const node of graph.nodes) {
    const args = node.args.map((arg) => mapValues(arg, current) as Argument);
    let results = visit(node, args, into);
    if (results === null) {
      const regions = node.regions.map((region) => rebuilt(region, copyNode, values));
      const types = node.results.map(({ type }) => type);
      ({ results } = into.add(node.op, args, types, regions));
    }
    for (const [k, value] of node.results.entries()) values.set(value, results[k]);
  }
  into.outputs = graph.outputs.map(current);
  into.writes = graph.writes.map(({ to, value }) => ({ to: current(to), value: current(value) }));
  return into;
}

/** Returns the values that a node uses, in its arguments and in its regions. */
export function usedBy({ args, regions }: Node): Value[] {
  const values = valuesIn(args);
  for (const region of regions) {
    for (const node of region.nodes) values.push(...usedBy(node));
    values.push(...region.outputs, ...region.writes.map(({ value }) => value));
  }
  return values;
}

/** True if a node, or one in its regions, draws random numbers. */
export const isRandom = ({ op, regions }: Node): boolean =>
  op.facts.random !== undefined || regions.some((region) => region.nodes.some(isRandom));

/** True if a node does nothing but compute new values from its arguments. */
export const isPure = (node: Node): boolean =>
  !isRandom(node) && node.regions.length === 0 && overwritten(node) === null;

/**
 * The memory of the values of a graph, as an eager call has it: views and writes in place share the memory of their tensor. Memory is visible if a
 * caller can see it: that of inputs and of outputs.
 */
export class MemoryClasses {
  readonly #parents = new Map<Value, Value>();
  readonly #visible = new Set<Value>();
  /** The memory that nodes write in place. */
  readonly #written = new Set<Value>();

  constructor(graph: Graph) {
    for (const node of graph.nodes) {
      const [base = null] = isView(node) ? valuesIn(node.args) : [];
      const old = overwritten(node);
      for (const [k, value] of node.results.entries()) {
        const from = base ?? old?.[k];
        if (from !== undefined) this.#parents.set(value, this.#rootOf(from));
        if (old !== null) this.#written.add(this.#rootOf(value));
      }
    }
    for (const { value } of graph.inputs) this.#visible.add(this.#rootOf(value));
    for (const value of graph.outputs) this.#visible.add(this.#rootOf(value));
    for (const { value } of graph.writes) this.#visible.add(this.#rootOf(value));
  }

  #rootOf(value: Value): Value {
    const parent = this.#parents.get(value);
    if (parent === undefined) return value;
    const root = this.#rootOf(parent);
    if (root !== parent) this.#parents.set(value, root);
    return root;
  }

  /**
   * True if one value may take the place of another one with the same elements: callers see the memory of at most one of them, and no node writes
   * to either in place, perhaps while it reads the other. If so, both have one memory from now on.
   */
  join(value: Value, by: Value): boolean {
    const [from, to] = [this.#rootOf(value), this.#rootOf(by)];
    if (from === to) return true;
    if (this.#written.has(from) || this.#written.has(to)) return false;
    if (this.#visible.has(from) && this.#visible.has(to)) return false;
    if (this.#visible.has(from)) this.#visible.add(to);
    this.#parents.set(from, to);
    return true;
  }
}

/** True if two values have the same dtype, sizes and strides. */
export const haveSameType = ({ type: a }: Value, { type: b }: Value): boolean =>
  a.dtype === b.dtype && `${a.shape}` === `${b.shape}` && `${a.strides}` === `${b.strides}`;
