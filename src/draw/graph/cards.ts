/**
 * A graph as cards for pictures: one for each argument, one for each task of the program with its nodes as rows, and one for the outputs. Views,
 * and captured tensors, are rows of the first card that uses them. Edges go from the card that computes a value to those that use it.
 */

import { type CompiledSource, findSource } from "../../graph/compile/source.ts";
import { Graph, GraphError, type Node, type TensorType, type Value, valuesIn } from "../../graph/ir.ts";
import { bytesText } from "./bytes-text.ts";

/** A line of a card. */
export interface CardRow {
  readonly text: string;
  readonly type: string;
  /** True for views and captured tensors, which are not computed. */
  readonly faded: boolean;
}

export interface Card {
  readonly kind: "argument" | "fused" | "kernel" | "steps" | "outputs";
  readonly title: string;
  /** At the right of the title. */
  readonly note: string;
  readonly rows: readonly CardRow[];
}

export interface CardGraph {
  readonly title: string;
  readonly cards: readonly Card[];
  /** Indices of cards. */
  readonly edges: readonly (readonly [from: number, to: number])[];
}

/** The nodes of a card, before it is drawn. */
interface Group {
  readonly kind: Card["kind"];
  readonly title: string;
  readonly bytes: number | null;
  readonly nodes: Set<Node>;
}

export const typeText = ({ dtype, shape }: TensorType): string => `${dtype}[${shape.join(", ")}]`;

