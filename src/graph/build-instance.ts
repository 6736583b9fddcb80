/**
 * Builds an instance of a compiled function: traces it, lowers the graph over the tensors of a call, and runs it. What a call does besides its
 * program is data of the instance: live numbers before it, outputs and gradients after it.
 */
import { isRecord } from "../autograd/arguments.ts";
import { requiresGrad } from "../autograd/history.ts";
import { isGradEnabled } from "../autograd/scopes.ts";
import type { DType } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { writeAt } from "../tensor/elements.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { bumpVersion } from "../tensor/operand.ts";
import { outsideScopes, scope } from "../tensor/scope.ts";
import { type Tensor, tensorOver } from "../tensor/tensor.ts";
import type { ArenaBlock } from "./arena.ts";
import { recordOf } from "./describe.ts";
import type { InputShape } from "./dims.ts";
import { type Family, familyOf } from "./families.ts";
import type { Instances } from "./instances.ts";
import { type Argument, type Graph, GraphError, type Value } from "./ir.ts";
import { bytesOf, GraphLowering, partOf, tensorOfType } from "./lower.ts";
import { installPlans } from "./plans.ts";
import { summaryOf, type TaskSummary } from "./tasks.ts";
import { type GradientEffect, type Guard, type LiveInput, mapTensors, Trace } from "./trace.ts";

/** How an output is formed: a tensor of the call, or a view of one. */
interface OutputRule {
  /** The tensor: a result, an argument or a fixed one. */
  readonly from: "result" | "tensor" | "fixed";
  readonly index: number;
  /** The view; null for the tensor itself. */
  readonly view: readonly Argument[] | null;
}

/** A tensor among the arguments of a call, in place of the tensor. */
export class ArgumentType {
  declare readonly dtype: DType;
  declare readonly shape: readonly number[];

  constructor(dtype: DType, shape: readonly number[]) {
    this.dtype = dtype;
    this.shape = shape;
  }
}

/** What a call does besides its program. */
export interface InstanceData {
  readonly graph: Graph;
  /** The arguments of the call, with types in place of tensors, and whether gradients were enabled. */
  readonly args: readonly unknown[];
  readonly isGradEnabled: boolean;
  /** The traces with the same ops. */
  readonly family: Family;
  /** Values of JavaScript that must be the same in further calls. */
  readonly guards: readonly Guard[];
  readonly outputs: readonly OutputRule[];
  /** The value that the function returned, with numbers of outputs in place of tensors. */
  readonly structure: unknown;
  /** Captured tensors, constants and live numbers. */
  readonly fixed: readonly Tensor[];
  readonly live: readonly LiveInput[];
  /** The gradients of captured tensors, which are the last outputs. */
  readonly gradients: readonly GradientEffect[];
  /** True if an output requires a gradient: such calls run the function as it is. */
  readonly isDifferentiable: boolean;
  /** The tasks of the program, and the bytes of its arena. */
  readonly tasks: readonly TaskSummary[];
  readonly arenaBytes: number;
  readonly arena: readonly ArenaBlock[];
}

/** A call of a function, and what is known about the function. */
export interface TracedCall {
  readonly fn: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  readonly tensors: readonly Tensor[];
  readonly key: readonly unknown[];
  /** The traces so far. The first trace is checked by a second one. */
  readonly families: Family[];
  readonly shapes: readonly InputShape[] | null;
}

/** The trace of a call, with the tensors that the function returned. */
export interface Traced {
  readonly trace: Trace;
  readonly outputs: readonly Tensor[];
  readonly structure: unknown;
  readonly gradients: readonly GradientEffect[];
}

/** Traces a call. `before` is an earlier trace of the same function, whose live numbers are used again. */
export function traceCall(
  { fn, args, tensors }: Pick<TracedCall, "fn" | "args" | "tensors">,
  before: { readonly live: readonly LiveInput[] } | null,
): Traced {
  const trace = new Trace(fn.name === "" ? "main" : fn.name, before?.live);
  const traced = trace.addArguments(tensors);
  let next = 0;
  const result = trace.run(() => fn(...mapTensors(args, () => traced[next++])));
  const { graph } = trace;
  const outputs: Tensor[] = [];
  const structure = mapTensors([result], (t) => {
    outputs.push(t);
    return new OutputIndex(outputs.length - 1);
  })[0];
  const gradients = trace.takeGradients();
  graph.outputs = [...outputs.map((t) => trace.valueOf(t)), ...gradients.map((effect) => effect.value)];
  graph.writes = trace.written.map(({ input, value: last }) => ({ to: input, value: last }));
  return { trace, outputs, structure, gradients };
}

