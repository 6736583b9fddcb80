/** The errors of dtypes that an op does not take, in one wording. */
import { type DType, DTypeError } from "../storage/dtype.ts";

/** The error of an op that has no implementation for a dtype; `why` says what it takes. */
export const notImplemented = (who: string, dtype: DType, instead: DType = "float32", why = ""): DTypeError =>
  new DTypeError(`${who}: not implemented for '${dtype}'${why}. Convert it: to('${instead}')`);

/** The error of two tensors, called `names`, that must have the same dtype. */
export const differingDTypes = (
  who: string,
  names: string,
  first: DType,
  second: DType,
  remedy = `Convert one: to('${first}')`,
): DTypeError => new DTypeError(`${who}: ${names} must have the same dtype, got ${first} and ${second}. ${remedy}`);
