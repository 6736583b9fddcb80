/** `toOnnx` and `saveOnnx`: compiled functions, graphs and loaded models as .onnx files. */
import { wrongKind } from "../../base/arguments.ts";
import { Graph } from "../../graph/ir.ts";
import { FileError } from "../../io/file-error.ts";
import { joinParts } from "../../io/raw-array.ts";
import { pathOf, writePath } from "../../io/source.ts";
import { checkOptions } from "../../ops/signature.ts";
import { OnnxError } from "../error.ts";
import { OnnxModel } from "../model.ts";
import { DataLocation, type Draft, type ModelProto, type TensorProto } from "../proto/types.ts";
import { modelPieces } from "../proto/write.ts";
import { exportGraph } from "./export-graph.ts";
import { type CompiledFunction, graphOfFunction, graphOfGraph } from "./graph-source.ts";

/** An exportable object: a function of `compile`, a graph, or a model of `loadOnnx`. */
export type OnnxSource = CompiledFunction | Graph | OnnxModel;

export interface ExportOptions {
  /** Example arguments, with which a compiled function is called first. Default: the sizes and values of its last call. */
  readonly args?: readonly unknown[] | undefined;
  /** The names of the inputs, in the order of the tensors among the arguments. Default: input0, input1 and so on. */
  readonly inputs?: readonly string[] | undefined;
  /** The names of the outputs. Default: output, or output0, output1 and so on. */
  readonly outputs?: readonly string[] | undefined;
  /** Metadata of the file by name, such as a license. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The version of the operators in exported files, and of the format. */
const opset = 20;
const irVersion = 10;

/** Readers of Protocol Buffers reject longer messages. */
const maxBytes = 2 ** 31 - 1;

/**
 * Returns an .onnx file that computes the same as a compiled function, a graph or a loaded model. Captured tensors are initializers, with the
 * elements that they have now, and dimensions by `dim` are sizes by name. Throws one error that lists all ops that ONNX cannot express.
 */
export function toOnnx(source: OnnxSource, options: ExportOptions = {}): Uint8Array<ArrayBuffer> {
  const pieces = modelPieces(modelOf("toOnnx", source, options));
  const bytes = byteCount(pieces);
  if (bytes > maxBytes)
    throw new OnnxError(
      `toOnnx: the model takes ${bytes} bytes, and a message is limited to ${maxBytes}. Write it by saveOnnx, which puts its tensors into a second file`,
    );
  return joinParts(pieces);
}

/**
 * Writes an .onnx file, as `toOnnx` returns it. If it would be longer than 2 GB, its tensors are written next to it, in a file with the name of the
 * model and ".data".
 */
export async function saveOnnx(path: string | URL, source: OnnxSource, options: ExportOptions = {}): Promise<void> {
  const name = pathOf("saveOnnx", path);
  if (name === undefined) throw new FileError(`saveOnnx: the first argument must be a path, got ${typeof path}.`);
  const model = modelOf("saveOnnx", source, options);
  const pieces = modelPieces(model);
  if (byteCount(pieces) <= maxBytes) return writePath("saveOnnx", name, pieces);
  const { main, data } = withoutData(model, `${name.replace(/^.*[\\/]/, "")}.data`);
  await writePath("saveOnnx", `${name}.data`, data);
  await writePath("saveOnnx", name, modelPieces(main));
}

const byteCount = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

function modelOf(who: string, source: OnnxSource, options: ExportOptions): Draft<ModelProto> {
  checkOptions(who, options, "args", "inputs", "outputs", "metadata");
  const metadataProps = Object.entries(options.metadata ?? {}).map(([key, value]) => ({ key, value }));
  if (source instanceof OnnxModel) {
    for (const key of ["args", "inputs", "outputs"] as const)
      if (options[key] !== undefined) throw new OnnxError(`${who}: a loaded model has its own names. Omit ${key}`);
    const { proto } = source;
    const kept = proto.metadataProps.filter(({ key }) => !metadataProps.some((each) => each.key === key));
    return { ...proto, metadataProps: [...kept, ...metadataProps] };
  }
  const isGraph = source instanceof Graph;
  if (isGraph && options.args !== undefined)
    throw new OnnxError(`${who}: args are of compiled functions, not of graphs`);
  if (!isGraph && typeof source !== "function")
    throw wrongKind(who, "a compiled function, a graph or a model of loadOnnx", source);
  const graph = isGraph ? graphOfGraph(source) : graphOfFunction(who, source, options.args);
  return {
    irVersion,
    producerName: "stridewise",
    opsetImport: [{ domain: "", version: opset }],
    graph: exportGraph(who, graph, options),
    metadataProps,
  };
}

/** The alignment of tensors in a file of data. */
const alignment = 4096;

/** Moves the bytes of large initializers to a separate file. */
export function withoutData(
  model: Draft<ModelProto>,
  location: string,
): { readonly main: Draft<ModelProto>; readonly data: readonly Uint8Array[] } {
  const data: Uint8Array[] = [];
  let at = 0;
  const moved = (t: Draft<TensorProto>): Draft<TensorProto> => {
    const { rawData } = t;
    if (rawData === undefined || rawData.length < 1024) return t;
    const entries = { location, offset: at, length: rawData.length };
    const rest = -rawData.length & (alignment - 1);
    data.push(rawData, new Uint8Array(rest));
    at += rawData.length + rest;
    return {
      ...t,
      rawData: undefined,
      dataLocation: DataLocation.EXTERNAL,
      externalData: Object.entries(entries).map(([key, value]) => ({ key, value: String(value) })),
    };
  };
  const graph = model.graph && { ...model.graph, initializer: model.graph.initializer?.map(moved) };
  return { main: { ...model, graph }, data };
}
