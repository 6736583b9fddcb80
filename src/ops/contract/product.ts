/** Products over the last two axes, as matmul and the products of integers compute them: their shape rule, and their lowering. */
import { ShapeError } from "../../base/errors.ts";
import { lowerResults } from "../../kernel/copy.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import type { DType } from "../../storage/dtype.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { productNames } from "../../tensor/names.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import type { Result } from "../op.ts";
import { broadcastSizes, mayEqual, shapeOf, show } from "../shape-rules.ts";

/** The result of a product over the last two axes; throws if the shapes do not fit. */
export function productOf(who: string, dtype: DType, a: Tensor, b: Tensor): Result {
  const [x, y] = [shapeOf(a), shapeOf(b)];
  if (x.length === 0 || y.length === 0)
    throw new ShapeError(
      `${who}: both arguments need at least one axis, got ${x.length} and ${y.length}. Use mul for scalars`,
    );
  const inner = x[x.length - 1];
  const rows = y.length === 1 ? y[0] : y[y.length - 2];
  if (!mayEqual(inner, rows))
    throw new ShapeError(
      `${who}: cannot multiply ${show(x)} by ${show(y)}: the inner sizes ${inner} and ${rows} must match`,
    );
  const batch = broadcastSizes(who, x.slice(0, -2), y.slice(0, -2), [x, y]);
  return {
    dtype,
    shape: [...batch, ...(x.length === 1 ? [] : [x[x.length - 2]]), ...(y.length === 1 ? [] : [y[y.length - 1]])],
    names: productNames(who, a, b),
  };
}

/** Adds a product to the program. Its kernels write the dtype of the operands, or int32. */
export function lowerProduct(
  builder: ProgramBuilder,
  [out]: readonly Tensor[],
  a: Tensor,
  b: Tensor,
  dtype: DType = a.dtype,
): void {
  let [x, y, z] = [a, b, out];
  if (x.rank === 1) {
    x = unsqueeze(x, 0);
    z = unsqueeze(z, y.rank === 1 ? 0 : -2);
  }
  if (y.rank === 1) {
    y = unsqueeze(y, 1);
    z = unsqueeze(z, z.rank);
  }
  const batch = sizesOf(z).slice(0, -2);
  x = expand(x, [...batch, ...sizesOf(x).slice(-2)]);
  y = expand(y, [...batch, ...sizesOf(y).slice(-2)]);
  lowerResults(builder, [operandOf(z, "matmul")], [dtype], ([target]) =>
    lowerMatmul(builder, target, operandOf(x, "matmul"), operandOf(y, "matmul")),
  );
}
