/**
 * PyTorch's records about the dtypes that results have: the rules by themselves, and every op that is recorded, called with tensors of
 * ones. An integer of Python is a bigint here and a float is a number, which has no dtype of its own: see `knownNumber`.
 */
import { isDeepStrictEqual } from "node:util";
import * as api from "../../src/api.ts";
import { complex, type DType, dtypes } from "../../src/storage/dtype.ts";
import {
  type Bucket,
  canCast,
  getDefaultDType,
  promoteTypes,
  resultType,
  setDefaultDType,
  type TypedOperand,
} from "../../src/storage/promotion.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownPromotion } from "./known-differences.ts";
import { knownOpDifference } from "./known-op-differences.ts";
import type { Fields } from "./records.ts";
import { callTorch, UnknownOpError } from "./torch-call.ts";
import { partsOfResult } from "./torch-compare.ts";
import { isRefusal, saysTheSame } from "./torch-opinfo.ts";
import type { Json } from "./values.ts";

// ---- The rules ----------------------------------------------------------------------------------------------------

const buckets: Readonly<Record<string, Bucket>> = { dim: "tensor", "0d": "zeroDim", scalar: "number" };
const scalars: Readonly<Record<string, DType>> = {
  bool: "bool",
  int: "int64",
  float: "float64",
  complex: "complex128",
};

function operandsOf({ kind, a, b }: Fields): TypedOperand[] {
  const kinds = String(kind).split("-");
  return [String(a), String(b)].map((name, i) => {
    const bucket = buckets[kinds[i] as string] as Bucket;
    return { bucket, dtype: bucket === "number" ? (scalars[name] as DType) : (name as DType) };
  });
}

const rules: Readonly<Record<string, (fields: Fields) => Json>> = {
  result_type: (fields) => resultType(...operandsOf(fields)),
  promote_types: ({ a, b }) => promoteTypes(a as DType, b as DType),
  can_cast: ({ a, b }) => canCast(a as DType, b as DType),
};

/** A number of Python that is an integer is a bigint here; a number is a float. */
const inferred: Readonly<Record<string, () => DType>> = {
  "python-int": () => api.tensor(1n).dtype,
  "python-float": () => api.tensor(1.5).dtype,
  "python-bool": () => api.tensor(true).dtype,
  "python-complex": () => (api.tensor(complex(1, 2)) as Tensor).dtype,
  "list-bool-int": () => (api.tensor([true, 1n] as never) as Tensor).dtype,
  "list-int-float": () => (api.tensor([1n, 1.5] as never) as Tensor).dtype,
  "arange-int": () => api.arange(5n).dtype,
  "arange-float": () => api.arange(5).dtype,
  "arange-int-float-step": () => (api.arange as (...range: (number | bigint)[]) => Tensor)(0n, 5n, 0.5).dtype,
  "full-bool": () => (api.full([2], true) as Tensor).dtype,
  "full-int": () => (api.full([2], 1n) as Tensor).dtype,
  "full-float": () => (api.full([2], 1.5) as Tensor).dtype,
  "full-complex": () => (api.full([2], complex(1, 2)) as Tensor).dtype,
};

// ---- The ops ------------------------------------------------------------------------------------------------------

const numbers: Readonly<Record<string, unknown>> = { bool: true, int: 1n, float: 1.5, complex: complex(1, 1) };
const ones = (dtype: string, shape: readonly number[]): Tensor => api.ones(shape, { dtype: dtype as DType });

/** An operand of ones; `isTyped` makes a float the 0-d tensor that PyTorch's promotion sees in it. */
function operand(kind: string, name: string, isTyped: boolean): unknown {
  if (kind !== "scalar") return ones(name, kind === "dim" ? [2] : []);
  return isTyped && name === "float" ? api.tensor(1) : numbers[name];
}

type Names = readonly [op: string, args: readonly unknown[]];
/** Recorded names that stand for an op with certain arguments. */
const special: Readonly<Record<string, (x: Tensor, isTyped: boolean) => Names>> = {
  softmax0: (x) => ["softmax", [x, 0]],
  log_softmax0: (x) => ["log_softmax", [x, 0]],
  logsumexp0: (x) => ["logsumexp", [x, 0]],
  cumsum: (x) => ["cumsum", [x, 0]],
  cumprod: (x) => ["cumprod", [x, 0]],
  logical_xor_self: (x) => ["logical_xor", [x, x]],
  div_self: (x) => ["div", [x, x]],
  mul_float_scalar: (x, isTyped) => ["mul", [x, isTyped ? api.tensor(1.5) : 1.5]],
  mul_complex_scalar: (x) => ["mul", [x, complex(1, 1)]],
};

