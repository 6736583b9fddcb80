/** The errors of ONNX models. */
import { StridewiseError } from "../base/errors.ts";

/** A model that is malformed, that uses what is not supported, or a call whose inputs do not fit the model. */
export class OnnxError extends StridewiseError {
  override readonly name = "OnnxError";
}
