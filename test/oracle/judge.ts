/**
 * The comparison with one recorded result. It passes if ours is equal, or the same function in a different form; if both throw;
 * or, if the record is known or found to be wrong, if ours satisfies the defining property (or no result can).
 */
import { isDeepStrictEqual } from "node:util";
import { StridewiseError } from "../../src/base/errors.ts";
import { knownDifference } from "./known-differences.ts";
import { type Op, ops } from "./ops.ts";
import { hasSameValues, isPlainLayout, isSameDomain, type PlainLayout } from "./plain.ts";
import { decode, encode, type Json, type Marking, show, UnknownFormError, type Value } from "./values.ts";

/** The reasons why a record passes. */
export type PassReason =
  | "equal"
  | "equal but for static marks or trailing spaces"
  | "refused too"
  | "refused in other words"
  | "by shape and dtype, the values are random"
  | "another valid answer"
  | "the same function in a different form"
  | "by the property"
  | "the record is proved wrong"
  | "no answer exists"
  | "known difference";

export type Verdict =
  | { readonly kind: "passed"; readonly way: PassReason; readonly reason?: string }
  | { readonly kind: "failed"; readonly expected: string; readonly got: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** A recorded call with its recorded result. */
export interface RecordedCase {
  readonly id: string;
  readonly op: string;
  readonly args: readonly Json[];
  readonly marking: Marking;
  /** The recorded result; undefined for an error. */
  readonly expected: Json | undefined;
  /** True if the recorded result is known to be wrong, or the record compares implementations that disagree. */
  readonly isDisputed: boolean;
}

/** The library's result: a value, or its error. Any other thrown value is a crash. */
export type Result =
  | { readonly kind: "value"; readonly value: Value; readonly json: Json }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "crashed"; readonly message: string };

export function attempt(run: () => Value): Result {
  try {
    const value = run();
    return { kind: "value", value, json: encode(value) };
  } catch (error) {
    if (error instanceof UnknownFormError) throw error;
    const message = error instanceof Error ? `${error.name}: ${error.message.split("\n")[0]}` : String(error);
    return { kind: error instanceof StridewiseError ? "refused" : "crashed", message };
  }
}

export const passed = (way: PassReason, reason?: string): Verdict => ({
  kind: "passed",
  way,
  ...(reason ? { reason } : {}),
});
export const failed = (expected: string, got: string): Verdict => ({ kind: "failed", expected, got });
export const skipped = (reason: string): Verdict => ({ kind: "skipped", reason });
export const describe = (answer: Result): string =>
  answer.kind === "value"
    ? show(answer.json)
    : `${answer.kind === "refused" ? "refused" : "CRASH"} (${answer.message})`;

/** The same function in a different form; the modes count unless only the 1-D function does. */
export function isSameFunction(a: Json, b: Json, isFlat: boolean): boolean {
  if (isPlainLayout(a) && isPlainLayout(b))
    return (
      (isFlat || isSameDomain(a.shape as PlainLayout["shape"], b.shape as PlainLayout["shape"])) &&
      hasSameValues(a as PlainLayout, b as PlainLayout)
    );
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((part, i) => isSameFunction(part, b[i] as Json, isFlat));
  return isDeepStrictEqual(a, b);
}

/** Ours is right, or refuses where nothing is right. Undefined if brute force says neither. */
function byBruteForce(op: Op, args: readonly Json[], answer: Result): Verdict | undefined {
  if (answer.kind === "value") return op.holds?.(args, answer.json) ? passed("by the property") : undefined;
  if (answer.kind === "refused" && op.exists && !op.exists(args)) return passed("no answer exists");
  return undefined;
}

export function judge(question: RecordedCase): Verdict {
  const op = Object.hasOwn(ops, question.op) ? ops[question.op] : undefined;
  if (!op) return skipped(`op ${question.op}`);
  const { args, expected } = question;
  const answer = attempt(() =>
    op.run(
      args.map((arg) => decode(arg, question.marking)),
      question,
    ),
  );
  return (
    judgeKnown(op, question, answer) ??
    knownDifference(question, answer) ??
    judgeWrongRecord(op, question, answer) ??
    failed(
      expected === undefined ? "a refusal" : show(expected) + (question.isDisputed ? " (disputed)" : ""),
      describe(answer),
    )
  );
}

function judgeKnown(op: Op, question: RecordedCase, answer: Result): Verdict | undefined {
  const { args } = question;
  const expected = question.expected !== undefined && op.view ? op.view(question.expected) : question.expected;
  if (answer.kind === "crashed") return undefined;
  if (expected === undefined)
    return answer.kind === "refused" && !question.isDisputed ? passed("refused too") : byBruteForce(op, args, answer);
  if (question.isDisputed) return byBruteForce(op, args, answer);
  if (answer.kind === "value") {
    if (isDeepStrictEqual(answer.json, expected)) return passed("equal");
    const isRight = op.holds?.(args, answer.json) ?? true;
    if (isRight && isSameFunction(answer.json, expected, op.isFlat ?? false))
      return passed("the same function in a different form");
  }
  return undefined;
}

/** Many records say nothing of their own truth: where brute force proves one wrong, ours is judged by the property. */
function judgeWrongRecord(op: Op, { args, expected }: RecordedCase, answer: Result): Verdict | undefined {
  if (answer.kind === "crashed" || expected === undefined || !op.holds) return undefined;
  if (op.holds(args, op.view ? op.view(expected) : expected)) return undefined;
  return byBruteForce(op, args, answer) && passed("the record is proved wrong");
}
