/**
 * Values that share memory: views of a value, and results of nodes that may overwrite the value before them.
 */
import { type Argument, type Graph, type Node, type Value, valuesIn } from "../ir.ts";

/** True if a node forms views of its first argument. */
export function isView({ op, args, regions }: Node): boolean {
  if (op.name === "asStrided") return true;
  if (regions.length > 0) return false;
  if (op.name === "asStridedScatter" || op.makes || op.isInPlace || op.facts.random !== undefined) return false;
  if (op.name === "at") return valuesIn(args.slice(1)).length === 0;
  return op.plan === null && op.kernelFor("meta") === op.kernelFor("cpu");
}

/** Returns the value that a node overwrites: its first argument, or `out`. Null if it computes a new one. */
export function overwritten({ op, args }: Node): readonly Value[] | null {
  if (op.name === "asStridedScatter") return [args[0] as Value];
  const outs = args.flatMap((arg) =>
    typeof arg === "object" && arg !== null && "out" in arg && arg.out != null ? valuesIn([arg.out as Argument]) : [],
  );
  if (outs.length > 0) return outs;
  return op.isInPlace ? [args[0] as Value] : null;
}

/** The memory of values. */
export interface Aliases {
  /** For each value, the value whose memory it shares: itself, the value of which it is a view, or the value that it overwrites. */
  readonly roots: ReadonlyMap<Value, Value>;
  /** Results of nodes that overwrite the memory of their previous value. Others are computed in a copy of it. */
  readonly inPlace: ReadonlySet<Value>;
}

/** Decides which values share memory. A node writes in place if no later node needs the previous value of that memory. */
export function aliasesOf(graph: Graph): Aliases {
  const lastUse = new Map<Value, number>();
  graph.nodes.forEach((node, k) => {
    for (const value of valuesIn(node.args)) lastUse.set(value, k);
  });
  for (const value of [...graph.outputs, ...graph.writes.map((write) => write.value)])
    lastUse.set(value, graph.nodes.length);
  const roots = new Map<Value, Value>();
  /** The values in the memory of a root, and the one that covers it. */
  const members = new Map<Value, { all: Value[]; whole: Value }>();
  const inPlace = new Set<Value>();
  const begin = (value: Value): void => {
    roots.set(value, value);
    members.set(value, { all: [value], whole: value });
  };
  const written = new Set(graph.writes.map(({ to }) => to));
  const isWritable = new Map(graph.inputs.map(({ value, kind }) => [value, kind !== "constant" && written.has(value)]));
  for (const { value } of graph.inputs) begin(value);
  graph.nodes.forEach((node, index) => {
    const base = isView(node) ? (valuesIn(node.args)[0] as Value) : null;
    const old = overwritten(node);
    for (const [k, value] of node.results.entries()) {
      const root = roots.get(base ?? old?.[k] ?? value);
      const memory = root === undefined ? undefined : members.get(root);
      if (root === undefined || memory === undefined) {
        begin(value);
        continue;
      }
      if (base === null) {
        const isFree = memory.all.every((member) => (lastUse.get(member) ?? -1) <= index);
        if (!isFree || memory.whole !== old?.[k] || isWritable.get(root) === false) {
          begin(value);
          continue;
        }
        inPlace.add(value);
        memory.whole = value;
      }
      roots.set(value, root);
      memory.all.push(value);
    }
  });
  return { roots, inPlace };
}
