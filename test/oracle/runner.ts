/**
 * Runs files of records and adds up the verdicts.
 */
import { readFileSync } from "node:fs";
import type { PassReason, Verdict } from "./judge.ts";
import { fileRecords, isOfFiles } from "./recorded-files.ts";
import { type Aspect, type Fields, idOf, isSample, judgeAspects, judgeRecord } from "./records.ts";
import { isOwnName } from "./torch-call.ts";
import { type Json, show } from "./values.ts";

interface Failure {
  readonly id: string;
  readonly input: string;
  readonly expected: string;
  readonly got: string;
}

type Counts = Map<string, Record<Verdict["kind"], number>>;

export interface Report {
  readonly ways: Map<PassReason, string[]>;
  readonly reasons: Map<string, number>;
  readonly skips: Map<string, number>;
  readonly failures: Failure[];
  /** How many samples of each op passed, failed and were skipped. */
  readonly ops: Counts;
  /** The same for the other parts of records, each counted as a record. */
  readonly aspects: Map<Aspect, Counts>;
  /** A file or a line could not be read. */
  isUnreadable: boolean;
}

/** The records of a file (or of a folder of recorded files), and the lines (or the file itself) that cannot be read. */
export function readRecords(file: string): { readonly records: Fields[]; readonly unreadable: Failure[] } {
  const records: Fields[] = [];
  const unreadable: Failure[] = [];
  const complain = (id: string, input: string, got: string): void => {
    unreadable.push({ id, input, expected: "one JSON object on each line", got });
  };
  let text = "";
  try {
    if (isOfFiles(file)) return { records: fileRecords(file), unreadable };
    text = readFileSync(file, "utf8");
  } catch (error) {
    complain(file, "the file", error instanceof Error ? error.message : String(error));
  }
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const record = parseObject(line);
    if (record) records.push(record);
    else complain(`${file}, line ${i + 1}`, line.slice(0, 60), "no JSON object");
  }
  return { records, unreadable };
}

function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields that ask; the others answer. */
const asking = ["path", "kind", "note", "printoptions", "base", "ops", "a", "b", "c", "to"];

