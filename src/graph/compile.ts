/**
 * compile(fn): the same function, traced to a graph and run as one program.
 */

import { isRecord } from "../autograd/arguments.ts";
import { isGradEnabled } from "../autograd/scopes.ts";
import { checkFunction } from "../base/arguments.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import { Storage } from "../storage/storage.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, seen } from "../tensor/dispatch/operator.ts";
import { writeAt } from "../tensor/elements.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { bumpVersion } from "../tensor/operand.ts";
import { outsideScopes, scope } from "../tensor/scope.ts";
import { callBits, type Tensor, tensorOver } from "../tensor/tensor.ts";
import { Instances } from "./instances.ts";
import { type Argument, type Graph, GraphError, type Value } from "./ir.ts";
import { bytesOf, GraphLowering, partOf, tensorOfType } from "./lower.ts";
import { installPlans } from "./plans.ts";
import { type GradientEffect, type LiveInput, mapTensors, Trace } from "./trace.ts";

/** How an output is formed: a tensor of the call, or a view of one. */
interface OutputRule {
  /** The tensor: a result, an argument or a fixed one. */
  readonly from: "result" | "tensor" | "fixed";
  readonly index: number;
  /** The view; null for the tensor itself. */
  readonly view: readonly Argument[] | null;
}

interface InstanceData {
  readonly graph: Graph;
  readonly outputs: readonly OutputRule[];
  readonly structure: unknown;
  readonly fixed: readonly Tensor[];
  readonly live: readonly LiveInput[];
  /** The gradients of captured tensors, after the outputs. */
  readonly gradients: readonly GradientEffect[];
  /** Captured tensors, as the function used them. */
  readonly captured: readonly Tensor[];
  readonly lowering: GraphLowering;
}

export type Compiled<F> = F & {
  /** The graph of the last call. */
  graph(): Graph;
};

export function compile<F extends (...args: never[]) => unknown>(fn: F): Compiled<F> {
  checkFunction("compile", fn);
  const plain = fn as unknown as (...args: unknown[]) => unknown;
  const instances = new Instances<InstanceData>();
  let last: InstanceData | null = null;
  let isFirst = true;
  const call = (...args: unknown[]): unknown => {
    const tensors: Tensor[] = [];
    const others = mapTensors(args, (t) => {
      tensors.push(t);
      return "tensor";
    }).map(keyOf);
    if (isFirst || isIntercepted(tensors)) {
      // State that the function creates on first use, such as that of an optimizer, exists from then on.
      isFirst = false;
      return plain(...args);
    }
    const key = [isGradEnabled(), getDefaultDType(), others, ...tensors];
    const instance = instances.find(key);
    const isReady = instance?.bind(tensors) === true && prepare(instance.data);
    const results = isReady ? instance.run(tensors) : null;
    if (instance !== undefined && results !== null) {
      last = instance.data;
      return outputsOf(instance.data, tensors, results);
    }
    last = null;
    return build(plain, args, tensors, key, instances, (data) => {
      last = data;
    });
  };
  return Object.assign(call as unknown as F, {
    graph(): Graph {
      if (last === null) throw new GraphError("graph: the function has not been called yet. Call it once");
      return last.graph;
    },
  });
}

const identities = /* @__PURE__ */ new WeakMap<object, string>();
let objects = 0;

/** Returns an argument as part of a key: functions and instances of classes by their identity. */
function keyOf(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(keyOf);
  if (isRecord(arg)) return Object.fromEntries(Object.entries(arg).map(([name, each]) => [name, keyOf(each)]));
  if ((typeof arg !== "object" && typeof arg !== "function") || arg === null) return arg;
  let identity = identities.get(arg);
  if (identity === undefined) {
    identity = `object ${++objects}`;
    identities.set(arg, identity);
  }
  return identity;
}

/** True if a call cannot run a program: a mode is active, or a tensor is seen by autograd, vmap or forward mode. */
function isIntercepted(tensors: readonly Tensor[]): boolean {
  if (guarded !== 0) return true;
  return tensors.some((t) => ((callBits(t) >>> keyShift) & seen) !== 0);
}

function build(
  fn: (...args: unknown[]) => unknown,
  args: readonly unknown[],
  tensors: readonly Tensor[],
  key: readonly unknown[],
  instances: Instances<InstanceData>,
  use: (data: InstanceData) => void,
): unknown {
  installPlans();
  const trace = new Trace(fn.name === "" ? "main" : fn.name);
  return scope(() => {
    const traced = trace.addArguments(
      tensors,
      tensors.map(() => null),
    );
    let next = 0;
    const result = trace.run(() => fn(...mapTensors(args, () => traced[next++])));
    const { graph } = trace;
    const outputs: Tensor[] = [];
    const structure = mapTensors([result], (t) => {
      outputs.push(t);
      return new OutputIndex(outputs.length - 1);
    })[0];
    const gradients = trace.takeGradients();
    graph.outputs = [...outputs.map((t) => trace.valueOf(t)), ...gradients.map(({ value }) => value)];
    graph.writes = trace.written.map(({ input, value }) => ({ to: input, value }));
    const fixed = graph.inputs.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
    const inputs = new Map<Value, Tensor>();
    let argument = 0;
    for (const { value, tensor } of graph.inputs) inputs.set(value, tensor ?? tensors[argument++]);
    const lowering = new GraphLowering(graph, inputs);
    const results = lowering.escaping.map((value) => tensorOfType(Storage.allocate(bytesOf(value.type)), value.type));
    lowering.plan(new Map(lowering.escaping.map((value, k) => [value, results[k]])));
    const written = new Set(graph.writes.map(({ to }) => inputs.get(to) as Tensor));
    const data: InstanceData = {
      graph,
      structure,
      fixed,
      live: trace.live,
      gradients,
      captured: [...trace.captured],
      outputs: graph.outputs.map((value) => ruleOf(lowering.tensorOf(value), results, tensors, fixed)),
      lowering,
    };
    instances.build({ key, tensors, fixed, results, written, lower: (builder) => lowering.lower(builder) }, data);
    for (const t of written) bumpVersion(t);
    use(data);
    return outputsOf(data, tensors, results);
  });
}

class OutputIndex {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Computes the live numbers of a call. Returns false if the instance does not fit any more. */
function prepare({ live, gradients }: InstanceData): boolean {
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

function outputsOf(data: InstanceData, tensors: readonly Tensor[], results: readonly Tensor[]): unknown {
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
