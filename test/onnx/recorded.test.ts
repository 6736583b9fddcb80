/** Nodes agree with onnxruntime-node, whose outputs are recorded in `recorded/onnxruntime.json`. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toTypedArray } from "../../src/tensor/convert/to-array.ts";
import { runNode } from "../support/onnx-node.ts";
import { recordedCases } from "./recorded/cases.ts";

interface Recorded {
  readonly type: string;
  readonly shape: readonly number[];
  readonly data: readonly (number | string)[];
}
const file = new URL("recorded/onnxruntime.json", import.meta.url);
const { results } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly results: Readonly<Record<string, readonly (Recorded | null)[]>>;
};

/** Relative to the largest element: float32 is accurate to 24 bits, float16 to 11. */
const tolerances: Readonly<Record<string, number>> = { float32: 2e-6, float64: 1e-12, float16: 2e-3 };

test.each(Object.entries(recordedCases))("%s", (name, node) => {
  const expected = results[name];
  const outputs = runNode(node);
  expect(expected).toHaveLength(outputs.length);
  for (const [k, each] of expected.entries()) {
    if (each === null) continue;
    expect(`${outputs[k].dtype}[${outputs[k].shape}]`).toBe(`${each.type}[${each.shape}]`);
    const ours = Array.from(toTypedArray(outputs[k].contiguous()), Number);
    const theirs = each.data.map(Number);
    const largest = Math.max(...theirs.filter(Number.isFinite).map(Math.abs), 0);
    const allowed = (tolerances[each.type] ?? 0) * largest;
    const wrong = ours.flatMap((a, j) =>
      Object.is(a, theirs[j]) || Math.abs(a - theirs[j]) <= allowed ? [] : [`[${j}]: ${a}, recorded ${theirs[j]}`],
    );
    expect(wrong, `output ${k}, allowed ${allowed}`).toEqual([]);
  }
});

test("all recorded results have a case", () => {
  expect(Object.keys(results).sort()).toEqual(Object.keys(recordedCases).sort());
});
