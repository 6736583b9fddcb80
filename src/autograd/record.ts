/**
 * Recording: every call with a tensor that asks for gradients comes here, runs below, and leaves a node that knows the way back. What
 * passes through the op is its own rule (`../tensor/dispatch/gradient.ts`); ops made of others never come here themselves.
 *
 * A call that writes to a tensor makes the tensor an output of its node; if the tensor is a view, its base is rebased (`in-place.ts`).
 */
import type { Backward } from "../tensor/dispatch/gradient.ts";
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
import { CallNode, keeperOf, Recording } from "./call-node.ts";
import { checkCaptured } from "./captured.ts";
import { AutogradError } from "./error.ts";
import { FormulaNode } from "./formula-node.ts";
import { edgeOf, ensureHistory, historyOf, requiresGrad, setHistory } from "./history.ts";
import { checkWrite, rebase } from "./in-place.ts";
import type { GradNode, OutputInfo } from "./node.ts";
import { nodeName } from "./node-name.ts";
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
  if (written !== null) checkWrite(op.name, written, false);
  return op.callWith(keys & ~views, args);
}

const both = autograd | views;

/** Runs a call without recording. */
function runBelow(op: Operator, keys: KeySet, args: Arguments): unknown {
  const before = excludeKeys(both);
  try {
    return op.callWith(keys & ~both, args);
  } finally {
    restoreKeys(before);
  }
}

function record(op: Operator, keys: KeySet, args: Arguments): unknown {
  const written = writtenBy(op, args);
  if (written !== null) return recordWrite(op, keys, args, written);
  if (op.gradient === null && op.body !== null) return recordFormula(op, op.body(args), keys, args);
  // What passes nothing on does not ask where its input comes from.
  if ((gradientKinds[op.name] ?? op.name) === "detach") return runBelow(op, keys, args);
  const inputs = tensorsOf(args);
  const needed = inputs.filter(requiresGrad);
  const result = runBelow(op, keys, args);
  if (needed.length === 0) return result;
  const results = resultsOf(result);
  if (!results.some(isDifferentiable)) return result;
  const node = new CallNode(nodeName(op.name, args), inputs.map(edgeOf), op.name, args, results.map(infoOf));
  const call = new Recording(op, args, results, needed, node, null);
  node.backward = backwardOf(op, call);
  call.end();
  if (node.backward !== null) setHistories(results, node, inputs, node.stopped);
  return result;
}

function recordFormula(op: Operator, call: FormulaCall, keys: KeySet, args: Arguments): unknown {
  const wanted = wantedOf(call);
  const result = runBelow(op, keys, args);
  if (wanted === 0) return result;
  const results = resultsOf(result);
  const infos: OutputInfo[] = [];
  let passes = false;
  for (let k = 0; k < results.length; k++) {
    const t = results[k];
    infos.push(infoLike(t, call.given[0]));
    passes ||= isDifferentiable(t);
  }
  if (!passes) return result;
  const node = FormulaNode.of(nodeName(op.name, args), call, wanted, results, infos, null);
  if (node !== null) setHistories(results, node, call.given, null);
  return result;
}

/** The operands of a formula that ask for gradients, one bit for each. */
function wantedOf({ given }: FormulaCall): number {
  let wanted = 0;
  for (let k = 0; k < given.length; k++) {
    const operand = given[k];
    if (operand instanceof Tensor && requiresGrad(operand)) wanted += 2 ** k;
  }
  return wanted;
}

function setHistories(
  results: readonly Tensor[],
  node: GradNode,
  inputs: readonly unknown[],
  stopped: readonly number[] | null,
): void {
  for (let k = 0; k < results.length; k++) {
    const t = results[k];
    // What comes out as it went in would lose its own history.
    if (!isDifferentiable(t) || inputs.includes(t) || stopped?.includes(k) === true) continue;
    setHistory(t, node, k);
    if (t.root === null) continue;
    // Views of what must not be written to must not either.
    const [from] = inputs;
    const before = from instanceof Tensor && from.root === t.root ? historyOf(from) : null;
    const history = ensureHistory(t);
    history.isOneOfSeveral = results.length > 1 || before?.isOneOfSeveral === true;
    history.isOfFunction = before?.isOfFunction === true;
  }
}

/** A call that writes to one of its inputs. Its rule is asked first, because it may want what the tensor was before. */
function recordWrite(op: Operator, keys: KeySet, args: Arguments, written: Tensor): unknown {
  const inputs = tensorsOf(args);
  const needed = inputs.filter(requiresGrad);
  if (needed.length > 0 && !inputs.includes(written))
    throw new AutogradError(
      `${op.name}: functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad. Omit out, or call it inside noGrad`,
    );
  checkWrite(op.name, written, needed.length > 0);
  if (needed.length === 0) return runBelow(op, keys, args);
  checkCaptured(op.name, written);
  let node: CallNode | FormulaNode | null = null;
  let own = inputs;
  let fault: unknown;
  try {
    if (op.gradient === null && op.body !== null) {
      const call = op.body(args);
      own = call.given as Tensor[];
      node = FormulaNode.of(
        nodeName(op.name, args),
        call,
        wantedOf(call),
        [written],
        [infoOf(written)],
        keeperOf(written),
      );
    } else {
      node = new CallNode(nodeName(op.name, args), inputs.map(edgeOf), op.name, args, [infoOf(written)]);
      const call = new Recording(op, args, [written], needed, node, written);
      node.backward = backwardOf(op, call);
      call.end();
      if (node.backward === null) node = null;
    }
  } catch (error) {
    fault = error;
  }
  // What is wrong with the arguments, the op itself says.
  const result = runBelow(op, keys, args);
  if (fault !== undefined) throw fault;
  node?.settle(written, infoOf(written));
  if (node !== null)
    rebase(
      written,
      node,
      own.map((t) => t === written),
    );
  return result;
}

/** The way back through a call; null if nothing passes. */
function backwardOf(op: Operator, call: Recording): Backward | null {
  const { gradient, name } = op;
  const rule = gradient ?? viewRule(op, call);
  if (rule !== null) return rule(call);
  return () => {
    throw new AutogradError(
      `backward: the derivative for ${name} is not implemented. Detach its argument, or define its gradient: defineFunction({ forward, backward })`,
    );
  };
}

const infoOf = (t: Tensor): OutputInfo => ({ shape: sizesOf(t), dtype: t.dtype });

/** The same, taken over from a tensor of the same shape and dtype that another node gave. */
function infoLike(t: Tensor, like: unknown): OutputInfo {
  const made = like instanceof Tensor ? historyOf(like)?.made : null;
  const info = made?.node.outputs[made.output];
  return info !== undefined && info.dtype === t.type && hasSizes(t, info.shape) ? info : infoOf(t);
}
