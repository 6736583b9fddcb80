/** The errors of autograd and vmap. */
import { StridewiseError } from "../base/errors.ts";

/** A gradient cannot be computed, or an operation on gradients is not allowed. */
export class AutogradError extends StridewiseError {
  override readonly name = "AutogradError";
}

/** A function cannot be mapped over a batch. */
export class VmapError extends StridewiseError {
  override readonly name = "VmapError";
}

/** Values that differ between samples are written to a tensor that all samples share. */
export class SharedWriteError extends VmapError {
  declare readonly target: object;

  constructor(message: string, target: object) {
    super(message);
    this.target = target;
  }
}
