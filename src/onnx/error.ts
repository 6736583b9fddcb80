/** The errors of ONNX models. */
import { StridewiseError } from "../base/errors.ts";

/** Thrown if a model is malformed or uses an unsupported operator, or if the inputs of a call do not fit the model. */
export class OnnxError extends StridewiseError {
  override readonly name = "OnnxError";
}
