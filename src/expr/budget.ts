/**
 * The limits of expressions, which keep the cost of every text in proportion to its length.
 *
 * - Products are expanded while the product of the sizes of their factors is at most 4096, else they stay products.
 * - An expression has at most 20,000 parts, nested at most 250 deep.
 * - An operation on expressions may take 1,000,000 steps; a step is one term that is read or made. Parsing has as many for its whole
 *   text, and 100 for each character.
 */
import { ExprError } from "../base/errors.ts";

/** The largest product of two sizes that is expanded. */
export const expandedSize = 4096;
/** The most parts of an expression, counted as often as they are written. */
const largestSize = 20_000;
const deepest = 250;
const steps = 1_000_000;

/** The steps that the operation which runs may still take; Infinity if none runs. */
const budget = { left: Infinity };

/** Runs an operation with steps of its own, unless it is part of another operation. */
export function withSteps<T>(characters: number, operation: () => T): T {
  if (budget.left < Infinity) return operation();
  budget.left = steps + 100 * characters;
  try {
    return operation();
  } finally {
    budget.left = Infinity;
  }
}

/** Thrown where simplifying takes too many steps. */
export class StepsError extends ExprError {}

/** Counts steps of the operation that runs. */
export function spend(count: number): void {
  budget.left -= count;
  if (budget.left < 0)
    throw new StepsError(
      "expression: simplifying takes too many steps. Nest fewer divisions, or give bounds to symbols.",
    );
}

/** Throws where an expression is too large or too deep. */
export function checkSize(size: number, depth: number): void {
  if (size > largestSize)
    throw new ExprError(`expression: it has ${size} parts, the limit is ${largestSize}. Split it.`);
  if (depth > deepest) throw new ExprError(`expression: it is nested more than ${deepest} deep. Split it.`);
}
