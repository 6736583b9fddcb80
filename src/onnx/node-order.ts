/** The order of nodes: each comes after those that define the values it reads. Files should have this order, and some have another. */
import { getOrCompute } from "../base/lazy.ts";
import { OnnxError } from "./error.ts";
import type { GraphProto, NodeProto } from "./proto/types.ts";

/**
 * Returns the nodes in an order in which every value is defined before it is read: their own order if it is such a one. Values that no node defines
 * are ignored. Throws if nodes need the outputs of each other; `nameOf` names a node in the error.
 */
export function inOrder(
  nodes: readonly NodeProto[],
  nameOf: (node: NodeProto, index: number) => string,
): readonly NodeProto[] {
  const definedBy = new Map<string, number>();
  for (const [k, { output }] of nodes.entries())
    for (const name of output) if (name !== "") getOrCompute(definedBy, name, () => k);
  const needs = nodes.map((node) => namesRead(node).flatMap((name) => definedBy.get(name) ?? []));
  if (needs.every((list, k) => list.every((each) => each < k))) return nodes;
  const order: NodeProto[] = [];
  const state = new Uint8Array(nodes.length);
  const [waiting, done] = [1, 2];
  for (const start of nodes.keys()) {
    // A stack in place of recursion, since chains of nodes may be long.
    const stack = [start];
    for (let k = stack.at(-1); k !== undefined; k = stack.at(-1)) {
      const missing = state[k] === done ? undefined : needs[k].find((each) => state[each] !== done);
      if (missing === undefined) {
        if (state[k] !== done) order.push(nodes[k]);
        state[k] = done;
        stack.pop();
        continue;
      }
      state[k] = waiting;
      if (state[missing] === waiting)
        throw new OnnxError(
          `${nameOf(nodes[missing], missing)} needs its own output. The nodes of a graph must have no cycles`,
        );
      stack.push(missing);
    }
  }
  return order;
}

/** The names of values that a node reads, with those that graphs in its attributes read from outside. */
function namesRead({ input, attribute }: NodeProto): readonly string[] {
  const inside = attribute.flatMap(({ g, graphs }) =>
    (g === undefined ? graphs : [g, ...graphs]).flatMap(namesCaptured),
  );
  return inside.length === 0 ? input : [...input, ...inside];
}

function namesCaptured({ node, input, output, initializer }: GraphProto): readonly string[] {
  const own = new Set([...input, ...initializer].map(({ name }) => name));
  for (const each of node) for (const name of each.output) own.add(name);
  return [...node.flatMap(namesRead), ...output.map(({ name }) => name)].filter((name) => !own.has(name));
}
