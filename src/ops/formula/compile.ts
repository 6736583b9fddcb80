/**
 * Compiles a formula over operands of some dtypes to the spec of an elementwise kernel.
 * Tensors become inputs. Numbers become scalars, one for each dtype in which the formula needs them; their values are not used. Errors about
 * dtypes show the position in the formula.
 */
import { ParseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { checkedValue } from "../../kernel/checked-value.ts";
import { isScalarFunction } from "../../kernel/ir/functions.ts";
import { cast, constantScalar, namedScalar, parameterScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import type { MapSpec } from "../../kernel/map/spec.ts";
import { kernelNames } from "../../kernel/map/spec.ts";
import { computedAs, type DType, DTypeError, dtypes, isDType, type Value } from "../../storage/dtype.ts";
import { type Bucket, checkCast, getDefaultComplexDType, getDefaultDType } from "../../storage/promotion.ts";
import { applyFunction, convertTo, likeOther, mayWrap } from "./apply.ts";
import { type CompositeFunction, compositeOf } from "./functions.ts";
import {
  type Formula,
  type FunctionNode,
  inOrder,
  type LiteralNode,
  type Node,
  onlyValue,
  userFormula,
} from "./node.ts";
import { parsedOnce } from "./parse.ts";
import { fixedValue, floatOf, rankOf, type TypedValue, typedValue } from "./value.ts";

/** The dtype and bucket of an operand; the dtype of a plain number is null. */
export interface OperandKind {
  readonly dtype: DType | null;
  readonly bucket: Bucket;
}

/** A scalar of the kernel: operand number `operand` as this dtype. */
export interface ScalarUse {
  readonly operand: number;
  readonly dtype: DType;
}

interface CompiledFormula {
  readonly spec: MapSpec;
  /** The operands that are inputs of the kernel, in its order. */
  readonly inputs: readonly number[];
  readonly scalars: readonly ScalarUse[];
}

/** Returns the kernel's spec; `outputs` has the dtypes of existing outputs, null for new ones. */
export function compileFormula(
  formula: Formula,
  kinds: readonly OperandKind[],
  outputs: readonly (DType | null)[],
): CompiledFormula {
  const inputs = kinds.flatMap(({ bucket }, k) => (bucket === "number" ? [] : [k]));
  const scalars: ScalarUse[] = [];
  const useScalar = (operand: number, dtype: DType): number => {
    const known = scalars.findIndex((use) => use.operand === operand && use.dtype === dtype);
    return known >= 0 ? known : scalars.push({ operand, dtype }) - 1;
  };
  /** The dtype to which integers are converted before they are computed; null if they are not converted. */
  let floatDType: DType | null = null;
  /** Evaluates the formula: first on placeholders, to determine dtypes and scalars. */
  const evaluate = (input: (k: number) => Scalar, scalar: (k: number) => Scalar): TypedValue[] => {
    const operands = new Map<string, TypedValue>();
    for (const [k, { dtype, bucket }] of kinds.entries()) {
      const value =
        bucket === "number"
          ? typedValue(dtype, bucket, (target) => scalar(useScalar(k, target)))
          : fixedValue(dtype as DType, bucket, cast(computedAs(dtype as DType), input(inputs.indexOf(k))));
      operands.set(formula.operands[k], value);
    }
    const valueOf = evaluator(operands, (node, args) => {
      try {
        return applied(node.fn, args, floatDType);
      } catch (error) {
        throw error instanceof DTypeError ? located(error, formula, node, args) : error;
      }
    });
    const values = formula.outputs.map(({ value }) => value);
    // Arguments first, so that no formula is too deep for the stack.
    inOrder(values).forEach(valueOf);
    return values.map(valueOf);
  };
  const inputType = (k: number): DType => kinds[k].dtype as DType;
  const evaluateDry = (): TypedValue[] =>
    evaluate(
      (k) => namedScalar(inputType(inputs[k]), `${k}`),
      (k) => parameterScalar(scalars[k].dtype, `${k}`),
    );
  let dry = evaluateDry();
  // Ops with float results convert integers before they compute. User-defined formulas convert explicitly.
  if (
    formula.who !== userFormula &&
    dry.every((value) => rankOf(resultOf(value)) === 2) &&
    inputs.some((k) => rankOf(inputType(k)) < 2)
  ) {
    floatDType = resultOf(dry[0]);
    scalars.length = 0;
    dry = evaluateDry();
  }
  const results = dry.map((value, k) => storedAs(formula.who, value, outputs[k] ?? null));
  const stored = (values: readonly TypedValue[]): Scalar[] =>
    values.map((value, k) => cast(results[k], value.as(computedAs(resultOf(value)))));
  // Storing may use further scalars.
  const values = stored(dry);
  const operandNames = (list: readonly number[]): string[] => list.map((k) => formula.operands[k]);
  const names = kernelNames(
    formula.outputs.map(({ name }) => name ?? "out"),
    operandNames(inputs),
    scalars.map(({ operand, dtype }, k) => {
      const name = formula.operands[operand];
      return scalars.findIndex((use) => use.operand === operand) === k ? name : `${name}_${shortName(dtype)}`;
    }),
  );
  const spec: MapSpec = {
    name: `${shortName(results[0])}_${titleOf(formula)}`,
    outputs: results,
    inputs: inputs.map(inputType),
    scalars: scalars.map(({ dtype }) => dtype),
    names,
    values,
    body: (operands, numbers) =>
      stored(
        evaluate(
          (k) => operands[k],
          (k) => numbers[k],
        ),
      ),
  };
  return { spec, inputs, scalars };
}

const resultOf = ({ dtype }: TypedValue): DType => dtype ?? getDefaultDType();

/** Returns the dtype of an output; throws if the result cannot be cast to that of an existing one. */
function storedAs(who: string, value: TypedValue, existing: DType | null): DType {
  const result = resultOf(value);
  if (existing === null) return result;
  checkCast(who, result, existing, who === userFormula ? `Convert it in the formula: ${existing}(...)` : undefined);
  return existing;
}

/** Returns the function from nodes to values. Equal nodes, calls and literals are computed once, except complex literals and -0. */
function evaluator(
  operands: ReadonlyMap<string, TypedValue>,
  apply: (node: FunctionNode, args: readonly TypedValue[]) => TypedValue,
): (node: Node) => TypedValue {
  const known = new Map<Node, TypedValue>();
  const equal = new Map<string, TypedValue>();
  const compute = (node: Node): TypedValue => {
    if (node.kind === "name") return operands.get(node.name) as TypedValue;
    if (node.kind === "literal") {
      const { value, category } = node;
      if (typeof value === "object" || Object.is(value, -0)) return literalValue(node);
      return getOrCompute(equal, `${category} ${value}`, () => literalValue(node));
    }
    const args = node.args.map(valueOf);
    let key = node.fn;
    for (const { id } of args) key += ` ${id}`;
    return getOrCompute(equal, key, () => apply(node, args));
  };
  const valueOf = (node: Node): TypedValue => getOrCompute(known, node, compute);
  return valueOf;
}

/** Adds to an error the body of the function, and for user-defined formulas the position in the text. */
function located(
  { message }: DTypeError,
  formula: Formula,
  { fn, at }: FunctionNode,
  args: readonly TypedValue[],
): DTypeError {
  const { who } = formula;
  const composite = fn === who ? undefined : compositeOf(fn);
  const inside = composite === undefined ? "" : `in ${fn}(${composite.parameters}) = ${bodyFor(composite, args)}: `;
  if (who !== userFormula || formula.isDerived) return new DTypeError(`${inside}${message}`);
  return new DTypeError(new ParseError(`${who}: ${inside}${message}`, formula.text, at).message);
}

function bodyFor({ body, complex, single }: CompositeFunction, args: readonly TypedValue[]): string {
  if (args.some(({ dtype }) => rankOf(dtype) === 3)) return complex;
  return args.every(({ dtype }) => dtype !== null && computedAs(dtype) === "float32") ? single : body;
}

function applied(fn: string, args: readonly TypedValue[], real: DType | null): TypedValue {
  if (isScalarFunction(fn)) return applyFunction(fn, mayWrap(fn, args) ? args.map((arg) => asReal(arg, real)) : args);
  const [first, second] = args;
  if (isDType(fn)) return convertTo(fn, first);
  if (fn === "like") return likeOther(first, second);
  const composite = compositeOf(fn) as CompositeFunction;
  const { parameters, isFloat } = composite;
  const values = isFloat ? args.map((arg) => asFloat(asReal(arg, real))) : args;
  const operands = new Map(parameters.split(", ").map((name, k) => [name, values[k]]));
  const valueOf = evaluator(operands, (node, inner) => applied(node.fn, inner, real));
  return valueOf(onlyValue(parsedOnce(bodyFor(composite, values))));
}

const labeled = (value: TypedValue, dtype: DType): TypedValue =>
  dtype === value.dtype ? value : typedValue(dtype, value.bucket, (target) => value.as(target));

const asFloat = (value: TypedValue): TypedValue => labeled(value, floatOf(value.dtype));

/** An integer or bool tensor as a value of the dtype `real`, if it is not null; other values unchanged. */
const asReal = (value: TypedValue, real: DType | null): TypedValue =>
  real === null || value.bucket === "number" || rankOf(value.dtype) >= 2 ? value : labeled(value, real);

function literalValue({ value, category }: LiteralNode): TypedValue {
  let dtype: DType = category === "bool" ? "bool" : "int64";
  if (category === "float") dtype = getDefaultDType();
  if (category === "complex") dtype = getDefaultComplexDType();
  const literal = typeof value === "number" ? value : null;
  return typedValue(dtype, "number", (target) => constantScalar(target, constantIn(target, value)), literal);
}

/** The literal as a constant of a dtype that can hold it. */
function constantIn(dtype: DType, value: Value): Value {
  const { category } = dtypes[dtype];
  if (category === "complex") return typeof value === "object" ? value : { re: Number(value), im: 0 };
  if (category === "float") return Number(value);
  if (category === "bool") return Boolean(value);
  return checkedValue("a literal", typeof value === "boolean" ? Number(value) : value, dtype);
}

/** The name of a formula in the names of its kernels: its first functions, mul_add. */
function titleOf({ outputs }: Formula): string {
  const names: string[] = [];
  const visit = (node: Node): void => {
    if (node.kind !== "call" || names.length > 4) return;
    node.args.forEach(visit);
    names.push(node.fn);
  };
  for (const { value } of outputs) visit(value);
  return names.slice(0, 4).join("_") + (names.length > 4 ? "_more" : names.length === 0 ? "copy" : "");
}
