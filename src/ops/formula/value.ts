/**
 * Values of a formula during compilation: a dtype for PyTorch's type promotion, and the scalar that computes the value.
 *
 * Numbers are weak: a JavaScript number has no dtype (`dtype` null) and takes that of the tensors it is combined with. Values of numbers alone
 * are computed in the requested dtype, as if by exact arithmetic. float16 and bfloat16 are only labels: such values are computed in
 * float32, and rounded when they are stored or converted explicitly.
 */

import { getOrCompute } from "../../base/lazy.ts";
import { cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { type Category, type DType, dtypes } from "../../storage/dtype.ts";
import { type Bucket, getDefaultDType, resultType } from "../../storage/promotion.ts";

export interface TypedValue {
  /** Unique, for the keys of equal calls. */
  readonly id: number;
  /** Null for a weak number. */
  readonly dtype: DType | null;
  readonly bucket: Bucket;
  /** The number, if it is a literal of the formula. */
  readonly literal: number | null;
  /** The value computed as this dtype, which is not float16 or bfloat16; the same object each time. */
  as(dtype: DType): Scalar;
}

const ids = { next: 0 };

/** Returns a value; `make` computes it in a dtype, and is called once for each. */
export function typedValue(
  dtype: DType | null,
  bucket: Bucket,
  make: (dtype: DType) => Scalar,
  literal: number | null = null,
): TypedValue {
  const known = new Map<DType, Scalar>();
  return {
    id: ids.next++,
    dtype,
    bucket,
    literal,
    as: (target) => getOrCompute(known, target, make),
  };
}

/** A value that is computed in one dtype, and converted from there. */
export const fixedValue = (dtype: DType, bucket: Bucket, scalar: Scalar): TypedValue =>
  typedValue(dtype, bucket, (target) => cast(target, scalar));

const categories: readonly Category[] = ["bool", "integer", "float", "complex"];

/** 0 for bool up to 3 for complex; a weak number counts as an integer. */
export const rankOf = (dtype: DType | null): number =>
  dtype === null ? 1 : categories.indexOf(dtypes[dtype].category);

const widest: readonly DType[] = ["bool", "int64", "float64", "complex128"];

/** The widest dtype of the same category; weak numbers are computed as floats. */
export const widestAs = (dtype: DType | null): DType => (dtype === null ? "float64" : widest[rankOf(dtype)]);

/** The dtype itself if it is a float or complex one, else the default float. */
export const floatOf = (dtype: DType | null): DType =>
  dtype !== null && rankOf(dtype) >= 2 ? dtype : getDefaultDType();

const buckets: readonly Bucket[] = ["number", "zeroDim", "tensor"];

/** The highest bucket: tensor, then 0-d tensor, then number. */
export function highestBucket(values: readonly TypedValue[]): Bucket {
  let highest = 0;
  for (const { bucket } of values) highest = Math.max(highest, buckets.indexOf(bucket));
  return buckets[highest];
}

/** The common dtype of values by PyTorch's type promotion; null for weak numbers. */
export function commonType(values: readonly TypedValue[]): DType | null {
  const typed = values.filter((value) => value.dtype !== null);
  if (typed.length === 0) return null;
  const common = resultType(...(typed as { dtype: DType; bucket: Bucket }[]));
  if (typed.length === values.length) return common;
  if (rankOf(common) <= 1 && highestBucket(typed) === "number") return null;
  return rankOf(common) === 0 ? getDefaultDType() : common;
}
