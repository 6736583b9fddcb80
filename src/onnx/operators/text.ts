/** Tensors of strings. */
import type { OperatorTable } from "../operator.ts";

export const text: OperatorTable = {};
