/** What data cannot be: named in one place, for all files of this room. */
import { StridewiseError } from "../index.ts";

/** A data set, a loader or a progress bar was given something it cannot work with. */
export class DataError extends StridewiseError {
  override readonly name: string = "DataError";
}
