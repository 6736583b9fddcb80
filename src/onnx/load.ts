/** Loads models: reads the file without its weights, checks the graph, prepares its nodes, and then reads the weights. */
import { boot } from "../boot.ts";
import { checkOptions } from "../io/load.ts";
import type { FileInput } from "../io/source.ts";
import { type TransferOptions, Watch } from "../io/watch.ts";
import { type Block, Preparation, versionsOf } from "./block.ts";
import { OnnxError } from "./error.ts";
import { limitsOf } from "./limits.ts";
import { OnnxModel, type OnnxOptions } from "./model.ts";
import { type OpenExternal, openModelFile } from "./model-file.ts";
import { operatorTables } from "./operators/tables.ts";
import type { ModelProto } from "./proto/types.ts";
import { TensorReader } from "./tensor-reader.ts";
import { readWeights } from "./weights.ts";

export interface LoadOnnxOptions extends OnnxOptions, TransferOptions {
  /**
   * Opens a file with external data, by its name in the model: returns its bytes, a Blob, a Response or a path. Default, for a model that is loaded by
   * path: the file of that name in the folder of the model.
   */
  readonly external?: OpenExternal | undefined;
  /** The largest total number of bytes of the weights. Default: 256 MiB, or 100 times the size of the files if that is more. */
  readonly maxWeightBytes?: number | undefined;
}

const limitNames = ["maxNodes", "maxSteps", "maxBytes", "maxKeptBytes", "maxWeightBytes"] as const;

/** Loads a model from bytes, a Blob, a Response, or in Node a path. */
export async function loadOnnx(input: FileInput, options: LoadOnnxOptions = {}): Promise<OnnxModel> {
  const who = "loadOnnx";
  checkOptions(who, options, ["compile", "external", ...limitNames, "signal", "onProgress"]);
  const watch = watchOf(options);
  const file = await openModelFile(who, input, watch);
  boot();
  const block = blockOf(file.proto, options);
  const weights = await readWeights(who, file, options, watch);
  return new OnnxModel(file.proto, block, new TensorReader(weights), options);
}

/** A transfer whose progress ends at the size of the files: a few bytes are read twice, where a window of the model overlaps a weight. */
function watchOf({ signal, onProgress }: TransferOptions): Watch {
  const report: TransferOptions["onProgress"] =
    onProgress && (({ done, total }) => onProgress({ done: Math.min(done, total), total }));
  return new Watch({ signal, onProgress: report });
}

/** Prepares a model that has been read, with the elements of its tensors in their messages. */
export function prepareModel(proto: ModelProto, options: OnnxOptions): OnnxModel {
  return new OnnxModel(proto, blockOf(proto, options), new TensorReader(), options);
}

function blockOf(proto: ModelProto, options: OnnxOptions): Block {
  if (proto.graph === undefined) throw new OnnxError("loadOnnx: the model has no graph");
  const preparation = new Preparation(proto.functions, operatorTables, limitsOf(options).maxNodes);
  const block = preparation.graph(proto.graph, versionsOf(proto.opsetImport), new Set(), "loadOnnx");
  if (preparation.unknown.size > 0)
    throw new OnnxError(
      `loadOnnx: the model uses operators that are not supported: ${[...preparation.unknown]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))
        .join(", ")}`,
    );
  return block;
}
