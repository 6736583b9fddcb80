/**
 * Connectionist temporal classification: the probability that a sequence of distributions produces a shorter sequence of classes, with
 * blanks and repetitions in between. Paths are summed step by step in the logarithm, for all samples at once.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { isIntegerDType } from "../../storage/dtype.ts";
import { toArray } from "../../tensor/convert/to-array.ts";
import { areElementsKnown } from "../../tensor/elements.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { add, maximum, minimum, mul, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { lt, ne } from "../elementwise/comparison.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { gather, indexSelect } from "../movement/gather.ts";
import { cat, stack } from "../movement/join.ts";
import { pad } from "../movement/pad.ts";
import { compositeOp } from "../op.ts";
import { cumsum } from "../reduce/scan.ts";
import { show } from "../shape-rules.ts";
import { expand, narrow, reshape, select, squeeze, to, unsqueeze } from "../views.ts";
import type { Part } from "./composite-types.ts";
import { checkReduction, type LossOptions, type LossValue, ofClass, reduced } from "./loss.ts";
import { arangeLike, listLike } from "./tensors-like.ts";

interface CtcOptions extends LossOptions {
  /** The class of blanks. Default: 0. */
  readonly blank?: number | undefined;
  /** Samples whose targets cannot be produced have a loss of 0 instead of infinity. */
  readonly zeroInfinity?: boolean | undefined;
}
type Lengths = readonly number[] | Tensor;

const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);
interface CtcLoss extends OpFunction {
  (logProbs: Tensor, targets: Tensor, inputLengths: Lengths, targetLengths: Lengths, options?: CtcOptions): LossValue;
}

const low = -Infinity;
const begun = /* @__PURE__ */ map<Part>("ctcBegin(x, index)", "index < 2 ? x : like(-inf, x)");
/** The gradient of a path: g times its share of the sum, 0 where there is no path. */
const share = (path: string): string => `g * exp(${path} - (y == -inf ? 0 : y))`;
const joined = /* @__PURE__ */ map<Part>(
  "ctcJoin(here, before, skipped, skips)",
  "let c = skips ? skipped : like(-inf, here); let m = max(here, before, c);" +
    "m == -inf ? m : m + log(exp(here - m) + exp(before - m) + exp(c - m))",
  {
    here: /* @__PURE__ */ share("here"),
    before: /* @__PURE__ */ share("before"),
    skipped: `skips ? ${/* @__PURE__ */ share("skipped")} : 0`,
  },
);
const stepped = /* @__PURE__ */ map<Part>(
  "ctcStep(x, emission, here, time, length)",
  "time >= length ? here : x + emission",
);
const ended = /* @__PURE__ */ map<Part>(
  "ctcEnd(last, before, length, zero)",
  ({ zero }) =>
    `let b = length > 0 ? before : like(-inf, before); let m = max(last, b); let v = m == -inf ? like(inf, m) : -(m + log(exp(last - m) + exp(b - m)));${zero === true ? "v == inf ? like(0, v) : v" : "v"}`,
  {
    last: "-g * exp(last + (y == inf ? 0 : y))",
    before: "length > 0 ? -g * exp(before + (y == inf ? 0 : y)) : 0",
  },
);
const byLength = /* @__PURE__ */ map<Part>("ctcMean(x, length)", "x / max(length, 1)");

/** The lengths of samples: as a tensor [N], and as numbers if they are known. */
function lengthsOf(x: Tensor, list: Lengths): { readonly tensor: Tensor; readonly known: readonly number[] | null } {
  if (!(list instanceof Tensor)) {
    const known = [list].flat();
    return { tensor: listLike(x, known, "int64"), known };
  }
  const known = areElementsKnown(list) ? ([toArray(list)].flat() as (number | bigint)[]).map(Number) : null;
  return { tensor: to(reshape(list, [list.size]), "int64"), known };
}

/** The labels of paths, with the classes of each sample between blanks, and where a path may skip the blank between two classes. */
interface Labels {
  /** [N, 2 max + 1] */
  readonly labels: Tensor;
  readonly canSkip: Tensor;
}

/** Returns the labels of targets, a row for each sample or one list, of which the longest has `max` classes. */
function labelsOf(targets: Tensor, lengths: Tensor, max: number, blank: number): Labels {
  const samples = lengths.size;
  const steps = arangeLike(targets, max);
  const column = reshape(lengths, [samples, 1]);
  const blanks = (count: number): Tensor => expand(listLike(targets, [blank], "int64"), [samples, count]);
  const falses = (count: number): Tensor => expand(listLike(targets, [0], "bool"), [samples, count]);
  /** Puts elements between others, one more than those. */
  const between = (list: Tensor, others: (count: number) => Tensor): Tensor =>
    cat([reshape(stack([others(max), list], 2), [samples, 2 * max]), others(1)], 1);
  if (max === 0 || samples === 0) return { labels: blanks(2 * max + 1), canSkip: falses(2 * max + 1) };
  let rows: Tensor;
  if (targets.rank === 2) rows = narrow(narrow(targets, 0, 0, samples), 1, 0, max);
  else {
    const starts = sub(cumsum(column, 0), column);
    // Indices past the last class are not used.
    const indices = minimum(add(starts, steps), targets.size - 1);
    rows = reshape(indexSelect(targets, 0, reshape(indices, [samples * max])), [samples, max]);
  }
  const classes = where(lt(steps, column), to(rows, "int64"), blank) as Tensor;
  const differ = ne(narrow(classes, 1, 1, max - 1), narrow(classes, 1, 0, max - 1));
  return { labels: between(classes, blanks), canSkip: between(cat([falses(1), differ], 1), falses) };
}