/** Throws if two traces of the same call differ: the function depends on values that change, which a program would not see. */
function checkSameTraces(first: Graph, second: Graph): void {
  const [a, b] = [recordOf(first), recordOf(second)];
  const line = a.findIndex((each, k) => each !== b[k]);
  if (line < 0 && a.length === b.length) return;
  const [one, other] = [a, b].map((lines) => (lines[line] ?? "nothing").slice(0, 160));
  throw new GraphError(
    `compile: two traces of the same call differ: ${one}, and then ${other}. The function uses a value that changes from call to call. Pass it as an argument, or use live(() => ...) for a number and guard(() => ...) for a flag`,
  );
}

/** Traces a function, runs its program over the tensors of a call, and adds the instance. Returns its data and the result of the call. */
export function buildInstance(
  call: TracedCall,
  instances: Instances<InstanceData>,
): { readonly data: InstanceData; readonly value: unknown } {
  installPlans();
  const { tensors, key, families, shapes } = call;
  let data: InstanceData | null = null;
  const value = scope(() => {
    let current = traceCall(call, null);
    if (families.length === 0) {
      const first = current;
      current = traceCall(call, first.trace);
      checkSameTraces(first.trace.graph, current.trace.graph);
    }
    const { trace, outputs, structure, gradients } = current;
    const { graph, guards } = trace;
    const family = familyOf(families, graph, shapes);
    const fixed = graph.inputs.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
    const types = mapTensors(call.args, (t) => new ArgumentType(t.dtype, sizesOf(t)));
    const state = { args: types, isGradEnabled: isGradEnabled() };
    const common = { ...state, graph, family, guards, structure, fixed, live: trace.live, gradients };
    if (outputs.some((t) => trace.isTraced(t) && requiresGrad(t))) {
      data = { ...common, outputs: [], isDifferentiable: true, tasks: [], arenaBytes: 0, arena: [] };
      instances.add(key, data);
      return null;
    }
    const { lowering, results, written } = planGraph(graph, tensors, Storage.allocate);
    const rules = graph.outputs.map((output) => ruleOf(lowering.tensorOf(output), results, tensors, fixed));
    const work = { key, tensors, fixed, results, written, lower: lowering.lower.bind(lowering) };
    const built = instances.build(work, () => ({
      ...common,
      outputs: rules,
      isDifferentiable: false,
      tasks: lowering.tasks.map(summaryOf),
      arenaBytes: lowering.arenaBytes,
      arena: lowering.arena,
    }));
    for (const t of written) bumpVersion(t);
    data = built;
    return outputsOf(built, tensors, results);
  });
  return { data: data as unknown as InstanceData, value };
}

/** A graph whose nodes are planned over tensors. */
export interface PlannedGraph {
  readonly lowering: GraphLowering;
  /** The results, in memory of their own. */
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
  const written = new Set(graph.writes.map(({ to }) => inputs.get(to) as Tensor));
  return { lowering, results, written };
}

/** The number of an output, in place of a tensor that the function returned. */
export class OutputIndex {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Computes the live numbers of a call. Returns false if the instance does not fit any more. */
export function prepare({ live, gradients }: InstanceData): boolean {
  if (gradients.some(({ history, isReset }) => !isReset && history.grad !== null)) return false;
  for (const { compute, names, tensors } of live) {
    const numbers = compute();
    if (typeof numbers === "number") writeAt(tensors[0], 0, numbers);
    else for (const [k, name] of (names as readonly string[]).entries()) writeAt(tensors[k], 0, numbers[name]);
  }
  return true;
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

/** Returns the result of a call, and sets the gradients of captured tensors. */
export function outputsOf(data: InstanceData, tensors: readonly Tensor[], results: readonly Tensor[]): unknown {
  const lists = { result: results, tensor: tensors, fixed: data.fixed };
  const outputs = data.outputs.map(({ from, index, view }) => {
    const base = lists[from][index];
    return view === null ? base : partOf(base, view);
  });
  const count = outputs.length - data.gradients.length;
  for (const [k, { history }] of data.gradients.entries()) {
    const t = outputs[count + k];
    if (history.ownsGrad) history.grad?.dispose();
    history.grad = outsideScopes(() =>
      tensorOver((t.source as Storage).retain(), t.dtype, t.start, sizesOf(t), flatStrides(t)),
    );
    history.ownsGrad = true;
    t.dispose();
  }
  return fill(data.structure, outputs.slice(0, count));
}

function fill(structure: unknown, outputs: readonly Tensor[]): unknown {
  if (structure instanceof OutputIndex) return outputs[structure.index];
  if (Array.isArray(structure)) return structure.map((each) => fill(each, outputs));
  if (isRecord(structure))
    return Object.fromEntries(Object.entries(structure).map(([name, each]) => [name, fill(each, outputs)]));
  return structure;
}
