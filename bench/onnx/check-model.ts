/** Compares a model in the library with ONNX Runtime: the file, the file that the library exports, and its graph. */
import { join } from "node:path";
import * as ort from "onnxruntime-node";
import { timeText } from "../../src/cli/table.ts";
import { Tensor } from "../../src/index.ts";
import { inspectOnnx, loadOnnx, type OnnxModel, saveOnnx } from "../../src/onnx/index.ts";
import { type Difference, difference, type Precision } from "./differences.ts";
import { inputsOf } from "./model-inputs.ts";
import type { InputOptions } from "./model-options.ts";
import { fed, received } from "./ort-tensors.ts";

export interface Report {
  /** The cells of a table with `titles`. */
  readonly cells: readonly string[];
  /** What differs. */
  readonly faults: readonly string[];
}

export const titles = ["model", "load", "run", "outputs", "difference", "exported", "graph", "result"];

/** Compares one model. `folder` is for exported files; null to export none. */
export async function checkModel(
  name: string,
  file: string,
  options: InputOptions,
  folder: string | null,
): Promise<Report> {
  const faults: string[] = [];
  const precision = await precisionOf(file);
  const start = performance.now();
  const model = await loadOnnx(file);
  const loading = performance.now() - start;
  const worst = { own: none, exported: none, graph: none };
  const compare = (what: keyof typeof worst, where: string, a: Tensor, b: Tensor): void => {
    const result = difference(a, b, precision);
    if (result.fault !== "") faults.push(`${name}, ${where} (max |b| ${largestOf(b)}): ${result.fault}`);
    worst[what] = worseOf(worst[what], result);
  };
  const sessions = new Map<"model" | "exported" | "graph", ort.InferenceSession>();
  const session = (path: string): Promise<ort.InferenceSession> =>
    ort.InferenceSession.create(path, { logSeverityLevel: 4, intraOpNumThreads: 1 });
  sessions.set("model", await session(file));
  if (folder !== null) {
    await saveOnnx(join(folder, "exported.onnx"), model);
    sessions.set("exported", await session(join(folder, "exported.onnx")));
  }
  let fedBack = new Map<string, Tensor>();
  let [running, count] = [0, 0];
  // Functions of tensors without elements are not compiled.
  let isTried = false;
  let graphShapes = "";
  for (let step = 0; step < options.steps; step++) {
    const inputs = inputsOf(model, step, fedBack, options);
    const feeds = Object.fromEntries(Object.entries(inputs).map(([key, t]) => [key, fed(t)]));
    const expected = await resultsOf(sessions.get("model") as ort.InferenceSession, feeds);
    let outputs: Record<string, unknown> = {};
    for (const how of ["node by node", "traced", "compiled"]) {
      const begin = performance.now();
      outputs = model.run(inputs);
      running = performance.now() - begin;
      count = Object.keys(outputs).length;
      for (const [key, b] of expected) {
        const a = outputs[key];
        if (a instanceof Tensor) compare("own", `${how}, step ${step + 1}, output "${key}"`, a as Tensor, b);
        else faults.push(`${name}: the output "${key}" is not a tensor`);
      }
    }
    const isFull = Object.values(inputs).every((t) => t.size > 0);
    if (folder !== null && isFull && !isTried) {
      isTried = true;
      graphShapes = shapesIn(inputs);
      await addGraph(name, model, inputs, sessions, folder);
    }
    for (const what of ["exported", "graph"] as const) {
      const other = sessions.get(what);
      if (other === undefined || (what === "graph" && shapesIn(inputs) !== graphShapes)) continue;
      const results = await resultsOf(other, feeds);
      for (const [key, b] of expected)
        compare(what, `${what} file, step ${step + 1}, output "${key}"`, results.get(key) as Tensor, b);
    }
    fedBack = nextInputs(model, outputs as Record<string, Tensor>, fedBack, options);
  }
  model.dispose();
  const isEqual = Object.values(worst).every(({ fault }) => fault === "");
  const cells = [
    `${name} (${precision})`,
    timeText(loading),
    timeText(running),
    String(count),
    ...(["own", "exported", "graph"] as const).map((what) =>
      worst[what] === none ? "-" : textOf(worst[what], precision),
    ),
    isEqual && faults.length === 0 ? "equal" : "DIFFERS",
  ];
  return { cells, faults };
}

