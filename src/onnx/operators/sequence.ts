/** Sequences and optional values. */
import type { OperatorTable } from "../operator.ts";

export const sequence: OperatorTable = {};
