/** Gradients of products of matrices: products of the gradient with the other factor, transposed. */
import { dtypes } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conj } from "../elementwise/functions.ts";
import { sumTo } from "../sum-to.ts";
import { reshape, transpose, unsqueeze } from "../views.ts";

/** A factor as a matrix or a batch of them: a vector is a row on the left, a column on the right. */
const asMatrix = (t: Tensor, axis: 0 | -1): Tensor => (t.rank === 1 ? unsqueeze(t, axis) : t);

/** Transposed, and of complex numbers the conjugate. */
const turned = (t: Tensor): Tensor => {
  const back = transpose(t, -1, -2);
  return dtypes[t.dtype].category === "complex" ? (conj(back as never) as Tensor) : back;
};

export const matmulGradient: GradientRule = (call) => {
  const [a, b] = call.args as [Tensor, Tensor];
  const [needsA, needsB] = [call.needs(a), call.needs(b)];
  const [shapeA, shapeB] = [sizesOf(a), sizesOf(b)];
  const left = needsB ? call.save(a) : null;
  const right = needsA ? call.save(b) : null;
  const product = (x: Tensor, y: Tensor): Tensor => call.again(x, y) as Tensor;
  return ([given]) => {
    let g = given as Tensor;
    if (shapeB.length === 1) g = unsqueeze(g, -1);
    if (shapeA.length === 1) g = unsqueeze(g, -2);
    const gradientOf = (t: Tensor, shape: readonly number[], axis: 0 | -1): Tensor => {
      const matrix = shape.length === 1 ? (axis === 0 ? [1, shape[0] as number] : [shape[0] as number, 1]) : shape;
      return reshape(sumTo(t, matrix), shape);
    };
    return [
      right === null ? null : gradientOf(product(g, turned(asMatrix(right(), -1))), shapeA, 0),
      left === null ? null : gradientOf(product(turned(asMatrix(left(), 0)), g), shapeB, -1),
    ];
  };
};
