/**
 * PyTorch's recorded programs: {inputs, prog, outs, values | error}. A step is [name, op, args, keywords]; "$x" is a variable, including in
 * lists; a list of names takes the parts of a result.
 */
import { range } from "../../src/tensor/access/indexing.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownOpDifference } from "./known-op-differences.ts";
import type { Fields } from "./records.ts";
import { callTorch, UnknownOpError } from "./torch-call.ts";
import { partsOfResult, recordedParts } from "./torch-compare.ts";
import { isRefusal, judgeParts, saysTheSame } from "./torch-opinfo.ts";
import { type RecordedTensor, tensorOfRecord } from "./torch-values.ts";
import type { Json } from "./values.ts";

type Step = readonly [
  to: string | readonly string[],
  op: string,
  args: readonly Json[],
  keywords?: Record<string, Json>,
];

const words: Readonly<Record<string, number>> = { inf: Infinity, "-inf": -Infinity, nan: NaN };

/** An argument: a variable, an item of an index, a number that JSON has no form for, or what it is. */
function valueIn(variables: ReadonlyMap<string, unknown>, json: Json): unknown {
  if (typeof json === "string") return json.startsWith("$") ? variables.get(json.slice(1)) : (words[json] ?? json);
  if (Array.isArray(json)) return json.map((item) => valueIn(variables, item));
  if (typeof json !== "object" || json === null) return json;
  const { slice, tensor, ellipsis, newaxis } = json as Readonly<Record<string, Json>>;
  if (slice !== undefined) {
    const [start = null, stop = null, step = null] = slice as readonly (number | null)[];
    return range(start, stop, step ?? 1);
  }
  if (tensor !== undefined) return tensorOfRecord(tensor as unknown as RecordedTensor);
  if (ellipsis !== undefined) return "...";
  if (newaxis !== undefined) return null;
  return tensorOfRecord(json as unknown as RecordedTensor);
}

export interface Ran {
  readonly outs: readonly unknown[];
  /** The last op, and what it got. */
  readonly op: string;
  readonly args: readonly unknown[];
  readonly keywords: Readonly<Record<string, unknown>>;
}

type MakeInput = (name: string, recorded: RecordedTensor) => Tensor;

/** Runs a program whose inputs are made by `make`. */
export function ranProgram(
  { inputs, prog, outs }: Fields,
  make: MakeInput = (_name, recorded) => tensorOfRecord(recorded),
): Ran {
  const variables = new Map<string, unknown>();
  for (const [name, recorded] of Object.entries(inputs as Readonly<Record<string, Json>>))
    variables.set(name, make(name, recorded as unknown as RecordedTensor));
  let last: Omit<Ran, "outs"> = { op: "", args: [], keywords: {} };
  for (const [to, op, argNames, named = {}] of prog as unknown as readonly Step[]) {
    const args = argNames.map((arg) => valueIn(variables, arg));
    const keywords = Object.fromEntries(Object.entries(named).map(([name, arg]) => [name, valueIn(variables, arg)]));
    const result = op === "const" ? args[0] : callTorch(op, args, keywords);
    last = { op, args, keywords };
    if (typeof to === "string") variables.set(to, result);
    else for (const [k, part] of partsOfResult(result).entries()) variables.set(to[k] as string, part);
  }
  return { ...last, outs: (outs as readonly string[]).map((name) => variables.get(name)) };
}

/** A program, or its refusal. */
export function judgeProgram(fields: Fields): Verdict {
  const message = (fields.error as { readonly msg: string } | undefined)?.msg;
  let ran: Ran;
  try {
    ran = ranProgram(fields);
  } catch (error) {
    if (error instanceof UnknownOpError) return skipped(error.message);
    if (!(error instanceof Error) || !isRefusal(error)) throw error;
    if (message === undefined) return knownOpDifference(fields, error.message) ?? failed("a result", error.message);
    return passed(saysTheSame(error.message, "", message) ? "refused too" : "refused in other words");
  }
  const { outs, op, args, keywords } = ran;
  if (message !== undefined)
    return knownOpDifference(fields, null) ?? failed(`a refusal: ${message}`, outs.join(", ").slice(0, 200));
  const theirs = recordedParts(fields.values as Json);
  return judgeParts(fields, { op, args: args as Tensor[], keywords }, outs.flatMap(partsOfResult), theirs);
}
