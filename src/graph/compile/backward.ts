/**
 * Compiled functions whose outputs require gradients: forward and backward pass are two programs, and autograd sees one node.
 *
 * Both are traced at once: the function, then the gradients of its outputs. The nodes up to the end of the function are the forward graph; its values
 * that the others use are further outputs, which are saved. The backward graph takes these, the arguments and captured tensors that it uses, and the
 * gradients of the outputs. A recorded backward pass (`createGraph`) runs the function as it is.
 */
import { grad, setRequiresGrad } from "../../autograd/api.ts";
import { AutogradError } from "../../autograd/error.ts";
import { edgeOf, gradFnOf, historyOf, isLeaf, requiresGrad, setHistory } from "../../autograd/history.ts";
import { type Edge, GradNode, zerosFor } from "../../autograd/node.ts";
import { SavedTensor } from "../../autograd/saved.ts";
import { isGradEnabled } from "../../autograd/scopes.ts";
import { StridewiseError } from "../../base/errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { keyShift } from "../../tensor/dispatch/keys.ts";
import { guarded, seen } from "../../tensor/dispatch/operator.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { callBits, type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { clone, view } from "../../tensor/views/view-ops.ts";
import { rebuildGraph } from "../edit/rebuild.ts";
import { Graph, type Value, valuesIn } from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import { aliasesOf } from "../lower/aliases.ts";
import { replay } from "../run/replay.ts";
import type { Trace } from "../trace/trace.ts";
import { typeOf } from "../trace/traced.ts";
import { buildProgram, fittedGraph, formOutputs, type ProgramData } from "./build-program.ts";
import { Instances } from "./instances.ts";

/** The source of an input of the backward graph. */
type Source =
  | { readonly kind: "argument"; readonly index: number }
  | { readonly kind: "captured"; readonly tensor: Tensor }
  /** An output of the forward graph. */
  | { readonly kind: "output"; readonly index: number };

/** The backward pass of a graph. */
export interface BackwardGraph {
  readonly graph: Graph;
  readonly instances: Instances<ProgramData>;
  /** The inputs of the graph before the gradients of the outputs. */
  readonly sources: readonly Source[];
  /** The tensors whose gradients the graph returns: indices of arguments, or captured tensors. */
  readonly leaves: readonly (number | Tensor)[];
  /** The outputs that have gradients. */
  readonly outputs: readonly number[];
  /** The memory budget of its programs; null for none. */
  readonly memory: number | null;
  /** The reason why the function cannot run again in a recorded backward pass; null if it can. */
  readonly obstacle: string | null;
}

/** A trace of a function, before its graph is lowered. */
export interface TracedFunction {
  readonly trace: Trace;
  /** The traced arguments. */
  readonly traced: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** A sequence number below those of all nodes that the function recorded. */
  readonly start: number;
}

/** Replaces the node that computed an argument. */
class ArgumentNode extends GradNode {
  run(): readonly (Tensor | null)[] {
    return [];
  }
}

/**
 * Makes traced arguments require gradients where the arguments do, as leaves or as results, because only results may be written to. Returns a
 * sequence number below those of all nodes that are recorded afterward.
 */
export function markLeaves(traced: readonly Tensor[], passed: readonly Tensor[]): number {
  traced.forEach((t, k) => {
    if (!requiresGrad(passed[k])) return;
    if (isLeaf(passed[k])) setRequiresGrad(t, true);
    else setHistory(t, new ArgumentNode("Argument", []), 0);
  });
  return new ArgumentNode("Start", []).sequence;
}

/**
 * Traces the gradients of the outputs, and splits the graph. If that is not possible, returns null and does not change the graph: an output shares
 * memory with an argument or another output, or a tensor that requires gradients is written to or was computed outside of the function.
 */
