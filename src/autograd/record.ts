/**
 * Recording: every call with a tensor that requires a gradient comes here, runs below, and leaves a node for the backward pass. Its gradient is
 * the op's rule (`../tensor/dispatch/gradient.ts`); composite ops are recorded as the ops they call.
 *
 * A call that writes to a tensor makes the tensor an output of its node; if the tensor is a view, its base is rebased (`in-place.ts`).
 */
import { once } from "../base/lazy.ts";
import type { GradientRule } from "../tensor/dispatch/gradient.ts";
import { type KeySet, keySet } from "../tensor/dispatch/keys.ts";
import {
  type Arguments,
  excludeKeys,
  type FormulaCall,
  type Operator,
  restoreKeys,
  setFallback,
} from "../tensor/dispatch/operator.ts";
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { gradientKinds } from "../tensor/views/view-facts.ts";
import { isDifferentiable, resultsOf, tensorsOf, writtenBy } from "./arguments.ts";
import { applyRule, CallNode, keeperOf } from "./call-node.ts";
import { checkCaptured } from "./captured.ts";
import { AutogradError } from "./error.ts";
import { FormulaNode } from "./formula-node.ts";
import { edgeOf, ensureHistory, type History, historyOf, requiresGrad, setHistory } from "./history.ts";
import { checkWrite, rebase } from "./in-place.ts";
import type { GradNode, OutputInfo } from "./node.ts";
import { isGradEnabled, recordingKeys } from "./scopes.ts";
import { viewRule } from "./view-rules.ts";

const views = /* @__PURE__ */ keySet("inPlaceOrView");

/** Puts autograd into dispatch. */
export function installRecording(): void {
  setFallback("autograd", record);
  setFallback("inPlaceOrView", checkWrites);
}

/** Checks calls with views outside of the graph whose base is part of it: they must not be written to. */
function checkWrites(op: Operator, keys: KeySet, args: Arguments): unknown {
  const written = isGradEnabled() ? writtenBy(op, args) : null;
  if (written !== null) checkWrite(calledAs(op, args), written, false);
  return op.callWith(keys & ~views, args);
}

/** The name of the method that called an op: some ops of several methods have it as their last argument. */
function calledAs({ name }: Operator, args: Arguments): string {
  const last = args.length > 2 && /^(?:fill|copy|takeAxes|assignAt)_$/.test(name) ? args[args.length - 1] : null;
  return typeof last === "string" ? last : name;
}

/** Runs a call without recording. */
function redispatch(op: Operator, keys: KeySet, args: Arguments): unknown {
  const before = excludeKeys(recordingKeys);
  try {
    return op.callWith(keys & ~recordingKeys, args);
  } finally {
    restoreKeys(before);
  }
}

function record(op: Operator, keys: KeySet, args: Arguments): unknown {
  const written = writtenBy(op, args);
  if (written !== null) return recordWrite(op, keys, args, written);
  if (op.gradient === null && op.body !== null) return recordFormula(op, op.body(args), keys, args);
  // An op without a gradient needs no edges.
  if ((gradientKinds[op.name] ?? op.name) === "detach") return redispatch(op, keys, args);
  const inputs = tensorsOf(args);
  const needed = inputs.filter(requiresGrad);
  const result = redispatch(op, keys, args);
  if (needed.length === 0) return result;
  const results = resultsOf(result);
  if (!results.some(isDifferentiable)) return result;
  const node = new CallNode(nodeName(op.name, args), inputs.map(edgeOf), op.name, args, results.map(infoOf));
  node.backward = applyRule(ruleOf(op, args, results), op, args, results, needed, node, null);
  if (node.backward !== null) setHistories(results, node, inputs, node.stopped);
  return result;
}

function recordFormula(op: Operator, call: FormulaCall, keys: KeySet, args: Arguments): unknown {
  const result = redispatch(op, keys, args);
  const results = resultsOf(result);
  const infos: OutputInfo[] = [];
  let passes = false;
  for (let k = 0; k < results.length; k++) {
    const t = results[k];
    infos.push(infoLike(t, call.operands[0]));
    passes ||= isDifferentiable(t);
  }
  if (!passes) return result;
  const node = FormulaNode.of(nodeName(op.name, args), call, results, infos, null);
  if (node !== null) setHistories(results, node, call.operands, null);
  return result;
}

function setHistories(
  results: readonly Tensor[],
  node: GradNode,
  inputs: readonly unknown[],
  stopped: readonly number[] | null,
): void {
  for (let k = 0; k < results.length; k++) {
    const t = results[k];
    // A result that is an input keeps its own history.
    if (!isDifferentiable(t) || inputs.includes(t) || stopped?.includes(k) === true) continue;
    setHistory(t, node, k);
    if (t.root === null) continue;
    // A view of a view that must not be written to must not be written to either.
    const [from] = inputs;
    const before = from instanceof Tensor && from.root === t.root ? historyOf(from) : null;
    const history = ensureHistory(t);
    history.isOneOfSeveral = results.length > 1 || before?.isOneOfSeveral === true;
    history.isOfFunction = before?.isOfFunction === true;
  }
}

