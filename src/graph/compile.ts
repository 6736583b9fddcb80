/**
 * compile(fn): the same function, traced to a graph and run as one program.
 *
 * The first call runs the function as it is, so that state that it creates on first use, such as that of an optimizer, exists. The next call with
 * tensors of some sizes traces it and builds an instance (`build-instance.ts`); further calls with such tensors run the program of the instance.
 * Calls that autograd, vmap, forward mode or another mode must see run the function as it is.
 */
import { isRecord } from "../autograd/arguments.ts";
import { isGradEnabled } from "../autograd/scopes.ts";
import { checkFunction } from "../base/arguments.ts";
import { runtime } from "../base/runtime.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, seen } from "../tensor/dispatch/operator.ts";
import { showShape } from "../tensor/geometry.ts";
import { callBits, type Tensor } from "../tensor/tensor.ts";
import { buildInstance, type InstanceData, outputsOf, prepare } from "./build-instance.ts";
import { type CompileEvent, explainInstances } from "./explain.ts";
import { Instances } from "./instances.ts";
import { type Graph, GraphError } from "./ir.ts";
import { mapTensors } from "./trace.ts";

/** A compiled function. */
export type Compiled<F> = F & {
  /** Returns the graph of the last compiled call. */
  graph(): Graph;
  /** Returns a text: the instances with their kernels and memory, and why the function was traced. */
  explain(): string;
};

/** The maximum number of events that `explain` shows. */
const maxEvents = 32;

/**
 * Returns a function that computes the same as `fn`, as one program of fused kernels in one workspace. It is traced once for each combination of
 * sizes, strides and dtypes of tensors and of values of other arguments. Tensors that `fn` captures are read and written where they are in each
 * call; numbers that it captures are fixed when it is traced, unless they are live (`live`).
 */
export function compile<F extends (...args: never[]) => unknown>(fn: F): Compiled<F> {
  checkFunction("compile", fn);
  const plain = fn as unknown as (...args: unknown[]) => unknown;
  const instances = new Instances<InstanceData>();
  const events: CompileEvent[] = [];
  let last: InstanceData | null = null;
  let isFirst = true;
  const note = (what: string, tensors: readonly Tensor[]): void => {
    if (events.length >= maxEvents) events.shift();
    events.push({ what, arguments: tensors.map((t) => `${t.dtype}${showShape(t)}`) });
  };
  const call = (...args: unknown[]): unknown => {
    const tensors: Tensor[] = [];
    const others = mapTensors(args, (t) => {
      tensors.push(t);
      return "tensor";
    }).map(keyOf);
    if (isFirst || isIntercepted(tensors)) {
      if (isFirst) note("ran as it is: the first call", tensors);
      isFirst = false;
      return plain(...args);
    }
    const key = [isGradEnabled(), getDefaultDType(), others, ...tensors];
    const instance = instances.find(key);
    if (instance?.data.isDifferentiable === true) return plain(...args);
    const isReady = instance?.bind(tensors) === true && prepare(instance.data);
    const results = isReady ? instance.run(tensors) : null;
    if (instance !== undefined && results !== null) {
      last = instance.data;
      return outputsOf(instance.data, tensors, results);
    }
    note(
      instance === undefined ? "traced: no instance for these arguments" : "traced: a tensor has moved or changed",
      tensors,
    );
    const { data, value } = buildInstance(plain, args, tensors, key, instances);
    if (data.isDifferentiable) note("ran as it is: an output requires a gradient", tensors);
    else last = data;
    return data.isDifferentiable ? plain(...args) : value;
  };
  return Object.assign(call as unknown as F, {
    graph(): Graph {
      if (last === null)
        throw new GraphError(
          "graph: the function has not been compiled yet. Call it twice: the first call runs it as it is",
        );
      return last.graph;
    },
    explain: (): string =>
      explainInstances(
        plain.name,
        instances.all.map(({ data }) => data),
        events,
      ),
  });
}

/** Texts for functions and instances of classes among arguments, by identity. */
const identities = /* @__PURE__ */ runtime.own("graph/compile", { texts: new WeakMap<object, string>(), count: 0 });

/** Returns an argument as part of a key: functions and instances of classes by their identity. */
function keyOf(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(keyOf);
  if (isRecord(arg)) return Object.fromEntries(Object.entries(arg).map(([name, each]) => [name, keyOf(each)]));
  if ((typeof arg !== "object" && typeof arg !== "function") || arg === null) return arg;
  let identity = identities.texts.get(arg);
  if (identity === undefined) {
    identity = `object ${++identities.count}`;
    identities.texts.set(arg, identity);
  }
  return identity;
}

/** True if a call cannot run a program: a mode is active, or a tensor is seen by autograd, vmap or forward mode. */
function isIntercepted(tensors: readonly Tensor[]): boolean {
  if (guarded !== 0) return true;
  return tensors.some((t) => ((callBits(t) >>> keyShift) & seen) !== 0);
}
