/** The domain com.microsoft: operators that onnxruntime's exporters write. */
import type { OperatorTable } from "../operator.ts";

export const microsoft: OperatorTable = {};
