/**
 * PyTorch's own samples of its ops: {op, variant, input, args, kwargs, out}, or, with error_case, a call that throws. A sample calls
 * op(input, *args, **kwargs); where the sample's order is not that of the op, `sampled` says how it is meant.
 */

import { StridewiseError } from "../../src/base/errors.ts";
import { complex, type DType } from "../../src/storage/dtype.ts";
import { range } from "../../src/tensor/access/indexing.ts";
import { failed, type PassReason, passed, skipped, type Verdict } from "./judge.ts";
import { knownOpDifference } from "./known-op-differences.ts";
import type { Fields } from "./records.ts";
import { callTorch, type Keywords, UnknownOpError } from "./torch-call.ts";
import { kindDifference, partDifference, partsOfResult, type RecordedPart, recordedParts } from "./torch-compare.ts";
import { positionReason, withPositions } from "./torch-positions.ts";
import { otherAnswer } from "./torch-properties.ts";
import { type RecordedTensor, tensorOfRecord, valueOf } from "./torch-values.ts";
import type { Json } from "./values.ts";

type MakeTensor = (recorded: RecordedTensor) => unknown;

/** An argument of a sample as this library takes it. */
function decoded(json: Json, make: MakeTensor): unknown {
  if (Array.isArray(json)) return json.map((item) => decoded(item, make));
  if (typeof json !== "object" || json === null) return json;
  const [kind, content] = Object.entries(json)[0] as [string, Json];
  switch (kind) {
    case "$t":
      return make(content as unknown as RecordedTensor);
    case "$f":
      return valueOf(content);
    case "$c": {
      const [re, im] = content as readonly Json[];
      return complex(valueOf(re as Json) as number, valueOf(im as Json) as number);
    }
    case "$dtype":
      return content as DType;
    case "$slice": {
      const [start, stop, step] = content as readonly [number | null, number | null, number | null];
      return range(start, stop, step ?? 1);
    }
    default:
      return content;
  }
}

type Args = readonly unknown[];
type Meant = (args: Args, keywords: Keywords) => unknown;
const meantAs =
  (op: string, ...order: readonly number[]): Meant =>
  (args, keywords) =>
    callTorch(op, [...order.map((k) => args[k]), ...args.slice(order.length)], keywords);

/** torch.masked casts results to the dtype of the input, positions and logarithms too: so that their values are compared, it is done here. */
const castBack =
  (op: string): Meant =>
  (args, keywords) =>
    callTorch("to", [callTorch(op, args, keywords), (args[0] as { readonly dtype: DType }).dtype]);

/** Samples that mean more than op(input, *args): arguments in a different order, a part of the result. By op, or by op and variant. */
const sampled: Readonly<Record<string, Meant>> = {
  where: meantAs("where", 1, 0, 2),
  polygamma: meantAs("polygamma", 1, 0),
  "special.polygamma": meantAs("polygamma", 1, 0),
  einsum: ([operands, equation], keywords) => callTorch("einsum", [equation, ...(operands as Args)], keywords),
  "nn.functional.embedding": meantAs("embedding", 1, 0),
  "nn.functional.embedding_bag": meantAs("embedding_bag", 1, 0),
  __getitem__: ([x, items]) => {
    const isOne = !Array.isArray(items) || items.every((item) => typeof item === "number");
    return callTorch("index", [x, isOne ? [items] : items]);
  },
  "masked.argmax": castBack("masked.argmax"),
  "masked.argmin": castBack("masked.argmin"),
  "masked.logsumexp": castBack("masked.logsumexp"),
  "normal in_place": meantAs("normal_"),
  zero_: ([x]) => callTorch("zero_", [callTorch("clone", [x])]),
  cauchy: meantAs("cauchy_"),
  log_normal: meantAs("log_normal_"),
  "linalg.lstsq grad_oriented": (args, keywords) => partsOfResult(callTorch("linalg.lstsq", args, keywords))[0],
  svd_lowrank: ([a, b], keywords) =>
    callTorch("svd_lowrank", [callTorch("matmul", [a, callTorch("mT", [b])])], keywords),
  pca_lowrank: ([a, b], keywords) =>
    callTorch("pca_lowrank", [callTorch("matmul", [a, callTorch("mT", [b])])], keywords),
  "linalg.pinv singular": ([a, b], keywords) =>
    callTorch("linalg.pinv", [callTorch("matmul", [a, callTorch("mT", [b])])], keywords),
};

/** Ops whose values are random, or not set. */
export const isRandom = (op: string, keywords: Keywords): boolean =>
  /^(new_)?(empty|rand)\w*$|^(bernoulli|multinomial|normal|log_normal|cauchy|exponential|geometric|uniform)$/.test(
    op,
  ) ||
  /fractional_max_pool/.test(op) ||
  (/dropout|rrelu/.test(op) && keywords.training !== false) ||
  Number(keywords.dropout_p ?? 0) > 0;

export const isLinear = (op: string): boolean =>
  /linalg|chole|svd|lu$|lu_|qr|inverse|det$|lstsq|pinv|solve|matrix_exp|lowrank/.test(op);

interface Attempt {
  readonly result?: unknown;
  readonly refusal?: Error;
}

