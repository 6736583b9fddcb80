/**
 * Where this library differs from a record on purpose and is right. Each row says for which questions, why, and what must
 * still hold of our answer; the runner counts these apart and prints the reasons.
 */

import { isDeepStrictEqual } from "node:util";
import { offsets } from "../../src/layout/index.ts";
import { parseLayout } from "../../src/layout/notation.ts";
import { indexDType } from "../../src/ops/indices.ts";
import { evaluateCpp } from "./cpp-evaluate.ts";
import { filteredValues } from "./existence.ts";
import type { RecordedCase, Result, Verdict } from "./judge.ts";
import { isPlainLayout, type PlainLayout, type PlainTiler, rankOf, sizeOf } from "./plain.ts";
import { isComposition, isLeftInverse, isRightInverse } from "./properties.ts";
import { isPosition, positionReason } from "./torch-positions.ts";
import type { Json } from "./values.ts";

interface Difference {
  readonly reason: string;
  readonly applies: (question: RecordedCase, answer: Result) => boolean;
}

const layoutArg = (question: RecordedCase): PlainLayout => question.args[0] as unknown as PlainLayout;
const layoutAnswer = (answer: Result): PlainLayout | undefined =>
  answer.kind === "value" && isPlainLayout(answer.json) ? answer.json : undefined;

const differences: readonly Difference[] = [
  {
    reason: "the C++ by-mode composition drops the modes past the tiler; ours keeps them",
    applies: (question, answer) => {
      const ours = layoutAnswer(answer);
      const recorded = question.expected as unknown as PlainLayout | undefined;
      return (
        question.op === "composition_bymode" &&
        ours !== undefined &&
        recorded !== undefined &&
        rankOf(recorded) < rankOf(ours) &&
        isComposition(layoutArg(question), question.args[1] as unknown as PlainTiler, ours)
      );
    },
  },
  {
    reason: "a left inverse is determined on the offsets of the layout only; between them ours follows the C++",
    applies: (question, answer) => {
      const ours = layoutAnswer(answer);
      return question.op === "left_inverse" && ours !== undefined && isLeftInverse(layoutArg(question), ours);
    },
  },
  {
    reason: "a left inverse is searched for among choices of modes when the layout is not injective (decision 0004)",
    applies: (question, answer) =>
      question.op === "left_inverse" &&
      answer.kind === "refused" &&
      new Set(filteredValues(layoutArg(question))).size < filteredValues(layoutArg(question)).length,
  },
  {
    reason: "the Python right_inverse stops at the first mode that does not continue (stride 0); ours reaches further",
    applies: (question, answer) => {
      const ours = layoutAnswer(answer);
      const recorded = question.expected as unknown as PlainLayout | undefined;
      return (
        question.op === "right_inverse" &&
        ours !== undefined &&
        recorded !== undefined &&
        isRightInverse(layoutArg(question), ours, sizeOf(recorded.shape) + 1)
      );
    },
  },
];

export function knownDifference(question: RecordedCase, answer: Result): Verdict | undefined {
  const found = differences.find(({ applies }) => applies(question, answer));
  return found && { kind: "passed", way: "known difference", reason: found.reason };
}

interface ExpressionDifference {
  readonly reason: string;
  readonly applies: (text: string, printed: string) => boolean;
}

const expressionDifferences: readonly ExpressionDifference[] = [
  {
    reason: "the C++ right_inverse of a swizzle that reaches past the domain is not an inverse; ours is",
    applies: (text, printed) => {
      const inner = /^right_inverse\((.*)\)$/.exec(text)?.[1];
      if (inner === undefined) return false;
      const there = offsets(parseLayout(evaluateCpp(inner)));
      return offsets(parseLayout(printed)).every((x, i) => there[x] === i);
    },
  },
];

/** The same for C++ expressions, by their text and what ours prints. */
export function knownExpression(text: string, printed: string): Verdict | undefined {
  const found = expressionDifferences.find(({ applies }) => applies(text, printed));
  return found && { kind: "passed", way: "known difference", reason: found.reason };
}

/** What one of PyTorch's snippets gives here: its result, or the refusal. */
export type TorchOutcome = { readonly result: Json } | { readonly refusal: string };

const negativeStrides = "strides may be negative here, as in NumPy; what leaves the storage is refused";

const ownKeys = "a tensor has only the keys that do something for it: calls without gradients pass autograd by";
const ownWords = "refused in other words, which say what to do";

interface TorchDifference {
  readonly isRefused: boolean;
  readonly reason: string;
  /** The result that is right here, or a part of the message. */
  readonly ours?: Json;
}

