/**
 * Triangles and diagonals: matrices with one half set to 0, diagonals read as copies, and matrices made of their diagonal.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { diagonal } from "../../tensor/views/views-parts.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { compositeOp, type Facts, op, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import { diagonal as diagonalView, reshape } from "../views.ts";
import { diagGradient, embedGradient, selfGradient } from "./layout-gradient.ts";
import type { Keeps, Moves, Writes } from "./movement-types.ts";

// One half of a matrix, on and above or below a diagonal, the other set to 0: what triu and tril compute.

interface Triangle extends OpFunction {
  (x: Tensor, row: Tensor, column: Tensor, k: number, options: { out: Tensor }): Tensor;
}
/** x where column - row >= k, or where it is not more, else 0. */
const upper: Triangle = /* @__PURE__ */ map("triu(x, row, column, k)", "column - row >= k ? x : like(0, x)");
const lower: Triangle = /* @__PURE__ */ map("tril(x, row, column, k)", "column - row <= k ? x : like(0, x)");

/** Which half stays. */
type TriangleName = "triu" | "tril";

/** Refuses what is no matrix or batch of them. */
function checkMatrix(who: string, x: Tensor, diagonal: unknown = 0): void {
  checkTensor(who, x);
  if (!Number.isSafeInteger(diagonal))
    throw new ShapeError(`${who}: the diagonal is an integer, got ${describeValue(diagonal)}`);
  if (x.rank < 2) throw new ShapeError(`${who}: expected at least 2 axes, got ${showShape(x)}`);
}

/** Writes the half that stays, and 0 in the place of the other, to `out`. */
function keepTriangle(who: TriangleName, x: Tensor, k: number, out: Tensor): Tensor {
  const numbers = (axis: number): Tensor => arange(0, sizeAt(x, x.rank + axis), 1, { dtype: "int32" });
  return (who === "triu" ? upper : lower)(x, unsqueeze(numbers(-2), 1), numbers(-1), k, { out });
}

type TriangleArguments = [diagonal?: number, options?: OutOption];

const triangleFacts: Facts = { linear: "0", batch: "last 2", gradient: selfGradient };

const triangle = (who: TriangleName) =>
  structuredOp<Keeps<TriangleArguments>, readonly [x: Tensor, diagonal?: number]>(
    `${who}(x: Tensor, diagonal)`,
    "movement",
    {
      ...triangleFacts,
      infer(x, k) {
        checkMatrix(who, x, k);
        return { dtype: x.dtype, shape: sizesOf(x), names: x.names };
      },
      fill([result], x, k = 0) {
        keepTriangle(who, x, k, result);
      },
    },
  );

/** The matrix with 0 below a diagonal, 0 being the main one, 1 the one above it. */
export const triu: Keeps<TriangleArguments> = /* @__PURE__ */ triangle("triu");
/** The matrix with 0 above a diagonal, 0 being the main one, 1 the one above it. */
export const tril: Keeps<TriangleArguments> = /* @__PURE__ */ triangle("tril");

const triangleInPlace = (who: TriangleName) =>
  op<Writes<[diagonal?: number]>>(
    `${who}_(x: Tensor, ...)`,
    "movement",
    {
      cpu(x: Tensor, k = 0) {
        checkMatrix(`${who}_`, x, k);
        return keepTriangle(who, x, k, x);
      },
      meta(x: Tensor) {
        checkMatrix(`${who}_`, x);
        return x;
      },
    },
    triangleFacts,
  );

/** Sets what lies below a diagonal to 0. */
export const triu_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("triu");
/** Sets what lies above a diagonal to 0. */
export const tril_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("tril");
/** A sum of a tensor as an element. */
export interface Trace extends OpFunction {
  (x: Tensor): Tensor<[]>;
  readonly method: (this: Tensor) => Tensor<[]>;
}

type EmbedArguments = [offset?: number, axis1?: Axis, axis2?: Axis, options?: OutOption];

/** Positions of the two new axes. */
function newAxes(x: Tensor, axis1: Axis, axis2: Axis): [number, number] {
  const wide = { rank: x.rank + 1, names: null };
  const [first, second] = [axisOf("diagEmbed", wide, axis1), axisOf("diagEmbed", wide, axis2)];
  if (first === second) throw new ShapeError(`diagEmbed: the axes must differ, got ${axis1} and ${axis2}`);
  return [first, second];
}

/** Matrices in two new axes, with the last axis of x on a diagonal and 0 elsewhere. */
export const diagEmbed: Moves<EmbedArguments> = /* @__PURE__ */ structuredOp(
  "diagEmbed(x: Tensor, offset, axis1, axis2)",
  "movement",
  {
    linear: "0",
    batch: "diagEmbed",
    infer(x: Tensor, offset = 0, axis1: Axis = -2, axis2: Axis = -1) {
      if (x.rank === 0) throw new ShapeError("diagEmbed: needs at least one axis, got a scalar");
      const [first, second] = newAxes(x, axis1, axis2);
      const shape = sizesOf(x);
      const size = (shape.pop() as number) + Math.abs(offset);
      for (const axis of [first, second].sort((a, b) => a - b)) shape.splice(axis, 0, size);
      return { dtype: x.dtype, shape };
    },
    fill([result], x: Tensor, offset = 0, axis1: Axis = -2, axis2: Axis = -1) {
      const [first, second] = newAxes(x, axis1, axis2);
      fillUnchecked(result, 0, "diagEmbed");
      copyAll(x, diagonal(result, offset, first, second), "diagEmbed");
    },
    gradient: embedGradient,
  },
);

/** The diagonal of a matrix as a copy, or of a list the matrix that has it as its diagonal. */
export const diag: Moves<[offset?: number, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "diag(x: Tensor, offset)",
  "movement",
  {
    linear: "0",
    batch: "diag",
    infer(x: Tensor, offset = 0) {
      if (!Number.isInteger(offset))
        throw new IndexError(`diag: the offset is an integer, got ${describeValue(offset)}`);
      if (x.rank !== 1 && x.rank !== 2) throw new ShapeError(`diag: diag(): Supports 1D or 2D tensors. Got ${x.rank}D`);
      const size = sizeAt(x, 0) + Math.abs(offset);
      return { dtype: x.dtype, shape: x.rank === 1 ? [size, size] : sizesOf(diagonal(x, offset)) };
    },
    fill([result], x: Tensor, offset = 0) {
      const isList = x.rank === 1;
      if (isList) fillUnchecked(result, 0, "diag");
      copyAll(isList ? x : diagonal(x, offset), isList ? diagonal(result, offset) : result, "diag");
    },
    gradient: diagGradient,
  },
);

/** The matrix that has all elements, in row-major order, on a diagonal. */
export const diagflat: Moves<[offset?: number]> = /* @__PURE__ */ compositeOp(
  "diagflat(x: Tensor, ...)",
  (x: Tensor, offset = 0) => {
    return diag(reshape(x, [-1]), offset);
  },
  "movement",
);

/** The sum of the diagonal of a matrix. */
export const trace: Trace = /* @__PURE__ */ compositeOp("trace(x: Tensor, ...)", (x: Tensor) => {
  if (x.rank !== 2) throw new ShapeError(`trace: expected 2 axes, got ${x.rank}`);
  return sum(diagonalView(x));
});