export function splitBackward(
  { trace, traced, outputs, start }: TracedFunction,
  memory: number | null,
): BackwardGraph | null {
  const { graph } = trace;
  const [nodeCount, inputCount] = [graph.nodes.length, graph.inputs.length];
  const differentiable = outputs.flatMap((t, k) => (trace.isTraced(t) && requiresGrad(t) ? [k] : []));
  const { roots } = aliasesOf(graph);
  const inputs = new Set(graph.inputs.map(({ value }) => value));
  const ownRoots = differentiable.map((k) => roots.get(graph.outputs[k]) as Value);
  if (new Set(ownRoots).size < ownRoots.length || ownRoots.some((root) => inputs.has(root))) return null;
  const required = [...trace.captured].filter(requiresGrad);
  const captured = required.filter(isLeaf);
  const isWritten = (t: Tensor): boolean => {
    const node = historyOf(t)?.edge?.node;
    return node !== undefined && !(node instanceof ArgumentNode);
  };
  // Views of captured tensors are results of the function.
  if (traced.some(isWritten) || required.some((t) => (gradFnOf(t)?.node.sequence ?? Infinity) < start)) return null;
  const isRequired = traced.map(requiresGrad);
  const leaves = [...traced.filter((_, k) => isRequired[k]), ...captured];
  const names = [...traced.flatMap((_, k) => (isRequired[k] ? [k] : [])), ...captured];
  const restore = (): null => {
    graph.nodes.length = nodeCount;
    graph.inputs.length = inputCount;
    return null;
  };
  let values: (Value | null)[];
  let starts: readonly Value[];
  try {
    const gradients = trace.addState(
      differentiable.map((k) => ({ dtype: outputs[k].dtype, shape: sizesOf(outputs[k]), strides: null })),
    );
    starts = gradients.map((t) => trace.valueOf(t));
    const leafGradients = trace.run(() =>
      grad(
        differentiable.map((k) => outputs[k]),
        leaves,
        { gradOutputs: gradients, allowUnused: true },
      ),
    );
    values = leafGradients.map((t) => (t === null ? null : trace.valueOf(t)));
  } catch (error) {
    if (error instanceof StridewiseError) return restore();
    throw error;
  }
  const written = new Set(graph.writes.map(({ to }) => to));
  const backward = new Graph(`${graph.name}Backward`);
  backward.nodes = graph.nodes.slice(nodeCount);
  backward.outputs = values.filter((value) => value !== null);
  const computed = new Set([...backward.nodes.flatMap(({ results }) => results)]);
  const used = new Set([...valuesIn(backward.nodes.flatMap(({ args }) => [...args])), ...backward.outputs]);
  const sources: Source[] = [];
  const saved: Value[] = [];
  const replaced: [Value, Value][] = [];
  for (const value of used) {
    if (computed.has(value) || starts.includes(value)) continue;
    const index = graph.inputs.findIndex((input) => input.value === value);
    const input = graph.inputs[index];
    if (input?.kind === "live" || written.has(value)) return restore();
    if (input?.kind === "constant") {
      replaced.push([value, backward.addInput(value.type, "constant", null, input.tensor)]);
      continue;
    }
    if (input === undefined) {
      const output = graph.outputs.indexOf(value);
      sources.push({ kind: "output", index: output >= 0 ? output : graph.outputs.length + saved.push(value) - 1 });
    } else if (input.tensor !== null) sources.push({ kind: "captured", tensor: input.tensor });
    else {
      const before = graph.inputs.slice(0, index).filter(({ kind }) => kind === "argument");
      sources.push({ kind: "argument", index: before.length });
    }
    replaced.push([value, backward.addInput(value.type)]);
  }
  for (const value of starts) replaced.push([value, backward.addInput(value.type)]);
  for (const [value, by] of replaced) backward.replaceUses(value, by);
  restore();
  graph.outputs.push(...saved);
  const isRandom = graph.nodes.some(({ op }) => op.facts.random !== undefined);
  return {
    graph: backward,
    instances: new Instances<ProgramData>(() => true),
    sources,
    leaves: names.filter((_, k) => values[k] !== null),
    outputs: differentiable,
    memory,
    obstacle: isRandom ? "draws random numbers" : graph.writes.length > 0 ? "writes to tensors" : null,
  };
}

/** A compiled call with a gradient. */
export interface RecordedCall {
  readonly fn: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  /** The tensors among the arguments. */
  readonly tensors: readonly Tensor[];
  /** The outputs of the forward graph, those that are saved last. */
  readonly outputs: readonly Tensor[];
}

/** Sets the node of the outputs of a call. Returns the outputs: new tensors, not views. */
export function recordCall(backward: BackwardGraph, call: RecordedCall): Tensor[] {
  const node = new CompiledNode(backward, call);
  const outputs = call.outputs.slice();
  backward.outputs.forEach((index, k) => {
    const t = outputs[index];
    const output =
      t.root === null ? t : tensorOver((t.source as Storage).retain(), t.dtype, t.start, sizesOf(t), flatStrides(t));
    setHistory(output, node, k);
    outputs[index] = output;
  });
  node.save(outputs);
  return outputs;
}

