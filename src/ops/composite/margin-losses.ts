/**
 * Margin losses of pairs or triples of tensors: rankings, angles, distances.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { minimum } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { broadcastSizes, shapeOf } from "../shape-rules.ts";
import { detach } from "../views.ts";
import type { DynamicShapeOp, Part } from "./composite-types.ts";
import { pairwiseDistance } from "./distance.ts";
import { checkReduction, type LossOptions, type LossValue, reduced } from "./loss.ts";

interface MarginOptions extends LossOptions {
  readonly margin?: number | undefined;
}
const ranking = /* @__PURE__ */ map<Part>(
  "ranking(x, y, target, margin)",
  "let d = -target * (x - y) + 1.0 * margin; d < 0 ? like(0, d) : d",
);
/** Returns the margin ranking loss max(0, -target * (x - other) + margin) for targets of 1 and -1. */
export const marginRankingLoss: DynamicShapeOp<[other: Tensor, target: Tensor, options?: MarginOptions], LossValue> =
  /* @__PURE__ */ compositeOp(
    "marginRankingLoss(x: Tensor, other: Tensor, target: Tensor; margin, reduction)",
    (x: Tensor, other: Tensor, target: Tensor, { margin = 0, reduction }: MarginOptions = {}) => {
      checkReduction("marginRankingLoss", reduction ?? "mean");
      if (x.rank !== target.rank || other.rank !== target.rank)
        throw new ShapeError(
          `marginRankingLoss: all tensors must have the same number of axes, got ${showShape(x)}, ${showShape(other)} and ${showShape(target)}`,
        );
      return reduced("marginRankingLoss", ranking(x, other, target, margin), reduction);
    },
  );

const product = /* @__PURE__ */ map<Part>("floatProduct(x, y)", "1.0 * x * y");
const angle = /* @__PURE__ */ map<Part>(
  "angleLoss(dot, a, b, target, margin)",
  "let c = dot / sqrt((a + 1e-12) * (b + 1e-12)); target == 1 ? 1 - c : target == -1 ? (c < margin ? like(0, c) : c - margin) : 0.0 * c",
);
/** Returns the cosine embedding loss: 1 - cos(x, other) where the target is 1, max(0, cos(x, other) - margin) where it is -1. */
export const cosineEmbeddingLoss: DynamicShapeOp<[other: Tensor, target: Tensor, options?: MarginOptions], LossValue> =
  /* @__PURE__ */ compositeOp(
    "cosineEmbeddingLoss(x: Tensor, other: Tensor, target: Tensor; margin, reduction)",
    (x: Tensor, other: Tensor, target: Tensor, { margin = 0, reduction }: MarginOptions = {}) => {
      checkReduction("cosineEmbeddingLoss", reduction ?? "mean");
      const [samples] = sizesOf(target);
      if (target.rank > 1 || x.rank !== target.rank + 1 || other.rank !== target.rank + 1)
        throw new ShapeError(
          `cosineEmbeddingLoss: a target with ${target.rank} axes requires inputs with ${target.rank + 1}, got ${showShape(x)} and ${showShape(other)}`,
        );
      if (samples !== undefined && samples !== 1 && [x, other].some((t) => ![1, samples].includes(sizeAt(t, 0))))
        throw new ShapeError(
          `cosineEmbeddingLoss: ${samples} targets require inputs [${samples}, features], got ${showShape(x)} and ${showShape(other)}`,
        );
      const dot = (a: Tensor, b: Tensor): Tensor => sum(product(a, b), target.rank);
      const values = angle(dot(x, other), dot(x, x), dot(other, other), detach(target), margin);
      return reduced("cosineEmbeddingLoss", values, reduction);
    },
  );

interface TripletOptions extends LossOptions {
  /** The smallest difference of the distances without a loss. Default: 1. */
  readonly margin?: number | undefined;
  /** Uses the distance from the positive to the negative if it is smaller. Default: false. */
  readonly swap?: boolean | undefined;
}
interface TripletNormOptions extends TripletOptions {
  readonly p?: number | undefined;
  readonly eps?: number | undefined;
}
type Distance = (a: Tensor, b: Tensor) => Tensor;
interface TripletDistanceOptions extends TripletOptions {
  /** The distance function. Default: pairwiseDistance. */
  readonly distanceFunction?: Distance | undefined;
}
const exceeding = /* @__PURE__ */ map<Part>(
  "exceeding(near, far, margin)",
  "let d = margin + near - far; d < 0 ? like(0, d) : d",
);

function triplet(who: string, triple: readonly Tensor[], distance: Distance, options: TripletOptions): Tensor {
  const { margin = 1, swap = false, reduction } = options;
  for (const t of triple) checkTensor(who, t);
  checkReduction(who, reduction ?? "mean");
  if (!(margin > 0)) throw new StridewiseError(`${who}: margin must be above 0, got ${margin}`);
  const [anchor, positive, negative] = triple as [Tensor, Tensor, Tensor];
  if (anchor.rank !== positive.rank || anchor.rank !== negative.rank)
    throw new ShapeError(
      `${who}: anchor, positive and negative must have the same number of axes, got ${anchor.rank}, ${positive.rank} and ${negative.rank}`,
    );
  broadcastSizes(who, shapeOf(anchor), shapeOf(positive));
  broadcastSizes(who, shapeOf(anchor), shapeOf(negative));
  let far = distance(anchor, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduced(who, exceeding(distance(anchor, positive), far, margin), reduction);
}
/** Returns the triplet margin loss max(0, d(anchor, positive) - d(anchor, negative) + margin). */
export const tripletMarginLoss: DynamicShapeOp<
  [positive: Tensor, negative: Tensor, options?: TripletNormOptions],
  LossValue
> = /* @__PURE__ */ compositeOp(
  "tripletMarginLoss(anchor: Tensor, positive: Tensor, negative: Tensor; margin, swap, reduction, p, eps)",
  (x: Tensor, positive: Tensor, negative: Tensor, { p = 2, eps = 1e-6, ...options }: TripletNormOptions = {}) =>
    triplet("tripletMarginLoss", [x, positive, negative], (a, b) => pairwiseDistance(a, b, { p, eps }), options),
);
/** Returns the triplet margin loss with a user-defined distance function. */
export const tripletMarginWithDistanceLoss: DynamicShapeOp<
  [positive: Tensor, negative: Tensor, options?: TripletDistanceOptions],
  LossValue
> = /* @__PURE__ */ compositeOp(
  "tripletMarginWithDistanceLoss(anchor: Tensor, positive: Tensor, negative: Tensor; margin, swap, reduction, distanceFunction)",
  (x: Tensor, positive: Tensor, negative: Tensor, { distanceFunction, ...options }: TripletDistanceOptions = {}) => {
    const who = "tripletMarginWithDistanceLoss";
    const distance = distanceFunction ?? ((a, b) => pairwiseDistance(a, b));
    if (typeof distance !== "function")
      throw new StridewiseError(
        `${who}: distanceFunction must be a function of two tensors, got ${describeValue(distance)}`,
      );
    return triplet(who, [x, positive, negative], distance, options);
  },
);
