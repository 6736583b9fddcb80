/**
 * itemBigInt: the one element of an integer tensor as a bigint, exact for int64 and uint64 past 2^53.
 */

import { IndexError } from "../../base/errors.ts";
import { DTypeError, dtypes } from "../../storage/dtype.ts";
import { showShape } from "../geometry.ts";
import type { Tensor } from "../tensor.ts";
import { coordReader } from "./coord-reader.ts";

/** The element of a tensor of size 1. */
export function itemBigInt(t: Tensor): bigint {
  if (t.size !== 1)
    throw new IndexError(
      `itemBigInt: a Tensor with ${t.size} elements cannot be converted to Scalar, its shape is ${showShape(t)}`,
    );
  const { category } = dtypes[t.dtype];
  if (category !== "integer" && category !== "bool")
    throw new DTypeError(`itemBigInt: the elements are integers or bools, got ${t.dtype}; use item()`);
  return BigInt(coordReader(t, "itemBigInt", "bigint")(new Array<number>(t.rank).fill(0)) as number);
}
