/** The domains ai.onnx.ml and ai.onnx.preview.training. */
import type { OperatorTable } from "../operator.ts";

export const learning: OperatorTable = {};
