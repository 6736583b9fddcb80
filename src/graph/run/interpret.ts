/**
 * The reference interpreter of graphs: runs a graph node by node with the eager ops, and returns its outputs and the new values of the inputs
 * that it writes. It never changes the tensors that are passed. It is the oracle that passes, texts and compiled programs are tested against, and
 * runs any graph, also one that was edited or read from a file.
 *
 * Values have exactly the strides of their types, because asStrided nodes refer to the memory of their value. A node that writes in place works on
 * a copy of the whole memory of the tensor.
 */
import { noGrad } from "../../autograd/scopes.ts";
import { wrongKind } from "../../base/arguments.ts";
import { ShapeError } from "../../base/errors.ts";
import { setBytes } from "../../storage/set-bytes.ts";
import { Storage } from "../../storage/storage.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { writeAt } from "../../tensor/elements.ts";
import { flatStrides, isFlat, sizesOf } from "../../tensor/geometry.ts";
import { scope } from "../../tensor/scope.ts";
import { Tensor, tensorOver } from "../../tensor/tensor.ts";
import { contiguous } from "../../tensor/views/view-ops.ts";
import { callControl, type RunRegion } from "../control/call-control.ts";
import { exactZeros, inStrides } from "../exact-tensors.ts";
import { type Graph, GraphError, type Node, type Value } from "../ir.ts";
import { partOf } from "../lower/lower.ts";
import { concreteArgument, concreteType, type SymbolValues, solveSymbols, unboundSymbols } from "../sizes.ts";
import { checkIsGraph, opName } from "../text/text.ts";
import { callNode, type NodeMemory } from "./call-node.ts";

/** The results of a graph. */
export interface GraphResults {
  /** The outputs, in their order. */
  readonly outputs: readonly Tensor[];
  /** The new values of the inputs that the graph writes, in the order of `graph.writes`. */
  readonly writes: readonly Tensor[];
}

/** Values for captured tensors, constants and live numbers, by the inputs' names. They replace the tensors of the graph. */
export interface RunGraphOptions {
  readonly captured?: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor | number>> | undefined;
}

/**
 * Runs a graph on tensors for its arguments, with the eager ops, one node at a time. Symbolic sizes have the values of the sizes of the tensors.
 * Returns the outputs, and the new values of the inputs that the graph writes; it does not write to the tensors themselves.
 */
export function runGraph(graph: Graph, inputs: readonly Tensor[], options: RunGraphOptions = {}): GraphResults {
  checkIsGraph("runGraph", graph);
  if (!Array.isArray(inputs) || !inputs.every((t) => t instanceof Tensor))
    throw wrongKind("runGraph", "a list of tensors, one for each argument", inputs);
  const unbound = unboundSymbols(graph);
  if (unbound.length > 0)
    throw new GraphError(
      `runGraph: ${unbound.length === 1 ? "the symbol" : "the symbols"} ${unbound.join(", ")} of ${graph.name} cannot be computed from the sizes of its inputs. Bind them: bindSizes(graph, { ${unbound[0]}: 8 })`,
    );
  const run = new Run(graph, boundInputs(graph, inputs, options));
  return noGrad(() => scope(() => run.results()));
}

/** Returns the tensor of each input. */
function boundInputs(graph: Graph, inputs: readonly Tensor[], { captured }: RunGraphOptions): readonly Tensor[] {
  const count = graph.inputs.filter(({ kind }) => kind === "argument").length;
  if (count !== inputs.length)
    throw new GraphError(
      `runGraph: ${graph.name} needs ${count} ${count === 1 ? "tensor" : "tensors"}, got ${inputs.length}`,
    );
  let next = 0;
  return graph.inputs.map(({ kind, name, tensor, value }, k) => {
    const replacement =
      name === null
        ? undefined
        : captured instanceof Map
          ? captured.get(name)
          : (captured as Readonly<Record<string, Tensor | number>> | undefined)?.[name];
    const t =
      kind === "argument"
        ? inputs[next++]
        : typeof replacement === "number"
          ? scalar(replacement)
          : (replacement ?? tensor);
    const label = labelOf(graph, k);
    if (t === null)
      throw new GraphError(
        `runGraph: ${label} has no tensor. Parse the graph with constants, or pass captured: { ${name ?? "name"}: tensor }`,
      );
    if (t.dtype !== value.type.dtype)
      throw new ShapeError(`runGraph: ${label} must have dtype ${value.type.dtype}, got ${t.dtype}`);
    return isFlat(t) && t.source instanceof Storage ? t : contiguous(t);
  });
}

