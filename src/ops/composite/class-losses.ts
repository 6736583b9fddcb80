/**
 * Losses of scores for classes, [N, C, ...] or [C], with class indices or class probabilities as targets.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { DTypeError, isFloatDType, isIntegerDType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div, sub } from "../elementwise/arithmetic.ts";
import { ne } from "../elementwise/comparison.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { gather } from "../movement/gather.ts";
import { compositeOp, lowerOp, structuredOp } from "../op.ts";
import { realLogsumexp } from "../reduce/logsumexp.ts";
import { sum } from "../reduce/reduce.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { reshape, squeeze, to, unsqueeze } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { byClass, checkReduction, checkSameShape, type Loss, ofClass, type Reduction, reduced } from "./loss.ts";
import { checkFloat } from "./rows.ts";
import { logSoftmax } from "./softmax.ts";
import { arangeLike } from "./tensors-like.ts";

// The log probability of one class per position, x[class] - logsumexp(x), is all that crossEntropy needs of softmax. Its gradient, 1 at the
// class minus the probabilities, takes one pass over x.

type Arguments = [x: Tensor, classes: Tensor, axis: number];
interface ClassLogs extends OpFunction {
  (...args: Arguments): [logs: Tensor, totals: Tensor];
}

const oneHotMinusSoftmax = /* @__PURE__ */ map<Part>(
  "classGradient(x, total, class, number, g, h)",
  "(class == number ? g : like(0, g)) + (h - g) * exp(x - total)",
);

const classGradient: GradientRule = (call) => {
  const [x, classes, axis] = call.args as Arguments;
  const [savedX, numbers, total] = [call.save(x), call.save(classes), call.saveResult(1)];
  return ([g, h]) => {
    const values = savedX();
    const count = sizeAt(values, axis);
    const range = reshape(
      arangeLike(values, count),
      listOf(values.rank, (at) => (at === axis ? count : 1)),
    );
    // int32 has the width of float32, so that both share vector lanes.
    const narrow = (t: Tensor): Tensor => to(t, "int32");
    return [oneHotMinusSoftmax(values, total(), narrow(numbers()), narrow(range), g, h)];
  };
};

/** The log probabilities of classes along an axis, which is kept with size 1, and logsumexp(x). */
const classLogs: ClassLogs = /* @__PURE__ */ structuredOp<ClassLogs, Arguments>(
  "classLogs(x: Tensor, classes: Tensor, ...)",
  "composite",
  {
    batch: "classLogs",
    infer(x, _, axis) {
      const each = { dtype: x.dtype, shape: shapeOf(x).map((size, at) => (at === axis ? 1 : size)) };
      return [each, each];
    },
    lower(builder, [logs, totals], x, classes, axis) {
      lowerOp(builder, realLogsumexp, x, axis, { keepdims: true, out: totals });
      lowerOp(builder, sub, lowerOp(builder, gather, x, axis, classes), totals, { out: logs });
    },
    gradient: classGradient,
  },
);

interface ClassOptions {
  /** A weight for each class. */
  readonly weight?: Maybe;
  /** Targets of this class are ignored. Default: -100. */
  readonly ignoreIndex?: number | undefined;
}

/** Targets with their classes and weights. */
interface Targets {
  readonly axis: number;
  readonly target: Tensor;
  readonly ignored: number;
  /** The targets, with 0 instead of ignored ones. */
  readonly classes: Tensor;
  /** The weight of each target: that of its class, or 1; 0 if it is ignored. */
  readonly counts: Tensor;
}

const classAxis = (x: Tensor): number => (x.rank === 1 ? 0 : 1);

/** Throws unless targets are class indices, one per position. */
function checkClasses(who: string, x: Tensor, target: Tensor): void {
  if (x.rank === 0) throw new ShapeError(`${who}: x must have at least 1 axis`);
  if (!isIntegerDType(target.dtype))
    throw new DTypeError(`${who}: class indices must be integers, got ${target.dtype}. Convert it: to("int32")`);
  const expected = sizesOf(x).toSpliced(classAxis(x), 1);
  if (show(expected) !== showShape(target))
    throw new ShapeError(
      `${who}: target must have shape ${show(expected)} for x of shape ${showShape(x)}, got ${showShape(target)}`,
    );
}

/** Throws unless there is one weight for each class. */
function checkWeight(who: string, x: Tensor, weight: Maybe): void {
  const classes = sizesOf(x)[classAxis(x)];
  if (weight && (weight.rank !== 1 || weight.size !== classes))
    throw new ShapeError(
      `${who}: weight must have an element for each of ${classes} classes, got ${showShape(weight)}`,
    );
}

const orFirst = /* @__PURE__ */ map<Part>(
  "orFirst(target, ignored)",
  "target == int64(ignored) ? int64(0) : int64(target)",
);
const unlessIgnored = /* @__PURE__ */ map<Part>(
  "unlessIgnored(x, target, ignored)",
  "target == int64(ignored) ? like(0, x) : x",
);

function targetsOf(
  who: string,
  x: Tensor,
  target: Tensor,
  { weight, ignoreIndex: ignored = -100 }: ClassOptions,
): Targets {
  const classes = orFirst(target, ignored);
  let counts: Tensor;
  if (weight) {
    const weights = ofClass(who, weight, 0, reshape(classes, [classes.size]));
    counts = unlessIgnored(reshape(weights, sizesOf(target)), target, ignored);
  } else counts = to(ne(target, ignored), x.dtype);
  return { axis: classAxis(x), target, ignored, classes, counts };
}

