/**
 * User-defined functions with their own gradient: `defineFunction({ forward, backward })`. The forward part runs without recording, and its saved
 * tensors are checked like all others. The backward pass calls `backward`; forward mode calls `jvp`.
 */

import { zeros } from "../tensor/create/create-ops.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { unrecorded } from "../tensor/identity.ts";
import { carryNames } from "../tensor/names.ts";
import { sameView, Tensor } from "../tensor/tensor.ts";
import { clone } from "../tensor/views/view-ops.ts";
import { isDifferentiable, tensorsOf } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { withoutTangents } from "./forward.ts";
import { checkTangent } from "./forward-api.ts";
import { inLevelScope, isForward, setTangent, tangentOf, writeTangent } from "./forward-level.ts";
import { edgeOf, ensureHistory, isLeaf, requiresGrad, setHistory } from "./history.ts";
import { rebase } from "./in-place.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { SavedTensor } from "./saved.ts";
import { isGradEnabled, noGrad } from "./scopes.ts";
import { wrapping } from "./wrapped.ts";

/** The context that forward and backward share. */
export interface FunctionContext {
  /** Saves arguments and results for `backward`. */
  saveForBackward(...tensors: Tensor[]): void;
  /** Marks arguments that were written to and are results. */
  markDirty(...tensors: Tensor[]): void;
  /** Marks results without a gradient. */
  markNonDifferentiable(...tensors: Tensor[]): void;
  /** Sets whether missing gradients in `backward` and missing tangents in `jvp` are zeros (the default) or null. */
  setMaterializeGrads(zeros: boolean): void;
  /** The saved tensors. */
  readonly savedTensors: readonly Tensor[];
  /** Whether each argument requires a gradient. */
  readonly needsInputGrad: readonly boolean[];
  /** Any other value for backward. */
  [name: string]: unknown;
}

export interface FunctionDefinition<A extends readonly unknown[], R extends Tensor | readonly Tensor[]> {
  /** The name in messages; the name of the node is this and "Backward". */
  readonly name?: string;
  forward(context: FunctionContext, ...args: A): R;
  /** Returns the gradients of the arguments, one for each, from those of the results; null for none. */
  backward(context: FunctionContext, ...gradients: Tensor[]): Tensor | null | readonly (Tensor | null)[];
  /** Returns the tangents of the results from those of the arguments, which are null for arguments that are not tensors. Called by forward mode. */
  jvp?(context: FunctionContext, ...tangents: (Tensor | null)[]): Tensor | null | readonly (Tensor | null)[];
  /** True if the gradients have no gradients themselves. */
  readonly onceDifferentiable?: boolean;
}

/** Returns a function that is recorded as one call with its own gradient. */
export function defineFunction<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  definition: FunctionDefinition<A, R>,
): (...args: A) => R {
  if (typeof definition?.forward !== "function" || typeof definition.backward !== "function")
    throw new AutogradError(
      "defineFunction: takes { forward, backward }, two functions: defineFunction({ forward: (context, x) => ..., backward: (context, gradient) => ... })",
    );
  return (...args) => apply(definition, args);
}

function apply<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  definition: FunctionDefinition<A, R>,
  args: A,
): R {
  const name = definition.name ?? "Function";
  const inputs = args.filter((arg): arg is Tensor & A[number] => arg instanceof Tensor);
  const isRecorded = isGradEnabled() && inputs.some(requiresGrad);
  const again = (sample: readonly unknown[]): R => apply(definition, sample as unknown as A);
  const each = wrapping !== null && (isRecorded || isForward()) ? wrapping.each(name, args, again) : null;
  if (each !== null) return each.result as R;
  const edges = args.map((arg) => (arg instanceof Tensor ? edgeOf(arg) : null));
  const saved: Tensor[] = [];
  const dirty = new Set<Tensor>();
  const nonDifferentiable = new Set<Tensor>();
  const node = new FunctionNode(`${name}Backward`, edges, name);
  const context: FunctionContext = {
    saveForBackward: (...tensors) => {
      saved.push(...tensors);
    },
    markDirty: (...tensors) => {
      for (const t of tensors) dirty.add(t);
    },
    markNonDifferentiable: (...tensors) => {
      for (const t of tensors) nonDifferentiable.add(t);
    },
    setMaterializeGrads: (fills) => {
      node.fills = fills;
    },
    get savedTensors(): readonly Tensor[] {
      return node.saved.length > 0 ? node.saved.map((each) => each.unpack()) : saved;
    },
    needsInputGrad: args.map((arg) => isRecorded && arg instanceof Tensor && requiresGrad(arg)),
  };
  const run = (): R => noGrad(() => definition.forward(context, ...args));
  const tangents = argumentTangents(args);
  const result = isForward() ? withoutTangents(run) : run();
  for (const t of Array.isArray(result) ? result : [result])
    if (!(t instanceof Tensor))
      throw new AutogradError(
        `${name}: forward must return a tensor or a list of tensors, got ${describeValue(t)}. Wrap it: tensor(...)`,
      );
  // An argument that is returned unchanged keeps its history; the result is a view of it.
  const own = (t: Tensor): Tensor => (inputs.includes(t) && !dirty.has(t) ? carryNames(sameView(t), t) : t);
  const finished = (list: readonly Tensor[]): R => {
    if (tangents !== null) {
      const filled = node.fills ? tangents.map((t, k) => t ?? tangentFor(args[k])) : tangents;
      passTangents(name, definition, context, filled, list, dirty);
    }
    return (result instanceof Tensor ? list[0] : list) as R;
  };
  if (!isRecorded) return tangents === null ? result : finished(tensorsOf([result]).map(own));
  for (const t of dirty)
    if (isLeaf(t) && requiresGrad(t))
      throw new AutogradError(
        `${name}: a leaf tensor that requires grad has been used in an in-place operation. Write to a clone()`,
      );
  const list = tensorsOf([result]).map(own);
  node.infos = list.map((t) => ({ shape: sizesOf(t), dtype: t.dtype }));
  node.saved = saved.map((t) => {
    const output = list.indexOf(t);
    return new SavedTensor(t, output >= 0 && !inputs.includes(t) ? node : null, output);
  });
  node.backward = (gradients) => {
    const back = (): Tensor | null | readonly (Tensor | null)[] =>
      definition.backward(context, ...(gradients as Tensor[]));
    const returned = definition.onceDifferentiable === true ? noGrad(back) : back();
    return Array.isArray(returned) ? (returned as readonly (Tensor | null)[]) : [returned as Tensor | null];
  };
  list.forEach((t, k) => {
    if (nonDifferentiable.has(t) || !isDifferentiable(t)) return;
    if (dirty.has(t))
      rebase(
        t,
        node,
        args.map((arg) => arg === t),
      );
    else {
      setHistory(t, node, k);
      if (t.root === null) return;
      // The view was created inside the function, but belongs to its caller.
      t.bits &= ~unrecorded.any;
      ensureHistory(t).isOfFunction = true;
    }
  });
  return finished(list);
}

