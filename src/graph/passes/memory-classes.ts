/** The values of a graph that share memory in an eager call, and the memory that a caller can see. Passes check both before they merge two values. */
import { type Graph, type Value, valuesIn } from "../ir.ts";
import { isView, overwritten } from "../lower/aliases.ts";

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
   * True if one value may replace another one with the same elements: callers see the memory of at most one of them, and no node writes to either in
   * place. If so, both share memory from now on.
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
