/** The cases of all operators that are compared with ONNX Runtime. */
import type { CaseMaker } from "./draw.ts";
import { elementwiseCases } from "./elementwise.ts";
import { microsoftCases } from "./microsoft.ts";
import { movementCases } from "./movement.ts";
import { networkCases } from "./networks.ts";
import { quantizedCases } from "./quantized.ts";

export const operatorCases: Readonly<Record<string, CaseMaker>> = {
  ...elementwiseCases,
  ...movementCases,
  ...networkCases,
  ...quantizedCases,
  ...microsoftCases,
};
