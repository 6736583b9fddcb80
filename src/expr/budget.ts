/**
 * Limits of expressions. They keep the cost of every text in proportion to its length.
 *
 * - Products are expanded while the product of the sizes of their factors is at most 4096.
 * - An expression has at most 20,000 parts, nested at most 250 deep.
 * - An operation on expressions takes at most 1,000,000 steps; a step reads or creates one term. Parsing has 100 additional steps for each
 *   character.
 */
import { ExprError } from "../base/errors.ts";

/** The largest product of two sizes that is expanded. */
export const expandedSize = 4096;
/** The largest number of parts of an expression; repeated parts count each time. */
const maxSize = 20_000;
const maxDepth = 250;
const steps = 1_000_000;

/** The remaining steps of the current operation; Infinity if there is none. */
const budget = { left: Infinity };

/** Runs an operation with a new step budget, unless it is part of another operation. */
export function withSteps<T>(characters: number, operation: () => T): T {
  if (budget.left < Infinity) return operation();
  budget.left = steps + 100 * characters;
  try {
    return operation();
  } finally {
    budget.left = Infinity;
  }
}

/** Thrown if simplifying takes too many steps. */
export class StepsError extends ExprError {}

/** Counts steps of the current operation. */
export function spend(count: number): void {
  budget.left -= count;
  if (budget.left < 0)
    throw new StepsError(
      "simplify: simplifying takes too many steps. Nest fewer divisions, or give bounds to symbols.",
    );
}

/** Throws if an expression is too large or too deep. */
export function checkSize(size: number, depth: number): void {
  if (size > maxSize)
    throw new ExprError(`simplify: an expression of ${size} nodes exceeds the limit of ${maxSize}. Split it.`);
  if (depth > maxDepth) throw new ExprError(`simplify: an expression is nested more than ${maxDepth} deep. Split it.`);
}
