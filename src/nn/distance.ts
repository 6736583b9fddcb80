/**
 * Distances of vectors as layers.
 */
import { cosineSimilarity, pairwiseDistance, type Tensor } from "../index.ts";
import { layerOf } from "./layer-of.ts";

type Pair = [x: Tensor, other: Tensor];
type CosineOptions = [options?: NonNullable<Parameters<typeof cosineSimilarity>[2]>];
type DistanceOptions = [options?: NonNullable<Parameters<typeof pairwiseDistance>[2]>];

/** The cosine of the angle of two vectors. */
export class CosineSimilarity extends /* @__PURE__ */ layerOf<Pair, CosineOptions>(cosineSimilarity) {}
/** The length of the difference of two vectors. */
export class PairwiseDistance extends /* @__PURE__ */ layerOf<Pair, DistanceOptions>(pairwiseDistance) {}
