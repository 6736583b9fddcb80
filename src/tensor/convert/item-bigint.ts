/**
 * itemBigInt: the one element of an integer tensor as a bigint, exact for int64 and uint64 past 2^53.
 */

import { DTypeError, dtypes } from "../../storage/dtype.ts";
import { checkOne } from "../access/access.ts";
import type { Tensor } from "../tensor.ts";
import { coordReader } from "./coord-reader.ts";

/** The element of a tensor of size 1. */
export function itemBigInt(t: Tensor): bigint {
  checkOne("itemBigInt", t);
  const { category } = dtypes[t.dtype];
  if (category !== "integer" && category !== "bool")
    throw new DTypeError(`itemBigInt: the elements are integers or bools, got ${t.dtype}; use item()`);
  return BigInt(coordReader(t, "itemBigInt", "bigint")(new Array<number>(t.rank).fill(0)) as number);
}
