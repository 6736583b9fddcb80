/**
 * Layers that multiply by a weight: linear in one input, or in each of two.
 */
import { ShapeError } from "../../base/errors.ts";
import type { Checked } from "../../layout/types/faults.ts";
import type { Single } from "../../layout/types/literal-times.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Rank, Shape, Show } from "../../tensor/types/types.ts";
import { matmul } from "../contract/matmul.ts";
import { add, mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { show } from "../shape-rules.ts";
import { movedim, reshape, transpose, unsqueeze } from "../views.ts";
import type { Maybe, PairOp } from "./composite-types.ts";

const withBias = (y: Tensor, bias: Maybe): Tensor => (bias ? add(y, bias) : y);

/** The message for features that do not fit a weight. */
type LinearFault<S extends Shape, W extends Shape> = [number] extends [Rank<S> | Rank<W>]
  ? undefined
  : [S, W] extends [readonly [...Shape, infer M extends number], readonly [...Shape, infer N extends number]]
    ? [number] extends [Single<M> | Single<N>]
      ? undefined
      : M extends N
        ? undefined
        : `linear: x has ${M} features and the weight is for ${N}: ${Show<S>} and ${Show<W>}`
    : undefined;
/** The type of linear. */
export interface Linear extends OpFunction {
  <X extends Tensor, W extends Tensor>(
    x: X,
    weight: Checked<W, LinearFault<X["shape"], W["shape"]>>,
    bias?: Maybe,
  ): Tensor<LinearShape<X["shape"], W["shape"]>, X["dtype"]>;
}
/** The shape after a linear map of the last axis. */
type LinearShape<S extends Shape, W extends Shape> = S extends readonly [...infer Front extends Shape, number]
  ? W extends readonly [infer Out extends number, number]
    ? [...Front, Out]
    : W extends readonly [number]
      ? Front
      : Shape
  : Shape;

/** Applies the affine map x @ weight.T + bias to the last axis of x. */
export const linear: Linear = /* @__PURE__ */ compositeOp(
  "linear(x: Tensor, weight: Tensor, bias?: Tensor, ...)",
  (x: Tensor, weight: Tensor, bias?: Maybe) => {
    if (weight.rank < 1 || weight.rank > 2)
      throw new ShapeError(`linear: weight must have 1 or 2 axes, got shape ${showShape(weight)}`);
    const [features, outputs] = [sizesOf(weight).at(-1), weight.rank === 2 ? sizeAt(weight, 0) : 1];
    if (sizesOf(x).at(-1) !== features)
      throw new ShapeError(
        `linear: x of shape ${showShape(x)} requires a weight [outputs, ${sizesOf(x).at(-1) ?? "features"}], got ${showShape(weight)}`,
      );
    if (bias && ![1, outputs].includes(sizesOf(bias).at(-1) ?? 1))
      throw new ShapeError(
        `linear: weight of shape ${showShape(weight)} requires a bias [${outputs}], got ${showShape(bias)}`,
      );
    const transposed = weight.rank === 2 ? transpose(weight, 0, 1) : weight;
    return withBias(matmul(x, transposed), bias);
  },
);

/** Applies the bilinear map x @ weight[k] @ other + bias[k] for each output k. */
export const bilinear: PairOp<[weight: Tensor, bias?: Maybe], "some"> = /* @__PURE__ */ compositeOp(
  "bilinear(x: Tensor, other: Tensor, weight: Tensor, bias?: Tensor, ...)",
  (x: Tensor, other: Tensor, weight: Tensor, bias?: Maybe) => {
    const [a, b, [outputs, first, second]] = [sizesOf(x), sizesOf(other), sizesOf(weight) as [number, number, number]];
    if (
      weight.rank !== 3 ||
      a.at(-1) !== first ||
      b.at(-1) !== second ||
      String(a.slice(0, -1)) !== String(b.slice(0, -1))
    )
      throw new ShapeError(
        `bilinear: inputs [*, n] and [*, m] require a weight [outputs, n, m], got ${show(a)}, ${show(b)} and ${showShape(weight)}`,
      );
    const rows = a.slice(0, -1).reduce((count, size) => count * size, 1);
    // One product computes, for each row and output, a vector to multiply with the second input.
    const stacked = reshape(movedim(weight, 1, 0), [first, outputs * second]);
    const halves = reshape(matmul(reshape(x, [rows, first]), stacked), [rows, outputs, second]);
    const products = mul(halves, unsqueeze(reshape(other, [rows, second]), 1));
    return withBias(reshape(sum(products, -1), [...a.slice(0, -1), outputs]), bias);
  },
);