class CompiledNode extends GradNode {
  /** A gradient may be a saved tensor, or a view of one. */
  override isPrivate = false;
  readonly #backward: BackwardGraph;
  readonly #fn: RecordedCall["fn"];
  /** The arguments, with indices of saved tensors instead of tensors; empty after `release`. */
  #args: readonly unknown[];
  #saved: SavedTensor[] = [];
  /** The tensors among the arguments, for a recorded backward pass. */
  #tensors: SavedTensor[];

  constructor(backward: BackwardGraph, { fn, args, tensors }: RecordedCall) {
    const leaf = (each: number | Tensor): Tensor => (typeof each === "number" ? tensors[each] : each);
    super(
      "CompiledBackward",
      backward.leaves.map((each): Edge | null => edgeOf(leaf(each))),
    );
    this.#backward = backward;
    this.#fn = fn;
    this.#args = args;
    this.#tensors = tensors.map((t) => new SavedTensor(t, null));
  }

  save(outputs: readonly Tensor[]): void {
    const { sources, outputs: differentiable } = this.#backward;
    this.#saved = sources.map((source) => {
      if (source.kind === "captured") return new SavedTensor(source.tensor, null);
      if (source.kind === "argument") return this.#tensors[source.index];
      const output = differentiable.indexOf(source.index);
      return new SavedTensor(outputs[source.index], output >= 0 ? this : null, Math.max(output, 0));
    });
  }

  override get savedTensors(): readonly Tensor[] {
    return this.#saved.map((each) => each.unpack());
  }

  override release(): void {
    for (const each of [...this.#saved, ...this.#tensors]) each.release();
    this.#args = [];
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const { graph } = this.#backward;
    const filled = this.outputs.map((info, k) => gradients[k] ?? zerosFor(info, gradients));
    if (isGradEnabled()) return this.#recorded(filled);
    const first = graph.inputs.length - filled.length;
    const outputGradients = filled.map((t, k) => likeType(t, graph.inputs[first + k].value));
    const inputs = [...this.savedTensors, ...outputGradients];
    const isPlain = guarded === 0 && inputs.every((t) => ((callBits(t) >>> keyShift) & seen) === 0);
    return isPlain ? this.#compiled(inputs) : replayAll(graph, inputs);
  }

  #compiled(inputs: readonly Tensor[]): readonly Tensor[] {
    const { graph, instances, memory } = this.#backward;
    const fixed = graph.inputs.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
    const key = [...inputs];
    const instance = instances.find(key);
    const results = instance?.bind(inputs) === true ? instance.run(inputs) : null;
    if (instance !== undefined && results !== null) return formOutputs(instance.data.outputs, inputs, fixed, results);
    const fitted = memory === null ? graph : fittedGraph(rebuildGraph(graph), inputs, memory);
    const lowered = buildProgram(fitted, { key, tensors: inputs, fixed }, instances, (program) => program);
    return formOutputs(lowered.data.outputs, inputs, fixed, lowered.results);
  }

  /** Runs the function and its backward pass with recording. */
  #recorded(gradients: readonly Tensor[]): readonly (Tensor | null)[] {
    const { leaves, outputs: differentiable, obstacle } = this.#backward;
    if (obstacle !== null)
      throw new AutogradError(
        `backward: gradients of gradients of a compiled function run it again, but this one ${obstacle}. Call it without compile`,
      );
    // New nodes, so that gradients end here.
    const tensors = this.#tensors.map((each) => {
      const t = each.unpack();
      return requiresGrad(t) ? (view(t, sizesOf(t)) as Tensor) : t;
    });
    let next = 0;
    const outputs: Tensor[] = [];
    mapTensors([this.#fn(...mapTensors(this.#args, () => tensors[next++]))], (t) => outputs.push(t));
    return grad(
      differentiable.map((k) => outputs[k]),
      leaves.map((each) => (typeof each === "number" ? tensors[each] : each)),
      { gradOutputs: gradients, createGraph: true, allowUnused: true },
    );
  }
}

/** A tensor with the layout of a graph's input. */
function likeType(t: Tensor, { type }: Value): Tensor {
  return `${typeOf(t).strides}` === `${type.strides}` ? t : (clone(t, "contiguous") as Tensor);
}

/** Runs a graph op by op; its constants are inputs too. */
function replayAll(graph: Graph, inputs: readonly Tensor[]): readonly Tensor[] {
  let next = 0;
  return replay(
    graph,
    graph.inputs.map(({ tensor }) => tensor ?? inputs[next++]),
  );
}
