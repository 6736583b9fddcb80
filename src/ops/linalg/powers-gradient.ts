/** The gradient of e^A: the upper right of e to the matrix [[A^H, g], [0, A^H]]. */

import { zeros } from "../../tensor/create/create-ops.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { cat } from "../movement/join.ts";
import { narrow } from "../views.ts";
import { adjoint } from "./adjoint.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { beside } from "./matrix-rules.ts";

export const matrixExpGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const matrix = call.save(A);
  const n = sizesOf(A).at(-1) as number;
  return ([g]) => {
    const a = adjoint(matrix());
    const none = zeros(sizesOf(a), { dtype: a.dtype, device: beside(a) });
    const block = cat([cat([a, g], -1), cat([none, a], -1)], -2);
    return { A: narrow(narrow(call.again(block) as Tensor, -2, 0, n), -1, n, n) };
  };
};
