/** All operators, by domain. */
import type { OperatorTable } from "../operator.ts";
import { arithmetic } from "./arithmetic.ts";
import { basics } from "./basics.ts";

export const operatorTables: Readonly<Record<string, OperatorTable>> = {
  "": { ...arithmetic, ...basics },
  "ai.onnx.ml": {},
  "com.microsoft": {},
};
