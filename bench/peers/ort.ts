/**
 * ONNX Runtime, for both of its packages: a session over the row's graph or model, on one thread unless the row says otherwise. The result goes to existing
 * memory, unless the row needs a new one. The browser's package leaves such memory untouched (1.30: no error, no
 * result), so it receives none, and each of its runs copies the inputs into the WebAssembly heap and the result out of
 * it. There is no other way to call it, so the copies count.
 */
import type { InferenceSession, Tensor } from "onnxruntime-common";
import { encodeModel } from "../onnx/model.ts";
import { arraysOf, elementsOf, type ModelFile, type OnnxGraph, type Row } from "../rows/row.ts";
import { entryOf, type Ready } from "./peer.ts";

/** The functions that we use of either package. */
interface Ort {
  readonly Tensor: typeof Tensor;
  readonly InferenceSession: typeof InferenceSession;
}

export async function prepareOrt(row: Row, name: "ort-web" | "ort-node", ort: Ort, version: string): Promise<Ready> {
  const entry = entryOf(row, name);
  const options: InferenceSession.SessionOptions = {
    executionProviders: [name === "ort-web" ? "wasm" : "cpu"],
    intraOpNumThreads: row.threads ?? 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
  };
  if ("path" in entry) return prepareModel(entry, ort, options, version);
  const graph = entry;
  const used = { ...row, inputs: usedInputs(graph, row.inputs) };
  const session = await ort.InferenceSession.create(encodeModel(graph, used.inputs, row.result), options);
  const { out, ...feeds } = arraysOf(used, (values, shape) => new ort.Tensor("float32", values, shape));
  const inputs: Record<string, Tensor> = { ...feeds };
  const fetches = graph.fresh || name === "ort-web" ? ["out"] : { out };
  let last: InferenceSession.ReturnType = {};
  return {
    version,
    async call() {
      last = await session.run(inputs, fetches);
    },
    read: () => (last.out as Tensor).data as Float32Array,
  };
}

async function prepareModel(
  { path, inputs, output }: ModelFile,
  ort: Ort,
  options: InferenceSession.SessionOptions,
  version: string,
): Promise<Ready> {
  const session = await ort.InferenceSession.create(path() as string, options);
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, each]) => [
      name,
      new ort.Tensor(each.dtype, elementsOf(each) as Float32Array, [...each.shape]),
    ]),
  );
  let last: InferenceSession.ReturnType = {};
  return {
    version,
    async call() {
      last = await session.run(feeds, [output]);
    },
    read: () => (last[output] as Tensor).data as Float32Array,
  };
}

/** The inputs that a node names: those that a graph has as constants are not passed in every call. */
function usedInputs({ nodes }: OnnxGraph, inputs: Row["inputs"]): Row["inputs"] {
  const named = new Set(nodes.flatMap(({ from }) => from));
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => named.has(name)));
}
