/** The cases of all operators that are compared with ONNX Runtime. */
import type { CaseMaker } from "../draw.ts";
import { elementwiseCases } from "./elementwise.ts";
import { movementCases } from "./movement.ts";

export const operatorCases: Readonly<Record<string, CaseMaker>> = { ...elementwiseCases, ...movementCases };
