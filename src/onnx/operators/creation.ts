/** Tensors from attributes and sizes: constants, ranges and random numbers. */
import type { OperatorTable } from "../operator.ts";

export const creation: OperatorTable = {};
