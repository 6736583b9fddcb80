/** Gradients of matrix products: products of the gradient with the other factor, transposed. */

import { product } from "../../base/ints.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { sumTo } from "../sum-to.ts";
import { reshape, transpose, unsqueeze } from "../views.ts";

/** Returns a factor as a matrix or a batch of them: a vector is a row on the left, a column on the right. */
const asMatrix = (t: Tensor, axis: 0 | -1): Tensor => (t.rank === 1 ? unsqueeze(t, axis) : t);

/** The conjugate transpose. */
const adjoint = (t: Tensor): Tensor => conjugate(transpose(t, -1, -2));

/** Merges the batches of a factor into the rows of one matrix. */
const asRows = (t: Tensor): Tensor => {
  const sizes = sizesOf(t);
  const width = sizes.pop() as number;
  return reshape(t, [product(sizes), width]);
};

export const matmulGradient: GradientRule = (call) => {
  const [a, b] = call.args as [Tensor, Tensor];
  const [needsA, needsB] = [call.needs(a), call.needs(b)];
  const [shapeA, shapeB] = [sizesOf(a), sizesOf(b)];
  const left = needsB ? call.save(a) : null;
  const right = needsA ? call.save(b) : null;
  const times = (x: Tensor, y: Tensor): Tensor => call.again(x, y) as Tensor;
  // The gradient of one matrix for all batches is one product, with the memory layout of the matrix.
  const isShared = shapeB.length === 2 && shapeA.length > 2;
  const isColumnMajor = shapeB.length === 2 && b.d0 === 1 && b.d1 === b.s0 && !b.isContiguous();
  const gradientOfRight = (x: Tensor, g: Tensor): Tensor =>
    isColumnMajor ? adjoint(times(adjoint(g), x)) : times(adjoint(x), g);
  return ([ofResult]) => {
    let g = ofResult;
    if (shapeB.length === 1) g = unsqueeze(g, -1);
    if (shapeA.length === 1) g = unsqueeze(g, -2);
    const gradientOf = (t: Tensor, shape: readonly number[], axis: 0 | -1): Tensor => {
      const matrix = shape.length === 1 ? (axis === 0 ? [1, shape[0]] : [shape[0], 1]) : shape;
      return reshape(sumTo(t, matrix), shape);
    };
    return [
      right === null ? null : gradientOf(times(g, adjoint(asMatrix(right(), -1))), shapeA, 0),
      left === null
        ? null
        : isShared
          ? gradientOfRight(asRows(left()), asRows(g))
          : gradientOf(gradientOfRight(asMatrix(left(), 0), g), shapeB, -1),
    ];
  };
};
