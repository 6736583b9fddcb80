/**
 * Nested arrays as operands of elementwise ops, `x.add([1, 2, 3])`. An array is promoted as a number is: it becomes a tensor of the dtype that
 * one number of its kind would have, so it never changes the dtype of floating-point tensors, and no dtype depends on a value.
 */
import { deviceOption } from "../../storage/device.ts";
import { type DType, DTypeError, dtypes, isComplex, isFloatDType, type Value } from "../../storage/dtype.ts";
import { getDefaultComplexDType, getDefaultDType, resultType } from "../../storage/promotion.ts";
import { fromData, type TensorData } from "../../tensor/create/from-data.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { scalarValue, type Variant } from "../formula-variant.ts";

/** Nested arrays of numbers. */
export type NestedOperand = readonly (Value | NestedOperand)[];

export const isNested: (value: unknown) => value is NestedOperand = Array.isArray;

/** One number of each kind, from the lowest to the highest. Their values choose no special formula. */
const samples: readonly Value[] = [true, 1n, 1, { re: 1, im: 1 }];

/** Returns a number of the highest kind in the arrays; for empty ones, a plain number. */
export function sampleOf(data: NestedOperand): Value {
  const kind = highestKind(data, -1);
  return samples[kind < 0 ? 2 : kind];
}

function highestKind(data: NestedOperand, known: number): number {
  let kind = known;
  for (const item of data)
    if (isNested(item)) kind = highestKind(item, kind);
    else kind = Math.max(kind, isComplex(item) ? 3 : ["boolean", "bigint", "number"].indexOf(typeof item));
  return kind;
}

/** The dtype of the operands that are tensors; null if there are none but masks. */
function dtypeOfTensors(operands: readonly unknown[]): DType | null {
  const tensors = operands.filter((operand) => operand instanceof Tensor && operand.dtype !== "bool") as Tensor[];
  if (tensors.length === 0) return null;
  return resultType(
    ...tensors.map(({ dtype, rank }) => ({ dtype, bucket: rank === 0 ? "zeroDim" : "tensor" }) as const),
  );
}

/** Returns the dtype of a number that is operand `k`, next to the other operands. */
function dtypeOfNumber({ kernel, scalars }: Variant, k: number, operands: readonly unknown[]): DType {
  const shared = dtypeOfTensors(operands);
  const number = operands[k];
  if (isComplex(number)) {
    const complex = { dtype: getDefaultComplexDType(), bucket: "number" } as const;
    return shared === null ? complex.dtype : resultType({ dtype: shared, bucket: "tensor" }, complex);
  }
  if (shared === null)
    return typeof number === "number" ? getDefaultDType() : typeof number === "bigint" ? "int64" : "bool";
  if (dtypes[shared].category !== "integer") return shared;
  // Quotients of integers are floating point, and some tests compare them so.
  const [result] = kernel.spec.outputs;
  const [computed = shared] =
    result === "bool" ? scalars.flatMap(({ operand, dtype }) => (operand === k ? dtype : [])) : [result];
  return isFloatDType(computed) ? computed : shared;
}

/** Throws for an element that is not a number, or that the dtype cannot hold. */
function checkItems(data: NestedOperand, who: string, name: string, dtype: DType): void {
  for (const item of data)
    if (isNested(item)) checkItems(item, who, name, dtype);
    else if (["number", "bigint", "boolean"].includes(typeof item) || isComplex(item))
      scalarValue(who, name, item, dtype);
    else
      throw new DTypeError(
        `${who}: the elements of ${name} must be numbers, bigints, booleans or { re, im }, got ${describeValue(item)}`,
      );
}

/** Returns nested arrays as a tensor. In `operands`, operand `k` is a sample of them. */
export function tensorOfOperand(
  data: NestedOperand,
  variant: Variant,
  k: number,
  operands: readonly unknown[],
): Tensor {
  const dtype = dtypeOfNumber(variant, k, operands);
  const { who, names } = variant;
  checkItems(data, who, names[k], dtype);
  const like = operands.find((operand) => operand instanceof Tensor) as Tensor;
  return fromData(data as TensorData, { dtype, device: deviceOption(like.device) }, who);
}
