/**
 * The verifier: which rules of the IR a kernel breaks. The rules are a table; the first, about names, is what the others rely on, so
 * where it is broken only it is reported. A finding is an error, or "unproved": the rule may hold and could not be decided.
 * It promises no false errors; a kernel without findings keeps every rule below.
 */
import { StridewiseError } from "../../base/errors.ts";
import { parameterBindings, statementBindings } from "./bindings.ts";
import { KernelError } from "./error.ts";
import { type Settled, settle } from "./extent.ts";
import type { Kernel } from "./kernel.ts";
import { kernelText } from "./print.ts";
import { accessRule, dtypesRule } from "./verify-dtypes.ts";
import { expressionsRule } from "./verify-expressions.ts";
import { loopsRule, memoryRule, vectorRule } from "./verify-loops.ts";
import { boundsRule, writesRule } from "./verify-memory.ts";
import { namesRule } from "./verify-names.ts";
import type { FindingLevel, Inspection, KernelFacts, KernelRule, Report } from "./verify-rule.ts";
import { placesOf } from "./visit.ts";

export const kernelRules: readonly KernelRule[] = [
  namesRule,
  dtypesRule,
  accessRule,
  expressionsRule,
  loopsRule,
  vectorRule,
  memoryRule,
  boundsRule,
  writesRule,
];

/** What a rule says of one line of the kernel's text. */
export interface Finding {
  readonly rule: string;
  readonly level: FindingLevel;
  /** The number and the text of the line, as printKernel writes it. */
  readonly where: string;
  readonly text: string;
}

/** Everything that breaks a rule, or that could not be proved to keep it; no finding is a verified kernel. */
export function verifyKernel(kernel: Kernel, facts: KernelFacts = {}): readonly Finding[] {
  const places = placesOf(kernel);
  const bindings = new Map([
    ...parameterBindings(kernel),
    ...places.flatMap(({ statement }) => statementBindings(statement)),
  ]);
  let settled: Settled | undefined;
  const inspection: Inspection = { kernel, facts, bindings, places, settled: () => (settled ??= settle(places)) };
  const findings: Finding[] = [];
  let text: ReturnType<typeof kernelText> | undefined;
  for (const { name: rule, check } of kernelRules) {
    const report: Report = (at, message, level = "error") => {
      text ??= kernelText(kernel);
      const line = text.lineOf.get(at) ?? 0;
      const where = `line ${line + 1}: ${(text.lines[line]).trim()}`;
      const isKnown = findings.some((each) => each.where === where && each.text === message && each.rule === rule);
      if (!isKnown) findings.push({ rule, level, where, text: message });
    };
    try {
      check(inspection, report);
    } catch (error) {
      // Arithmetic of expressions refuses what has no value, or is past 2^53.
      if (!(error instanceof StridewiseError)) throw error;
      report(kernel, `could not be decided: ${error.message}`, "unproved");
    }
    if (rule === namesRule.name && findings.length > 0) break;
  }
  return findings;
}

/** A finding in one line. */
export const formatFinding = ({ rule, level, where, text }: Finding): string => `${level}, ${rule}, ${where}: ${text}`;

/** Throws a KernelError that lists the errors of a kernel, if it has any; what is unproved passes. */
export function checkKernel(kernel: Kernel, facts?: KernelFacts): void {
  const errors = verifyKernel(kernel, facts).filter(({ level }) => level === "error");
  if (errors.length === 0) return;
  throw new KernelError(
    `kernel ${kernel.name}: breaks the rules of kernels.\n${errors.map((finding) => `  ${formatFinding(finding)}`).join("\n")}`,
  );
}
