/**
 * Builds an instance of a compiled function: traces it, lowers the graph over the tensors of a call, and runs it. The instance also has the data for
 * the work of a call outside of the program: live numbers before it, outputs and gradients after it.
 */
import { isRecord } from "../../autograd/arguments.ts";
import { freeGrad, type History, isLeaf, requiresGrad } from "../../autograd/history.ts";
import { isGradEnabled } from "../../autograd/scopes.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { outsideScopes, scope } from "../../tensor/scope.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { withControlTracer } from "../control/control.ts";
import { controlTracerOf } from "../control/regions.ts";
import type { InputShape } from "../dims.ts";
import { type Graph, GraphError } from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import type { Pass } from "../passes/pass.ts";
import { type PassListener, runPasses } from "../passes/pipeline.ts";
import { installPlans } from "../plans.ts";
import { recordOf } from "../trace/describe.ts";
import { type Family, familyOf } from "../trace/families.ts";
import { type LiveInput, writeNumbers } from "../trace/live-input.ts";
import { Trace } from "../trace/trace.ts";
import type { GradientEffect, Guard } from "../trace/traced-gradients.ts";
import { type BackwardGraph, markLeaves, recordCall, splitBackward, type TracedFunction } from "./backward.ts";
import { buildProgram, fittedGraph, formOutputs, type ProgramData } from "./build-program.ts";
import type { Instances } from "./instances.ts";

/** A tensor among the arguments of a call, in place of the tensor. */
export class ArgumentType {
  declare readonly dtype: DType;
  declare readonly shape: readonly number[];

  constructor(dtype: DType, shape: readonly number[]) {
    this.dtype = dtype;
    this.shape = shape;
  }
}

/** The data of an instance besides its program. */
export interface InstanceData extends ProgramData {
  /** The graph as it was traced, and after the passes: the one that is lowered. */
  readonly graph: Graph;
  readonly lowered: Graph;
  /** The arguments of the call, with types in place of tensors, and whether gradients were enabled. */
  readonly args: readonly unknown[];
  readonly isGradEnabled: boolean;
  /** The passes that it was lowered with. */
  readonly passes: readonly Pass[];
  /** The memory budget; null for none. */
  readonly memory: number | null;
  /** The traces with the same ops. */
  readonly family: Family;
  /** Values of JavaScript that must be the same in further calls. */
  readonly guards: readonly Guard[];
  /** The value that the function returned, with indices of outputs instead of tensors. */
  readonly structure: unknown;
  /** Captured tensors, constants and live numbers. */
  readonly fixed: readonly Tensor[];
  readonly live: readonly LiveInput[];
  /** The gradients of captured tensors, which are the last outputs. */
  readonly gradients: readonly GradientEffect[];
  /** Fixed tensors that are gradients: a call reads the gradient that exists then. */
  readonly gradientInputs: ReadonlyMap<Tensor, History>;
  /** Tensors from outside, which the function cannot use once they are disposed. */
  readonly originals: Tensor[];
  /** True if an output requires a gradient: such calls run the function eagerly. */
  readonly isDifferentiable: boolean;
  /** The backward pass, if an output requires a gradient. */
  readonly backward: BackwardGraph | null;
  /** Captured tensors, and whether they required gradients. */
  readonly required: readonly (readonly [t: Tensor, isRequired: boolean])[];
}

/** A call of a function, with facts about the function. */
export interface TracedCall {
  readonly fn: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  /** The tensors among the arguments; those that require gradients without their histories. */
  readonly tensors: readonly Tensor[];
  /** The tensors as they were passed. */
  readonly passed: readonly Tensor[];
  readonly key: readonly unknown[];
  /** The traces so far. The first trace is checked by a second one. */
  readonly families: Family[];
  readonly shapes: readonly InputShape[] | null;
  readonly passes: readonly Pass[];
  readonly onPass: PassListener | null;
  readonly memory: number | null;
}

/** The trace of a call, with the tensors that the function returned. */
export interface Traced extends TracedFunction {
  readonly structure: unknown;
  readonly gradients: readonly GradientEffect[];
}