/** Records a call that writes to one of its inputs. Its rule runs first, because it may save the tensor as it was before. */
function recordWrite(op: Operator, keys: KeySet, args: Arguments, written: Tensor): unknown {
  const inputs = tensorsOf(args);
  const needed = inputs.filter(requiresGrad);
  if (needed.length > 0 && !inputs.includes(written))
    throw new AutogradError(
      `${op.name}: functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad. Omit out, or call it inside noGrad`,
    );
  checkWrite(calledAs(op, args), written, needed.length > 0);
  if (needed.length === 0) return redispatch(op, keys, args);
  checkCaptured(op.name, written);
  let node: CallNode | FormulaNode | null = null;
  let own = inputs;
  let fault: unknown;
  try {
    if (op.gradient === null && op.body !== null) {
      const call = op.body(args);
      own = call.operands as Tensor[];
      node = FormulaNode.of(nodeName(op.name, args), call, [written], [infoOf(written)], keeperOf(written));
    } else {
      node = new CallNode(nodeName(op.name, args), inputs.map(edgeOf), op.name, args, [infoOf(written)]);
      node.backward = applyRule(ruleOf(op, args, [written]), op, args, [written], needed, node, written);
      if (node.backward === null) node = null;
    }
  } catch (error) {
    // Nothing is written if the call cannot be differentiated. Other errors are those of wrong arguments, which the op reports itself.
    if (error instanceof AutogradError) throw error;
    fault = error;
  }
  const result = redispatch(op, keys, args);
  if (fault !== undefined) throw fault;
  node?.saveResult(written, infoOf(written));
  if (node !== null)
    rebase(
      written,
      node,
      own.map((t) => t === written),
    );
  return result;
}

/** The gradient rule of a call. */
function ruleOf(op: Operator, args: Arguments, results: readonly Tensor[]): GradientRule {
  return (
    op.gradient ??
    viewRule(op, args, results) ??
    (() => () => {
      throw new AutogradError(
        `backward: the derivative for ${op.name} is not implemented. Detach its argument, or define its gradient: defineFunction({ forward, backward })`,
      );
    })
  );
}

const infoOf = (t: Tensor): OutputInfo => ({ shape: sizesOf(t), dtype: t.dtype });

/** The same, shared with a tensor of the same shape and dtype that another node computed. */
function infoLike(t: Tensor, like: unknown): OutputInfo {
  const edge = like instanceof Tensor ? (like.history as History | null)?.edge : null;
  const info = edge?.node.outputs[edge.output];
  return info !== undefined && info.dtype === t.type && hasSizes(t, info.shape) ? info : infoOf(t);
}

/** `op:Name` where PyTorch has another name; `op:Name/1` where the overload is not its first. */
const otherNames =
  "T:Permute mT:Transpose movedim:Permute narrow:Slice chunk:Split unflatten:View partView:Select pick:Index " +
  "max:Max/1 min:Min/1 maxAlong:Max minAlong:Min medianAlong:Median/1 vectorNorm:LinalgVectorNorm " +
  "square:Pow relu6:Hardtanh selu:Elu preluOf:PreluKernel gated:Glu dropped:Mul standardize:NativeLayerNorm normApply:NativeBatchNorm " +
  "attend:ScaledDotProductFlashAttentionForCpu convolutionTransposed:Convolution windowMax:MaxPool2DWithIndices pad:ConstantPadNd " +
  "byLength:Div bagMean:EmbeddingBag mseLossEach:MseLoss linalg.cholesky:LinalgCholeskyEx linalg.inv:LinalgInvEx linalg.solve:LinalgSolveEx";

/** PyTorch's names that depend on arguments: the axis of a reduction, an exponent, ranks, the kinds of indices. */
const namesByArguments: Readonly<Record<string, (args: Arguments) => string | undefined>> = {
  sum: ([, axis]) => (axis == null ? undefined : "sum/1"),
  mean: ([, axis]) => (axis == null ? undefined : "mean/1"),
  prod: ([, axis]) => (axis == null ? undefined : "prod/1"),
  squeeze: ([, axis]) => (axis == null ? undefined : "squeeze/1"),
  pow: ([, exponent]) => (exponent instanceof Tensor ? "pow/1" : undefined),
  clone: ([, , dtype]) => (dtype == null ? undefined : "toCopy"),
  matmul: ([a, b]) => {
    const [m, n] = [(a as Tensor).rank, (b as Tensor).rank];
    return m > 2 || n > 2 ? "bmm" : ["dot", "mv", "mm"][m + n - 2];
  },
  at: ([, index]) => {
    const items = index as readonly unknown[];
    if (items.some((item) => item instanceof Tensor)) return "index";
    return typeof items.at(-1) === "number" ? "select" : "slice";
  },
};

/** "linalg.det" as LinalgDet, "log1p" as Log1P, "toCopy" as ToCopy, "relu_" as Relu. */
const capitalized = (op: string): string =>
  op.replace(/_$/, "").replace(/(^|\.|\d)([a-z])/g, (all) => all.replace(".", "").toUpperCase());

const others = /* @__PURE__ */ once(
  () => new Map(otherNames.split(" ").map((entry) => entry.split(":") as [string, string])),
);
/** The names of nodes, by the op or its name in `namesByArguments`. */
const names = /* @__PURE__ */ new Map<string, string>();

/**
 * The name of the node of a call, as PyTorch prints it: `grad_fn=<MulBackward0>`. It is the op in capitalized words and the number of PyTorch's
 * overload. Ops that PyTorch does not have keep their own name.
 */
function nodeName(op: string, args: Arguments): string {
  const call = (Object.hasOwn(namesByArguments, op) ? namesByArguments[op](args) : undefined) ?? op;
  let name = names.get(call);
  if (name === undefined) {
    const [words, overload = 0] = (others().get(call) ?? capitalized(call)).split("/");
    name = op === "copy_" ? "CopyBackwards" : `${words}Backward${overload}`;
    names.set(call, name);
  }
  return name;
}
