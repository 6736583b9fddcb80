/**
 * ONNX models: `loadOnnx` reads one, and its `run` computes outputs from inputs; `inspectOnnx` describes one. `saveOnnx` and `toOnnx` write files from
 * compiled functions and graphs.
 */
export { OnnxError } from "./error.ts";
export { type ExportOptions, type OnnxSource, saveOnnx, toOnnx } from "./export/to-onnx.ts";
export {
  inspectOnnx,
  type OnnxFunctionInfo,
  type OnnxInfo,
  type OnnxOperatorInfo,
  type OnnxPortInfo,
  type OnnxTensorInfo,
} from "./inspect.ts";
export type { OnnxLimits } from "./limits.ts";
export { type LoadOnnxOptions, loadOnnx } from "./load.ts";
export type { OnnxModel, OnnxOptions, OnnxPort, RunOptions } from "./model.ts";
export type { DeclaredSize, ValueType } from "./value-type.ts";
export { type OnnxInput, type OnnxValue, TextTensor, type ValueMap, ValueSequence } from "./values.ts";
