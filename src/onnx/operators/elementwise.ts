/** Operators of each element: functions of one tensor, activations, comparisons, logic, bits and conversions. */
import type { OperatorTable } from "../operator.ts";

export const elementwise: OperatorTable = {};
