/**
 * Runs files of records and adds up the verdicts.
 */
import { readFileSync } from "node:fs";
import type { Verdict, Way } from "./judge.ts";
import { type Fields, idOf, judgeRecord } from "./records.ts";
import { show } from "./values.ts";

/** A file that is not there, or a line that is no JSON object. */
export class UnreadableError extends Error {}

interface Failure {
  readonly id: string;
  readonly input: string;
  readonly expected: string;
  readonly got: string;
}

export interface Report {
  readonly ways: Map<Way, string[]>;
  readonly reasons: Map<string, number>;
  readonly skips: Map<string, number>;
  readonly failures: Failure[];
}

export function readRecords(file: string): Fields[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UnreadableError(`oracle: cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      const record: unknown = JSON.parse(line);
      if (typeof record === "object" && record !== null && !Array.isArray(record)) return [record as Fields];
    } catch {
      // Falls through to the error that names file and line.
    }
    throw new UnreadableError(`oracle: ${file}, line ${i + 1}: not a JSON object: ${line.slice(0, 60)}`);
  });
}

const inputOf = (fields: Fields): string =>
  typeof fields.expr === "string"
    ? ((fields.code as string | undefined) ?? fields.expr)
    : `${fields.op ?? ""}(${((fields.args ?? [fields.a ?? fields.layout ?? "", fields.b ?? ""]) as never[]).map(show).join("; ")})`;

function tally(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function note(report: Report, fields: Fields, verdict: Verdict): void {
  switch (verdict.kind) {
    case "passed":
      report.ways.set(verdict.way, [...(report.ways.get(verdict.way) ?? []), idOf(fields)]);
      if (verdict.reason) tally(report.reasons, verdict.reason);
      return;
    case "skipped":
      tally(report.skips, verdict.reason);
      return;
    case "failed":
      report.failures.push({ id: idOf(fields), input: inputOf(fields), expected: verdict.expected, got: verdict.got });
      return;
    default:
      verdict satisfies never;
  }
}

/** Judges every record of the files. */
export function runFiles(files: readonly string[]): Report {
  const report: Report = { ways: new Map(), reasons: new Map(), skips: new Map(), failures: [] };
  const records = files.map(readRecords);
  for (const fields of records.flat()) note(report, fields, judgeRecord(fields));
  return report;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((a, b) => a + b, 0);
export const passedOf = (report: Report): number => sum([...report.ways.values()].map((ids) => ids.length));
/** Each failure on one line. */
export const failuresOf = (report: Report): string[] =>
  report.failures.map(({ id, input, expected, got }) => `${id}: ${input}: expected ${expected}, got ${got}`);
export const skippedOf = (report: Report): number => sum(report.skips.values());

/** The report as text; its last line is `N passed, N failed, N skipped`. */
export function formatReport(report: Report, options: { readonly listForms?: boolean } = {}): string {
  const lines: string[] = [];
  for (const { id, input, expected, got } of report.failures)
    lines.push(`FAILED ${id}`, `  input    ${input}`, `  expected ${expected}`, `  got      ${got}`);
  for (const [reason, count] of report.skips) lines.push(`skipped ${count}: ${reason}`);
  for (const [way, ids] of report.ways) {
    lines.push(`passed ${ids.length}: ${way}`);
    if (options.listForms && way !== "equal") lines.push(`  ${ids.join(" ")}`);
  }
  for (const [reason, count] of report.reasons) lines.push(`  known difference, ${count}: ${reason}`);
  lines.push(`${passedOf(report)} passed, ${report.failures.length} failed, ${skippedOf(report)} skipped`);
  return lines.join("\n");
}