/** Selects the element of x for the class of each target. */
function picked(who: string, x: Tensor, { axis, classes }: Targets): Tensor {
  return squeeze(ofClass(who, x, axis, unsqueeze(classes, axis)), axis);
}

const likelihood = /* @__PURE__ */ map<Part>(
  "likelihood(x, counts, target, ignored)",
  "target == int64(ignored) ? like(0, x) : -x * counts",
);
/** Reduces values; their mean is weighted. */
function weighted(who: string, values: Tensor, counts: Tensor, reduction: Reduction): Tensor {
  if (reduction !== "mean") return reduced(who, values, reduction);
  return div(sum(values), sum(counts));
}

/** Returns the negative log likelihood loss: minus the log-probability of each target class; x holds log-probabilities. */
export const nllLoss: Loss<ClassOptions> = /* @__PURE__ */ compositeOp(
  "nllLoss(x: Tensor, target: Tensor; weight: Tensor, ignoreIndex, reduction)",
  (x: Tensor, target: Tensor, { reduction = "mean", ...options }: ClassOptions & { reduction?: Reduction } = {}) => {
    checkReduction("nllLoss", reduction);
    checkFloat("nllLoss", x.dtype);
    checkClasses("nllLoss", x, target);
    checkWeight("nllLoss", x, options.weight);
    const targets = targetsOf("nllLoss", x, target, options);
    const values = likelihood(picked("nllLoss", x, targets), targets.counts, target, targets.ignored);
    return weighted("nllLoss", values, targets.counts, reduction);
  },
);

interface EntropyOptions extends ClassOptions {
  /** The part of the target that is spread over all classes. Default: 0. */
  readonly labelSmoothing?: number | undefined;
}
const mixed = /* @__PURE__ */ map<Part>("mixed(x, y, smoothing, part)", "(1 - smoothing) * x + part * y");
const spreadOver = /* @__PURE__ */ map<Part>("spreadOver(x, weight = null)", ({ weight }) =>
  weight === null ? "-x" : "-x * weight",
);
const byProbability = /* @__PURE__ */ map<Part>(
  "byProbability(x, target, smoothing, part, weight = null)",
  ({ weight }) => `-x * (target * (1 - smoothing) + part)${weight === null ? "" : " * weight"}`,
);

/** Reshapes class weights to broadcast along the class axis of x. */
const alongClasses = (x: Tensor, weight: Maybe): Tensor | null =>
  weight
    ? reshape(
        weight,
        sizesOf(x).map((size, axis) => (axis === classAxis(x) ? size : 1)),
      )
    : null;

/** Returns the cross entropy between softmax(x) and the target: class indices, or probabilities of all classes. */
export const crossEntropy: Loss<EntropyOptions> = /* @__PURE__ */ compositeOp(
  "crossEntropy(x: Tensor, target: Tensor; weight: Tensor, ignoreIndex, reduction, labelSmoothing)",
  (x: Tensor, target: Tensor, options: EntropyOptions & { reduction?: Reduction } = {}) => {
    const { weight, labelSmoothing: smoothing = 0, reduction = "mean" } = options;
    checkFloat("crossEntropy", x.dtype);
    checkReduction("crossEntropy", reduction);
    checkWeight("crossEntropy", x, weight);
    if (!(smoothing >= 0 && smoothing <= 1))
      throw new StridewiseError(`crossEntropy: labelSmoothing must be from 0 to 1, got ${smoothing}`);
    const axis = classAxis(x);
    const classes = sizesOf(x)[axis] ?? 1;
    if (isFloatDType(target.dtype)) {
      if (target.rank === x.rank - 1)
        throw new DTypeError(
          `crossEntropy: class indices must be integers, got ${target.dtype} ${showShape(target)}. Convert it: to("int32"), or pass probabilities ${showShape(x)}`,
        );
      checkSameShape("crossEntropy", x, target);
      const each = byProbability(logSoftmax(x, axis), target, smoothing, smoothing / classes, alongClasses(x, weight));
      const values = sum(each, axis);
      return reduction === "mean"
        ? div(sum(values), Math.max(1, x.size / classes))
        : reduced("crossEntropy", values, reduction);
    }
    checkClasses("crossEntropy", x, target);
    const targets = targetsOf("crossEntropy", x, target, options);
    const { counts, ignored } = targets;
    const ofTargets = (log: Tensor): Tensor =>
      weighted("crossEntropy", likelihood(log, counts, target, ignored), counts, reduction);
    // Without smoothing, only one logarithm per sample is needed.
    if (smoothing === 0) {
      const numbers = unsqueeze(targets.classes, axis);
      const [logs] = byClass("crossEntropy", x, axis, numbers, () => classLogs(x, numbers, axis));
      return ofTargets(squeeze(logs, axis));
    }
    const logs = logSoftmax(x, axis);
    const all = sum(spreadOver(logs, alongClasses(x, weight)), axis);
    const spread = weighted("crossEntropy", unlessIgnored(all, target, ignored), counts, reduction);
    return mixed(ofTargets(picked("crossEntropy", logs, targets)), spread, smoothing, smoothing / classes);
  },
);
