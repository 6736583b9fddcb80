/** Errors for dtypes that an op does not accept. */
import { type DType, DTypeError } from "../storage/dtype.ts";

/** Returns the error of an op without an implementation for a dtype; `why` lists the dtypes that it accepts. */
export const notImplemented = (who: string, dtype: DType, instead: DType = "float32", why = ""): DTypeError =>
  new DTypeError(`${who}: not implemented for '${dtype}'${why}. Convert it: to("${instead}")`);

/** Returns the error of two tensors, called `names`, that must have the same dtype. */
export const differingDTypes = (
  who: string,
  names: string,
  first: DType,
  second: DType,
  remedy = `Convert one: to("${first}")`,
): DTypeError => new DTypeError(`${who}: ${names} must have the same dtype, got ${first} and ${second}. ${remedy}`);
