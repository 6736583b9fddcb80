/**
 * Rewrites of graphs by rules that are data: a pattern, a replacement that is built from its captures, and optionally a condition. `pattern.ts` has
 * the form of patterns.
 *
 * Guarantee: the results of the rewritten graph have the dtypes, shapes and strides that they had, and outputs in newly allocated memory remain in
 * newly allocated memory.
 */
import { wrongKind } from "../../base/arguments.ts";
import { renamed } from "../../base/errors.ts";
import { type Argument, type Graph, GraphError, type Node, Value, valuesIn } from "../ir.ts";
import { isView, overwritten } from "../lower/aliases.ts";
import { formatType } from "../tensor-type.ts";
import { checkIsGraph } from "../text/text.ts";
import { addOp, copyGraph, type OpLike } from "./edit.ts";
import {
  buildPattern,
  type Captures,
  capturesOf,
  type Match,
  matchNode,
  type Pattern,
  parsePattern,
} from "./pattern.ts";

/** Adds a node before the one that is replaced, and returns its first result. */
export type AddNode = (op: OpLike, ...args: Argument[]) => Value;

/** A rule of `rewrite`. */
export interface RewriteRule {
  /** The name in messages. Default: the pattern. */
  readonly name?: string | undefined;
  /** The pattern of the node: `mul(x, 1)`. */
  readonly match: string;
  /** A condition on the captures; the rule applies where it returns true. */
  readonly when?: ((captures: Captures, node: Node) => boolean) | undefined;
  /** The replacement as a text, such as `x` or `square(x)`; or a function that returns the value, after adding the nodes that compute it. */
  readonly replace: string | ((captures: Captures, add: AddNode) => Value);
}

interface Rule {
  readonly name: string;
  readonly match: Pattern;
  readonly when: RewriteRule["when"];
  readonly replace: Exclude<RewriteRule["replace"], string>;
}

/** The number of replacements after which rules count as undoing each other: this, and more for each node of the graph. */
const maxReplacements = 1000;

/**
 * Returns a copy of a graph in which every node that matches a rule is replaced, until no rule matches. A rule is not applied where its replacement
 * has a different dtype or shape, or different strides, than the node. Unused nodes are removed.
 */
export function rewrite(graph: Graph, rules: readonly RewriteRule[]): Graph {
  checkIsGraph("rewrite", graph);
  if (!Array.isArray(rules)) throw wrongKind("rewrite", "a list of rules", rules);
  const parsed = rules.map(parseRule);
  const result = copyGraph(graph);
  let left = maxReplacements + 10 * graph.nodes.length;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const node of [...result.nodes]) {
      const rule = result.nodes.includes(node) ? parsed.find((each) => apply(result, node, each)) : undefined;
      if (rule === undefined) continue;
      isDone = false;
      if (left-- === 0)
        throw new GraphError(
          `rewrite: the rules have no end, the last one was ${rule.name}. Add a condition to it: { when: ... }`,
        );
    }
  }
  return result;
}

/** Applies a rule to a node. If the rule does not match, returns false and does not change the graph. */
function apply(graph: Graph, node: Node, { name, match, when, replace }: Rule): boolean {
  const matched = matchNode(match, node);
  if (matched === null || when?.(matched.captures, node) === false) return false;
  const [old] = node.results;
  const { nodes } = graph;
  graph.nodes = [...nodes];
  let value: Value;
  try {
    value = replace(matched.captures, (op, ...args) => addOp(graph, op, args, { before: node }).results[0]);
    if (!(value instanceof Value)) throw wrongKind("rewrite", `a value of the graph from the rule ${name}`, value);
    if (isNew(node) && sharesMemory(value, nodes) && escapes(graph, old))
      value = addOp(graph, "clone", [value], { before: node }).results[0];
  } catch (error) {
    graph.nodes = nodes;
    throw renamed("rewrite", error);
  }
  if (value === old || formatType(value.type) !== formatType(old.type)) {
    graph.nodes = nodes;
    return false;
  }
  graph.replaceUses(old, value);
  removeUnused(graph, matched);
  return true;
}

/** True for a node whose result is new memory. */
const isNew = (node: Node): boolean => !isView(node) && overwritten(node) === null;

/** True if a node that the rule did not add computes a value, so that it is in use elsewhere, or shares memory with other values. */
const sharesMemory = ({ node }: Value, before: readonly Node[]): boolean =>
  node === null || !isNew(node) || before.includes(node);

/** True if a value, or a view of it, is an output. */
function escapes(graph: Graph, value: Value): boolean {
  if (graph.outputs.includes(value)) return true;
  return graph.nodes.some(
    (node) => isView(node) && valuesIn(node.args).includes(value) && node.results.some((each) => escapes(graph, each)),
  );
}

/** Removes the matched nodes whose results are no longer used. Random ops stay, because they advance their generators. */
function removeUnused(graph: Graph, { nodes }: Match): void {
  for (const node of nodes) {
    if (node.op.facts.random !== undefined || !graph.nodes.includes(node)) continue;
    const isUsed = node.results.some((value) => graph.isResult(value) || graph.usersOf(value).length > 0);
    if (!isUsed) graph.remove(node);
  }
}

function parseRule({ name, match, when, replace }: RewriteRule): Rule {
  if (typeof match !== "string") throw wrongKind("rewrite", 'a pattern such as "mul(x, 1)"', match);
  const pattern = parsePattern("rewrite", match);
  if (typeof replace === "function") return { name: name ?? match, match: pattern, when, replace };
  if (typeof replace !== "string") throw wrongKind("rewrite", "a replacement: a text or a function", replace);
  const replacement = parsePattern("rewrite", replace);
  const captured = capturesOf(pattern);
  for (const each of capturesOf(replacement))
    if (!captured.has(each))
      throw new GraphError(
        `rewrite: ${match} does not capture ${each}, which its replacement ${replace} uses. The captures are ${[...captured].join(", ") || "none"}`,
      );
  return {
    name: name ?? match,
    match: pattern,
    when,
    replace: (captures, add) => buildPattern(replacement, captures, (op, args) => add(op, ...args)) as Value,
  };
}
