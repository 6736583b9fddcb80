/**
 * The option `out` of ops that are not formulas.
 *
 * An `out` that shares bytes with a dense input is an error, as in PyTorch. Where sharing is only possible, as between interleaved
 * slices, the op fills a temporary tensor, which is then copied, so no input changes while it is read.
 */

import { ShapeError, StridewiseError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { type Int, valueOf } from "../layout/int.ts";
import { type DType, DTypeError } from "../storage/dtype.ts";
import { checkCast } from "../storage/promotion.ts";
import { emptyFor } from "../tensor/clone.ts";
import { copyAll } from "../tensor/copy-all.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { hasSizes, showShape } from "../tensor/geometry.ts";
import { dataOf } from "../tensor/in-place.ts";
import type { AxisName } from "../tensor/names.ts";
import {
  bumpVersion,
  checkNoPartialOverlap,
  checkOutputsDisjoint,
  checkWritable,
  mayOverlap,
  refuseSharing,
} from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";

/** A result before it is computed. */
export interface Result {
  readonly dtype: DType;
  readonly shape: readonly Int[];
  /** The names of its axes, by the rules of `../tensor/names.ts`. */
  readonly names?: readonly AxisName[] | null;
  /** True if its elements are indices, which an `out` must hold as integers. */
  readonly isIndex?: boolean;
}

/** Returns the tensors passed as `out`; null if there are none. */
export function outIn(name: string, args: readonly unknown[]): readonly Tensor[] | null {
  const last = args[args.length - 1];
  if (typeof last !== "object" || last === null || last instanceof Tensor || !("out" in last)) return null;
  const { out } = last as { readonly out: unknown };
  if (out === undefined || out === null) return null;
  const list = out instanceof Tensor ? [out] : Object.values(out as object);
  if (list.every((one) => one instanceof Tensor)) return list;
  throw new StridewiseError(`${name}: out must be a tensor, or one for each result, got ${describeValue(out)}`);
}

/** Returns the tensors among values, including those in lists and objects; values under the key `skipped` are skipped. */
export function tensorsIn(values: readonly unknown[], skipped = "out", into: Tensor[] = []): Tensor[] {
  for (const value of values)
    if (value instanceof Tensor) into.push(value);
    else if (Array.isArray(value)) tensorsIn(value, skipped, into);
    else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
      for (const key in value)
        if (key !== skipped) tensorsIn([(value as Readonly<Record<string, unknown>>)[key]], skipped, into);
  return into;
}

/**
 * Returns the tensors that an op fills: those passed as `out`, or temporary ones where inputs may share bytes with them. Throws unless each
 * is writable, has the shape of its result and a dtype that holds its values, and shares no bytes with the others or with dense inputs.
 */
export function targetsFor(
  name: string,
  out: readonly Tensor[],
  results: readonly Result[],
  args: readonly unknown[],
): readonly Tensor[] {
  if (out.length !== results.length)
    throw new StridewiseError(`${name}: out has ${out.length} tensors for ${results.length} results`);
  results.forEach(({ dtype, shape, isIndex }, k) => {
    const t = out[k];
    checkWritable(t, name);
    const expected = shape.map((size) => valueOf(size, name));
    if (!hasSizes(t, expected))
      throw new ShapeError(
        `${name}: the result has shape ${show(expected)}, which out of shape ${showShape(t)} cannot hold. Omit out`,
      );
    if (isIndex && !/^int(32|64)$/.test(t.dtype))
      throw new DTypeError(`${name}: out for indices must be int32 or int64, got ${t.dtype}`);
    checkCast(name, dtype, t.dtype);
  });
  checkOutputsDisjoint(out, name);
  const inputs = tensorsIn(args);
  return out.map((t) => {
    const overlapping = inputs.filter((input) => mayOverlap(t, input));
    if (overlapping.length === 0) return dataOf(t);
    for (const input of overlapping) {
      checkNoPartialOverlap(t, input, name);
      if (t.isNonOverlappingAndDense && input.isNonOverlappingAndDense)
        throw refuseSharing(name, "out is also an input");
    }
    return emptyFor(name, t, "contiguous", t.dtype);
  });
}

/** Copies a temporary result to `out`, and counts one write. */
export function finishOut(name: string, t: Tensor, target: Tensor): void {
  if (target.source !== t.source) copyAll(target, t, name);
  bumpVersion(t);
}