function namesOf({ op, kind, a, b }: Fields, isTyped: boolean): Names {
  const [left, right] = String(kind).split("-") as [string, string?];
  if (b === undefined) {
    const x = ones(String(a), [2]);
    return special[String(op)]?.(x, isTyped) ?? [String(op), [x]];
  }
  const operands = [operand(left, String(a), isTyped), operand(right as string, String(b), isTyped)];
  return op === "where" ? ["where", [ones("bool", [2]), ...operands]] : [String(op), operands];
}

function dtypeOfOp(fields: Fields, isTyped = false): Json {
  const [op, args] = namesOf(fields, isTyped);
  const [first] = partsOfResult(callTorch(op, args));
  return first instanceof Tensor ? first.dtype : typeof first;
}

/** With the default dtype that the record says. */
function withDefault<T>(kind: Json | undefined, run: () => T): T {
  const expected = /^default_dtype=(\w+)$/.exec(String(kind))?.[1];
  const before = getDefaultDType();
  if (expected !== undefined) setDefaultDType(expected as never);
  try {
    return run();
  } finally {
    setDefaultDType(before);
  }
}

// ---- Verdicts -----------------------------------------------------------------------------------------------------

type Outcome = { readonly answer: Json } | { readonly refusal: string };

function outcomeOf(run: () => Json): Outcome {
  try {
    return { answer: run() };
  } catch (error) {
    if (!(error instanceof Error) || !isRefusal(error)) throw error;
    return { refusal: error.message };
  }
}

function compared({ dtype, value, error }: Fields, ours: Outcome): Verdict {
  const message = (error as { readonly msg: string } | undefined)?.msg;
  const expected = message === undefined ? JSON.stringify(dtype ?? value) : `a refusal: ${message}`;
  if ("refusal" in ours) {
    if (message === undefined) return failed(expected, ours.refusal);
    return passed(saysTheSame(ours.refusal, "", message) ? "refused too" : "refused in other words");
  }
  if (message === undefined && isDeepStrictEqual(ours.answer, dtype ?? value)) return passed("equal");
  return failed(expected, JSON.stringify(ours.answer));
}

const isIntegral = (dtype: Json | undefined): boolean =>
  ["integer", "bool"].includes(dtypes[String(dtype) as DType]?.category);

/** A number takes the dtype of the integers it meets; the 0-d tensor that PyTorch's float stands for gives the recorded dtype. */
function knownNumber(fields: Fields): Verdict | undefined {
  const { op, kind, a, b } = fields;
  const isFloat = a === "float" || b === "float" || op === "mul_float_scalar";
  if (!isFloat || !(isIntegral(a) || isIntegral(b))) return undefined;
  const typed = withDefault(kind, () =>
    compared(
      fields,
      outcomeOf(() => dtypeOfOp(fields, true)),
    ),
  );
  if (typed.kind !== "passed") return undefined;
  return {
    kind: "passed",
    way: "known difference",
    reason:
      "a number has no dtype and takes that of the integers it meets; a 0-d float tensor promotes as PyTorch's float",
  };
}

/** {op, kind, a, b, dtype | value | error}. */
export function judgePromotion(fields: Fields): Verdict {
  const { op, kind, a, dtype } = fields;
  const rule = rules[String(op)];
  const run =
    rule !== undefined ? () => rule(fields) : kind === "infer" ? inferred[String(a)] : () => dtypeOfOp(fields);
  if (run === undefined) return skipped(`promotion by ${op}, ${a}`);
  try {
    const ours = withDefault(kind, () => outcomeOf(run));
    const verdict = compared(fields, ours);
    if (verdict.kind !== "failed") return verdict;
    const known =
      "answer" in ours ? (knownPromotion(op, dtype, ours.answer) ?? knownOpDifference(fields, null)) : undefined;
    return known ?? knownNumber(fields) ?? verdict;
  } catch (error) {
    if (error instanceof UnknownOpError) return skipped(`promotion by ${op}`);
    throw error;
  }
}
