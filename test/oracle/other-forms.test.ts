/**
 * The recorded samples of ops in other forms: with views that have gaps and a different order of axes, and into tensors given as `out`, where
 * the values must be the recorded ones, too; and on the meta device, where shapes and dtypes must be.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as api from "../../src/api.ts";
import { StridewiseError } from "../../src/base/errors.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { type Fields, judgeRecord } from "./records.ts";
import { readRecords } from "./runner.ts";
import { UnknownOpError } from "./torch-call.ts";
import { isRecordedTensor, kindDifference, partDifference, partsOfResult, recordedParts } from "./torch-compare.ts";
import { sampleResult } from "./torch-opinfo.ts";
import { withPositions } from "./torch-positions.ts";
import { type RecordedTensor, tensorOfRecord } from "./torch-values.ts";
import type { Json } from "./values.ts";

const file = fileURLToPath(new URL("./records/torch/opinfo.jsonl", import.meta.url));
const samples = readRecords(file).records.filter(({ error_case }) => error_case === undefined);
const argumentsOf = ({ input, args, kwargs }: Fields): Json => [input ?? null, args ?? [], kwargs ?? {}];

/** The same elements, column-major and with a gap after each. */
function withGaps(json: Json): Json {
  if (Array.isArray(json)) return json.map(withGaps);
  if (typeof json !== "object" || json === null) return json;
  const { $t, ...rest } = json as Readonly<Record<string, Json>>;
  if ($t === undefined) return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, withGaps(value)]));
  const { shape, data } = $t as unknown as RecordedTensor;
  const stride = shape.map((_, axis) => shape.slice(0, axis).reduce((step, size) => step * size, 2));
  return data.length === 0 ? json : { $t: { ...($t as object), stride } };
}

test("ops give the recorded results for views with gaps in a different order", () => {
  const ofElements = samples.filter(({ op }) => !/^(as_strided|view|resize)/.test(String(op)));
  const wrong = ofElements.filter((fields) => {
    const [input, args, kwargs] = withGaps(argumentsOf(fields)) as [Json, Json, Json];
    return judgeRecord({ ...fields, input, args, kwargs }).kind === "failed";
  });
  expect(wrong.map(({ op }) => op)).toEqual([]);
  expect(ofElements.length).toBeGreaterThan(300);
});

test("the recorded result is written to out", () => {
  let count = 0;
  const wrong = samples.filter((fields) => {
    const [recorded, ...more] = recordedParts((fields.out ?? null) as Json);
    const verdict = judgeRecord(fields);
    if (more.length > 0 || !isRecordedTensor(recorded) || verdict.kind !== "passed" || verdict.way !== "equal")
      return false;
    const out: Tensor = api.zeros(recorded.shape, { dtype: recorded.dtype });
    try {
      const kwargs = { ...(fields.kwargs as object), out: { $out: out } } as unknown as Json;
      if (sampleResult({ ...fields, kwargs }, tensorOfRecord) !== out) return false;
    } catch {
      // An op that takes no out.
      return false;
    }
    count++;
    return partDifference(out, recorded, true) !== null;
  });
  expect(wrong.map(({ op }) => op)).toEqual([]);
  expect(count).toBeGreaterThan(100);
});

/** What is wrong with the result on the meta device, or null. Ops whose shapes depend on values refuse it by name. */
function differenceOnMeta(fields: Fields): string | null {
  try {
    const ours = partsOfResult(
      sampleResult(fields, ({ shape, dtype }) => api.empty(shape, { dtype, device: "meta" })),
    ) as Tensor[];
    const theirs = withPositions(String(fields.op), ours, recordedParts(fields.out as Json));
    const differences = theirs.map((part, k) =>
      isRecordedTensor(part) && ours[k]?.device.type !== "meta" ? "a result on the cpu" : kindDifference(ours[k], part),
    );
    return differences.find((difference) => difference !== null) ?? null;
  } catch (error) {
    if (error instanceof UnknownOpError) return null;
    return error instanceof StridewiseError && error.message.includes("meta") ? null : String(error);
  }
}

test("ops give the recorded shapes and dtypes on the meta device, or refuse it by name", () => {
  // Written otherwise here: zeros(shape, { dtype: x.dtype }) has the device of its options.
  const withTensors = samples.filter(
    (fields) => JSON.stringify(argumentsOf(fields)).includes("$t") && !/^new_|^randint_like$/.test(String(fields.op)),
  );
  const wrong = withTensors
    .map((fields) => [fields.op, differenceOnMeta(fields)])
    .filter(([, difference]) => difference !== null);
  expect(wrong).toEqual([]);
});
