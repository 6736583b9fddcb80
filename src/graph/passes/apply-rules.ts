/**
 * Algebraic rules (`rules.ts`): a result that has the elements of another value is that value, if it also has its dtype, sizes and strides, and if
 * no caller can see that the two share memory.
 */

import { rebuildGraph } from "../edit/rebuild.ts";
import { type Argument, type Graph, mapValues, type Node, type Value } from "../ir.ts";
import { inRegions } from "./in-regions.ts";
import { MemoryClasses } from "./memory-classes.ts";
import { haveSameType, isPure } from "./node-facts.ts";
import type { Pass } from "./pass.ts";
import { type Rule, type RuleContext, rules } from "./rules.ts";

const byOp = (all: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> => {
  const map = new Map<string, Rule[]>();
  for (const rule of all)
    for (const op of rule.ops) {
      const list = map.get(op);
      if (list === undefined) map.set(op, [rule]);
      else list.push(rule);
    }
  return map;
};

/** Returns a pass with these rules. */
export function simplifyBy(all: readonly Rule[]): Pass {
  const table = byOp(all);
  const run = (graph: Graph): Graph => {
    const memory = new MemoryClasses(graph);
    /** Values that are replaced, with their replacements. Rules see the graph after all earlier replacements. */
    const replaced = new Map<Value, Value>();
    const current = (value: Value): Value => replaced.get(value) ?? value;
    const inputs = new Map(graph.inputs.map((input) => [input.value, input]));
    const nodes = new Map<Value, Pick<Node, "op" | "args">>();
    const context: RuleContext = {
      inputOf: (value) => inputs.get(value),
      nodeOf: (value) => nodes.get(value) ?? null,
    };
    const values = new Map<Value, Value>();
    return rebuildGraph(graph, {
      values,
      node: (node) => {
        if (!isPure(node)) return null;
        const args = node.args.map((arg) => mapValues(arg, current) as Argument);
        for (const { apply } of table.get(node.op.name) ?? []) {
          const by = apply(args, context, node);
          if (by === null || !by.every((value, k) => haveSameType(value, node.results[k]))) continue;
          if (!by.every((value, k) => memory.join(node.results[k], value))) continue;
          for (const [k, value] of by.entries()) replaced.set(node.results[k], value);
          return by.map((value) => values.get(value) ?? value);
        }
        for (const value of node.results) nodes.set(value, { op: node.op, args });
        return null;
      },
    });
  };
  return { name: "simplify", run: inRegions(run) };
}

/** Algebraic rules. */
export const simplify: Pass = /* @__PURE__ */ simplifyBy(rules);
