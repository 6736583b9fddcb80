/** The error of kernels: one that cannot be built, read, verified or run. */
import { StridewiseError } from "../../base/errors.ts";

export class KernelError extends StridewiseError {
  override readonly name = "KernelError";
}
