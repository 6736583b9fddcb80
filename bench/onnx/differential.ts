/**
 * Compares random nodes with ONNX Runtime: dtypes, shapes and elements of the outputs, node by node and compiled.
 *
 *   npx tsx bench/onnx/differential.ts [--count 100] [--seed 1] [--only SEED] [--verbose] [OPERATOR...]
 *
 * Prints each difference with the seed that `--only` repeats. What ONNX Runtime does not run is counted, not compared. Needs npm --prefix bench install.
 */
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-node";
import { manualSeed, Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { describeOnnxValue, type OnnxValue, TextTensor } from "../../src/onnx/values.ts";
import { bytesOf } from "../../test/onnx/random-nodes/case-model.ts";
import { Draw, type OperatorCase } from "../../test/onnx/random-nodes/draw.ts";
import { operatorCases } from "../../test/onnx/random-nodes/index.ts";
import { difference, fed, received } from "./runtime.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

type Outcome = "equal" | "both refuse" | "only refused there" | "not run there" | "fault";

interface Result {
  readonly outcome: Outcome;
  readonly text: string;
}

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0];

const describe = (operator: string, { version, attributes = {}, inputs }: OperatorCase): string =>
  `${operator}-${version}(${inputs.map(describeOnnxValue).join(", ")}) ${JSON.stringify(attributes, (_, each) => (typeof each === "bigint" ? String(each) : each))}`;

const elementsOf = (value: OnnxValue): string =>
  value instanceof Tensor
    ? `${describeOnnxValue(value)} ${value.reshape([-1]).toArray({ bigint: true })}`
    : value instanceof TextTensor
      ? JSON.stringify(value.data)
      : describeOnnxValue(value);

/** Runs a case node by node, and three times through programs; all must agree. */
function runHere(bytes: Uint8Array, feeds: Record<string, OnnxValue>): OnnxValue[] {
  const proto = readModel(bytes);
  const eager = prepareModel(proto, { compile: false });
  const compiled = prepareModel(proto, {});
  try {
    const first = Object.values(eager.run(feeds));
    for (let round = 0; round < 3; round++)
      for (const [k, value] of Object.values(compiled.run(feeds)).entries()) {
        const text = difference(value, first[k]);
        if (text !== null) throw new Error(`compiled, run ${round}: output ${k}: ${text}`);
      }
    return first;
  } finally {
    eager.dispose();
    compiled.dispose();
  }
}

async function compare(operator: string, draw: Draw, each: OperatorCase, print: boolean): Promise<Result> {
  const weights = new Set(each.weights ?? each.inputs.flatMap((_, k) => (draw.chance(0.2) ? [k] : [])));
  const bytes = bytesOf(operator, each, weights);
  const feeds = Object.fromEntries(
    each.inputs.flatMap((value, k) => (value === null || weights.has(k) ? [] : [[`x${k}`, value] as const])),
  );
  let expected: OnnxValue[] | string;
  try {
    const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
    const results = await session.run(
      Object.fromEntries(Object.entries(feeds).map(([name, value]) => [name, fed(value)])),
    );
    expected = session.outputNames.map((name) => received(results[name]));
    await session.release();
  } catch (error) {
    expected = firstLine(error);
  }
  let own: OnnxValue[] | string;
  try {
    own = runHere(bytes, feeds);
  } catch (error) {
    own = firstLine(error);
  }
  if (print) {
    for (const value of each.inputs) console.log("  input", elementsOf(value));
    for (const [name, list] of [
      ["here", own],
      ["there", expected],
    ] as const)
      for (const value of typeof list === "string" ? [list] : list)
        console.log(" ", name, typeof value === "string" ? value : elementsOf(value));
  }
  if (typeof own === "string" && own.startsWith("compiled, run")) return { outcome: "fault", text: own };
  if (typeof expected === "string") {
    const isMissing =
      /implementation|Unrecognized|not supported|unsupported|is under development|Type Error|invalid\. *$|is not a registered/i.test(
        expected,
      );
    if (isMissing) return { outcome: "not run there", text: expected };
    return {
      outcome: typeof own === "string" ? "both refuse" : "only refused there",
      text: `${expected} | ${typeof own === "string" ? own : ""}`,
    };
  }
  if (typeof own === "string") return { outcome: "fault", text: `throws: ${own}` };
  for (const [k, value] of expected.entries()) {
    const text = difference(own[k], value, each.slack);
    if (text !== null) return { outcome: "fault", text: `output ${k}: ${text}` };
  }
  return { outcome: "equal", text: "" };
}

const names = Object.keys(operatorCases).filter((name) => positionals.length === 0 || positionals.includes(name));
const totals = new Map<Outcome, number>();
for (const name of names) {
  const counts = new Map<Outcome, number>();
  const reasons = new Map<string, number>();
  let faults = 0;
  for (let k = 0; k < Number(options.count); k++) {
    const seed = options.only === undefined ? Number(options.seed) * 100_003 + k : Number(options.only);
    const draw = new Draw(seed);
    manualSeed(seed);
    let each: OperatorCase;
    try {
      each = operatorCases[name](draw);
    } catch (error) {
      console.log(name, seed, "generator:", (error as Error).stack);
      break;
    }
    const { outcome, text } = await compare(name, draw, each, options.only !== undefined);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    totals.set(outcome, (totals.get(outcome) ?? 0) + 1);
    if (outcome !== "equal" && outcome !== "fault")
      reasons.set(`${outcome}: ${text}`, (reasons.get(`${outcome}: ${text}`) ?? 0) + 1);
    if (outcome === "fault" && faults++ < 4) console.log(`${name} --only ${seed}: ${describe(name, each)}: ${text}`);
    if (options.only !== undefined) break;
  }
  if (options.verbose || faults > 0) {
    console.log(`${name}: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`);
    if (options.verbose)
      for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 6))
        console.log(`    ${count} ${reason.slice(0, 250)}`);
  }
}
console.log([...totals].map(([outcome, count]) => `${count} ${outcome}`).join(", "));
process.exit((totals.get("fault") ?? 0) > 0 ? 1 : 0);