/** What the tensor core does otherwise than PyTorch, by the name of the recorded snippet: whether ours is refused, and why. */
const torchDifferences: Readonly<Record<string, TorchDifference>> = {
  "as_strided negative stride": { isRefused: true, reason: negativeStrides },
  "from_numpy negative stride": { isRefused: false, reason: negativeStrides },
  "share storage across dtype via set_": {
    isRefused: true,
    reason: "a storage has no dtype here; set_ refuses a tensor of a different dtype, in other words",
  },
  "out= resize warns": { isRefused: true, reason: "out has the shape of the result; none is resized" },
  "in-place dtype error": {
    isRefused: true,
    reason: "a number with a fraction is refused by integers before anything is cast, in other words",
  },
  "add scalar overflow": {
    isRefused: true,
    reason: "a number that the dtype cannot hold is refused, and does not wrap",
  },
  "channels_last needs 4d": { isRefused: true, reason: "channels_last is spelled channelsLast" },
  "keyset of cpu tensor": { isRefused: false, reason: ownKeys, ours: "DispatchKeySet(cpu)" },
  "keyset requires grad same": { isRefused: false, reason: ownKeys, ours: [false] },
  "conj tensor keyset has Conjugate": {
    isRefused: false,
    reason: "conj computes its result, so no key stands for one that is still to be computed",
    ours: "DispatchKeySet(cpu)",
  },
  "torch_dispatch mode logs": {
    isRefused: false,
    reason: "the ops have other names, and the backward pass needs fewer",
    ours: ["mul", "sum", "ones", "expand", "elementwise", "clone"],
  },
  "in-place broadcast from size1 self": {
    isRefused: true,
    reason: ownWords,
    ours: "the result has shape [3], which x of shape [1] cannot hold",
  },
  "inference tensor no version": {
    isRefused: true,
    reason: ownWords,
    ours: "inference tensors have no version counter",
  },
  "dtype view needs last stride 1": {
    isRefused: true,
    reason: ownWords,
    ours: "the last stride must be 1 to view int8 as int32, got 4",
  },
  "view_as_complex needs last dim 2": { isRefused: true, reason: ownWords, ours: "the last axis must have size 2" },
  "view_as_complex stride rule": { isRefused: true, reason: ownWords, ours: "the last axis must have stride 1" },
  "as_strided negative offset": {
    isRefused: true,
    reason: ownWords,
    ours: "the storage offset must be a non-negative integer",
  },
  "iterate 0-d": { isRefused: true, reason: ownWords, ours: "a 0-d tensor has no axis to iterate over" },
  "item multi": { isRefused: true, reason: ownWords, ours: "a tensor with 2 elements cannot be converted to a scalar" },
  "tensor big int": { isRefused: true, reason: ownWords, ours: "does not fit int64" },
  "view -1 twice": { isRefused: true, reason: ownWords, ours: "only one size can be -1" },
  "permute wrong len": { isRefused: true, reason: ownWords, ours: "the order must contain all 2 axes, got [0, 1, 2]" },
  "dim range": { isRefused: true, reason: ownWords, ours: "axis 2 is out of range, expected -2 to 1" },
  "select 0-d": { isRefused: true, reason: ownWords, ours: "the tensor has no axes" },
  "split_with_sizes error": {
    isRefused: true,
    reason: ownWords,
    ours: "sizes must add up to 7, the size of axis 0, got [3, 3]",
  },
  "vmap in-place error": { isRefused: true, reason: ownWords, ours: "cannot hold the results of all 3 samples" },
  "vmap item error": { isRefused: true, reason: ownWords, ours: "Choose by where(condition, a, b) instead" },
};

/** The same for PyTorch's snippets. */
export function knownTorchDifference(name: string, ours: TorchOutcome): Verdict | undefined {
  const found = torchDifferences[name];
  if (found === undefined || found.isRefused !== "refusal" in ours) return undefined;
  if (found.ours !== undefined && !("refusal" in ours && ours.refusal.includes(String(found.ours))))
    if (!("result" in ours && isDeepStrictEqual(ours.result, found.ours))) return undefined;
  return { kind: "passed", way: "known difference", reason: found.reason };
}

/** A view that PyTorch refuses and that exists here: slices that step backwards, strides that do. */
export function knownView(op: string, args: readonly Json[]): Verdict | undefined {
  const isBackwards =
    (op === "slice" && Number(args[3]) < 0) ||
    (op === "as_strided" && (args[1] as readonly number[]).some((stride) => stride < 0));
  return isBackwards ? { kind: "passed", way: "known difference", reason: negativeStrides } : undefined;
}

/** There is no complex32, the next larger complex dtype stands for it; and a truth value is always a bool. */
export function knownPromotion(op: Json | undefined, recorded: Json | undefined, ours: Json): Verdict | undefined {
  const known = (reason: string): Verdict => ({ kind: "passed", way: "known difference", reason });
  if (recorded === "complex32" && ours === "complex64") return known("there is no complex32; complex64 stands for it");
  if (isPosition(String(op), 0) && recorded === "int64" && ours === indexDType) return known(positionReason);
  if ((op === "any" || op === "all") && recorded === "uint8" && ours === "bool")
    return known("any and all are bool for every dtype, as they are in NumPy");
  return undefined;
}
