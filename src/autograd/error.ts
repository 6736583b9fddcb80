/** The error of everything about gradients. */
import { StridewiseError } from "../base/errors.ts";

/** Something about gradients is not allowed, or cannot be. */
export class AutogradError extends StridewiseError {
  override readonly name = "AutogradError";
}