/** The graph of a compiled function with its tasks, or a graph alone. */
interface Drawn {
  readonly graph: Graph;
  /** The same graph with symbols for sizes. */
  readonly symbolic: Graph;
  readonly groups: readonly Group[];
  readonly summary: string;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function drawnOf(who: string, target: unknown): Drawn {
  if (target instanceof Graph) {
    const groups = target.nodes.map(
      (node): Group => ({ kind: "kernel", title: node.op.name, bytes: null, nodes: new Set([node]) }),
    );
    return { graph: target, symbolic: target, groups, summary: counted(target.nodes.length, "op") };
  }
  const { data } = requireProgram(who, target);
  const groups = data.tasks.map(({ kind, name, bytes, nodes }): Group => {
    const own = new Set(nodes);
    const title = own.size === 1 && kind !== "other" ? ([...own][0] as Node).op.name : name;
    return { kind: kind === "other" ? "steps" : own.size > 1 ? "fused" : "kernel", title, bytes, nodes: own };
  });
  const moved = data.tasks.reduce((sum, task) => sum + task.bytes, 0);
  const { lowered } = data;
  const summary = `${counted(lowered.nodes.length, "op")} in ${counted(groups.length, "task")}, ${bytesText(moved)} moved, ${bytesText(data.arenaBytes)} of workspace`;
  // Passes change the traced graph. The symbols of its sizes are shown where both have the same ops.
  const { graph } = data.family;
  const isSame =
    graph.nodes.length === lowered.nodes.length && graph.nodes.every(({ op }, k) => op === lowered.nodes[k].op);
  return { graph: lowered, symbolic: isSame ? graph : lowered, groups, summary };
}

/** Returns the source of a compiled function that has run a program. */
export function requireProgram(
  who: string,
  target: unknown,
): { readonly data: NonNullable<ReturnType<CompiledSource["last"]>> } {
  const source = findSource(target);
  if (source === undefined)
    throw new GraphError(`${who}: needs a graph or a compiled function, got ${typeof target}. Compile it: compile(fn)`);
  const data = source.last();
  if (data === null)
    throw new GraphError(`${who}: the function has no program yet. Call it twice: the first call is eager`);
  return { data };
}

/** Returns the cards of a graph. */
export function cardsOf(who: string, target: unknown): CardGraph {
  const { graph, symbolic, groups, summary } = drawnOf(who, target);
  const order = new Map(graph.nodes.map((node, k) => [node, k]));
  const names = namesOf(graph);
  const typeOf = (value: Value): string => typeText(symbolicOf(graph, symbolic, value).type);
  const inputs = new Map(graph.inputs.map((input) => [input.value, input]));
  /** The groups that compute a value; a value that is recomputed has several, and its users among them need no edge. */
  const groupsOf = new Map<Node, number[]>();
  groups.forEach(({ nodes }, k) => {
    for (const node of nodes) groupsOf.set(node, [...(groupsOf.get(node) ?? []), k]);
  });
  /** The rows of groups besides their nodes: views and captured tensors that are used there first. */
  const rows: CardRow[][] = groups.map(() => []);
  const shown = new Set<Value>();
  const edges = new Set<string>();
  const args = graph.inputs.filter(({ kind }) => kind === "argument");
  const argumentCard = new Map(args.map(({ value }, k) => [value, k]));
  const base = args.length;
  const outputCard = base + groups.length;
  /** Adds the edges and rows of a value that a card uses. */
  const use = (value: Value, card: number): void => {
    const argument = argumentCard.get(value);
    if (argument !== undefined) {
      edges.add(`${argument} ${card}`);
      return;
    }
    const input = inputs.get(value);
    const into = rows[card - base];
    if (input !== undefined) {
      if (into !== undefined && !shown.has(value)) {
        shown.add(value);
        into.push({
          text: input.name === null ? `${names.get(value)}` : `${input.name} (${input.kind})`,
          type: typeOf(value),
          faded: true,
        });
      }
      return;
    }
    const node = value.node as Node;
    const own = groupsOf.get(node);
    if (own === undefined) {
      if (into !== undefined && !shown.has(value)) {
        shown.add(value);
        into.push({ text: `${node.op.name} (view)`, type: typeOf(value), faded: true });
      }
      for (const each of valuesIn(node.args)) use(each, card);
    } else if (!own.includes(card - base)) edges.add(`${base + (own.at(-1) as number)} ${card}`);
  };
  groups.forEach(({ nodes }, k) => {
    for (const node of nodes) for (const value of valuesIn(node.args)) use(value, base + k);
  });
  for (const value of [...graph.outputs, ...graph.writes.map((write) => write.value)]) use(value, outputCard);
  const cards: Card[] = [
    ...args.map(
      ({ value }): Card => ({ kind: "argument", title: names.get(value) as string, note: typeOf(value), rows: [] }),
    ),
    ...groups.map(({ kind, title, bytes, nodes }, k): Card => {
      const own = [...nodes].sort((a, b) => Number(order.get(a)) - Number(order.get(b)));
      const computed = own.map((node) => ({
        text: node.op.name,
        type: node.results.map(typeOf).join(", "),
        faded: false,
      }));
      return { kind, title, note: bytes === null ? "" : bytesText(bytes), rows: [...rows[k], ...computed] };
    }),
    { kind: "outputs", title: "outputs", note: "", rows: outputRows(graph, names, typeOf) },
  ];
  const pairs = [...edges].map((edge) => edge.split(" ").map(Number) as [number, number]);
  return { title: `${graph.name}: ${summary}`, cards, edges: pairs };
}

function outputRows(
  { outputs, writes }: Graph,
  names: ReadonlyMap<Value, string>,
  typeOf: (value: Value) => string,
): CardRow[] {
  const results = outputs.map((value, k) => ({ text: `output ${k}`, type: typeOf(value), faded: false }));
  return [
    ...results,
    ...writes.map(({ to }) => ({ text: `${names.get(to)} (written)`, type: typeOf(to), faded: false })),
  ];
}

/** The names of inputs, and %k for results. */
function namesOf(graph: Graph): ReadonlyMap<Value, string> {
  const names = new Map<Value, string>();
  const counts: Record<string, number> = {};
  for (const { value, kind, name } of graph.inputs) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    names.set(value, name ?? `${kind === "argument" ? "input" : kind} ${counts[kind] - 1}`);
  }
  let next = 0;
  for (const node of graph.nodes) for (const value of node.results) names.set(value, `%${next++}`);
  return names;
}

/** The value of another graph of the same form. */
function symbolicOf(graph: Graph, symbolic: Graph, value: Value): Value {
  if (value.node === null) {
    const at = graph.inputs.findIndex((input) => input.value === value);
    return symbolic.inputs[at]?.value ?? value;
  }
  return symbolic.nodes[graph.nodes.indexOf(value.node)]?.results[value.node.results.indexOf(value)] ?? value;
}
