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
const torch = ["views", "broadcast", "promotion", "repr", "semantics"].map((name) => `torch/${name}.jsonl`);
const files = [
  ...readdirSync(folder).filter((name) => name.endsWith(".jsonl")),
  ...torch,
  "files/npy",
  "files/safetensors",
];

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
  test("fails a view that is not as recorded, and one that is refused elsewhere", () => {
    const state = { shape: [2], stride: [1], offset: 0 };
    const chain = { id: 0, base: { shape: [4], stride: [1], offset: 0, storage: 4 }, ops: [["narrow", 0, 1, 2]] };
    const whole = { shape: [4], stride: [1], offset: 0 };
    expect(verdictOf({ ...chain, steps: [whole, { ...state, offset: 1 }], values: [1, 2] })).toBe("equal");
    expect(verdictOf({ ...chain, steps: [whole, state], values: [1, 2] })).toBe("failed");
    expect(verdictOf({ ...chain, steps: [whole, { ...state, offset: 1 }], values: [1, 3] })).toBe("failed");
    expect(verdictOf({ ...chain, steps: [whole], values: [], error: { at: 0, msg: "" } })).toBe("failed");
  });
  test("knows that slices step backwards here, and not elsewhere", () => {
    const base = { shape: [4], stride: [1], offset: 0, storage: 4 };
    const whole = { shape: [4], stride: [1], offset: 0 };
    const refused = (op: Json): Record<string, Json> => ({
      id: 0,
      base,
      ops: [op],
      steps: [whole],
      values: [],
      error: { at: 0, msg: "slice step must be positive" },
    });
    expect(verdictOf(refused(["slice", 0, null, null, -1]))).toBe("known difference");
    expect(verdictOf(refused(["slice", 0, null, null, 0]))).toBe("refused too");
    expect(verdictOf(refused(["slice", 0, null, null, 1]))).toBe("failed");
  });
  test("fails a text, a dtype and a snippet that are not as recorded", () => {
    const tensor = { dtype: "float32", shape: [1], data: [1] };
    expect(verdictOf({ name: "one", tensor, repr: "tensor([1.])" })).toBe("equal");
    expect(verdictOf({ name: "one", tensor, repr: "tensor([1])" })).toBe("failed");
    expect(verdictOf({ op: "promote_types", kind: "dtype-dtype", a: "int8", b: "uint8", dtype: "uint8" })).toBe(
      "failed",
    );
    expect(verdictOf({ kind: "expand", a: [3, 1], to: [3, 4], shape: [3, 4], stride: [0, 1] })).toBe("failed");
    const snippet = { topic: "view", name: "view -1 twice", code: "" };
    expect(verdictOf({ ...snippet, error: { msg: "only one dimension can be inferred" } })).toBe("refused too");
    expect(verdictOf({ ...snippet, error: { msg: "another sentence" } })).toBe("failed");
    expect(verdictOf({ ...snippet, result: 1 })).toBe("failed");
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
