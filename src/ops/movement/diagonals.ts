/**
 * Triangular parts of matrices, diagonals as copies, and matrices with a given diagonal.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { zerosBeside } from "../../tensor/create/create-ops.ts";
import { lowerIntegers } from "../../tensor/create/ranges.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll } from "../../tensor/lowering.ts";
import { checkNoSelfOverlap, checkTensor, checkWritable } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { diagonal } from "../../tensor/views/views-parts.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { compositeOp, type Facts, lowerOp, op, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import * as views from "../views.ts";
import { selfGradient } from "./gather-scatter.ts";
import type { Keeps, Moves, Writes } from "./movement-types.ts";
import { writeInPlace } from "./writing.ts";

interface Triangle extends OpFunction {
  (x: Tensor, row: Tensor, column: Tensor, k: number, options: { out: Tensor }): Tensor;
}
/** x where column - row is at least, or for `lower` at most, k; otherwise 0. */
const upper: Triangle = /* @__PURE__ */ map("triu.select(x, row, column, k)", "column - row >= k ? x : like(0, x)");
const lower: Triangle = /* @__PURE__ */ map("tril.select(x, row, column, k)", "column - row <= k ? x : like(0, x)");

/** The triangle that is kept. */
type TriangleName = "triu" | "tril";

/** Throws unless x is a matrix or a batch of matrices. */
function checkMatrix(who: string, x: Tensor, diagonal: unknown = 0): void {
  checkTensor(who, x);
  if (!Number.isSafeInteger(diagonal))
    throw new ShapeError(`${who}: diagonal must be an integer, got ${describeValue(diagonal)}`);
  if (x.rank < 2) throw new ShapeError(`${who}: expected at least 2 axes, got ${showShape(x)}`);
}

/** Adds steps that write the triangle, and 0 elsewhere, to `out`. */
function lowerTriangle(builder: ProgramBuilder, who: TriangleName, x: Tensor, k: number, out: Tensor): void {
  const [rows, columns] = [-2, -1].map((axis) => lowerIntegers(builder, sizeAt(x, x.rank + axis)));
  lowerOp(builder, who === "triu" ? upper : lower, x, unsqueeze(rows, 1), columns, k, { out });
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
      lower: (builder, [result], x, k = 0) => lowerTriangle(builder, who, x, k, result),
    },
  );

/** Returns the upper triangular part of a matrix: elements below a diagonal are set to 0. `diagonal` 0 is the main diagonal, 1 the one above it. */
export const triu: Keeps<TriangleArguments> = /* @__PURE__ */ triangle("triu");
/** Returns the lower triangular part of a matrix: elements above a diagonal are set to 0. `diagonal` 0 is the main diagonal, 1 the one above it. */
export const tril: Keeps<TriangleArguments> = /* @__PURE__ */ triangle("tril");

const triangleInPlace = (who: TriangleName) =>
  op<Writes<[diagonal?: number]>>(
    `${who}_(x: Tensor, ...)`,
    "movement",
    {
      cpu(x: Tensor, k = 0) {
        checkMatrix(`${who}_`, x, k);
        checkWritable(x, `${who}_`);
        checkNoSelfOverlap(x, `${who}_`);
        writeInPlace(`${who}_`, x, [], (builder, target) => lowerTriangle(builder, who, target, k, target));
        return x;
      },
      meta(x: Tensor) {
        checkMatrix(`${who}_`, x);
        return x;
      },
    },
    triangleFacts,
  );

/** Sets the elements below a diagonal to 0. */
export const triu_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("triu");
/** Sets the elements above a diagonal to 0. */
export const tril_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("tril");

/** The type of trace. */
export interface Trace extends OpFunction {
  (x: Tensor): Tensor<[]>;
  readonly method: (this: Tensor) => Tensor<[]>;
}

type EmbedArguments = [offset?: number, axis1?: Axis, axis2?: Axis, options?: OutOption];

