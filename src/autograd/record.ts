/**
 * Recording: every call with a tensor that asks for gradients comes here, runs below, and leaves a node that knows the way back. What
 * passes through the op is its own rule (`../tensor/dispatch/gradient.ts`); ops made of others never come here themselves.
 *
 * A call that writes to a tensor makes the tensor an output of its node; if the tensor is a view, its base is rebased (`in-place.ts`).
 */
import { dtypes } from "../storage/dtype.ts";
import { clone } from "../tensor/clone.ts";
import { zeros } from "../tensor/create/create.ts";
import type { Backward, RecordedCall } from "../tensor/dispatch/gradient.ts";
import { type KeySet, keySet } from "../tensor/dispatch/keys.ts";
import { type Arguments, type Operator, setFallback, withKeys } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { formulaBackward } from "./formula-gradient.ts";
import { edgeOf, ensureHistory, gradFnOf, requiresGrad, setHistory } from "./history.ts";
import { checkWrite, rebase } from "./in-place.ts";
import { type Edge, GradNode, type OutputInfo } from "./node.ts";
import { SavedTensor } from "./saved.ts";
import { isGradEnabled } from "./scopes.ts";
import { viewRule } from "./view-rules.ts";

const autograd = /* @__PURE__ */ keySet("autograd");
const views = /* @__PURE__ */ keySet("inPlaceOrView");

/** Puts autograd into dispatch. */
export function installRecording(): void {
  setFallback("autograd", record);
  setFallback("inPlaceOrView", lookAtWrites);
}

/** Calls with views that are no part of the graph, but whose base is: they must not be written to. */
function lookAtWrites(op: Operator, keys: KeySet, args: Arguments): unknown {
  const written = isGradEnabled() ? writtenBy(op, args) : null;
  if (written !== null) checkWrite(op.name, written);
  return op.callWith(keys & ~views, args);
}

/** A call while its rule looks at it. Afterwards it holds nothing, so that only what was saved stays. */
class Recording implements RecordedCall {
  readonly again: RecordedCall["again"];
  args: Arguments;
  results: readonly Tensor[];
  private needed: readonly Tensor[];
  private node: CallNode | null;
  private written: Tensor | null;

  constructor(
    op: Operator,
    args: Arguments,
    results: readonly Tensor[],
    needed: readonly Tensor[],
    node: CallNode,
    written: Tensor | null,
  ) {
    this.again = againOf(op);
    this.args = args;
    this.results = results;
    this.needed = needed;
    this.node = node;
    this.written = written;
  }

  // Functions and no methods, because rules take them apart.
  readonly needs = (arg: unknown): boolean =>
    arg instanceof Tensor ? this.needed.includes(arg) : tensorsOf([arg]).some((t) => this.needed.includes(t));

  readonly save = (t: Tensor): (() => Tensor) => {
    const { written } = this;
    // What the call is going to write to is kept as it is now.
    const isChanged = written !== null && t.source === written.source;
    return (this.node as CallNode).keep(new SavedTensor(isChanged ? copyOf(t) : t, null));
  };

  readonly saveResult = (index = 0): (() => Tensor) => {
    const node = this.node as CallNode;
    const t = this.results[index] as Tensor;
    const keep = (): SavedTensor => new SavedTensor(t, { node, output: index });
    return this.written === null ? node.keep(keep()) : node.keepLater(keep);
  };

  end(): void {
    this.args = [];
    this.results = [];
    this.needed = [];
    this.node = null;
    this.written = null;
  }
}

/** A copy of a tensor with its history. */
function copyOf(t: Tensor): Tensor {
  const copy = clone(detach(t));
  const made = gradFnOf(t);
  if (made !== null) setHistory(copy, made.node, made.output);
  return copy;
}

const againOf =
  (op: Operator): RecordedCall["again"] =>
  (...given) =>
    op.call(given);

function record(op: Operator, keys: KeySet, args: Arguments): unknown {
  const inputs = tensorsOf(args);
  const written = writtenBy(op, args);
  const needed = inputs.filter(requiresGrad);
  const isRecorded = needed.length > 0;
  if (written !== null) {
    if (isRecorded && !inputs.includes(written))
      throw new AutogradError(
        `${op.name}: functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.`,
      );
    checkWrite(op.name, written);
  }
  const run = (): unknown =>
    withKeys({ exclude: autograd | views }, () => op.callWith(keys & ~(autograd | views), args));
  if (!isRecorded) return run();
  const edges = inputs.map(edgeOf);
  if (written !== null) return recordWrite(op, args, inputs, needed, edges, written, run);
  const result = run();
  const results = resultsOf(result);
  if (!results.some(isDifferentiable)) return result;
  const node = new CallNode(nodeName(op.name), edges, op.name, args, results.map(infoOf));
  const call = new Recording(op, args, results, needed, node, null);
  node.backward = backwardOf(op, call);
  call.end();
  if (node.backward === null) return result;
  results.forEach((t, k) => {
    if (!isDifferentiable(t)) return;
    // What comes out as it went in would lose its own history.
    if (inputs.includes(t)) return;
    setHistory(t, node, k);
    if (results.length > 1 && t.root !== null) ensureHistory(t).isOneOfSeveral = true;
  });
  return result;
}

