/**
 * A formula for one kind of operands: the kernel, and the operands that are its inputs and scalars.
 * The kind of an operand is a word: the dtype of a tensor, "0-d " and the dtype for a 0-d tensor, or the JavaScript type of a
 * number. The kernel depends on nothing else; the layouts of operands choose among its forms.
 */

import { StridewiseError } from "../base/errors.ts";
import { getOrCompute } from "../base/lazy.ts";
import { clippedValue, exactValue } from "../kernel/checked-value.ts";
import { MapKernel } from "../kernel/map/map.ts";
import { maxOperands } from "../kernel/map/spec.ts";
import { type DType, DTypeError, dtypes, isComplex, type Value } from "../storage/dtype.ts";
import { getDefaultComplexDType } from "../storage/promotion.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { storageOf, Tensor } from "../tensor/tensor.ts";
import { compileFormula, type OperandKind, type ScalarUse } from "./formula/compile.ts";
import { type Formula, userFormula } from "./formula/node.ts";

/** An operand of a formula: a tensor, or a number, which is an argument of the kernel. */
export type FormulaOperand = Tensor | Value;

export interface Variant {
  /** The op or function that errors name. */
  readonly who: string;
  /** The kinds of the operands, then the dtypes of existing outputs. */
  readonly kinds: readonly string[];
  readonly defaultDType: DType;
  readonly kernel: MapKernel;
  /** The operands that are inputs of the kernel, in its order. */
  readonly inputs: readonly number[];
  readonly inputNames: readonly string[];
  /** The names of all operands. */
  readonly names: readonly string[];
  readonly scalars: readonly ScalarUse[];
  /** Bytes of an element of each operand of the kernel, outputs first. */
  readonly itemsizes: readonly number[];
}

const zeroDim: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  Object.keys(dtypes).map((dtype) => [dtype, `0-d ${dtype}`]),
);

/** Returns the dtype of a tensor. Throws if its elements are not numbers. */
export function numberType(who: string, t: Tensor): DType {
  if (t.type === null) storageOf(t, who);
  return t.type as DType;
}

/** Returns the kind of an operand. */
export function variantKey(who: string, name: string, operand: FormulaOperand): string {
  if (operand instanceof Tensor) {
    const type = numberType(who, operand);
    return operand.rank === 0 ? zeroDim[type] : type;
  }
  const kind = typeof operand;
  if (kind === "number" || kind === "bigint" || kind === "boolean") return kind;
  if (isComplex(operand)) return "complex";
  throw new DTypeError(
    `${who}: ${name} must be a tensor, number, bigint, boolean or { re, im }, got ${Array.isArray(operand) ? "an array" : describeValue(operand)}. ` +
      `Create a tensor first: tensor(...)${ArrayBuffer.isView(operand) ? ", or fromBuffer(...) without a copy" : ""}`,
  );
}

function operandKind(kind: string): OperandKind {
  switch (kind) {
    case "number":
      return { dtype: null, bucket: "number" };
    case "bigint":
      return { dtype: "int64", bucket: "number" };
    case "boolean":
      return { dtype: "bool", bucket: "number" };
    case "complex":
      return { dtype: getDefaultComplexDType(), bucket: "number" };
    default:
      return kind.startsWith("0-d ")
        ? { dtype: kind.slice(4) as DType, bucket: "zeroDim" }
        : { dtype: kind as DType, bucket: "tensor" };
  }
}

/** Compiles a formula for operands of these kinds; `kernels` are those of the formula so far. */
export function makeVariant(
  formula: Formula,
  kinds: readonly string[],
  defaultDType: DType,
  kernels: Map<string, MapKernel>,
): Variant {
  const count = formula.operands.length;
  const outputs = formula.outputs.map((_, k) => (kinds[count + k] as DType | undefined) ?? null);
  const { who } = formula;
  const { spec, inputs, scalars } = compiledBy(who, () =>
    compileFormula(formula, kinds.slice(0, count).map(operandKind), outputs),
  );
  // An existing output with the dtype of a new one is computed by the same kernel.
  const key = `${defaultDType} ${kinds.slice(0, count)} to ${spec.outputs}`;
  const kernel = getOrCompute(kernels, key, () => new MapKernel(spec));
  if (kernel.operands > maxOperands)
    throw new StridewiseError(
      `${who}: at most ${maxOperands} tensors, outputs included, got ${kernel.operands}. Split the formula`,
    );
  const inputNames = inputs.map((k) => formula.operands[k]);
  const itemsizes = [...spec.outputs, ...spec.inputs].map((dtype) => dtypes[dtype].itemsize);
  const { operands: names } = formula;
  return { who, kinds, defaultDType, kernel, inputs, inputNames, names, scalars, itemsizes };
}

/** Returns the result of `compile`; errors about dtypes name the op. */
function compiledBy<T>(who: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof DTypeError) || error.message.startsWith(`${who}: `)) throw error;
    throw new DTypeError(`${who}: ${error.message}`);
  }
}

/** Returns the scalars of the kernel. Throws if a dtype cannot hold one. */
export const boundScalars = ({ who, scalars, names }: Variant, operands: readonly unknown[]): readonly Value[] =>
  scalars.map(({ operand, dtype }) => scalarValue(who, names[operand], operands[operand] as Value, dtype));

/** Returns the value of a scalar. Throws if the dtype cannot hold it, because a dtype never depends on a value. */
export function scalarValue(who: string, name: string, value: Value, dtype: DType): Value {
  if (dtype === "float32" || dtype === "float64") return value;
  const { category } = dtypes[dtype];
  if (category !== "integer") return value;
  if (who.startsWith("clamp") && (typeof value === "number" || typeof value === "bigint"))
    value = clippedValue(value, dtype);
  if (typeof value === "number" && !Number.isInteger(value))
    throw new DTypeError(
      `${who}: ${name} is ${value}, but the tensors are ${dtype}. ` +
        `Pass an integer, or convert the tensors: ${who === userFormula ? "float32(x)" : 'to("float32")'}`,
    );
  return exactValue(`${who}: ${name}`, value, dtype);
}
