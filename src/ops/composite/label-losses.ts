/**
 * Margin losses of scores for classes, with one or several target classes per sample. Scores are [N, C] or [C].
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { DTypeError, isIntegerDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { any, mean, sum } from "../reduce/reduce.ts";
import { cumsum } from "../reduce/scan.ts";
import { show } from "../shape-rules.ts";
import { reshape, unsqueeze } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { checkReduction, type Loss, type LossOptions, ofClass, reduced } from "./loss.ts";
import { arangeLike } from "./tensors-like.ts";

/** Returns the numbers of samples and classes; throws unless x is scores. */
function scoresOf(who: string, x: Tensor): [samples: number, classes: number] {
  const sizes = sizesOf(x);
  const classes = sizes.at(-1) ?? 1;
  if (sizes.length > 2 || classes === 0)
    throw new ShapeError(`${who}: x must be [N, C] or [C] and not empty, got ${show(sizes)}`);
  return [sizes.length === 2 ? sizes[0] : 1, classes];
}

function checkNumbers(who: string, target: Tensor): void {
  if (!isIntegerDType(target.dtype))
    throw new DTypeError(`${who}: class indices must be integers, got ${target.dtype}. Convert it: to("int32")`);
}

/** Reduces one value per sample, without the axis of samples if there was none. */
function ofSamples(who: string, values: Tensor, x: Tensor, options: LossOptions): Tensor {
  return reduced(who, x.rank < 2 ? reshape(values, []) : values, options.reduction);
}

interface MultiMarginOptions {
  /** The exponent of the distances: 1 or 2. */
  readonly p?: number | undefined;
  readonly margin?: number | undefined;
  /** A weight for each class. */
  readonly weight?: Maybe;
}
const shortfall = /* @__PURE__ */ map<Part>(
  "shortfall(x, right, target, number, margin, p, weight = null)",
  ({ p, weight }) => {
    const power = p === 2 ? "d * d" : "d";
    const value = weight === null ? power : `${power} * weight`;
    return `let e = 1.0 * margin - right + x; let d = e <= 0 ? like(0, e) : e; number == target ? like(0, x) : ${value}`;
  },
);
/** Returns the multi-class margin loss: the sum over all other classes i of max(0, margin - x[target] + x[i]) ** p, divided by the number of classes. */
export const multiMarginLoss: Loss<MultiMarginOptions> = /* @__PURE__ */ compositeOp(
  "multiMarginLoss(x: Tensor, target: Tensor; p, margin, weight: Tensor, reduction)",
  (x: Tensor, target: Tensor, options: MultiMarginOptions & LossOptions = {}) => {
    const who = "multiMarginLoss";
    const { p = 1, margin = 1, weight } = options;
    checkReduction(who, options.reduction ?? "mean");
    if (p !== 1 && p !== 2) throw new StridewiseError(`${who}: p must be 1 or 2, got ${p}`);
    const [samples, classes] = scoresOf(who, x);
    if (target.rank > 1 || target.size !== samples)
      throw new ShapeError(
        `${who}: target must have an element for each of ${samples} samples, got ${showShape(target)}`,
      );
    if (weight && (weight.rank > 1 || weight.size !== classes))
      throw new ShapeError(
        `${who}: weight must have an element for each of ${classes} classes, got ${showShape(weight)}`,
      );
    checkNumbers(who, target);
    const [scores, numbers] = [reshape(x, [samples, classes]), reshape(target, [samples, 1])];
    const weights = weight ? reshape(ofClass(who, weight, 0, reshape(target, [samples])), [samples, 1]) : null;
    const each = shortfall(
      scores,
      ofClass(who, scores, 1, numbers),
      numbers,
      arangeLike(x, classes),
      margin,
      p,
      weights,
    );
    return ofSamples(who, div(sum(each, 1), classes), x, options);
  },
);

const isEnded = /* @__PURE__ */ map<Part>("isEnded(target)", "int64(target < 0)");
const orZero = /* @__PURE__ */ map<Part>("classOrZero(target)", "max(target, 0)");
const isLabel = /* @__PURE__ */ map<Part>("isLabel(target, ended, number)", "(ended == 0) & (target == number)");
const closeness = /* @__PURE__ */ map<Part>(
  "closeness(x, right, ended, label)",
  "let e = 1.0 - right + x; (ended != 0) | label | (e <= 0) ? like(0, e) : e",
);
/** Returns the multi-label margin loss: the sum of max(0, 1 - x[j] + x[i]) over all target classes j and other classes i, divided by the number of classes. Targets end at the first -1. */
export const multilabelMarginLoss: Loss = /* @__PURE__ */ compositeOp(
  "multilabelMarginLoss(x: Tensor, target: Tensor; reduction)",
  (x: Tensor, target: Tensor, options: LossOptions = {}) => {
    const who = "multilabelMarginLoss";
    checkReduction(who, options.reduction ?? "mean");
    const [samples, classes] = scoresOf(who, x);
    if (showShape(target) !== showShape(x))
      throw new ShapeError(
        `${who}: target and x must have the same shape, got ${showShape(target)} and ${showShape(x)}`,
      );
    checkNumbers(who, target);
    const [scores, numbers] = [reshape(x, [samples, classes]), reshape(target, [samples, classes])];
    const ended = unsqueeze(cumsum(isEnded(numbers), 1), 2);
    const labels = any(isLabel(unsqueeze(numbers, 2), ended, arangeLike(x, classes)), 1, {
      keepdims: true,
    });
    const right = ofClass(who, scores, 1, orZero(numbers));
    const each = closeness(unsqueeze(scores, 1), unsqueeze(right, 2), ended, labels);
    return ofSamples(who, div(sum(each, [1, 2]), classes), x, options);
  },
);

const ofLabel = /* @__PURE__ */ map<Part>("ofLabel(x, target, weight = null)", ({ weight }) => {
  const value = "(softplus(x) - x * target)";
  return weight === null ? value : `weight * ${value}`;
});
/** Returns the mean over classes of the binary cross entropy between sigmoid(x) and targets of 0 and 1. */
export const multilabelSoftMarginLoss: Loss<{ weight?: Maybe }> = /* @__PURE__ */ compositeOp(
  "multilabelSoftMarginLoss(x: Tensor, target: Tensor; weight: Tensor, reduction)",
  (x: Tensor, target: Tensor, { weight, reduction }: LossOptions & { weight?: Maybe } = {}) =>
    reduced("multilabelSoftMarginLoss", mean(ofLabel(x, target, weight ?? null), -1), reduction),
);