/** A call that writes to one of its inputs. Its rule is asked first, because it may want what the tensor was before. */
function recordWrite(
  op: Operator,
  args: Arguments,
  inputs: readonly Tensor[],
  needed: readonly Tensor[],
  edges: readonly (Edge | null)[],
  written: Tensor,
  run: () => unknown,
): unknown {
  const node = new CallNode(nodeName(op.name), edges, op.name, args, [infoOf(written)]);
  const call = new Recording(op, args, [written], needed, node, written);
  let fault: unknown;
  try {
    node.backward = backwardOf(op, call);
  } catch (error) {
    fault = error;
  }
  call.end();
  // What is wrong with the arguments, the op itself says.
  const result = run();
  if (fault !== undefined) throw fault;
  node.settle(infoOf(written));
  if (node.backward !== null)
    rebase(
      written,
      node,
      inputs.map((t) => t === written),
    );
  return result;
}

/** The way back through a call; null if nothing passes. */
function backwardOf(op: Operator, call: Recording): Backward | null {
  const { body, gradient, name } = op;
  if (gradient === null && body !== null) return formulaBackward(body(call.args), call);
  const rule = gradient ?? viewRule(op, call);
  if (rule !== null) return rule(call);
  return () => {
    throw new AutogradError(
      `backward: the derivative for ${name} is not implemented. Detach its argument, or give it a gradient of your own: defineFunction({ forward, backward })`,
    );
  };
}

export const isDifferentiable = (t: Tensor): boolean => {
  const { type } = t;
  return type !== null && (dtypes[type].category === "float" || dtypes[type].category === "complex");
};

const infoOf = (t: Tensor): OutputInfo => ({ shape: sizesOf(t), dtype: t.dtype });

/** "mul" as MulBackward0, as PyTorch writes it. */
const nodeName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/_$/, "")}Backward0`;

/** The tensor that a call writes to, or null. */
function writtenBy({ name }: Operator, args: Arguments): Tensor | null {
  const last = args[args.length - 1];
  if (isRecord(last) && last["out"] != null) return tensorsOf([last["out"]])[0] ?? null;
  return name.endsWith("_") ? (args[0] as Tensor) : null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The tensors among arguments, in lists and records too, but not what is written to as `out`. */
export function tensorsOf(args: Arguments): Tensor[] {
  const found: Tensor[] = [];
  const visit = (arg: unknown): void => {
    if (arg instanceof Tensor) found.push(arg);
    else if (Array.isArray(arg)) arg.forEach(visit);
    else if (isRecord(arg)) for (const key in arg) if (key !== "out") visit(arg[key]);
  };
  args.forEach(visit);
  return found;
}

/** Where tensors lie in an argument: true for one, a list or record of such, or nothing. */
type Skeleton = true | readonly Skeleton[] | { readonly [key: string]: Skeleton } | undefined;

function skeletonOf(arg: unknown): Skeleton {
  if (arg instanceof Tensor) return true;
  if (Array.isArray(arg)) return arg.map(skeletonOf);
  if (!isRecord(arg)) return undefined;
  return Object.fromEntries(
    Object.entries(arg).map(([key, value]) => [key, key === "out" ? undefined : skeletonOf(value)]),
  );
}

/** The gradients of the tensors in an argument, in the order of `tensorsOf`. */
function collect(skeleton: Skeleton, gradient: unknown, into: (Tensor | null)[]): void {
  if (skeleton === undefined) return;
  if (skeleton === true) into.push((gradient as Tensor | null | undefined) ?? null);
  else if (Array.isArray(skeleton))
    skeleton.forEach((each, k) => {
      collect(each, (gradient as readonly unknown[] | null | undefined)?.[k], into);
    });
  else
    for (const [key, each] of Object.entries(skeleton as { readonly [key: string]: Skeleton }))
      collect(each, (gradient as Readonly<Record<string, unknown>> | null | undefined)?.[key], into);
}

function resultsOf(result: unknown): Tensor[] {
  return result instanceof Tensor ? [result] : tensorsOf([result]);
}

/** The node of a call. */
class CallNode extends GradNode {
  backward: Backward | null = null;
  private saved: SavedTensor[] = [];
  private later: (() => void)[] = [];
  private readonly op: string;
  private readonly shape: readonly Skeleton[];
  private infos: readonly OutputInfo[];

  constructor(
    name: string,
    edges: readonly (Edge | null)[],
    op: string,
    args: Arguments,
    infos: readonly OutputInfo[],
  ) {
    super(name, edges);
    this.op = op;
    this.shape = args.map(skeletonOf);
    this.infos = infos;
    this.outputs.push(...infos);
  }

  keep(saved: SavedTensor): () => Tensor {
    this.saved.push(saved);
    return () => saved.unpack();
  }

  /** Keeps a result that is still to be written. */
  keepLater(make: () => SavedTensor): () => Tensor {
    let saved: SavedTensor | null = null;
    this.later.push(() => {
      saved = make();
      this.saved.push(saved);
    });
    return () => (saved as unknown as SavedTensor).unpack();
  }

  /** The tensor is written, and may have other axes now. */
  settle(info: OutputInfo): void {
    this.infos = [info];
    this.outputs[0] = info;
    for (const keep of this.later) keep();
    this.later = [];
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const given = this.infos.map((info, k) => gradients[k] ?? zeros(info.shape, { dtype: info.dtype }));
    const result = (this.backward as Backward)(given);
    const flat: (Tensor | null)[] = [];
    this.shape.forEach((skeleton, k) => {
      collect(skeleton, result[k], flat);
    });
    if (flat.length !== this.edges.length)
      throw new AutogradError(
        `backward: ${this.op} has ${this.edges.length} inputs, and its rule gave ${flat.length} gradients`,
      );
    return flat;
  }

  override release(): void {
    for (const each of this.saved) each.release();
  }
}
