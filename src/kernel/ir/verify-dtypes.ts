/**
 * The rules about dtypes and access: every value is as its maker would return it, and every statement has values of the dtypes it requires.
 * The makers of `scalar.ts` are called again, because a kernel may be written by hand.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { checkedValue } from "../checked-value.ts";
import type { NameBinding, NameBindings } from "./bindings.ts";
import { isScalarFunction, scalarFunctions } from "./functions.ts";
import type { Statement } from "./kernel.ts";
import { bitcast, type ConstantScalar, call, loadScalar, type Scalar } from "./scalar.ts";
import type { KernelRule } from "./verify-rule.ts";
import { scalarsOf } from "./visit.ts";

const dtypeOf = (bindings: NameBindings, name: string): DType =>
  (bindings.get(name) as NameBinding & { dtype: DType }).dtype;

export const dtypesRule: KernelRule = {
  name: "dtypes",
  text: "Values are well typed; stores, masks, conditions, accumulators and fetches take the dtype they need.",
  check({ bindings, statements }, report) {
    for (const { statement } of statements) {
      for (const value of scalarsOf(statement)) {
        const fault = faultOf(value, bindings);
        if (fault !== undefined) report(statement, fault);
      }
      const fault = statementFault(statement, bindings);
      if (fault !== undefined) report(statement, fault);
    }
  },
};

function statementFault(statement: Statement, bindings: NameBindings): string | undefined {
  if (statement.kind === "store") {
    const dtype = dtypeOf(bindings, statement.buffer);
    if (statement.value.dtype !== dtype)
      return `${statement.buffer} holds ${dtype}, but the value is ${statement.value.dtype}. Cast it first.`;
    if (statement.mask !== undefined && statement.mask.dtype !== "bool")
      return `the mask must be bool, got ${statement.mask.dtype}.`;
  } else if (statement.kind === "if") {
    if (statement.condition.dtype !== "bool") return `the condition must be bool, got ${statement.condition.dtype}.`;
  } else if (statement.kind === "accumulate") {
    const dtype = dtypeOf(bindings, statement.into);
    const { fn, value } = statement;
    if (value.dtype !== dtype) return `${statement.into} is ${dtype}, but the value is ${value.dtype}. Cast it first.`;
    return refusal(() => scalarFunctions[fn].dtypeOf(fn, [dtype, dtype]));
  } else if (statement.kind === "fetch" && dtypes[statement.value.dtype].category !== "integer")
    return `a fetch needs an integer, got ${statement.value.dtype}.`;
  return undefined;
}

/** Returns the error of a value's maker, or undefined. */
function faultOf(value: Scalar, bindings: NameBindings): string | undefined {
  switch (value.kind) {
    case "constant":
      return constantFault(value);
    case "parameter":
    case "named":
      return differs(value.name, dtypeOf(bindings, value.name), value.dtype);
    case "load":
      if (value.mask !== undefined && value.otherwise === undefined)
        return `load of ${value.buffer}: a masked load needs the value where the mask is false.`;
      return (
        differs(value.buffer, dtypeOf(bindings, value.buffer), value.dtype) ??
        refusal(() => loadScalar(value.dtype, value.buffer, value.index, value.mask, value.otherwise))
      );
    case "index": {
      const { category, itemsize } = dtypes[value.dtype];
      const fits = category === "integer" || (category === "float" && itemsize > 2);
      return fits ? undefined : `an integer expression cannot be a value of ${value.dtype}. Cast it from int32.`;
    }
    case "cast":
      if (value.of.dtype === value.dtype) return `a cast from ${value.dtype} to itself. Omit it.`;
      return value.how === "bits" ? refusal(() => bitcast(value.dtype, value.of)) : undefined;
    case "call":
      if (!isScalarFunction(value.fn)) return `${value.fn} is not a function.`;
      return (
        refusal(() => call(value.fn, ...value.args)) ??
        differs(value.fn, call(value.fn, ...value.args).dtype, value.dtype)
      );
    default:
      return value satisfies never;
  }
}

const differs = (what: string, actual: DType, used: DType): string | undefined =>
  actual === used ? undefined : `${what} is ${actual}, but is used as ${used}.`;

function constantFault({ dtype, value }: ConstantScalar): string | undefined {
  const isWhole = typeof value !== "number" || Number.isSafeInteger(value);
  if (dtypes[dtype].category === "integer" && !isWhole)
    return `${value} is not a constant of ${dtype}. Use an integer, past 2^53 as a bigint.`;
  return refusal(() => checkedValue("constant", value, dtype));
}

function refusal(make: () => unknown): string | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    if (error instanceof StridewiseError) return error.message;
    throw error;
  }
}

export const accessRule: KernelRule = {
  name: "access",
  text: "A buffer that is only written is not loaded, and one that is only read is not stored to.",
  check({ bindings, statements }, report) {
    for (const { statement } of statements) {
      const accessOf = (name: string) => (bindings.get(name) as NameBinding & { kind: "buffer" }).access;
      const loaded = new Set(scalarsOf(statement).flatMap((value) => (value.kind === "load" ? [value.buffer] : [])));
      for (const name of loaded)
        if (accessOf(name) === "write")
          report(statement, `${name} is declared write, and is loaded. Make it readwrite.`);
      if (statement.kind === "store" && accessOf(statement.buffer) === "read")
        report(statement, `${statement.buffer} is declared read, and is stored to. Make it write or readwrite.`);
    }
  },
};