/** Returns the connectionist temporal classification loss: the negative log-probability that the distributions of each sample, logProbs of shape [T, N, C], produce its targets. The mean divides each loss by its target length. */
export const ctcLoss: CtcLoss = /* @__PURE__ */ compositeOp(
  "ctcLoss(logProbs: Tensor, targets: Tensor, inputLengths: any, targetLengths: any; blank, reduction, zeroInfinity)",
  (logProbs: Tensor, targets: Tensor, inputLengths: Lengths, targetLengths: Lengths, options: CtcOptions = {}) => {
    const { blank = 0, reduction = "mean", zeroInfinity = false } = options;
    checkReduction("ctcLoss", reduction);
    const isSingle = logProbs.rank === 2;
    const x = isSingle ? unsqueeze(logProbs, 1) : logProbs;
    const [times, samples, classes] = sizesOf(x) as [number, number, number];
    const [inputs, lengths] = [lengthsOf(x, inputLengths), lengthsOf(x, targetLengths)];
    const known = [...(inputs.known ?? []), ...(lengths.known ?? [])];
    if (
      x.rank !== 3 ||
      inputs.tensor.size !== samples ||
      lengths.tensor.size !== samples ||
      !known.every(Number.isInteger) ||
      !isIntegerDType(targets.dtype)
    )
      throw new ShapeError(
        `ctcLoss: expected log probabilities [T, N, C], integer targets, and N integer lengths of each, got ${showShape(logProbs)}, ${targets.dtype} targets, ${inputs.tensor.size} and ${lengths.tensor.size} lengths`,
      );
    if (
      blank < 0 ||
      blank >= classes ||
      known.some((length) => length < 0) ||
      inputs.known?.some((length) => length > times)
    )
      throw new StridewiseError(
        `ctcLoss: blank must be below ${classes} and inputLengths at most ${times}, got ${blank} and ${show(inputs.known ?? [])}`,
      );
    const rows = isSingle && targets.rank === 1 ? unsqueeze(targets, 0) : targets;
    const [longest, total] = [Math.max(0, ...(lengths.known ?? [])), sum(lengths.known ?? [])];
    const isEnough = rows.rank === 2 ? longest <= sizeAt(rows, 1) && sizeAt(rows, 0) >= samples : total === rows.size;
    if (rows.rank < 1 || rows.rank > 2 || (lengths.known !== null && !isEnough))
      throw new ShapeError(
        `ctcLoss: targets of shape ${showShape(targets)} do not fit the targetLengths ${show(lengths.known ?? [])}. Pass one list for all samples, or a row for each`,
      );
    // Lengths that are not known are at most those of the targets. Classes past the last one have no effect.
    const max = lengths.known === null ? sizeAt(rows, rows.rank - 1) : longest;
    // Blanks before, between and after the classes.
    const width = 2 * max + 1;
    const { labels: each, canSkip } = labelsOf(rows, lengths.tensor, max, blank);
    const labels = reshape(each, [1, samples, width]);
    const until = reshape(inputs.tensor, [samples, 1]);
    const emissions = ofClass("ctcLoss", x, 2, expand(labels, [times, samples, width]));
    const widened = (t: Tensor): Tensor => pad(t, [2, 0], { value: low });
    let paths = widened(begun(select(emissions, 0, 0), arangeLike(x, width)));
    for (let time = 1; time < times; time++) {
      const [skipped, before, here] = [0, 1, 2].map((first) => narrow(paths, 1, first, width)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const sums = joined(here, before, skipped, canSkip);
      paths = widened(stepped(sums, select(emissions, 0, time), here, time, until));
    }
    const length = lengths.tensor;
    const at = (from: number): Tensor =>
      squeeze(gather(paths, 1, reshape(maximum(add(mul(length, 2), from), 0), [samples, 1])), 1);
    const values = ended(at(2), at(1), length, zeroInfinity as never);
    const result = isSingle ? squeeze(values, 0) : values;
    return reduction === "mean"
      ? reduced("ctcLoss", byLength(values, length), "mean")
      : reduced("ctcLoss", result, reduction);
  },
);
