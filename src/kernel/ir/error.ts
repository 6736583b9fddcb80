/** The error of a kernel that cannot be built, parsed, verified or run. */
import { StridewiseError } from "../../base/errors.ts";

export class KernelError extends StridewiseError {
  override readonly name = "KernelError";
}
