/**
 * Recording: every call with a tensor that asks for gradients comes here, runs below, and leaves a node that knows the way back. What
 * passes through the op is its own rule (`../tensor/dispatch/gradient.ts`); ops made of others never come here themselves.
 *
 * A call that writes to a tensor makes the tensor an output of its node; if the tensor is a view, its base is rebased (`in-place.ts`).
 */
import { dtypes } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create.ts";
import type { Backward, GradientRule, RecordedCall } from "../tensor/dispatch/gradient.ts";
import { type KeySet, keySet } from "../tensor/dispatch/keys.ts";
import { type Arguments, type Operator, setFallback, withKeys } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { counterOf, Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { formulaBackward } from "./formula-gradient.ts";
import { edgeOf, historyOf, requiresGrad, setHistory } from "./history.ts";
import { checkWrite, rebase } from "./in-place.ts";
import { type Edge, GradNode, type OutputInfo } from "./node.ts";
import { SavedTensor } from "./saved.ts";
import { viewRule } from "./view-rules.ts";

const autograd = keySet("autograd");

/** Puts autograd into dispatch. */
export function installRecording(): void {
  setFallback("autograd", record);
}

function record(op: Operator, keys: KeySet, args: Arguments): unknown {
  const written = writtenBy(op, args);
  const inputs = tensorsOf(args);
  const needed = inputs.filter(requiresGrad);
  const isRecorded = needed.length > 0;
  if (written !== null) {
    if (isRecorded && !inputs.includes(written))
      throw new AutogradError(
        `${op.name}: functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.`,
      );
    checkWrite(op.name, written);
  }
  const edges = inputs.map(edgeOf);
  const before = written === null ? 0 : counterOf(written).value;
  const result = withKeys({ exclude: autograd }, () => op.callWith(keys & ~autograd, args));
  if (!isRecorded) return result;
  const results = resultsOf(result);
  const outputs = results.filter((t) => isDifferentiable(t));
  if (outputs.length === 0) return result;
  const node = new CallNode(nodeName(op.name), edges, op.name, args, results.map(infoOf));
  const call: RecordedCall = {
    again: (...given) => op.call(given),
    args,
    results,
    needs: (arg) => tensorsOf([arg]).some((t) => needed.includes(t)),
    save: (t) =>
      node.keep(
        written !== null && t.source === written.source ? new SavedTensor(t, null, before) : new SavedTensor(t, null),
      ),
    saveResult: (index = 0) => node.keep(new SavedTensor(results[index] as Tensor, { node, output: index })),
  };
  const { body } = op;
  const rule: GradientRule | null =
    op.gradient ?? (body === null ? viewRule(op, call) : () => formulaBackward(body(args), call));
  if (rule === null) {
    node.backward = () => {
      throw new AutogradError(`backward: the derivative for ${op.name} is not implemented`);
    };
  } else {
    const backward = rule(call);
    if (backward === null) return result;
    node.backward = backward;
  }
  if (written !== null) {
    rebase(
      written,
      node,
      inputs.map((t) => t === written),
    );
    return result;
  }
  results.forEach((t, k) => {
    if (!isDifferentiable(t)) return;
    // What comes out as it went in would lose its own history.
    if (inputs.includes(t)) return;
    setHistory(t, node, k);
    if (results.length > 1 && t.root !== null) (historyOf(t) as { refusal: string | null }).refusal = "several";
  });
  return result;
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
  if (isRecord(last) && last["out"] instanceof Tensor) return last["out"];
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
  backward: Backward = () => [];
  private saved: SavedTensor[] = [];
  private readonly op: string;
  private readonly shape: readonly Skeleton[];
  private readonly infos: readonly OutputInfo[];

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

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const given = this.infos.map((info, k) => gradients[k] ?? zeros(info.shape, { dtype: info.dtype }));
    const result = this.backward(given);
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
