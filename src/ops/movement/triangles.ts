/**
 * One half of a matrix, on and above or below a diagonal, the other set to 0: what triu and tril compute.
 */

import { ShapeError } from "../../base/errors.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { map, type OpFunction } from "../elementwise/map.ts";

interface Triangle extends OpFunction {
  (x: Tensor, row: Tensor, column: Tensor, k: number, options: { out: Tensor }): Tensor;
}
/** x where column - row >= k, or where it is not more, else 0. */
const upper: Triangle = /* @__PURE__ */ map("triu(x, row, column, k)", "column - row >= k ? x : like(0, x)");
const lower: Triangle = /* @__PURE__ */ map("tril(x, row, column, k)", "column - row <= k ? x : like(0, x)");

/** Which half stays. */
export type TriangleName = "triu" | "tril";

/** Refuses what is no matrix or batch of them. */
export function checkMatrix(who: string, x: Tensor, diagonal: unknown = 0): void {
  checkTensor(who, x);
  if (!Number.isSafeInteger(diagonal))
    throw new ShapeError(`${who}: the diagonal is an integer, got ${describeValue(diagonal)}`);
  if (x.rank < 2) throw new ShapeError(`${who}: expected at least 2 axes, got ${showShape(x)}`);
}

/** Writes the half that stays, and 0 in the place of the other, to `out`. */
export function keepTriangle(who: TriangleName, x: Tensor, k: number, out: Tensor): Tensor {
  const numbers = (axis: number): Tensor => arange(0, sizeAt(x, x.rank + axis), 1, { dtype: "int32" });
  return (who === "triu" ? upper : lower)(x, unsqueeze(numbers(-2), 1), numbers(-1), k, { out });
}
