/** Gradients of what is solved or inverted by a Cholesky factor. As PyTorch's, they do not leave away the other triangle. */
import type { Tensor } from "../../tensor/tensor.ts";
import { add, neg } from "../elementwise/arithmetic.ts";
import { adjoint, times } from "./adjoint.ts";
import type { MatrixGradient } from "./matrix-op.ts";

interface Triangles {
  readonly B: Tensor;
  readonly A: Tensor;
  readonly upper: boolean;
}

/** The gradient of a factor L from that of A = L L^H. */
function ofFactor(gA: Tensor, L: Tensor, upper: boolean): Tensor {
  const both = add(gA, adjoint(gA));
  return neg(upper ? times(L, both) : times(both, L));
}

export const choleskySolveGradient: MatrixGradient<Triangles> = ({ A, upper }, call) => {
  const factor = call.save(A);
  const x = call.needs(A) ? call.saveResult() : null;
  return ([g]) => {
    const B = call.again(g, factor(), upper) as Tensor;
    return { A: x && ofFactor(times(B, adjoint(x())), factor(), upper), B };
  };
};

export const choleskyInverseGradient: MatrixGradient<Triangles> = ({ A, upper }, call) => {
  const [factor, inverse] = [call.save(A), call.saveResult()];
  return ([g]) => {
    const Y = inverse();
    return { A: ofFactor(times(Y, g as Tensor, Y), factor(), upper) };
  };
};
