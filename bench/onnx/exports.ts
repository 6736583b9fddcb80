/**
 * Runs exported files in ONNX Runtime, and compares the outputs with those of the library: max |a - b| <= 1e-4 max |b| (2e-3 for float16).
 *
 *   npx tsx bench/onnx/exports.ts          all ops and functions; needs npm --prefix bench install
 *   npx tsx bench/onnx/exports.ts sort     this op
 *
 * The status is 1 if an output differs or a file does not run.
 */
import * as ort from "onnxruntime-node";
import type { Tensor } from "../../src/index.ts";
import { type ExportCase, functionCases, opCases } from "../../test/onnx/export-cases.ts";
import { exportedOps } from "../../test/support/op-samples.ts";
import { fed, received } from "./ort-tensors.ts";

const numbersOf = (t: Tensor): number[] => [...(t.to("float64").flatten().toArray() as number[])];

/** Describes how an output differs; null if it does not. */
function difference(own: Tensor, other: ort.Tensor): string | null {
  if (other.type !== own.dtype) return `the dtype is ${other.type}, not ${own.dtype}`;
  if (String(other.dims) !== String(own.shape)) return `the shape is [${other.dims}], not [${own.shape}]`;
  const [a, b] = [numbersOf(own), numbersOf(received(other))];
  const largest = Math.max(0, ...a.filter(Number.isFinite).map(Math.abs));
  const tolerance = (own.dtype === "float16" ? 2e-3 : 1e-4) * largest;
  const k = a.findIndex(
    (value, at) => !(Object.is(value, b[at]) || value === b[at] || Math.abs(value - b[at]) <= tolerance),
  );
  return k < 0 ? null : `element ${k} is ${b[k]}, not ${a[k]}`;
}

async function check({ bytes, calls }: ExportCase): Promise<string | null> {
  try {
    const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
    for (const { inputs, outputs } of calls) {
      const feeds = Object.fromEntries(session.inputNames.map((name, k) => [name, fed(inputs[k])]));
      const results = await session.run(feeds);
      for (const [k, own] of outputs.entries()) {
        const fault = difference(own, results[session.outputNames[k]]);
        if (fault !== null) return `output ${k} of inputs ${inputs.map((t) => `[${t.shape}]`)}: ${fault}`;
      }
    }
    return null;
  } catch (error) {
    return (error as Error).message.split("\n")[0];
  }
}

const only = process.argv.slice(2);
const refusals = new Map<string, number>();
let passed = 0;
let failed = 0;
const names = [...exportedOps().keys()].filter((name) => only.length === 0 || only.includes(name));
for (const each of [
  ...names.flatMap(opCases),
  ...(only.length === 0 || only.includes("functions") ? functionCases() : []),
]) {
  if ("reason" in each) {
    refusals.set(each.reason, (refusals.get(each.reason) ?? 0) + 1);
    continue;
  }
  const fault = await check(each);
  if (fault === null) passed++;
  else {
    failed++;
    console.log(`${each.name}: ${fault}`);
  }
}
for (const [reason, count] of [...refusals].sort((a, b) => b[1] - a[1])) console.log(`refused ${count}: ${reason}`);
console.log(`passed ${passed}, failed ${failed}, refused ${[...refusals.values()].reduce((a, b) => a + b, 0)}`);
process.exit(failed > 0 ? 1 : 0);
