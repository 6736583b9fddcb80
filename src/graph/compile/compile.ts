/**
 * compile(fn): the same function, traced to a graph and run as one program.
 *
 * The first call runs the function eagerly, so that state that it creates on first use, such as that of an optimizer, exists. The next call with
 * tensors of some sizes traces it and builds an instance (`build-instance.ts`); further calls with such tensors run the program of the instance.
 * Calls that vmap, forward mode or another mode must see run the function eagerly; calls with gradients are recorded as one node (`backward.ts`).
 */
import { isRecord } from "../../autograd/arguments.ts";
import { isForward } from "../../autograd/forward-level.ts";
import { requiresGrad } from "../../autograd/history.ts";
import { isGradEnabled } from "../../autograd/scopes.ts";
import { checkFunction } from "../../base/arguments.ts";
import { runtime } from "../../base/runtime.ts";
import { checkOptions } from "../../ops/signature.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import { Storage } from "../../storage/storage.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { keySet, keyShift } from "../../tensor/dispatch/keys.ts";
import { guarded, seen } from "../../tensor/dispatch/operator.ts";
import { flatStrides, isFlat, showShape, sizesOf } from "../../tensor/geometry.ts";
import { canCache } from "../../tensor/program-keys.ts";
import { callBits, type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { checkInputs, checkShapes, type InputShape } from "../dims.ts";
import { type Graph, GraphError } from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import { checkPasses, type Pass } from "../passes/pass.ts";
import { graphPasses, type PassListener } from "../passes/pipeline.ts";
import type { Family } from "../trace/families.ts";
import { buildInstance, type InstanceData, outputsOf, prepare } from "./build-instance.ts";
import { type CompileEvent, explainInstances } from "./explain.ts";
import { Instances } from "./instances.ts";
import { registerSource } from "./source.ts";

/** A compiled function. */
export type Compiled<F> = F & {
  /** Returns the graph of the last compiled call. Sizes that differed between calls are symbols. */
  graph(): Graph;
  /** Returns a text: the graphs, the instances with their kernels and memory, and why the function was traced. */
  explain(): string;
};

export interface CompileOptions {
  /** The shapes of the tensors among the arguments, in their order, with dimensions by `dim`. Calls with other shapes throw. */
  readonly inputs?: readonly InputShape[] | undefined;
  /** The passes over the traced graph, in their order. The default is `graphPasses`. */
  readonly passes?: readonly Pass[] | undefined;
  /** Called when the function is traced: with the name "trace" and the graph, and then with the name and the result of each pass. */
  readonly onPass?: PassListener | undefined;
  /**
   * The maximum number of bytes of the workspace for values. A value that does not fit is computed again for later uses, if that is cheap. Calls
   * throw if the values still do not fit.
   */
  readonly memory?: number | undefined;
}

/** The maximum number of events that `explain` shows. */
const maxEvents = 32;

/**
 * Returns a function that computes the same as `fn`, as one program of fused kernels in one workspace. It is traced for each combination of
 * sizes, strides and dtypes of tensors and of values of other arguments; its kernels serve all sizes. Tensors that `fn` captures are read and
 * written where they are in each call; numbers that it captures are fixed when it is traced, unless they are live (`live`) or guarded (`guard`).
 */
export function compile<F extends (...args: never[]) => unknown>(fn: F, options: CompileOptions = {}): Compiled<F> {
  return compiledFunction(fn, options, true);
}

/** `compile`; if `isFirst` is false, the first call is traced too. */
export function compiledFunction<F extends (...args: never[]) => unknown>(
  fn: F,
  options: CompileOptions,
  isFirst: boolean,
): Compiled<F> {
  checkFunction("compile", fn);
  checkOptions("compile", options, "inputs", "passes", "onPass", "memory");
  const { inputs: shapes = null, passes = graphPasses, onPass = null, memory = null } = options;
  if (memory !== null) checkMemory(memory);
  checkPasses(passes);
  if (onPass !== null) checkFunction("compile", onPass);
  if (shapes !== null) checkInputs(shapes);
  const eager = fn as unknown as (...args: unknown[]) => unknown;
  const instances = new Instances<InstanceData>(isValid);
  const families: Family[] = [];
  const events: CompileEvent[] = [];
  let last: InstanceData | null = null;
  let isEager = isFirst;
  const note = (what: string, tensors: readonly Tensor[]): void => {
    if (events.length >= maxEvents) events.shift();
    events.push({ what, arguments: tensors.map((t) => `${t.dtype}${showShape(t)}`) });
  };
  const call = (...args: unknown[]): unknown => {
    const passed: Tensor[] = [];
    const others = mapTensors(args, (t) => {
      passed.push(t);
      return "tensor";
    }).map(keyOf);
    if (shapes !== null) checkShapes(shapes, passed);
    if (isEager || isIntercepted(passed)) {
      if (isEager) note("ran eagerly: the first call", passed);
      isEager = false;
      return eager(...args);
    }
    const isRequired = passed.map((t) => isGradEnabled() && requiresGrad(t));
    const tensors = passed.map((t, k) => (isRequired[k] ? withoutHistory(t) : t));
    const key = [isGradEnabled(), getDefaultDType(), String(isRequired), others, ...tensors];
    const instance = instances.find(key);
    if (instance?.data.isDifferentiable === true) return eager(...args);
    const isReady = instance?.bind(tensors) === true;
    if (isReady) prepare(instance.data);
    const results = isReady ? instance.run(tensors) : null;
    if (instance !== undefined && results !== null) {
      last = instance.data;
      return outputsOf(instance.data, { fn: eager, args, tensors, passed }, results);
    }
    if (!tensors.every(canCache)) {
      note(
        "ran eagerly: an argument is empty, has names or more than five axes, or is not a plain tensor on the CPU",
        tensors,
      );
      return eager(...args);
    }
    const graphs = families.length;
    const { data, value } = buildInstance(
      { fn: eager, args, tensors, passed, key, families, shapes, passes, onPass, memory },
      instances,
    );
    note(traceReason(instance, data, graphs, families.length), tensors);
    if (data.isDifferentiable)
      note(
        "ran eagerly: an output that requires a gradient shares memory with another tensor, or gradients leave the function in another way",
        tensors,
      );
    else last = data;
    return data.isDifferentiable ? eager(...args) : value;
  };
  const compiled = Object.assign(call as unknown as F, {
    graph(): Graph {
      if (last === null)
        throw new GraphError("graph: the function has not been compiled yet. Call it twice: the first call is eager");
      return last.family.graph;
    },
    explain: (): string =>
      explainInstances(
        eager.name,
        instances.all.map(({ data }) => data),
        events,
      ),
  });
  registerSource(compiled, { fn: eager, shapes, last: () => last });
  return compiled;
}

function checkMemory(memory: unknown): void {
  if (!Number.isInteger(memory) || (memory as number) < 0)
    throw new GraphError(
      `compile: memory must be a number of bytes, got ${describeValue(memory)}. Pass an integer, such as 64 * 2 ** 20`,
    );
}

/**
 * True if the guarded values of an instance have not changed since its trace, no captured tensor is disposed, and the same tensors require gradients.
 */
function isValid({ guards, required, originals }: InstanceData): boolean {
  for (let k = 0; k < originals.length; k++) if (originals[k].isDisposed) return false;
  for (let k = 0; k < required.length; k++) {
    const [t, isRequired] = required[k];
    if (requiresGrad(t) !== isRequired) return false;
  }
  for (let k = 0; k < guards.length; k++) if (!Object.is(guards[k].compute(), guards[k].value)) return false;
  return true;
}

/** The reason for a trace, in `explain`. */
function traceReason(known: unknown, { guards }: InstanceData, before: number, after: number): string {
  if (known !== undefined) return "traced: a tensor has moved or changed";
  if (before === 0) return "traced: the first graph";
  if (before === after) return "traced: new sizes or strides of a known graph";
  return `traced: another sequence of ops${guards.length > 0 ? `, with guarded values ${guards.map(({ value }) => String(value))}` : ""}`;
}

/** Texts for functions and instances of classes among arguments, by identity. */
const identities = /* @__PURE__ */ runtime.own("graph/compile/compile", {
  texts: new WeakMap<object, string>(),
  count: 0,
});

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

/** The same elements without a history. */
const withoutHistory = (t: Tensor): Tensor =>
  isFlat(t) && t.source instanceof Storage
    ? tensorOver(t.source.retain(), t.dtype, t.start, sizesOf(t), flatStrides(t))
    : t;

/** True if a call cannot run a program: a mode is active, or vmap or forward mode must see a tensor. */
function isIntercepted(tensors: readonly Tensor[]): boolean {
  if (guarded !== 0 || isForward()) return true;
  const others = seen & ~keySet("autograd");
  return tensors.some((t) => ((callBits(t) >>> keyShift) & others) !== 0);
}
