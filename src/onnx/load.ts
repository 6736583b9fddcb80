/** Loads models: reads the file, checks the graph, and prepares its nodes. */
import { boot } from "../boot.ts";
import type { FileInput } from "../io/source.ts";
import { openSource } from "../io/source.ts";
import { type ByteSource, Watch } from "../io/watch.ts";
import { Preparation, versionsOf } from "./block.ts";
import { OnnxError } from "./error.ts";
import { limitsOf } from "./limits.ts";
import { OnnxModel, type OnnxOptions } from "./model.ts";
import { operatorTables } from "./operators/tables.ts";
import { readModel } from "./proto/read.ts";
import type { ModelProto } from "./proto/types.ts";
import { TensorReader } from "./tensor-reader.ts";

export interface LoadOnnxOptions extends OnnxOptions {
  /** Reads a file with external data, by its name in the model. In Node, files are found next to a model that is loaded by path. */
  readonly external?: ((location: string) => Uint8Array | Promise<Uint8Array>) | undefined;
}

/** Loads a model from bytes, a Blob, a Response, or in Node a path. */
export async function loadOnnx(input: FileInput, options: LoadOnnxOptions = {}): Promise<OnnxModel> {
  const source: ByteSource = await openSource("loadOnnx", input, new Watch({}));
  const bytes = await source.read(0, source.size);
  return modelOf(bytes, options);
}

/** Prepares a model whose bytes are in memory. */
export function modelOf(bytes: Uint8Array, options: LoadOnnxOptions = {}): OnnxModel {
  boot();
  const proto = readModel(bytes);
  return prepareModel(proto, options);
}

/** Prepares a model that has been read. */
export function prepareModel(proto: ModelProto, options: OnnxOptions): OnnxModel {
  if (proto.graph === undefined) throw new OnnxError("loadOnnx: the model has no graph");
  const versions = versionsOf(proto.opsetImport);
  const preparation = new Preparation(proto.functions, operatorTables, limitsOf(options).maxNodes);
  const block = preparation.graph(proto.graph, versions, new Set(), "loadOnnx");
  if (preparation.unknown.size > 0)
    throw new OnnxError(
      `loadOnnx: the model uses operators that are not supported: ${[...preparation.unknown]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))
        .join(", ")}`,
    );
  return new OnnxModel(proto, block, new TensorReader(), options);
}
