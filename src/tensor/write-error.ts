/**
 * The error of a write that is not allowed: to a const view, to a constant, to elements that share a place,
 * to an engine that only computes.
 */
import { StridewiseError } from "../base/errors.ts";

export class WriteError extends StridewiseError {
  override readonly name = "WriteError";
}