/** The indices of the two new axes. */
function newAxes(x: Tensor, axis1: Axis, axis2: Axis): [number, number] {
  const wide = { rank: x.rank + 1, names: null };
  const [first, second] = [axisOf("diagEmbed", wide, axis1), axisOf("diagEmbed", wide, axis2)];
  if (first === second) throw new ShapeError(`diagEmbed: axis1 and axis2 must differ, got ${axis1} and ${axis2}`);
  return [first, second];
}

/** Returns matrices with the last axis of x on a diagonal, and 0 elsewhere. axis1 and axis2 are the axes of the matrices in the result. */
export const diagEmbed: Moves<EmbedArguments> = /* @__PURE__ */ structuredOp(
  "diagEmbed(x: Tensor, offset, axis1, axis2)",
  "movement",
  {
    linear: "0",
    batch: "diagEmbed",
    infer(x: Tensor, offset = 0, axis1: Axis = -2, axis2: Axis = -1) {
      if (x.rank === 0) throw new ShapeError("diagEmbed: expected at least 1 axis, got a scalar");
      const [first, second] = newAxes(x, axis1, axis2);
      const shape = sizesOf(x);
      const size = (shape.pop() as number) + Math.abs(offset);
      for (const axis of [first, second].sort((a, b) => a - b)) shape.splice(axis, 0, size);
      return { dtype: x.dtype, shape };
    },
    lower(builder, [result], x: Tensor, offset = 0, axis1: Axis = -2, axis2: Axis = -1) {
      const [first, second] = newAxes(x, axis1, axis2);
      lowerFillAll(builder, result, 0, "diagEmbed");
      lowerCopyAll(builder, x, diagonal(result, offset, first, second), "diagEmbed");
    },
    gradient(call) {
      const [, offset = 0, axis1 = -2, axis2 = -1] = call.args as [Tensor, number?, Axis?, Axis?];
      const result = call.results[0];
      const [first, second] = [axisOf("diagEmbed", result, axis1), axisOf("diagEmbed", result, axis2)];
      return ([g]) => [views.diagonal(g, offset, first, second)];
    },
  },
);

/** Returns the diagonal of a matrix as a copy, or a matrix with a one-dimensional tensor as its diagonal. */
export const diag: Moves<[offset?: number, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "diag(x: Tensor, offset)",
  "movement",
  {
    linear: "0",
    batch: "diag",
    infer(x: Tensor, offset = 0) {
      if (!Number.isInteger(offset))
        throw new IndexError(`diag: offset must be an integer, got ${describeValue(offset)}`);
      if (x.rank !== 1 && x.rank !== 2) throw new ShapeError(`diag: expected 1 or 2 axes, got ${x.rank}`);
      const size = sizeAt(x, 0) + Math.abs(offset);
      return { dtype: x.dtype, shape: x.rank === 1 ? [size, size] : sizesOf(diagonal(x, offset)) };
    },
    lower(builder, [result], x: Tensor, offset = 0) {
      const isList = x.rank === 1;
      if (isList) lowerFillAll(builder, result, 0, "diag");
      lowerCopyAll(builder, isList ? x : diagonal(x, offset), isList ? diagonal(result, offset) : result, "diag");
    },
    gradient(call) {
      const [x, second] = call.args as [Tensor, unknown];
      const offset = typeof second === "number" ? second : 0;
      const [{ rank, dtype }, shape] = [x, sizesOf(x)];
      return ([g]) => {
        if (rank === 1) return [views.diagonal(g, offset)];
        const matrix = zerosBeside(g, shape, dtype);
        views.copy_(views.diagonal(matrix, offset), g);
        return [matrix];
      };
    },
  },
);

/** Returns a matrix with the elements of the flattened tensor as a diagonal. */
export const diagflat: Moves<[offset?: number]> = /* @__PURE__ */ compositeOp(
  "diagflat(x: Tensor, ...)",
  (x: Tensor, offset = 0) => diag(views.reshape(x, [-1]), offset),
  "movement",
);

/** Returns the sum of the diagonal of a matrix. */
export const trace: Trace = /* @__PURE__ */ compositeOp("trace(x: Tensor, ...)", (x: Tensor) => {
  if (x.rank !== 2) throw new ShapeError(`trace: expected 2 axes, got ${x.rank}`);
  return sum(views.diagonal(x));
});