function scalar(value: number): Tensor {
  const t = tensorOver(Storage.allocate(8), "float64", 0, [], []);
  writeAt(t, 0, value);
  return t;
}

function labelOf({ inputs }: Graph, k: number): string {
  const { kind, name } = inputs[k];
  if (kind === "argument") return `argument ${name ?? inputs.slice(0, k).filter((each) => each.kind === kind).length}`;
  return `the ${kind} input ${name === null ? k : JSON.stringify(name)}`;
}

/** Parts share memory with their tensor, and a copy has all of it, so that parts of the copy are those of the tensor. */
const memory: NodeMemory = {
  part: partOf,
  copy: copyOfMemory,
  assign: (to, from, node) => copyAll(from, to, opName(node)),
};

/** One run of a graph. */
class Run {
  readonly #graph: Graph;
  readonly #symbols: SymbolValues;
  readonly #tensors = new Map<Value, Tensor>();

  constructor(graph: Graph, inputs: readonly Tensor[], outer: Run | null = null) {
    this.#graph = graph;
    const solved = solveSymbols(
      "runGraph",
      graph,
      inputs.map(sizesOf),
      graph.inputs.map((_, k) => labelOf(graph, k)),
    );
    this.#symbols = outer === null ? solved : { ...outer.#symbols, ...solved };
    if (outer !== null) for (const [value, t] of outer.#tensors) this.#tensors.set(value, t);
    // asStrided nodes refer to the memory of an input by the strides of its type.
    for (const [k, { value }] of graph.inputs.entries()) this.#define(value, detached(inputs[k]));
  }

  results(): GraphResults {
    const { nodes, outputs, writes } = this.#graph;
    for (const node of nodes) this.#runNode(node);
    return {
      outputs: outputs.map((value) => this.#tensorOf(value)),
      writes: writes.map(({ value }) => this.#tensorOf(value)),
    };
  }

  #tensorOf(value: Value): Tensor {
    const t = this.#tensors.get(value);
    if (t === undefined)
      throw new GraphError("runGraph: a value is used before it is computed. Check the graph: verifyGraph(graph)");
    return t;
  }

  #runNode(node: Node): void {
    const { op } = node;
    const args = node.args.map((arg) => concreteArgument(arg, this.#symbols, (value) => this.#tensorOf(value)));
    const regions = node.regions.map(
      (region): RunRegion =>
        (...tensors) =>
          new Run(region, tensors, this).results().outputs,
    );
    const results =
      callControl(node, args, regions) ?? callNode(node, [...args, ...regions], this.#tensorOf.bind(this), memory);
    if (results.length !== node.results.length)
      throw new GraphError(
        `runGraph: ${opName(node)} returned ${results.length} tensors, its node has ${node.results.length} results`,
      );
    node.results.forEach((value, k) => {
      this.#define(value, results[k]);
    });
    if (op.makes && (op.name === "empty" || op.name === "emptyLike")) {
      const t = this.#tensorOf(node.results[0]);
      this.#tensors.set(node.results[0], exactZeros(concreteType(node.results[0].type, this.#symbols)));
      t.dispose();
    }
  }

  /** Sets the tensor of a value, in the strides of its type. */
  #define(value: Value, t: Tensor): void {
    const type = concreteType(value.type, this.#symbols);
    if (t.dtype !== type.dtype || `${sizesOf(t)}` !== `${type.shape}`)
      throw new GraphError(
        `runGraph: ${value.node === null ? "an input" : `a result of ${opName(value.node)}`} is ${t.dtype} [${sizesOf(t).join(", ")}], its type is ${type.dtype} [${type.shape.join(", ")}]`,
      );
    this.#tensors.set(value, inStrides(t, type));
  }
}

/** The same tensor without a history. */
const detached = (t: Tensor): Tensor =>
  tensorOver((t.source as Storage).retain(), t.dtype, t.start, sizesOf(t), flatStrides(t));

/** Returns the same view of a copy of the memory of a tensor. */
function copyOfMemory(t: Tensor): Tensor {
  const from = t.source as Storage;
  const storage = Storage.allocate(from.nbytes);
  if (from.nbytes > 0) {
    const memory = from.readable();
    setBytes(
      new Uint8Array(storage.writable().buffer, storage.byteOffset, storage.nbytes),
      0,
      new Uint8Array(memory.buffer, from.byteOffset, from.nbytes),
    );
  }
  return tensorOver(storage, t.dtype, t.start, sizesOf(t), flatStrides(t));
}
