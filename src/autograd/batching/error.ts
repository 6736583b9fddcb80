/** What vmap refuses. */
import { StridewiseError } from "../../base/errors.ts";

/** A function, or something that it calls, cannot be mapped over a batch. */
export class VmapError extends StridewiseError {
  override readonly name = "VmapError";
}

/** What differs from sample to sample is written to a tensor that all samples share. */
export class SharedWriteError extends VmapError {
  declare readonly target: object;

  constructor(message: string, target: object) {
    super(message);
    this.target = target;
  }
}
