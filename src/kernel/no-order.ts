/** The error of asking complex numbers which of them is larger. */
import { type DType, DTypeError } from "../storage/dtype.ts";

export const noOrder = (who: string, what: string, dtype: DType): DTypeError =>
  new DTypeError(`${who}: ${what} of ${dtype}: complex numbers have no order`);
