/**
 * The error of this room: memory that is gone, cannot be had, or may not be used in this way.
 */
import { StridewiseError } from "../base/errors.ts";

/** A storage, pointer or buffer that cannot do what was asked. */
export class StorageError extends StridewiseError {
  override readonly name = "StorageError";
}
