/**
 * A formula as data: the result of the parser and of derivatives, and the input of the compiler.
 * A named value that is used twice is one node. Names are those of operands: a name that the formula defines is replaced by its value.
 */
import type { Category, Value } from "../../storage/dtype.ts";

/** The owner of a formula that a user has written: errors then show the position in it. */
export const userFormula = "elementwise";

export type Node = LiteralNode | NameNode | FunctionNode;

/** A number in the formula: 2 is an integer, 2.0 a float, 3i complex. `at` is its position in the text. */
export interface LiteralNode {
  readonly kind: "literal";
  readonly value: Value;
  readonly category: Category;
  readonly at: number;
}

/** An operand. */
interface NameNode {
  readonly kind: "name";
  readonly name: string;
  readonly at: number;
}

/** A function of `functions.ts`, a conversion to a dtype by its name, or an operator. */
export interface FunctionNode {
  readonly kind: "call";
  readonly fn: string;
  readonly args: readonly Node[];
  readonly at: number;
}

export interface OutputNode {
  /** Null if the formula is one value without a name. */
  readonly name: string | null;
  readonly value: Node;
}

export interface Formula {
  /** The owner of the formula, for messages: `elementwise` for a user-defined one. */
  readonly who: string;
  /** The text that was parsed; for a derivative, its printed nodes. */
  readonly text: string;
  /** True for a derivative: positions of its nodes are not positions in its text. */
  readonly isDerived: boolean;
  readonly outputs: readonly OutputNode[];
  /** The names of the operands, in the order in which they first occur. */
  readonly operands: readonly string[];
}

/** Returns all nodes below some roots, each once, arguments first. */
export function inOrder(roots: readonly Node[]): Node[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    if (node.kind === "call") node.args.forEach(visit);
    seen.add(node);
  };
  roots.forEach(visit);
  return [...seen];
}

/** A call without a position in a text. */
export const callNode = (fn: string, ...args: readonly Node[]): FunctionNode => ({ kind: "call", fn, args, at: 0 });

/** The value of a formula with one output. */
export const onlyValue = ({ outputs }: Formula): Node => outputs[0].value;
