/**
 * Connectionist temporal classification: the probability that a sequence of distributions produces a shorter sequence of classes, with
 * blanks and repetitions in between. Paths are summed step by step in the logarithm, for all samples at once.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { isIntegerDType } from "../../storage/dtype.ts";
import { toArray } from "../../tensor/convert/to-array.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { gather } from "../movement/gather.ts";
import { pad } from "../movement/pad.ts";
import { compositeOp } from "../op.ts";
import { show } from "../shape-rules.ts";
import { expand, narrow, reshape, select, squeeze, unsqueeze } from "../views.ts";
import type { Part } from "./composite-types.ts";
import { checkReduction, type LossOptions, type LossValue, ofClass, reduced } from "./loss.ts";
import { listLike } from "./tensors-like.ts";

interface CtcOptions extends LossOptions {
  /** The class of blanks. Default: 0. */
  readonly blank?: number | undefined;
  /** Samples whose targets cannot be produced have a loss of 0 instead of infinity. */
  readonly zeroInfinity?: boolean | undefined;
}
type Lengths = readonly number[] | Tensor;
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

/** Lengths and classes on the meta device are unknown; the shape of a loss does not depend on them. */
const isMeta = (t: Tensor): boolean => t.device.type === "meta";

function numbersIn(list: Lengths): number[] {
  if (!(list instanceof Tensor)) return [list].flat();
  return isMeta(list)
    ? new Array<number>(list.size).fill(0)
    : ([toArray(list)].flat() as (number | bigint)[]).map(Number);
}

/** Returns the classes of each sample: a row of a matrix, or its part of a list. */
function classesOf(targets: Tensor, lengths: readonly number[]): number[][] {
  if (isMeta(targets)) return [];
  const all = toArray(targets) as (number | bigint)[] | (number | bigint)[][];
  let at = 0;
  return lengths.map((length, n) => {
    const row =
      targets.rank === 2 ? ((all[n] ?? []) as (number | bigint)[]).slice(0, length) : all.slice(at, at + length);
    if (row.length < length)
      throw new ShapeError(
        `ctcLoss: targets of shape ${showShape(targets)} have fewer than the ${length} classes of sample ${n}`,
      );
    at += length;
    return (row as (number | bigint)[]).map(Number);
  });
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
    const [inputs, lengths] = [numbersIn(inputLengths), numbersIn(targetLengths)];
    if (
      x.rank !== 3 ||
      inputs.length !== samples ||
      lengths.length !== samples ||
      ![...inputs, ...lengths].every(Number.isInteger) ||
      !isIntegerDType(targets.dtype)
    )
      throw new ShapeError(
        `ctcLoss: expected log probabilities [T, N, C], integer targets, and N integer lengths of each, got ${showShape(logProbs)}, ${targets.dtype} targets, ${inputs.length} and ${lengths.length} lengths`,
      );
    if (
      blank < 0 ||
      blank >= classes ||
      [...inputs, ...lengths].some((length) => length < 0) ||
      inputs.some((length) => length > times)
    )
      throw new StridewiseError(
        `ctcLoss: blank must be below ${classes} and inputLengths at most ${times}, got ${blank} and ${show(inputs)}`,
      );
    const [max, total] = [Math.max(0, ...lengths), lengths.reduce((sum, length) => sum + length, 0)];
    const isEnough = targets.rank === 2 || isSingle ? max <= sizeAt(targets, targets.rank - 1) : total === targets.size;
    if (lengths.some((length) => length < 0) || (!isEnough && !isMeta(targets)))
      throw new ShapeError(
        `ctcLoss: targets of shape ${showShape(targets)} do not fit the targetLengths ${show(lengths)}. Pass one list for all samples, or a row for each`,
      );
    const words = classesOf(isSingle && targets.rank === 1 ? unsqueeze(targets, 0) : targets, lengths);
    // Blanks before, between and after the classes.
    const width = 2 * max + 1;
    const labelAt = (n: number, s: number): number => (s % 2 === 0 ? blank : (words[n]?.[(s - 1) / 2] ?? blank));
    const indices = listOf(samples * width, (k) => [Math.floor(k / width), k % width] as const);
    const labels = reshape(
      listLike(
        x,
        indices.map(([n, s]) => labelAt(n, s)),
        "int64",
      ),
      [1, samples, width],
    );
    const skips = indices.map(([n, s]) => Number(s % 2 === 1 && s > 1 && labelAt(n, s) !== labelAt(n, s - 2)));
    const canSkip = reshape(listLike(x, skips, "bool"), [samples, width]);
    const column = (list: readonly number[]): Tensor => reshape(listLike(x, list, "int64"), [samples, 1]);
    const until = column(inputs);
    const emissions = ofClass("ctcLoss", x, 2, expand(labels, [times, samples, width]));
    const widened = (t: Tensor): Tensor => pad(t, [2, 0], { value: low });
    let paths = widened(
      begun(
        select(emissions, 0, 0),
        listLike(
          x,
          listOf(width, (s) => s),
          "int64",
        ),
      ),
    );
    for (let time = 1; time < times; time++) {
      const [skipped, before, here] = [0, 1, 2].map((first) => narrow(paths, 1, first, width)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const sums = joined(here, before, skipped, canSkip);
      paths = widened(stepped(sums, select(emissions, 0, time), here, time, until));
    }
    const at = (from: number): Tensor =>
      squeeze(gather(paths, 1, column(lengths.map((length) => Math.max(0, 2 * length + from)))), 1);
    const length = squeeze(column(lengths), 1);
    const values = ended(at(2), at(1), length, zeroInfinity as never);
    const result = isSingle ? squeeze(values, 0) : values;
    return reduction === "mean"
      ? reduced("ctcLoss", byLength(values, length), "mean")
      : reduced("ctcLoss", result, reduction);
  },
);
