/**
 * The verifier: reports the rules of the IR that a kernel breaks. The first rule, about names, is a precondition of the others, so if it is
 * broken, only it is reported. A finding is an error, or "unproved": the rule may hold.
 * Guarantees: there are no false errors, and a kernel without findings keeps every rule.
 */
import { StridewiseError } from "../../base/errors.ts";
import { parameterBindings, statementBindings } from "./bindings.ts";
import { KernelError } from "./error.ts";
import { type FetchedNames, resolveNames } from "./extent.ts";
import type { Kernel } from "./kernel.ts";
import { kernelText } from "./print.ts";
import { accessRule, dtypesRule } from "./verify-dtypes.ts";
import { boundsRule, loopsRule, memoryRule, vectorRule, writesRule } from "./verify-loops.ts";
import { expressionsRule, namesRule } from "./verify-names.ts";
import type { FindingLevel, Inspection, KernelFacts, KernelRule, Report } from "./verify-rule.ts";
import { barriersRule, racesRule, threadsRule } from "./verify-threads.ts";
import { statementsOf } from "./visit.ts";

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
  threadsRule,
  barriersRule,
  racesRule,
];

/** A finding of a rule about one line of the kernel's text. */
export interface Finding {
  readonly rule: string;
  readonly level: FindingLevel;
  /** The number and the text of the line, as printed by printKernel. */
  readonly where: string;
  readonly text: string;
}

/** Returns everything that breaks a rule, or was not proved to keep it; a kernel without findings is verified. */
export function verifyKernel(kernel: Kernel, facts: KernelFacts = {}): readonly Finding[] {
  const statements = statementsOf(kernel);
  const bindings = new Map([
    ...parameterBindings(kernel),
    ...statements.flatMap(({ statement }) => statementBindings(statement)),
  ]);
  let settled: FetchedNames | undefined;
  const inspection: Inspection = {
    kernel,
    facts,
    bindings,
    statements,
    resolvedNames: () => (settled ??= resolveNames(statements)),
  };
  const findings: Finding[] = [];
  let text: ReturnType<typeof kernelText> | undefined;
  for (const { name: rule, check } of kernelRules) {
    const report: Report = (at, message, level = "error") => {
      text ??= kernelText(kernel);
      const { lines, lineOf } = text;
      const lineAt = (what: object): number => lineOf.get(what) ?? 0;
      const line = lineAt(at);
      const where = `line ${line + 1}: ${lines[line].trim()}`;
      const complaint =
        typeof message === "string" ? message : message((what) => lines[lineAt(what)].trim().replace(/ \{$/, ""));
      const isKnown = findings.some((each) => each.where === where && each.text === complaint && each.rule === rule);
      if (!isKnown) findings.push({ rule, level, where, text: complaint });
    };
    try {
      check(inspection, report);
    } catch (error) {
      // Arithmetic of expressions throws for values that do not exist or are past 2^53.
      if (!(error instanceof StridewiseError)) throw error;
      report(kernel, `could not be decided: ${error.message}`, "unproved");
    }
    if (rule === namesRule.name && findings.length > 0) break;
  }
  return findings;
}

/** Formats a finding as one line. */
export const formatFinding = ({ rule, level, where, text }: Finding): string => `${level}, ${rule}, ${where}: ${text}`;

/** Throws a KernelError that lists the errors of a kernel, if any; unproved rules pass. */
export function checkKernel(kernel: Kernel, facts?: KernelFacts): void {
  const errors = verifyKernel(kernel, facts).filter(({ level }) => level === "error");
  if (errors.length === 0) return;
  throw new KernelError(
    `kernel ${kernel.name}: failed verification.\n${errors.map((finding) => `  ${formatFinding(finding)}`).join("\n")}`,
  );
}
