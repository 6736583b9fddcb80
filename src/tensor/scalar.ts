/**
 * Where a scalar is asked for, a tensor of one element serves, whatever its rank: the value is read from it.
 */
import { ShapeError } from "../base/errors.ts";
import type { Value } from "../storage/dtype.ts";
import { readAt } from "./elements.ts";
import { showShape } from "./geometry.ts";
import { Tensor } from "./tensor.ts";

/** A value, or a tensor of one element. */
export type ScalarLike = Value | Tensor;

/** The value itself, or the element of a tensor of size 1 (int64 and uint64 as bigint, so that nothing is lost). */
export function scalarOf(who: string, value: ScalarLike): Value {
  if (!(value instanceof Tensor)) return value;
  if (value.size === 1) return readAt(value, 0, "bigint");
  throw new ShapeError(
    `${who}: a scalar is a value or a tensor of one element, got a tensor of shape ${showShape(value)}`,
  );
}
