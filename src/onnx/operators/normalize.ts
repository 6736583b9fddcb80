/** Normalization, softmax and losses. */
import type { OperatorTable } from "../operator.ts";

export const normalize: OperatorTable = {};
