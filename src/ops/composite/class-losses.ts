/**
 * Losses of scores for classes, [N, C, ...] or [C], where the right class is named by its number or by probabilities of all.
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
import { compositeOp, structuredOp } from "../op.ts";
import { logsumexp, sum } from "../reduce/reduce.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { reshape, squeeze, to, unsqueeze } from "../views.ts";
import { numbersBeside } from "./beside.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { checkReduction, checkSameShape, type Loss, ofClass, type Reduction, reduced } from "./loss.ts";
import { checkFloat } from "./rows.ts";
import { logSoftmax } from "./softmax.ts";

// The log probability of one class in each place, x[class] - logsumexp(x): all that crossEntropy needs of softmax. The gradient is made in
// one pass over x: 1 at the class less the probabilities.

type Arguments = [x: Tensor, classes: Tensor, axis: number];
interface ClassLogs extends OpFunction {
  (...args: Arguments): [logs: Tensor, totals: Tensor];
}

const oneLess = /* @__PURE__ */ map<Part>(
  "classGradient(x, total, class, number, g, h)",
  "(class == number ? g : like(0, g)) + (h - g) * exp(x - total)",
);

const classGradient: GradientRule = (call) => {
  const [x, classes, axis] = call.args as Arguments;
  const [kept, places, total] = [call.save(x), call.save(classes), call.saveResult(1)];
  return ([g, h]) => {
    const values = kept();
    const count = sizeAt(values, axis);
    const numbers = reshape(
      numbersBeside(values, count),
      listOf(values.rank, (at) => (at === axis ? count : 1)),
    );
    // Integers as wide as float32 are compared in its lanes.
    const narrow = (t: Tensor): Tensor => to(t, "int32");
    return [oneLess(values, total(), narrow(places()), narrow(numbers), g, h)];
  };
};

/** The log probabilities of these classes along an axis, which stays with a size of 1, and the logarithms of the sums of exp(x). */
const classLogs: ClassLogs = /* @__PURE__ */ structuredOp<ClassLogs, Arguments>(
  "classLogs(x: Tensor, classes: Tensor, ...)",
  "composite",
  {
    batch: "classLogs",
    infer(x, _, axis) {
      const each = { dtype: x.dtype, shape: shapeOf(x).map((size, at) => (at === axis ? 1 : size)) };
      return [each, each];
    },
    fill([logs, totals], x, classes, axis) {
      logsumexp(x, axis, { keepdims: true, out: totals } as never);
      sub(ofClass("crossEntropy", x, axis, classes), totals as never, { out: logs } as never);
    },
    gradient: classGradient,
  },
);

interface ClassOptions {
  /** A factor for each class. */
  readonly weight?: Maybe;
  /** Targets of this number do not count: -100 unless given. */
  readonly ignoreIndex?: number | undefined;
}

/** Targets, whether they count, and which class each stands for. */
interface Targets {
  readonly axis: number;
  readonly target: Tensor;
  readonly ignored: number;
  /** The targets with 0 in the place of ignored ones. */
  readonly classes: Tensor;
  /** How much each counts: its weight, or 1; 0 if it is ignored. */
  readonly counts: Tensor;
}

const classAxis = (x: Tensor): number => (x.rank === 1 ? 0 : 1);

/** Refuses targets that are no class numbers, one for each place. */
function checkClasses(who: string, x: Tensor, target: Tensor): void {
  if (x.rank === 0) throw new ShapeError(`${who}: expected at least 1 axis, got none`);
  if (!isIntegerDType(target.dtype))
    throw new DTypeError(`${who}: class numbers must be integers, got ${target.dtype}. Convert it: to('int32')`);
  const wanted = sizesOf(x).toSpliced(classAxis(x), 1);
  if (show(wanted) !== showShape(target))
    throw new ShapeError(`${who}: scores ${showShape(x)} need class numbers ${show(wanted)}, got ${showShape(target)}`);
}

/** Refuses weights that are not one for each class. */
function checkWeight(who: string, x: Tensor, weight: Maybe): void {
  const classes = sizesOf(x)[classAxis(x)];
  if (weight && (weight.rank !== 1 || weight.size !== classes))
    throw new ShapeError(`${who}: weight needs an element for each of ${classes} classes, got ${showShape(weight)}`);
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

/** The element of x for the class of each target. */
function picked(who: string, x: Tensor, { axis, classes }: Targets): Tensor {
  return squeeze(ofClass(who, x, axis, unsqueeze(classes, axis)), axis);
}

const likelihood = /* @__PURE__ */ map<Part>(
  "likelihood(x, counts, target, ignored)",
  "target == int64(ignored) ? like(0, x) : -x * counts",
);
/** Values that are reduced with what they count. */
function weighted(who: string, values: Tensor, counts: Tensor, reduction: Reduction): Tensor {
  if (reduction !== "mean") return reduced(who, values, reduction);
  return div(sum(values), sum(counts));
}

/** The negative of the log probabilities of the target classes. */
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
  /** How much of the target is spread over all classes: 0 unless given. */
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

/** The weight of each class along the class axis of x. */
const alongClasses = (x: Tensor, weight: Maybe): Tensor | null =>
  weight
    ? reshape(
        weight,
        sizesOf(x).map((size, axis) => (axis === classAxis(x) ? size : 1)),
      )
    : null;

/** The cross entropy between softmax(x) and the target: class numbers, or probabilities of all classes. */
export const crossEntropy: Loss<EntropyOptions> = /* @__PURE__ */ compositeOp(
  "crossEntropy(x: Tensor, target: Tensor; weight: Tensor, ignoreIndex, reduction, labelSmoothing)",
  (x: Tensor, target: Tensor, options: EntropyOptions & { reduction?: Reduction } = {}) => {
    const { weight, labelSmoothing: smoothing = 0, reduction = "mean" } = options;
    checkFloat("crossEntropy", x.dtype);
    checkReduction("crossEntropy", reduction);
    checkWeight("crossEntropy", x, weight);
    if (!(smoothing >= 0 && smoothing <= 1))
      throw new StridewiseError(`crossEntropy: labelSmoothing must be between 0 and 1, got ${smoothing}.`);
    const axis = classAxis(x);
    const classes = sizesOf(x)[axis] ?? 1;
    if (isFloatDType(target.dtype)) {
      if (target.rank === x.rank - 1)
        throw new DTypeError(
          `crossEntropy: class numbers must be integers, got ${target.dtype} ${showShape(target)}. Convert it: to('int32'), or give probabilities ${showShape(x)}`,
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
    const byClass = (log: Tensor): Tensor =>
      weighted("crossEntropy", likelihood(log, counts, target, ignored), counts, reduction);
    // Without smoothing only one logarithm of each sample is needed.
    if (smoothing === 0) return byClass(squeeze(classLogs(x, unsqueeze(targets.classes, axis), axis)[0], axis));
    const logs = logSoftmax(x, axis);
    const all = sum(spreadOver(logs, alongClasses(x, weight)), axis);
    const spread = weighted("crossEntropy", unlessIgnored(all, target, ignored), counts, reduction);
    return mixed(byClass(picked("crossEntropy", logs, targets)), spread, smoothing, smoothing / classes);
  },
);
