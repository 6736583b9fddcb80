/**
 * Graphs as files: the text of the graph, and its captured tensors, constants and live numbers in a .safetensors file next to it. `encodeGraph` and
 * `decodeGraph` work on a text and bytes, `saveGraph` and `loadGraph` on files.
 */
import { boot } from "../boot.ts";
import { inStrides } from "../graph/exact-tensors.ts";
import { type Graph, GraphError } from "../graph/ir.ts";
import { concreteType } from "../graph/sizes.ts";
import { parseGraph } from "../graph/text/parse.ts";
import { checkIsGraph, graphData, inputKeys, printGraph } from "../graph/text/text.ts";
import { clone, contiguous, viewAsComplex, viewAsReal } from "../tensor/views/view-ops.ts";
import { FileError, quoted } from "./file-error.ts";
import { loadSafetensors, saveSafetensors } from "./load.ts";
import { describe, type FileInput, openSource, pathOf, writePath } from "./source.ts";
import type { Tensor } from "./tensor-arrays.ts";
import { encodeSafetensors, type FileBytes, parseSafetensors } from "./tensor-bytes.ts";

/** A graph as the contents of two files. */
export interface EncodedGraph {
  /** The text of the graph. */
  readonly text: string;
  /** Its tensors, as a safetensors file. */
  readonly constants: Uint8Array<ArrayBuffer>;
}

const metadata = { format: "stridewise graph 1" };

/** Encodes a graph as its text and the bytes of a safetensors file. */
export function encodeGraph(graph: Graph): EncodedGraph {
  checkIsGraph("encodeGraph", graph);
  const text = printGraph(graph);
  return { text, constants: encodeSafetensors(storedData("encodeGraph", graph), { metadata }) };
}

/** Returns the graph of a text and the bytes of its safetensors file, which its tensors share where their alignment allows it. */
export function decodeGraph(text: string, constants: FileBytes): Graph {
  return withData(text, parseSafetensors(constants).tensors);
}

/**
 * Saves a graph: its text at the path, such as "block.graph", and its tensors next to it, in "block.safetensors".
 * Captured tensors are saved with the elements that they have now.
 */
export async function saveGraph(path: string | URL, graph: Graph): Promise<void> {
  const name = pathOf("saveGraph", path);
  if (name === undefined)
    throw new FileError(
      `saveGraph: the first argument must be a path, got ${describe(path)}. Write saveGraph(path, graph).`,
    );
  checkIsGraph("saveGraph", graph);
  const text = new TextEncoder().encode(`${printGraph(graph)}\n`);
  await saveSafetensors(dataPath("saveGraph", name), storedData("saveGraph", graph), { metadata });
  await writePath("saveGraph", name, [text]);
}

/**
 * Loads a graph that `saveGraph` has written. The tensors are read from the safetensors file next to a path; for other inputs, pass it as the second
 * argument.
 */
export async function loadGraph(input: FileInput, constants?: FileInput): Promise<Graph> {
  boot();
  const source = await openSource("loadGraph", input);
  const text = new TextDecoder().decode((await source.read(0, source.size)).slice());
  if (inputKeys(parseGraph(text)).size === 0) return parseGraph(text);
  const path = pathOf("loadGraph", input);
  const beside = constants ?? (path === undefined ? undefined : dataPath("loadGraph", path));
  if (beside === undefined)
    throw new FileError(
      "loadGraph: the graph has captured tensors or constants. Pass their safetensors file as the second argument.",
    );
  return withData(text, (await loadSafetensors(beside)).tensors);
}

/** The path of the tensors of a graph: that of the text with another extension. */
function dataPath(who: string, path: string): string {
  const result = `${path.replace(/\.[^./\\]*$/, "")}.safetensors`;
  if (result !== path) return result;
  throw new FileError(
    `${who}: ${quoted(path)} is the file of the tensors. Use another extension for the text: .graph.`,
  );
}

/** The tensors of a graph by their keys, in dtypes that the format has. */
function storedData(who: string, graph: Graph): Map<string, Tensor> {
  const data = graphData(graph);
  for (const [{ kind }, key] of inputKeys(graph))
    if (!data.has(key))
      throw new GraphError(
        `${who}: the ${kind} input ${quoted(key)} of the graph has no tensor. Parse it with constants`,
      );
  return new Map([...data].map(([key, t]) => [key, t.dtype === "complex128" ? viewAsReal(contiguous(t)) : t]));
}

/** Parses a graph with tensors from a file, in the strides that its types have. */
function withData(text: string, tensors: ReadonlyMap<string, Tensor>): Graph {
  boot();
  const graph = parseGraph(text);
  const constants = new Map<string, Tensor>();
  for (const [{ value }, key] of inputKeys(graph)) {
    const t = tensors.get(key);
    if (t === undefined) continue;
    const own = value.type.dtype === "complex128" && t.dtype === "float64" ? viewAsComplex(clone(t)) : t;
    const isFit = own.dtype === value.type.dtype && `${own.shape}` === `${value.type.shape}`;
    constants.set(key, isFit ? inStrides(own, concreteType(value.type, {})) : own);
  }
  return parseGraph(text, { constants });
}
