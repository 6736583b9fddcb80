/**
 * Distances and angles between vectors: of corresponding pairs, and of all pairs of two lists. All pairs take one reduction over both lists,
 * which never stores the differences.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { lowerCast, lowerResults } from "../../kernel/copy.ts";
import { expandOperand } from "../../kernel/operand.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { makeDistance, normOf } from "../../kernel/reduce/norms.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { Int } from "../../layout/int.ts";
import { isFloatDType } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze as unsqueezeView } from "../../tensor/views/views-axes.ts";
import { matmul } from "../contract/matmul.ts";
import { notImplemented } from "../dtype-errors.ts";
import { neg } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { indexSelect } from "../movement/gather.ts";
import { compositeOp, structuredOp } from "../op.ts";
import { sum, vectorNorm } from "../reduce/reduce.ts";
import type { KeepOption } from "../reduce/reduce-types.ts";
import { broadcastSizes, shapeOf } from "../shape-rules.ts";
import { sumTo } from "../sum-to.ts";
import { expand, reshape, to, transpose, unsqueeze } from "../views.ts";
import type { DynamicShapeOp, PairOp, Part } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { listLike } from "./tensors-like.ts";

/** The gradient of a distance with respect to a coordinate, by the order of the norm. */
const formulas: Readonly<Record<string, string>> = {
  0: "0 * (x + y + distance + g)",
  1: "g * sign(x - y) + 0 * distance",
  2: "distance == 0 ? 0 : g * (x - y) / distance",
  Infinity: "abs(x - y) == distance ? g * sign(x - y) : 0",
};

const term = /* @__PURE__ */ map<Part>(
  "pairTerm(x, y, distance, g, p)",
  ({ p }) =>
    formulas[String(p)] ?? "(distance == 0) | (x == y) ? 0 : g * sign(x - y) * pow(abs(x - y) / distance, p - 1.0)",
);

/** Sums the terms of all pairs over the rows of the other list. Equal rows have no gradient. */
const allPairsGradient: GradientRule = (call) => {
  const [x, other, p] = call.args as [Tensor, Tensor, number];
  const [first, second, distances] = [call.save(x), call.save(other), call.saveResult()];
  const [needsX, needsOther] = [call.needs(x), call.needs(other)];
  const [shapeX, shapeOther, dtypeX, dtypeOther] = [sizesOf(x), sizesOf(other), x.dtype, other.dtype];
  return ([g]) => {
    const column = (t: Tensor): Tensor => unsqueeze(t, -1);
    const terms = term(unsqueeze(first(), -2), unsqueeze(second(), -3), column(distances()), column(g), p);
    const over = (axis: number, shape: readonly number[]): Tensor => sumTo(sum(terms, axis), shape);
    return [
      needsX ? to(over(-2, shapeX), dtypeX) : null,
      needsOther ? to(neg(over(-3, shapeOther)), dtypeOther) : null,
    ];
  };
};

interface AllPairs extends OpFunction {
  (x: Tensor, other: Tensor, p: number): Tensor;
}

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();

/** The p-norms of the differences of all pairs of a row of x and a row of `other`. */
const allPairs: AllPairs = /* @__PURE__ */ structuredOp<AllPairs, [x: Tensor, other: Tensor, p: number]>(
  "cdistPairs(x: Tensor, other: Tensor, ...)",
  "reduce",
  {
    batch: "pairs",
    infer(x, other) {
      const [first, second] = [shapeOf(x), shapeOf(other)];
      const batch = broadcastSizes("cdist", first.slice(0, -2), second.slice(0, -2));
      const dtype = promoteTypes(x.dtype, other.dtype);
      return { dtype, shape: [...batch, first.at(-2) as Int, second.at(-2) as Int] };
    },
    lower(builder, [out], x, other, p) {
      const dtype = promoteTypes(x.dtype, other.dtype);
      const result = operandOf(out, "cdist");
      const sizes = [...result.shape, sizeAt(x, x.rank - 1)];
      const norm = normOf(p);
      const kernel = getOrCompute(kernels, `${norm} ${dtype}`, () => makeDistance("cdist", norm, dtype));
      const inputs = [unsqueezeView(x, -2), unsqueezeView(other, -3)].map((t) =>
        expandOperand(lowerCast(builder, operandOf(t, "cdist"), dtype), sizes),
      );
      const scalars = norm === "power" ? [p] : [];
      lowerResults(builder, [result], [dtype], (targets) => lowerReduce(builder, kernel, targets, inputs, scalars));
    },
    gradient: allPairsGradient,
  },
);

