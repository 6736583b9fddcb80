/** Reductions, cumulative sums, and the indices of the largest and smallest elements. */
import type { OperatorTable } from "../operator.ts";

export const reduceOperators: OperatorTable = {};
