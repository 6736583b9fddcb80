/**
 * Common subexpressions: a call of the same op with the same arguments and options as an earlier one has its results. Random ops and writes are not
 * merged, and neither are results that a caller sees as two tensors.
 */
import { isRecord } from "../../autograd/arguments.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { rebuildGraph } from "../edit/rebuild.ts";
import { type Argument, type Graph, type Node, Value } from "../ir.ts";
import { inRegions } from "./in-regions.ts";
import { MemoryClasses } from "./memory-classes.ts";
import { haveSameType, isPure } from "./node-facts.ts";
import type { Pass } from "./pass.ts";

/** Texts of arguments that are equal if and only if the arguments are the same. */
class Keys {
  readonly #numbers = new Map<unknown, number>();

  #numberOf(object: unknown): number {
    return getOrCompute(this.#numbers, object, () => this.#numbers.size);
  }

  #textOf(arg: Argument): string {
    if (arg instanceof Value) return `%${this.#numberOf(arg)}`;
    if (typeof arg === "string") return JSON.stringify(arg);
    if (typeof arg === "number") return Object.is(arg, -0) ? "-0" : String(arg);
    if (typeof arg === "bigint") return `${arg}n`;
    if (Array.isArray(arg)) return `[${arg.map((each: Argument) => this.#textOf(each))}]`;
    if (isRecord(arg))
      return `{${Object.entries(arg)
        .map(([name, each]) => `${name}:${this.#textOf(each as Argument)}`)
        .sort()}}`;
    return typeof arg === "object" && arg !== null ? `#${this.#numberOf(arg)}` : String(arg);
  }

  of({ op }: Node, args: readonly Argument[]): string {
    let count = args.length;
    while (count > 0 && args[count - 1] === undefined) count--;
    return `${this.#numberOf(op)} ${args.slice(0, count).map((arg) => this.#textOf(arg))}`;
  }
}

function run(graph: Graph): Graph {
  const memory = new MemoryClasses(graph);
  const keys = new Keys();
  const firstCalls = new Map<string, Node>();
  const values = new Map<Value, Value>();
  return rebuildGraph(graph, {
    values,
    node: (node, args) => {
      // Creating a tensor again is cheaper than copying it.
      if (!isPure(node) || node.op.makes) return null;
      const key = keys.of(node, args);
      const earlier = firstCalls.get(key);
      if (earlier === undefined) {
        firstCalls.set(key, node);
        return null;
      }
      const { results } = earlier;
      const isSame = node.results.every((value, k) => haveSameType(value, results[k]));
      if (!isSame || !node.results.every((value, k) => memory.join(value, results[k]))) return null;
      return results.map((value) => values.get(value) as Value);
    },
  });
}

/** Common subexpressions. */
export const mergeEqual: Pass = { name: "merge equal calls", run: inRegions(run) };
