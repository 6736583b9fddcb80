/** Control flow: If, Loop, Scan. */
import type { OperatorTable } from "../operator.ts";

export const control: OperatorTable = {};
