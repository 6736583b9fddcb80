/**
 * The layers that are a product with a weight: linear in one input, or in each of two.
 */
import { ShapeError } from "../../base/errors.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { add, mul } from "../elementwise/arithmetic.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { show } from "../shape-rules.ts";
import { movedim, reshape, transpose, unsqueeze } from "../views.ts";
import type { Making, Maybe } from "./composite-types.ts";

const withBias = (y: Tensor, bias: Maybe): Tensor => (bias ? add(y, bias) : y);

/** x times the transposed weight plus the bias, along the last axis. */
export const linear: Making<[weight: Tensor, bias?: Maybe]> = /* @__PURE__ */ compositeOp(
  "linear(x: Tensor, weight: Tensor, bias?: Tensor, ...)",
  (x: Tensor, weight: Tensor, bias?: Maybe) => {
    if (weight.rank < 1 || weight.rank > 2)
      throw new ShapeError(`linear: the weight has 1 or 2 axes, got shape ${showShape(weight)}`);
    const [features, outputs] = [sizesOf(weight).at(-1), weight.rank === 2 ? sizeAt(weight, 0) : 1];
    if (sizesOf(x).at(-1) !== features)
      throw new ShapeError(
        `linear: x of shape ${showShape(x)} needs a weight [outputs, ${sizesOf(x).at(-1) ?? "features"}], got ${showShape(weight)}`,
      );
    if (bias && ![1, outputs].includes(sizesOf(bias).at(-1) ?? 1))
      throw new ShapeError(
        `linear: a weight of shape ${showShape(weight)} needs a bias [${outputs}], got ${showShape(bias)}`,
      );
    const turned = weight.rank === 2 ? transpose(weight, 0, 1) : weight;
    return withBias(matmul(x, turned), bias);
  },
);

/** For each output the sum of the products of all pairs of elements of two inputs, weighted, plus the bias. */
export const bilinear: Making<[other: Tensor, weight: Tensor, bias?: Maybe]> = /* @__PURE__ */ compositeOp(
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
        `bilinear: inputs [*, n] and [*, m] with the same first axes need a weight [outputs, n, m], got ${show(a)}, ${show(b)} and ${showShape(weight)}`,
      );
    const rows = a.slice(0, -1).reduce((count, size) => count * size, 1);
    // One product gives, for each row and output, a vector to multiply with the second input.
    const turned = reshape(movedim(weight, 1, 0), [first, outputs * second]);
    const halves = reshape(matmul(reshape(x, [rows, first]), turned), [rows, outputs, second]);
    const products = mul(halves, unsqueeze(reshape(other, [rows, second]), 1));
    return withBias(reshape(sum(products, -1), [...a.slice(0, -1), outputs]), bias);
  },
);