/** Zeros as the tangent of an argument that has none; null if it cannot have one. */
const tangentFor = (arg: unknown): Tensor | null =>
  arg instanceof Tensor && isDifferentiable(arg) ? zeros(sizesOf(arg), { dtype: arg.dtype }) : null;

class FunctionNode extends GradNode {
  backward: (gradients: readonly (Tensor | null)[]) => readonly (Tensor | null)[] = () => [];
  saved: readonly SavedTensor[] = [];
  infos: readonly OutputInfo[] = [];
  fills = true;
  /** The user's function may keep the tensors that it receives. */
  override isPrivate = false;
  declare private readonly function: string;

  constructor(name: string, edges: readonly (Edge | null)[], functionName: string) {
    super(name, edges);
    this.function = functionName;
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const filled = this.infos.map(
      // The user's function may write to them.
      (info, k) => gradients[k] ?? (this.fills ? clone(zerosFor(info, gradients), "contiguous") : null),
    );
    const passed = this.backward(filled);
    if (passed.length !== this.edges.length)
      throw new AutogradError(
        `backward: function ${this.function}Backward returned an incorrect number of gradients (expected ${this.edges.length}, got ${passed.length}). Return one for each argument of forward, or null`,
      );
    for (const [k, gradient] of passed.entries())
      if (gradient != null && !(gradient instanceof Tensor))
        throw new AutogradError(
          `backward: function ${this.function}Backward returned ${describeValue(gradient)} as the gradient of argument ${k}. Return a tensor or null`,
        );
    return passed;
  }

  override get savedTensors(): readonly Tensor[] {
    return this.saved.map((each) => each.unpack());
  }

  override release(): void {
    for (const each of this.saved) each.release();
  }
}

/** The tangents of arguments, null for those without one; null if no argument has one. */
function argumentTangents(args: readonly unknown[]): (Tensor | null)[] | null {
  const tangents = args.map((arg) => (arg instanceof Tensor ? tangentOf(arg) : null));
  return tangents.every((t) => t === null) ? null : tangents;
}

/** Sets the tangents of the results of a function; `dirty` are the results that were written to. */
function passTangents<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  name: string,
  definition: FunctionDefinition<A, R>,
  context: FunctionContext,
  tangents: readonly (Tensor | null)[],
  results: readonly Tensor[],
  dirty: ReadonlySet<Tensor>,
): void {
  if (definition.jvp === undefined)
    throw new AutogradError(`${name}: forward mode needs its jvp. Write defineFunction({ forward, backward, jvp })`);
  withoutTangents(() => {
    const returned = inLevelScope(() => definition.jvp?.(context, ...tangents));
    const list: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
    if (list.length !== results.length)
      throw new AutogradError(
        `${name}: jvp must return ${results.length} tangents, one for each result of forward, got ${list.length}`,
      );
    results.forEach((t, k) => {
      const tangent = list[k];
      if (tangent == null || !isDifferentiable(t)) return;
      if (!(tangent instanceof Tensor))
        throw new AutogradError(`${name}: tangent ${k} must be a tensor or null, got ${describeValue(tangent)}`);
      checkTangent(name, t, tangent);
      if (dirty.has(t)) writeTangent(t, tangent);
      else setTangent(t, tangent);
    });
  });
}