function attempted(run: () => unknown): Attempt {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof UnknownOpError || !(error instanceof Error)) throw error;
    return { refusal: error };
  }
}

/** A refusal of ours says who; anything else thrown is a crash. */
export const isRefusal = (error: Error): boolean => error instanceof StridewiseError;

/** PyTorch's sentence may be a pattern; a text that is none is looked for as it is. */
export function saysTheSame(ours: string, pattern: string, sentence: string): boolean {
  const flat = (text: string): string => text.replace(/\s+/g, " ").toLowerCase();
  try {
    if (pattern !== "" && new RegExp(pattern, "i").test(ours)) return true;
  } catch {
    // No pattern of JavaScript's.
  }
  const message = flat(sentence.replace(/^[\w.]+(\(\w*\))?: /, "")).replace(/\.$/, "");
  return message !== "" && flat(ours).includes(message);
}

interface Called {
  readonly op: string;
  readonly args: readonly unknown[];
  readonly keywords: Keywords;
}

/** What a sample calls, with tensors made by `make`. */
export function calledBy(fields: Fields, make: MakeTensor): Called {
  const decode = (json: Json): unknown => decoded(json, make);
  const args = [fields.input ?? null, ...((fields.args ?? []) as readonly Json[])].map(decode);
  const named = Object.entries((fields.kwargs ?? {}) as Readonly<Record<string, Json>>);
  return {
    op: String(fields.op),
    args,
    keywords: Object.fromEntries(named.map(([name, value]) => [name, decode(value)])),
  };
}

/** What a sample gives for these arguments. */
export function resultOf({ variant }: Fields, { op, args, keywords }: Called): unknown {
  const meant = sampled[`${op} ${variant}`] ?? sampled[op];
  return meant === undefined ? callTorch(op, args, keywords) : meant(args, keywords);
}

/** The result of a sample whose tensors are made in another way than as recorded. */
export const sampleResult = (fields: Fields, make: MakeTensor): unknown => resultOf(fields, calledBy(fields, make));

/** A sample of an op. */
export function judgeSample(fields: Fields): Verdict {
  const message = (fields.error as { readonly msg: string } | undefined)?.msg ?? "";
  if (fields.variant === "partial_views" || message.includes("refer to a single memory location"))
    return skipped("memory that tensors share, which the record does not hold");
  const called = calledBy(fields, tensorOfRecord);
  let outcome: Attempt;
  try {
    outcome = attempted(() => resultOf(fields, called));
  } catch (error) {
    if (error instanceof UnknownOpError) return skipped(`op ${called.op}`);
    throw error;
  }
  const { result, refusal } = outcome;
  if (fields.error_case === true) return judgeError(fields, outcome);
  if (refusal === undefined)
    return judgeParts(fields, called, partsOfResult(result), recordedParts(fields.out as Json));
  return knownOpDifference(fields, refusal.message) ?? failed("a result", describeRefusal(refusal));
}

const describeRefusal = (error: Error): string =>
  isRefusal(error) ? `refused: ${error.message}` : `CRASH: ${error.stack?.split("\n").slice(0, 3).join(" ")}`;

function judgeError(fields: Fields, { result, refusal }: Attempt): Verdict {
  const { msg } = fields.error as { readonly msg: string };
  const expected = `a refusal: ${msg}`;
  if (refusal === undefined)
    return (
      knownOpDifference(fields, null) ?? failed(expected, `a result: ${partsOfResult(result).join(", ").slice(0, 200)}`)
    );
  if (!isRefusal(refusal)) return failed(expected, describeRefusal(refusal));
  const isSame = saysTheSame(refusal.message, String(fields.error_regex ?? ""), msg);
  return passed(isSame ? "refused too" : "refused in other words");
}

/** Compares the parts of a result with the recorded ones, as far as the op determines them. */
export function judgeParts(
  fields: Fields,
  { op, args, keywords }: Called,
  ours: readonly unknown[],
  recorded: readonly RecordedPart[],
): Verdict {
  if (ours.length !== recorded.length) return failed(`${recorded.length} parts`, `${ours.length} parts`);
  const theirs = withPositions(op, ours, recorded);
  const passedBy = (way: PassReason): Verdict =>
    theirs.every((part, k) => part === recorded[k]) ? passed(way) : passed("known difference", positionReason);
  const random = isRandom(op, keywords);
  const difference = firstDifference(ours, theirs, (x, y) =>
    random ? kindDifference(x, y) : partDifference(x, y, isLinear(op)),
  );
  if (difference === null) return passedBy(random ? "by shape and dtype, the values are random" : "equal");
  const isSameKind = firstDifference(ours, theirs, kindDifference) === null;
  if (isSameKind && otherAnswer(op, args, keywords, ours, theirs)) return passedBy("another valid answer");
  return knownOpDifference(fields, difference) ?? failed("the recorded result", difference);
}

function firstDifference(
  ours: readonly unknown[],
  theirs: readonly RecordedPart[],
  compare: (ours: unknown, theirs: RecordedPart) => string | null,
): string | null {
  for (const [k, part] of theirs.entries()) {
    const difference = compare(ours[k], part);
    if (difference !== null) return theirs.length === 1 ? difference : `part ${k}: ${difference}`;
  }
  return null;
}