/** Traces a call. `before` is an earlier trace of the same function, whose live numbers are used again. */
export function traceCall(
  { fn, args, tensors, passed }: Pick<TracedCall, "fn" | "args" | "tensors" | "passed">,
  before: { readonly live: readonly LiveInput[] } | null,
): Traced {
  const trace = new Trace(fn.name === "" ? "main" : fn.name, before?.live);
  const traced = trace.addArguments(tensors);
  const start = isGradEnabled() ? markLeaves(traced, passed) : 0;
  let next = 0;
  const result = trace.run(() =>
    withControlTracer(controlTracerOf(trace), () => fn(...mapTensors(args, () => traced[next++]))),
  );
  const { graph } = trace;
  const outputs: Tensor[] = [];
  const structure = mapTensors([result], (t) => {
    outputs.push(t);
    return new OutputIndex(outputs.length - 1);
  })[0];
  const gradients = trace.gradients.takeEffects((t) => trace.valueOf(t));
  graph.outputs = [...outputs.map((t) => trace.valueOf(t)), ...gradients.flatMap(({ value }) => value ?? [])];
  graph.writes = trace.written.map(({ input, value: last }) => ({ to: input, value: last }));
  return { trace, traced, start, outputs, structure, gradients };
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
  const { tensors, key, families, shapes, passes, onPass, memory } = call;
  let data: InstanceData | null = null;
  const [value] = scope(() => {
    let current = traceCall(call, null);
    if (families.length === 0) {
      let first = current;
      current = traceCall(call, first.trace);
      if (first.trace.createsState) {
        first = current;
        current = traceCall(call, first.trace);
      }
      checkSameTraces(first.trace.graph, current.trace.graph);
    }
    const { trace, outputs, structure, gradients } = current;
    const { graph: traced, guards } = trace;
    const isDifferentiable = outputs.some((t) => trace.isTraced(t) && requiresGrad(t));
    const required = [...trace.captured].filter(isLeaf).map((t) => [t, requiresGrad(t)] as const);
    const backward = isDifferentiable && gradients.length === 0 ? splitBackward(current, memory) : null;
    const family = familyOf(families, traced, shapes);
    const graph = fittedGraph(runPasses(traced, passes, onPass), tensors, memory);
    const fixed = graph.inputs.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
    const live = trace.live;
    const common = {
      args: mapTensors(call.args, (t) => new ArgumentType(t.dtype, sizesOf(t))),
      isGradEnabled: isGradEnabled(),
      passes,
      memory,
      graph: traced,
      lowered: graph,
      family,
      guards,
      structure,
      fixed,
      live,
      gradients,
      gradientInputs: trace.gradients.inputs,
      originals: trace.originals,
      backward,
      required,
    };
    if (isDifferentiable && backward === null) {
      data = { ...common, outputs: [], isDifferentiable, tasks: [], arenaBytes: 0, liveBytes: 0, arena: [] };
      instances.add(key, data);
      return [null];
    }
    const { data: built, results } = buildProgram(
      graph,
      { key, tensors, fixed, gradients: trace.gradients.inputs },
      instances,
      (program) => ({
        ...common,
        ...program,
        isDifferentiable: false,
      }),
    );
    data = built;
    // Results that are saved for the backward pass are kept, too.
    const formed: Tensor[] = [];
    return [outputsOf(built, call, results, formed), results, formed];
  });
  const built = data as unknown as InstanceData;
  // Views that the function itself formed end with the scope of the trace.
  built.originals.splice(0, Infinity, ...built.originals.filter((t) => !t.isDisposed));
  return { data: built, value };
}

/** The index of an output, which replaces a tensor that the function returned. */
export class OutputIndex {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Computes the live numbers of a call. */
export function prepare({ live }: InstanceData): void {
  for (const input of live) writeNumbers(input, input.compute());
}

/** Returns the result of a call, and sets the gradients of captured tensors. All outputs, including saved ones, are added to `formed`. */
export function outputsOf(
  data: InstanceData,
  call: Pick<TracedCall, "fn" | "args" | "tensors" | "passed">,
  results: readonly Tensor[],
  formed: Tensor[] = [],
): unknown {
  const { gradientInputs } = data;
  const fixed = gradientInputs.size === 0 ? data.fixed : data.fixed.map((t) => gradientInputs.get(t)?.grad ?? t);
  const outputs = formOutputs(data.outputs, call.tensors, fixed, results);
  if (data.backward !== null) formed.push(...outputs);
  if (data.backward !== null)
    return fill(
      data.structure,
      recordCall(data.backward, { fn: call.fn, args: call.args, tensors: call.passed, outputs }),
    );
  let next = outputs.length - data.gradients.filter(({ value }) => value !== null).length;
  const count = next;
  for (const { history, value } of data.gradients) {
    if (value === null) {
      freeGrad(history);
      Object.assign(history, { grad: null, ownsGrad: false });
      continue;
    }
    const t = outputs[next++];
    const before = history.ownsGrad ? history.grad : null;
    history.grad = outsideScopes(() =>
      tensorOver((t.source as Storage).retain(), t.dtype, t.start, sizesOf(t), flatStrides(t)),
    );
    history.ownsGrad = true;
    before?.dispose();
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
