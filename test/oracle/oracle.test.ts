/**
 * The recorded answers beside this file, through the same code as `npm run oracle`; and the judge itself, which must fail
 * a wrong answer and refuse to guess.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { judgeRecord } from "./records.ts";
import { failuresOf, formatReport, passedOf, runFiles } from "./runner.ts";
import type { Json } from "./values.ts";

const folder = fileURLToPath(new URL("./records/", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

test.each(files)("%s", (file) => {
  const report = runFiles([folder + file]);
  console.log(`${file}\n${formatReport(report)}`);
  expect(failuresOf(report)).toEqual([]);
  expect(passedOf(report)).toBeGreaterThan(0);
});

describe("the judge", () => {
  const verdictOf = (fields: Record<string, Json>): string => {
    const verdict = judgeRecord(fields);
    return verdict.kind === "passed" ? verdict.way : verdict.kind;
  };
  const layout = (shape: Json, stride: Json): Json => ({ shape, stride });

  test("passes what is equal", () => {
    expect(verdictOf({ id: "a", op: "coalesce", args: [layout([2, 3], [1, 2])], result: layout(6, 1) })).toBe("equal");
  });
  test("passes the same function in another form", () => {
    expect(verdictOf({ id: "a", op: "coalesce", args: [layout([2, 3], [1, 2])], result: layout([2, 3], [1, 2]) })).toBe(
      "the same function in another form",
    );
  });
  test("judges a wrong record by the property", () => {
    expect(verdictOf({ id: "a", op: "coalesce", args: [layout([2, 3], [1, 2])], result: layout(6, 2) })).toBe(
      "the record is proved wrong",
    );
  });
  test("passes a refusal only where no answer exists", () => {
    const args = [layout([4, 3], [1, 100]), layout(6, 1)];
    expect(verdictOf({ id: "a", op: "composition", args, result: layout(4, 1), ok: false })).toBe("no answer exists");
  });
  test("fails an answer that differs from a record without a property", () => {
    expect(verdictOf({ id: "a", op: "size", args: [layout([2, 3], [1, 2])], result: 7 })).toBe("failed");
    expect(verdictOf({ id: "a", op: "size", args: [layout([2, 3], [1, 2])], error: true })).toBe("failed");
    expect(verdictOf({ id: "a", expr: "make_layout(Int<8>{})", output: "_8:_2" })).toBe("failed");
  });
  test("names what it skips", () => {
    expect(judgeRecord({ id: "a", op: "frobnicate", args: [], result: 1 })).toEqual({
      kind: "skipped",
      reason: "op frobnicate",
    });
    expect(judgeRecord({ id: "a", expr: "frobnicate(Int<8>{})", output: "_8" })).toEqual({
      kind: "skipped",
      reason: "C++ name frobnicate",
    });
  });
  test("counts what cannot be read as failed, says where, and runs the rest", () => {
    const broken = `${tmpdir()}/stridewise-broken-${process.pid}.jsonl`;
    writeFileSync(
      broken,
      'not json\n{"id":"a","op":"size","src":"any","args":[{"shape":[2,3],"stride":[1,2]}],"result":6}\n',
    );
    const report = runFiles(["no-such-file.jsonl", broken]);
    rmSync(broken);
    expect(report.failures.map(({ id }) => id)).toEqual(["no-such-file.jsonl", `${broken}, line 1`]);
    expect(formatReport(report)).toMatch(/\n1 passed, 2 failed, 0 skipped$/);
  });
});