interface CosineOptions {
  readonly axis?: Axis | undefined;
  /** The smallest norm to divide by. Default: 1e-8. */
  readonly eps?: number | undefined;
}
const product = /* @__PURE__ */ map<Part>("product(x, y)", "x * y");
const cosine = /* @__PURE__ */ map<Part>("cosine(dot, a, b, eps)", "dot / (max(a, eps) * max(b, eps))", {
  // Norms below eps have gradients, too.
  a: "-g * y / max(a, eps)",
  b: "-g * y / max(b, eps)",
});
/** Returns the cosine similarity of vectors along an axis, by default axis 1. */
export const cosineSimilarity: PairOp<[options?: CosineOptions]> = /* @__PURE__ */ compositeOp(
  "cosineSimilarity(x: Tensor, other: Tensor; axis, eps)",
  (x: Tensor, other: Tensor, { axis = 1, eps = 1e-8 }: CosineOptions = {}) => {
    const all = product(x, other);
    const dot = sum(all, axis);
    if (!isFloatDType(dot.dtype)) throw notImplemented("cosineSimilarity", dot.dtype);
    // The axis refers to the broadcast shape, and both vectors are expanded to its size.
    const at = axisOf("cosineSimilarity", all, axis);
    const lengthOf = (t: Tensor): Tensor => {
      const sizes = [...Array.from({ length: all.rank - t.rank }, () => 1), ...sizesOf(t)];
      const vectors = reshape(t, sizes);
      return vectorNorm(all.rank === 0 ? vectors : expand(vectors, sizes.with(at, sizeAt(all, at))), at);
    };
    return cosine(dot, lengthOf(x), lengthOf(other), eps);
  },
);

interface PairOptions extends KeepOption {
  /** The order of the norm. Default: 2. */
  readonly p?: number | undefined;
  /** The number that is added to the differences. Default: 1e-6. */
  readonly eps?: number | undefined;
}
const difference = /* @__PURE__ */ map<Part>("difference(x, y, eps)", "x - y + 1.0 * eps");
/** Returns the p-norm distances between corresponding vectors along the last axis. */
export const pairwiseDistance: PairOp<[options?: PairOptions], "real"> = /* @__PURE__ */ compositeOp(
  "pairwiseDistance(x: Tensor, other: Tensor; p, eps, keepdims)",
  (x: Tensor, other: Tensor, { p = 2, eps = 1e-6, keepdims = false }: PairOptions = {}) =>
    vectorNorm(difference(x, other, eps), -1, { ord: p, keepdims }),
);

const computeModes = [
  "use_mm_for_euclid_dist_if_necessary",
  "use_mm_for_euclid_dist",
  "donot_use_mm_for_euclid_dist",
] as const;

interface CdistOptions {
  /** Whether Euclidean distances are computed by a matrix product. Default: if there are more than 25 rows. */
  readonly computeMode?: (typeof computeModes)[number] | undefined;
}
const squares = /* @__PURE__ */ map<Part>("squares(x)", "x * x");
const fromProduct = /* @__PURE__ */ map<Part>("fromProduct(dot, a, b)", "sqrt(max(a + b - 2 * dot, 0))", {
  dot: "y == 0 ? 0 : -g / y",
  a: "y == 0 ? 0 : g / (2 * y)",
  b: "y == 0 ? 0 : g / (2 * y)",
});
/** Returns the p-norm distance between each row of x and each row of `other`. */
export const cdist: PairOp<[p?: number, options?: CdistOptions], "real"> = /* @__PURE__ */ compositeOp(
  "cdist(x: Tensor, other: Tensor, p; computeMode)",
  (x: Tensor, other: Tensor, p = 2, { computeMode = computeModes[0] }: CdistOptions = {}) => {
    for (const t of [x, other]) {
      if (t.rank < 2) throw new ShapeError(`cdist: x and other must have at least 2 axes, got ${t.rank}`);
      if (!isFloatDType(t.dtype)) throw notImplemented("cdist", t.dtype);
    }
    const [columns, otherColumns] = [sizeAt(x, x.rank - 1), sizeAt(other, other.rank - 1)];
    if (columns !== otherColumns)
      throw new ShapeError(
        `cdist: both tensors must have the same number of columns, got ${columns} and ${otherColumns}`,
      );
    if (!(p >= 0)) throw new StridewiseError(`cdist: p must be at least 0, got ${p}`);
    if (!computeModes.includes(computeMode))
      throw new StridewiseError(
        `cdist: computeMode must be ${computeModes.join(" or ")}, got ${describeValue(computeMode)}`,
      );
    const isMany = sizeAt(x, x.rank - 2) > 25 || sizeAt(other, other.rank - 2) > 25;
    const byProduct = computeMode === "use_mm_for_euclid_dist" || (isMany && !computeMode.startsWith("donot"));
    if (p !== 2 || !byProduct) return allPairs(x, other, p);
    const lengths = (t: Tensor): Tensor => sum(squares(t), -1, { keepdims: true });
    const turned = (t: Tensor): Tensor => transpose(t, -2, -1);
    return fromProduct(matmul(x, turned(other)), lengths(x), turned(lengths(other)));
  },
);

/** Returns the p-norm distance between each pair of rows, in the order (0, 1), (0, 2), ... */
export const pdist: DynamicShapeOp<[p?: number]> = /* @__PURE__ */ compositeOp(
  "pdist(x: Tensor, ...)",
  (x: Tensor, p = 2) => {
    checkFloat("pdist", x.dtype);
    if (x.rank !== 2) throw new ShapeError(`pdist: x must have 2 axes, got shape ${showShape(x)}`);
    const [rows] = sizesOf(x) as [number];
    const pairs: number[] = [];
    for (let i = 0; i < rows; i++) for (let j = i + 1; j < rows; j++) pairs.push(i * rows + j);
    const all = reshape(cdist(x, x, p, { computeMode: "donot_use_mm_for_euclid_dist" }), [rows * rows]);
    return indexSelect(all, 0, listLike(x, pairs, "int64"));
  },
);
