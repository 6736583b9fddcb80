/**
 * Indices as arguments: tensors of any integer dtype, nested arrays of integers, and typed arrays of integers. Ops compute with int32 and int64
 * tensors, so others are converted before a call is dispatched. Other values are left to the checks of the op.
 */
import { deviceOption } from "../storage/device.ts";
import { DTypeError, dtypeOfArray, isIntegerDType, type TypedArray } from "../storage/dtype.ts";
import { fromData, type TensorData } from "../tensor/create/from-data.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Signature } from "./signature.ts";
import { to } from "./views.ts";

/** Nested arrays of integers. */
export type NestedIndices = readonly (number | bigint | NestedIndices)[];
/** A tensor of an integer dtype, nested arrays of integers, or a typed array of integers. */
export type Indices = Tensor | NestedIndices | Exclude<TypedArray, Float32Array | Float64Array | Uint8ClampedArray>;

/** The parameters after x of an op along an axis, with any indices in place of an index tensor. */
export type ByIndex<A extends readonly unknown[]> = A extends readonly [infer X, unknown, ...infer Rest]
  ? [axis: X, index: Indices, ...rest: Rest]
  : never;

/** Returns the largest absolute value of nested integers. Throws for other values. */
function largest(who: string, name: string, data: NestedIndices, known: number): number {
  let max = known;
  for (const item of data)
    if (Array.isArray(item)) max = largest(who, name, item, max);
    else if (typeof item === "bigint" || Number.isSafeInteger(item)) max = Math.max(max, Math.abs(Number(item)));
    else throw new DTypeError(`${who}: ${name} must hold integers, got ${describeValue(item)}`);
  return max;
}

/** Returns indices as an int32 or int64 tensor on the device of another; other values as they are. */
export function indexArgument(who: string, name: string, value: unknown, like: unknown): unknown {
  if (value instanceof Tensor) {
    const { type } = value;
    if (type === null || type === "int32" || type === "int64" || !isIntegerDType(type)) return value;
    return to(value, type === "uint32" || type === "uint64" ? "int64" : "int32");
  }
  const device = like instanceof Tensor ? deviceOption(like.device) : "cpu";
  if (Array.isArray(value)) {
    const dtype = largest(who, name, value, 0) < 2 ** 31 ? "int32" : "int64";
    return fromData(value as TensorData, { dtype, device }, who);
  }
  const dtype = dtypeOfArray(value);
  if (dtype === undefined || !isIntegerDType(dtype)) return value;
  return indexArgument(who, name, fromData(value as TypedArray, { device }, who), like);
}

/** Converts the arguments that a signature marks as indices. */
export function readIndices({ name, positional, indices }: Signature, args: unknown[]): void {
  for (const k of indices) {
    const { name: parameter, isList } = positional[k];
    const arg = args[k];
    const like = args[k === 0 ? 1 : 0];
    const one = (value: unknown): unknown => indexArgument(name, parameter, value, like);
    args[k] = !isList ? one(arg) : Array.isArray(arg) ? arg.map(one) : arg;
  }
}