/** Tensors and numbers of a sample in few letters: float64[2, 3], 1.5. */
function inShort(json: Json | undefined): string {
  if (Array.isArray(json)) return `[${json.map(inShort).join(", ")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json ?? null);
  const { $t, ...rest } = json as Readonly<Record<string, Json>>;
  if ($t === undefined)
    return Object.entries(rest)
      .map(([name, value]) => (name.startsWith("$") ? String(value) : `${name} = ${inShort(value)}`))
      .join(", ");
  const { dtype, shape, data } = $t as { dtype: string; shape: number[]; data: Json[] };
  return `${dtype}[${shape.join(", ")}]${data.length <= 3 ? ` ${JSON.stringify(data)}` : ""}`;
}

const inputOf = (fields: Fields): string =>
  isSample(fields)
    ? `${fields.op}(${[fields.input, ...(fields.args as Json[]), fields.kwargs]
        .map(inShort)
        .filter((text) => text !== "")
        .join(", ")})`
    : fields.prog !== undefined
      ? JSON.stringify(fields.prog)
      : typeof fields.code === "string" || typeof fields.expr === "string"
        ? String(fields.code ?? fields.expr)
        : fields.op === undefined || fields.kind !== undefined
          ? JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => asking.includes(name))))
          : `${fields.op ?? ""}(${((fields.args ?? [fields.a ?? fields.layout ?? "", fields.b ?? ""]) as never[]).map(show).join("; ")})`;

function tally(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function noteOp(ops: Counts, op: string, kind: Verdict["kind"]): void {
  const counts = ops.get(op) ?? { passed: 0, failed: 0, skipped: 0 };
  counts[kind]++;
  ops.set(op, counts);
}

function note(report: Report, fields: Fields, verdict: Verdict, aspect?: Aspect): void {
  const id = aspect === undefined ? idOf(fields) : `${idOf(fields)} (${aspect})`;
  if (aspect !== undefined) {
    const counts = report.aspects.get(aspect) ?? new Map();
    report.aspects.set(aspect, counts);
    noteOp(counts, idOf(fields), verdict.kind);
  } else if (isSample(fields)) noteOp(report.ops, String(fields.op), verdict.kind);
  switch (verdict.kind) {
    case "passed":
      report.ways.set(verdict.way, [...(report.ways.get(verdict.way) ?? []), id]);
      if (verdict.reason) tally(report.reasons, verdict.reason);
      return;
    case "skipped":
      tally(report.skips, verdict.reason);
      return;
    case "failed":
      report.failures.push({ id, input: inputOf(fields), expected: verdict.expected, got: verdict.got });
      return;
    default:
      verdict satisfies never;
  }
}

/** Judges every record of the files. */
export function runFiles(files: readonly string[]): Report {
  const report: Report = {
    ways: new Map(),
    reasons: new Map(),
    skips: new Map(),
    failures: [],
    ops: new Map(),
    aspects: new Map(),
    isUnreadable: false,
  };
  for (const { records, unreadable } of files.map(readRecords)) {
    report.failures.push(...unreadable);
    report.isUnreadable ||= unreadable.length > 0;
    for (const fields of records) {
      note(report, fields, judgeRecord(fields));
      for (const [aspect, verdict] of judgeAspects(fields)) note(report, fields, verdict, aspect);
    }
  }
  return report;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((a, b) => a + b, 0);
export const passedOf = (report: Report): number => sum([...report.ways.values()].map((ids) => ids.length));
/** Each failure on one line. */
export const failuresOf = (report: Report): string[] =>
  report.failures.map(({ id, input, expected, got }) => `${id}: ${input}: expected ${expected}, got ${got}`);
export const skippedOf = (report: Report): number => sum(report.skips.values());

/** How many of the recorded ops exist and pass, and the names of the others. */
function opLines({ ops }: Report): string[] {
  if (ops.size === 0) return [];
  const all = [...ops];
  const names = (isMeant: (counts: Record<Verdict["kind"], number>) => boolean): string[] =>
    all.filter(([, counts]) => isMeant(counts)).map(([op]) => op);
  const failing = names(({ failed }) => failed > 0);
  const missing = names(({ passed, failed }) => passed + failed === 0);
  const idiomatic = names(({ passed, failed }) => passed + failed > 0).filter((op) => !isOwnName(op));
  return [
    `ops: ${ops.size} recorded, ${ops.size - missing.length} here (${idiomatic.length} of them written otherwise), ${ops.size - missing.length - failing.length} pass every record`,
    ...(failing.length === 0 ? [] : [`  failing ${failing.length}: ${failing.join(" ")}`]),
    ...(missing.length === 0 ? [] : [`  not here ${missing.length}: ${missing.join(" ")}`]),
  ];
}

/** The number of other parts of records that pass, and the ops for which they fail. */
function aspectLines({ aspects }: Report): string[] {
  return [...aspects].flatMap(([aspect, counts]) => {
    const total = (kind: Verdict["kind"]): number => sum([...counts.values()].map((each) => each[kind]));
    const failing = [...counts].filter(([, each]) => each.failed > 0);
    const names = failing.map(([name, each]) => `${name} ${each.failed}/${each.failed + each.passed}`);
    return [
      `${aspect}: ${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`,
      ...(failing.length === 0 ? [] : [`  failing ${failing.length}: ${names.join(", ")}`]),
    ];
  });
}

/** The report as text; its last line is `N passed, N failed, N skipped`. */
export function formatReport(report: Report, options: { readonly listForms?: boolean } = {}): string {
  const lines: string[] = [];
  for (const { id, input, expected, got } of report.failures)
    lines.push(`FAILED ${id}`, `  input    ${input}`, `  expected ${expected}`, `  got      ${got}`);
  for (const [reason, count] of report.skips) lines.push(`skipped ${count}: ${reason}`);
  for (const [way, ids] of report.ways) {
    lines.push(`passed ${ids.length}: ${way}`);
    if (way === "the record is proved wrong" || (options.listForms && way !== "equal"))
      lines.push(`  ${ids.join(" ")}`);
  }
  for (const [reason, count] of report.reasons) lines.push(`  known difference, ${count}: ${reason}`);
  lines.push(...opLines(report), ...aspectLines(report));
  lines.push(`${passedOf(report)} passed, ${report.failures.length} failed, ${skippedOf(report)} skipped`);
  return lines.join("\n");
}
