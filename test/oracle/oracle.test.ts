/**
 * The recorded results in this folder, through the same code as `npm run oracle`; and the judge itself, which must fail
 * a wrong answer and refuse to guess.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { judgeAspects, judgeRecord } from "./records.ts";
import { failuresOf, formatReport, passedOf, runFiles } from "./runner.ts";
import type { Json } from "./values.ts";

const folder = fileURLToPath(new URL("./records/", import.meta.url));
const torch = [
  "views",
  "broadcast",
  "promotion",
  "forward",
  "opinfo",
  "gradients",
  "autograd",
  "autograd-second",
  "repr",
  "semantics",
].map((name) => `torch/${name}.jsonl`);
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

  test("passes equal results", () => {
    expect(verdictOf({ id: "a", op: "coalesce", args: [layout([2, 3], [1, 2])], result: layout(6, 1) })).toBe("equal");
  });
  test("passes the same function in a different form", () => {
    expect(verdictOf({ id: "a", op: "coalesce", args: [layout([2, 3], [1, 2])], result: layout([2, 3], [1, 2]) })).toBe(
      "the same function in a different form",
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
  test("names the skipped records", () => {
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
    const snippet = { topic: "view", name: "view -1 not divisible", code: "" };
    expect(verdictOf({ ...snippet, error: { msg: "shape '[4, -1]' is invalid for input of size 6" } })).toBe(
      "refused too",
    );
    expect(verdictOf({ ...snippet, error: { msg: "another sentence" } })).toBe("failed");
    expect(verdictOf({ ...snippet, result: 1 })).toBe("failed");
  });
  describe("of ops", () => {
    const tensor = (dtype: string, shape: Json, data: Json): Record<string, Json> => ({ $t: { dtype, shape, data } });
    const floats = (...data: number[]): Record<string, Json> => tensor("float64", [data.length], data);
    const integers = (...data: number[]): Record<string, Json> => tensor("int64", [data.length], data);
    const sample = (op: string, input: Json, args: Json, out: Json, kwargs: Json = {}): Record<string, Json> => ({
      op,
      variant: "",
      input,
      args,
      kwargs,
      out,
    });

    test("passes close values, and fails a different value, shape, dtype or number of results", () => {
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], floats(4, 6)))).toBe("equal");
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], floats(4 + 1e-12, 6)))).toBe("equal");
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], floats(4 + 1e-7, 6)))).toBe("failed");
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], tensor("float64", [1, 2], [4, 6])))).toBe("failed");
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], tensor("float32", [2], [4, 6])))).toBe("failed");
      expect(verdictOf(sample("add", floats(1, 2), [floats(3, 4)], [floats(4, 6), floats(4, 6)]))).toBe("failed");
      expect(verdictOf(sample("log", floats(-1), [], tensor("float64", [1], ["nan"])))).toBe("equal");
      expect(verdictOf(sample("log", floats(0), [], floats(-1e300)))).toBe("failed");
    });
    test("passes keywords of PyTorch under the words of this library", () => {
      const matrix = tensor("float64", [2, 2], [1, 2, 3, 4]);
      expect(verdictOf(sample("sum", matrix, [], tensor("float64", [2, 1], [3, 7]), { dim: 1, keepdim: true }))).toBe(
        "equal",
      );
      expect(verdictOf(sample("div", integers(-7), [integers(2)], integers(-4), { rounding_mode: "floor" }))).toBe(
        "equal",
      );
    });
    test("wants a refusal where PyTorch refuses, and counts other words apart", () => {
      const refused = (op: string, input: Json, args: Json, msg: string): Record<string, Json> => ({
        op,
        variant: "",
        input,
        args,
        kwargs: {},
        error_case: true,
        error_regex: msg,
        error: { type: "RuntimeError", msg },
      });
      const msg = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0";
      expect(verdictOf(refused("add", floats(1, 2), [floats(1, 2, 3)], "some other words"))).toBe(
        "refused in other words",
      );
      expect(verdictOf(refused("add", floats(1, 2), [floats(1, 2)], msg))).toBe("failed");
      const number = "add(): argument 'other' (position 2) must be Tensor, not int";
      expect(verdictOf(refused("add", floats(1, 2), [1], number))).toBe("known difference");
    });
    test("does not compare random numbers, and follows indices to equal elements", () => {
      expect(verdictOf(sample("rand_like", floats(1, 2), [], floats(5, 6)))).toBe(
        "by shape and dtype, the values are random",
      );
      expect(verdictOf(sample("rand_like", floats(1, 2), [], floats(5)))).toBe("failed");
      expect(judgeRecord(sample("argmax", floats(3, 3, 1), [0], tensor("int64", [], [1]))).kind).toBe("passed");
      expect(verdictOf(sample("argmax", floats(3, 3, 1), [0], tensor("int64", [], [2])))).toBe("failed");
    });
    test("knows that positions are int32, and nothing else is", () => {
      const sorted = (values: Json): Json => [values, integers(1, 0)];
      expect(verdictOf(sample("sort", integers(2, 1), [0], sorted(integers(1, 2))))).toBe("known difference");
      expect(verdictOf(sample("sort", tensor("int32", [2], [2, 1]), [0], sorted(integers(1, 2))))).toBe("failed");
      expect(verdictOf(sample("add", tensor("int32", [1], [1]), [1], integers(2)))).toBe("failed");
    });
    test("names ops that are not here, and counts them by name", () => {
      expect(judgeRecord(sample("frobnicate", floats(1), [], floats(1)))).toEqual({
        kind: "skipped",
        reason: "op frobnicate",
      });
      const file = `${tmpdir()}/stridewise-samples-${process.pid}.jsonl`;
      const samples = [
        sample("add", floats(1), [floats(1)], floats(2)),
        sample("sub", floats(1), [floats(1)], floats(2)),
        sample("frobnicate", floats(1), [], floats(1)),
      ];
      writeFileSync(file, samples.map((fields) => JSON.stringify(fields)).join("\n"));
      const text = formatReport(runFiles([file]));
      rmSync(file);
      expect(text).toContain("ops: 3 recorded, 2 here (0 of them written otherwise), 1 pass every record");
      expect(text).toContain("failing 1: sub");
      expect(text).toContain("not here 1: frobnicate");
    });
    test("runs programs step by step", () => {
      const program = {
        name: "two steps",
        inputs: { x: { dtype: "float64", shape: [2], data: [1, 2] } },
        prog: [
          ["y", "mul", ["$x", 2]],
          ["z", "add", ["$y", "$x"]],
        ],
        outs: ["z"],
      };
      expect(verdictOf({ ...program, values: [{ dtype: "float64", shape: [2], data: [3, 6] }] })).toBe("equal");
      expect(verdictOf({ ...program, values: [{ dtype: "float64", shape: [2], data: [3, 5] }] })).toBe("failed");
      expect(verdictOf({ ...program, error: { msg: "no" } })).toBe("failed");
    });
    test("wants the recorded gradients, and counts them apart", () => {
      const exp = { ...sample("exp", floats(0), [], floats(1)), grad_inputs: [0], grad_outs: [0] };
      const gradient = (value: number): Json => [{ dtype: "float64", shape: [1], data: [value] }];
      const kindOf = (fields: Record<string, Json>): string[] =>
        judgeAspects(fields).map(([aspect, { kind }]) => `${aspect} ${kind}`);
      expect(kindOf({ ...exp, grads: gradient(Math.sin(1)) })).toEqual(["gradients passed"]);
      expect(kindOf({ ...exp, grads: gradient(1) })).toEqual(["gradients failed"]);
      expect(kindOf({ ...exp, grads: [null] })).toEqual(["gradients failed"]);
      expect(kindOf(exp)).toEqual([]);
      const file = `${tmpdir()}/stridewise-gradients-${process.pid}.jsonl`;
      const records = [Math.sin(1), 2].map((value) => ({ ...exp, grads: gradient(value) }));
      writeFileSync(file, records.map((fields) => JSON.stringify(fields)).join("\n"));
      const text = formatReport(runFiles([file]));
      rmSync(file);
      expect(text).toContain("gradients: 1 passed, 1 failed, 0 skipped\n  failing 1: exp 1/2");
      expect(text).toContain("\n3 passed, 1 failed, 0 skipped");
    });
    test("wants gradients of programs, and of their gradients", () => {
      const one = (value: number): Json => ({ dtype: "float64", shape: [], data: [value] });
      // y = x * x * x at 2: the gradient is 12, and its gradient again 12.
      const cube = {
        name: "cube",
        inputs: { x: one(2), unused: one(1) },
        prog: [
          ["v", "mul", ["$x", "$x"]],
          ["y", "mul", ["$v", "$x"]],
        ],
        out: "y",
        grad_out: one(1),
      };
      const first = (x: number): Record<string, Json> => ({
        ...cube,
        value: one(8),
        grads: { x: one(x), unused: null },
      });
      expect(verdictOf(first(12))).toBe("equal");
      expect(judgeAspects(first(12))).toEqual([["gradients", { kind: "passed", way: "equal" }]]);
      expect(judgeAspects(first(11))[0]?.[1].kind).toBe("failed");
      const along = (tangent: number, out: number): Json => ({ tangents: { x: one(tangent) }, out: one(out) });
      const tangentOf = (jvp: Json) => judgeAspects({ ...first(12), jvp })[1];
      expect(tangentOf(along(2, 24))).toEqual(["jvp", { kind: "passed", way: "equal" }]);
      expect(tangentOf(along(2, 12))?.[1].kind).toBe("failed");
      const second = { ...cube, u: { x: one(1) }, s: one(12) };
      expect(verdictOf({ ...second, grad_of_s: { x: one(12) } })).toBe("equal");
      expect(verdictOf({ ...second, grad_of_s: { x: one(6) } })).toBe("failed");
      expect(verdictOf({ ...second, s: one(11), grad_of_s: { x: one(12) } })).toBe("failed");
    });
    test("wants the dtype of every op as recorded", () => {
      expect(verdictOf({ op: "add", kind: "dim-0d", a: "int8", b: "float64", dtype: "float32" })).toBe("failed");
      expect(verdictOf({ op: "add", kind: "dim-0d", a: "int8", b: "float32", dtype: "float32" })).toBe("equal");
      expect(verdictOf({ op: "add", kind: "dim-scalar", a: "int8", b: "float", dtype: "float32" })).toBe(
        "known difference",
      );
      expect(verdictOf({ op: "add", kind: "dim-scalar", a: "int8", b: "float", dtype: "float64" })).toBe("failed");
      expect(verdictOf({ kind: "add", a: [2], b: [3], shape: [3] })).toBe("failed");
    });
  });
  test("counts unreadable records as failed with their position, and runs the others", () => {
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