const largestOf = (t: Tensor): string =>
  t.size === 0 ? "0" : (t.to("float64").abs().max().item() as number).toPrecision(2);

const shapesIn = (inputs: Readonly<Record<string, Tensor>>): string =>
  Object.values(inputs)
    .map(({ shape }) => `[${shape}]`)
    .join();

const none: Difference = { relative: 0, cosine: 1, isTopEqual: true, fault: "" };

const worseOf = (a: Difference, b: Difference): Difference => ({
  relative: Math.max(a.relative, b.relative),
  cosine: Math.min(a.cosine, b.cosine),
  isTopEqual: a.isTopEqual && b.isTopEqual,
  fault: a.fault === "" ? b.fault : a.fault,
});

const textOf = ({ relative, cosine }: Difference, precision: Precision): string =>
  precision === "fp32" ? relative.toExponential(1) : `cosine ${cosine.toFixed(5)}`;

/** The graph of the model as one compiled function, where it can be one. */
async function addGraph(
  name: string,
  model: OnnxModel,
  inputs: Readonly<Record<string, Tensor>>,
  sessions: Map<string, ort.InferenceSession>,
  folder: string,
): Promise<void> {
  const file = join(folder, "graph.onnx");
  try {
    // Flags and sampling rates select a graph, as in compiled runs.
    const isFlag = (t: Tensor): boolean => t.size === 1 && t.ndim <= 1 && /^u?int|^bool/.test(String(t.dtype));
    const values = Object.fromEntries(Object.entries(inputs).filter(([, t]) => isFlag(t)));
    const names = Object.keys(inputs).filter((each) => !(each in values));
    await saveOnnx(file, model.compiled({ values }), {
      args: names.map((each) => inputs[each]),
      inputs: names,
      outputs: model.outputs.map((each) => each.name),
    });
  } catch (error) {
    console.error(`${name}: not exported as a graph: ${(error as Error).message.split("\n")[0]}`);
    return;
  }
  sessions.set("graph", await ort.InferenceSession.create(file, { logSeverityLevel: 4, intraOpNumThreads: 1 }));
}

async function resultsOf(
  session: ort.InferenceSession,
  feeds: Readonly<Record<string, ort.Tensor>>,
): Promise<ReadonlyMap<string, Tensor>> {
  const used = Object.fromEntries(Object.entries(feeds).filter(([key]) => session.inputNames.includes(key)));
  const results = await session.run(used);
  return new Map(Object.entries(results).map(([key, value]) => [key, received(value)]));
}

/** The inputs that the outputs of a step give to the next one. An output without elements leaves the input as it is. */
function nextInputs(
  model: OnnxModel,
  outputs: Readonly<Record<string, Tensor>>,
  before: ReadonlyMap<string, Tensor>,
  { feeds }: InputOptions,
): Map<string, Tensor> {
  const next = new Map(before);
  for (const [key, value] of Object.entries(outputs))
    for (const [from, to] of feeds) {
      const input = key.replace(from, to);
      if (key.includes(from) && model.input(input) !== undefined && (value.size > 0 || !before.has(input)))
        next.set(input, value);
    }
  return next;
}

async function precisionOf(file: string): Promise<Precision> {
  const { operators, tensors } = await inspectOnnx(file);
  if (operators.some((each) => /Quantize|Integer|QLinear|NBits|Bnb4/.test(each.name))) return "int8";
  return tensors.some((each) => each.type === "float16") ? "fp16" : "fp32";
}
