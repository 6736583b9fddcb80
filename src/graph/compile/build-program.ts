/** Lowers a graph over the tensors of a call, runs the program, and adds it to a list of instances. */
import { Storage } from "../../storage/storage.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { bumpVersion } from "../../tensor/operand.ts";
import { canCache } from "../../tensor/program-keys.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { type Argument, type Graph, GraphError, type Value } from "../ir.ts";
import type { ArenaBlock } from "../lower/arena.ts";
import { fitMemory } from "../lower/fit-memory.ts";
import { bytesOf, GraphLowering, partOf, tensorOfType } from "../lower/lower.ts";
import { summaryOf, type TaskSummary } from "../lower/tasks.ts";
import type { GraphCall, Instances } from "./instances.ts";

/** The construction of an output: a tensor of the call, or a view of one. */
export interface OutputRule {
  /** The tensor: a result, an argument or a fixed one. */
  readonly from: "result" | "tensor" | "fixed";
  readonly index: number;
  /** The view; null for the tensor itself. */
  readonly view: readonly Argument[] | null;
}

/** A program of a graph. */
export interface ProgramData {
  readonly outputs: readonly OutputRule[];
  /** The tasks of the program, the bytes of its arena, and the largest sum of bytes in it that live at once. */
  readonly tasks: readonly TaskSummary[];
  readonly arenaBytes: number;
  readonly liveBytes: number;
  readonly arena: readonly ArenaBlock[];
}

/** The tensors of a call. `fixed` are captured tensors, constants and live numbers. */
export interface CallTensors {
  readonly key: readonly unknown[];
  readonly tensors: readonly Tensor[];
  readonly fixed: readonly Tensor[];
  /** Fixed tensors that are gradients of other tensors. */
  readonly gradients?: GraphCall["gradients"];
}

/** A graph whose nodes are planned over tensors. */
export interface PlannedGraph {
  readonly lowering: GraphLowering;
  /** The results, each in separate memory. */
  readonly results: readonly Tensor[];
  /** The arguments and captured tensors that are written. */
  readonly written: ReadonlySet<Tensor>;
}

/** Plans a graph over the tensors of a call. `allocate` returns the storage of a result. */
export function planGraph(
  graph: Graph,
  tensors: readonly Tensor[],
  allocate: (bytes: number) => Storage,
): PlannedGraph {
  const inputs = new Map<Value, Tensor>();
  let argument = 0;
  for (const { value: input, tensor } of graph.inputs) inputs.set(input, tensor ?? tensors[argument++]);
  const lowering = new GraphLowering(graph, inputs);
  const results = lowering.escaping.map(({ type }) => tensorOfType(allocate(bytesOf(type)), type));
  lowering.plan(new Map(lowering.escaping.map((root, k) => [root, results[k]])));
  lowering.prepare();
  const written = new Set(graph.writes.map(({ to }) => inputs.get(to) as Tensor));
  return { lowering, results, written };
}

/** Returns a graph whose values fit into a memory budget; null for no budget. `graph` may be changed. */
export function fittedGraph(graph: Graph, tensors: readonly Tensor[], memory: number | null): Graph {
  if (memory === null) return graph;
  // The results of all plans, which stand for memory outside of the workspace.
  const storages: Storage[] = [];
  return fitMemory(graph, memory, (each) => {
    let next = 0;
    return planGraph(each, tensors, (bytes) => {
      storages[next] ??= Storage.allocate(bytes);
      return storages[next++].retain();
    }).lowering;
  });
}

/** Builds and runs the program. `dataOf` returns the data of the instance. */
export function buildProgram<D>(
  graph: Graph,
  { key, tensors, fixed, gradients }: CallTensors,
  instances: Instances<D>,
  dataOf: (program: ProgramData) => D,
): { readonly data: D; readonly results: readonly Tensor[] } {
  const { lowering, results: own, written } = planGraph(graph, tensors, Storage.allocate);
  // Tensors of many axes, or with negative strides, cannot be results of an instance; outputs are views of their elements.
  const results = own.map((t) =>
    canCache(t) && t.start === 0 ? t : tensorOver((t.source as Storage).retain(), t.dtype, 0, [t.size], [1]),
  );
  const outputs = graph.outputs.map((output) => ruleOf(lowering.tensorOf(output), results, tensors, fixed));
  const work = { key, tensors, fixed, gradients, results, written, lower: lowering.lower.bind(lowering) };
  const data = instances.build(work, () =>
    dataOf({
      outputs,
      tasks: lowering.tasks.map(summaryOf),
      arenaBytes: lowering.arenaBytes,
      liveBytes: lowering.liveBytes,
      arena: lowering.arena,
    }),
  );
  for (const t of written) bumpVersion(t);
  return { data, results };
}

function ruleOf(
  t: Tensor,
  results: readonly Tensor[],
  tensors: readonly Tensor[],
  fixed: readonly Tensor[],
): OutputRule {
  const lists = { result: results, tensor: tensors, fixed } as const;
  for (const from of ["result", "tensor", "fixed"] as const) {
    const index = lists[from].findIndex(({ source }) => source === t.source);
    if (index < 0) continue;
    const base = lists[from][index];
    const first = (base.start * base.itemsize) / t.itemsize;
    const view = [sizesOf(t), flatStrides(t), t.start - first, t.dtype];
    const isSame = `${view}` === `${[sizesOf(base), flatStrides(base), 0, base.dtype]}`;
    return { from, index, view: isSame ? null : view };
  }
  throw new GraphError("compile: an output has no memory");
}

/** Forms the outputs of a call. */
export const formOutputs = (
  rules: readonly OutputRule[],
  tensors: readonly Tensor[],
  fixed: readonly Tensor[],
  results: readonly Tensor[],
): Tensor[] =>
  rules.map(({ from, index, view }) => {
    const base = { result: results, tensor: tensors, fixed }[from][index];
    return view === null ? base : partOf(base, view);
  });
