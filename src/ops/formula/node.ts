/**
 * A formula as data: what its parser makes and its compiler reads.
 * A value that was named and is used twice is one node. Names are those of operands only: names that the formula itself gives are
 * gone, what they stand for is in their place.
 */
import type { Category, Value } from "../../storage/dtype.ts";

/** Who has a formula that a user has written: errors then show the place in it. */
export const userFormula = "elementwise";

export type Node = LiteralNode | NameNode | CallNode;

/** A number in the formula: 2 is an integer, 2.0 a float, 3i complex. */
export interface LiteralNode {
  readonly kind: "literal";
  readonly value: Value;
  readonly category: Category;
  readonly at: number;
}

/** An operand. */
export interface NameNode {
  readonly kind: "name";
  readonly name: string;
  readonly at: number;
}

/** A function of the table in `functions.ts`, or a dtype's name as a conversion; operators are calls, too. */
export interface CallNode {
  readonly kind: "call";
  readonly fn: string;
  readonly args: readonly Node[];
  readonly at: number;
}

export interface OutputNode {
  /** Null where the formula is one value without a name. */
  readonly name: string | null;
  readonly value: Node;
}

export interface Formula {
  /** Whose formula it is, for messages: `elementwise` for a user's own. */
  readonly who: string;
  readonly text: string;
  readonly outputs: readonly OutputNode[];
  /** The names of the operands, in the order in which they first occur. */
  readonly operands: readonly string[];
  /** What others have worked out from it, kept as long as the formula. */
  derived: Map<number, unknown> | null;
}
