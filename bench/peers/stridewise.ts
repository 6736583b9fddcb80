/** Stridewise, by its public names only, on one thread unless the row says otherwise. */
import * as stridewise from "stridewise";
import * as nn from "stridewise/nn";
import * as optim from "stridewise/optim";
import { arraysOf, elementsOf, type ModelFile, type Row } from "../rows/row.ts";
import { entryOf, type Ready } from "./peer.ts";

/** The contestants that are Stridewise: itself, and its peers in rows about threads and compiled functions. */
type Name = "stridewise" | "one-thread" | "eager" | "kernel";

/** Prepares one of them. */
export async function prepareStridewise(row: Row, name: Name): Promise<Ready> {
  stridewise.configure({ threads: row.threads ?? 1 });
  const entry = entryOf(row, name);
  if (typeof entry === "object") return prepareModel(entry);
  const arrays = arraysOf(row, (values, shape) => stridewise.tensor(values).view(...shape) as stridewise.Tensor);
  const body = entry({ ...stridewise, nn, optim }, arrays) as () => stridewise.Tensor;
  let last: stridewise.Tensor | undefined;
  return {
    version: process.version,
    call() {
      // As with the other libraries that own memory, the last result is freed before the next call.
      if (last !== undefined && last !== arrays.out) last.dispose();
      last = body();
    },
    read: () => (last as stridewise.Tensor).toTypedArray() as Float32Array,
  };
}

/** A model, called until it runs compiled programs. */
async function prepareModel({ path, inputs, output }: ModelFile): Promise<Ready> {
  const { loadOnnx } = await import("stridewise/onnx");
  const model = await loadOnnx(path() as string);
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, each]) => [name, stridewise.tensor(elementsOf(each)).view(...each.shape)]),
  );
  const call = (): stridewise.Tensor => model.run(feeds, { outputs: [output] })[output] as stridewise.Tensor;
  for (let k = 0; k < 2; k++) call().dispose();
  let last: stridewise.Tensor | undefined;
  return {
    version: process.version,
    call() {
      last?.dispose();
      last = call();
    },
    read: () => (last as stridewise.Tensor).toTypedArray() as Float32Array,
  };
}

export const prepare = (row: Row): Promise<Ready> => prepareStridewise(row, "stridewise");
