/** The scores of classifiers: transforms after the model, and the labels of the best classes. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

type Tensor = sw.Tensor;

/** The labels of classes: all strings or all integers. */
export type Labels = readonly string[] | readonly (number | bigint)[];

/** The labels of a classifier: the attribute classlabels_strings, or one of integers. */
export function classLabels(call: Call, integers: string): Labels {
  const texts = call.strings("classlabels_strings", [] as string[]);
  const labels: Labels = texts.length > 0 ? texts : (call.attribute(integers)?.ints ?? []);
  if (labels.length === 0) throw call.error(`needs the attribute classlabels_strings or ${integers}`);
  return labels;
}

/** A value with one label for each index. */
export function pickLabels(labels: Labels, indices: readonly number[]): OnnxValue {
  if (typeof labels[0] === "string")
    return new TextTensor(
      [indices.length],
      indices.map((k) => labels[k] as string),
    );
  return sw.tensor(BigInt64Array.from(indices, (k) => BigInt(labels[k])));
}

/** The label of the largest score in each row. Integer labels are looked up by a tensor, so that the node can be compiled. */
export function labelsOfScores(call: Call, labels: Labels, scores: Tensor): OnnxValue {
  if (labels.length !== scores.shape[1])
    throw call.error(`there are ${labels.length} labels, but ${scores.shape[1]} scores`);
  const best = sw.argmax(scores, 1) as Tensor;
  if (typeof labels[0] === "string") return pickLabels(labels, (best.toArray() as number[]).map(Number));
  return sw.indexSelect(
    sw.tensor(BigInt64Array.from(labels as readonly (number | bigint)[], BigInt)),
    0,
    best,
  ) as Tensor;
}

/** Softmax over the scores that are not 0, which stay 0. */
function softmaxZero(x: Tensor): Tensor {
  const isZero = sw.eq(x, 0);
  const shifted = sw.exp(sw.sub(x, sw.amax(x, -1, { keepdim: true }) as Tensor));
  const parts = sw.where(isZero, 0, shifted);
  const sum = sw.sum(parts, -1, { keepdim: true }) as Tensor;
  return sw.div(parts, sw.where(sw.eq(sum, 0), 1, sum));
}

/** The transforms, in the order of their numbers in TreeEnsemble. */
const transforms: readonly (readonly [name: string, apply: (x: Tensor) => Tensor])[] = [
  ["NONE", (x) => x],
  ["SOFTMAX", (x) => sw.softmax(x, -1) as Tensor],
  ["LOGISTIC", (x) => sw.sigmoid(x)],
  ["SOFTMAX_ZERO", softmaxZero],
  ["PROBIT", (x) => sw.mul(sw.erfinv(sw.sub(sw.mul(x, 2), 1)), Math.SQRT2)],
];

/** Applies the transform of a name, or of a number. */
export function transformed(call: Call, which: string | number, scores: Tensor): Tensor {
  const transform = typeof which === "number" ? transforms[which] : transforms.find(([name]) => name === which);
  if (transform === undefined)
    throw call.error(`post_transform must be one of ${transforms.map(([name]) => name).join(", ")}, got ${which}`);
  return scores.size === 0 ? scores : transform[1](scores);
}
