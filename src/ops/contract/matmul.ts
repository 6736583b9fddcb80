/**
 * Matrix products in all of their forms. `matmul` runs kernels that read transposed, broadcast and sliced operands without a copy; the
 * other ops are composed of it.
 */
import { ShapeError } from "../../base/errors.ts";
import type { Checked } from "../../layout/types/faults.ts";
import { type DType, isIntegerDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Broadcast, Rank, Shape, Show } from "../../tensor/types/types.ts";
import { differingDTypes, notImplemented } from "../dtype-errors.ts";
import { add, mul } from "../elementwise/arithmetic.ts";
import { conj } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, type Result, structuredOp } from "../op.ts";
import type { DTypeOf, OutOption } from "../op-types.ts";
import { show } from "../shape-rules.ts";
import { reshape, transpose, unsqueeze as withAxis } from "../views.ts";
import { matmulGradient } from "./matmul-gradient.ts";
import { lowerProduct, productOf } from "./product.ts";

// The shapes of matrix products for the compiler. No run-time code.

/** The shape of `a @ b`. */
type MatmulShape<A extends Shape, B extends Shape> = number extends Rank<A> | Rank<B>
  ? Shape
  : A extends readonly [number]
    ? B extends readonly [number]
      ? []
      : B extends readonly [...infer Batch extends Shape, number, infer N extends number]
        ? [...Batch, N]
        : Shape
    : B extends readonly [number]
      ? A extends readonly [...infer Batch extends Shape, infer M extends number, number]
        ? [...Batch, M]
        : Shape
      : A extends readonly [...infer BatchA extends Shape, infer M extends number, number]
        ? B extends readonly [...infer BatchB extends Shape, number, infer N extends number]
          ? [...Broadcast<BatchA, BatchB>, M, N]
          : Shape
        : Shape;

/** The inner size of A, and that of B. */
type Inner<A extends Shape> = A extends readonly [...Shape, infer K extends number] ? K : number;
type Rows<B extends Shape> = B extends readonly [infer K extends number]
  ? K
  : B extends readonly [...Shape, infer K extends number, number]
    ? K
    : number;

/** The error for shapes whose inner sizes are known to differ. */
type MatmulFault<A extends Shape, B extends Shape> = number extends Rank<A> | Rank<B> | Inner<A> | Rows<B>
  ? undefined
  : Inner<A> extends Rows<B>
    ? undefined
    : `matmul: cannot multiply ${Show<A>} by ${Show<B>}: the inner sizes ${Inner<A>} and ${Rows<B>} must match`;

/** Throws unless both operands have the same dtype, for which products are defined. */
function checkSameDType(who: string, a: Tensor, b: Tensor): DType {
  if (a.dtype !== b.dtype)
    throw differingDTypes(
      who,
      "both tensors",
      a.dtype,
      b.dtype,
      `Convert one: to("${isIntegerDType(a.dtype) ? b.dtype : a.dtype}")`,
    );
  if (a.dtype === "bool") throw notImplemented(who, "bool", "int32");
  return a.dtype;
}

const inferMatmul = (a: Tensor, b: Tensor): Result => productOf("matmul", checkSameDType("matmul", a, b), a, b);

/** The type of matrix products. */
export interface Matmul extends OpFunction {
  <A extends Tensor, B extends Tensor>(
    x: A,
    other: Checked<B, MatmulFault<A["shape"], B["shape"]>>,
    options?: OutOption,
  ): Tensor<MatmulShape<A["shape"], B["shape"]>, A["dtype"]>;
  readonly method: <A extends Tensor, B extends Tensor>(
    this: A,
    other: Checked<B, MatmulFault<A["shape"], B["shape"]>>,
    options?: OutOption,
  ) => Tensor<MatmulShape<A["shape"], B["shape"]>, A["dtype"]>;
}
/** Returns the matrix product over the last two axes; batches are broadcast, and a vector is a row on the left, a column on the right. */
export const matmul: Matmul = /* @__PURE__ */ structuredOp("matmul(x: Tensor, other: Tensor, ...)", "contract", {
  linear: "0|1",
  batch: "matmul",
  infer: inferMatmul,
  lower: (builder, results, a, b) => lowerProduct(builder, results, a, b),
  gradient: matmulGradient,
});

/** A product of tensors with fixed numbers of axes. */
function ranked(name: string, first: number, second: number): Matmul {
  return compositeOp(
    `${name}(x: Tensor, other: Tensor; out)`,
    (a: Tensor, b: Tensor, options?: OutOption) => {
      if (a.rank !== first || b.rank !== second)
        throw new ShapeError(
          `${name}: expected ${first} and ${second} axes, got ${showShape(a)} and ${showShape(b)}. For other shapes use matmul`,
        );
      return matmul(a, b, options);
    },
    "contract",
  );
}
/** Returns the product of two matrices. */
export const mm: Matmul = /* @__PURE__ */ ranked("mm", 2, 2);
/** Returns the product of a matrix and a vector. */
export const mv: Matmul = /* @__PURE__ */ ranked("mv", 2, 1);
/** Returns the products of two batches of matrices with the same batch size. */
export const bmm: Matmul = /* @__PURE__ */ compositeOp(
  "bmm(x: Tensor, other: Tensor; out)",
  (a: Tensor, b: Tensor, options?: OutOption) => {
    if (a.rank !== 3 || b.rank !== 3 || a.s0 !== b.s0)
      throw new ShapeError(
        `bmm: expected two tensors with 3 axes and one batch size, got ${showShape(a)} and ${showShape(b)}. To broadcast use matmul`,
      );
    return matmul(a, b, options);
  },
  "contract",
);
/** Returns the dot product of two vectors. */
export const dot: Matmul = /* @__PURE__ */ ranked("dot", 1, 1);
/** Returns the dot product of two vectors, with the first one conjugated. */
export const vdot: Matmul = /* @__PURE__ */ compositeOp(
  "vdot(x: Tensor, other: Tensor; out)",
  (a: Tensor, b: Tensor, options?: OutOption) => dot(conj(a), b, options),
  "contract",
);
/** The type of inner and kron. */
export interface TwoTensors extends OpFunction {
  (x: Tensor, other: Tensor): Tensor;
  readonly method: (this: Tensor, other: Tensor) => Tensor;
}
/** Returns the inner products over the last axes of two tensors, for all combinations of their other axes. */
export const inner: TwoTensors = /* @__PURE__ */ compositeOp(
  "inner(x: Tensor, other: Tensor, ...)",
  (a: Tensor, b: Tensor) => {
    if (a.rank === 0 || b.rank === 0) return mul(a, b);
    const [x, y] = [sizesOf(a), sizesOf(b)];
    if (x[x.length - 1] !== y[y.length - 1])
      throw new ShapeError(`inner: the last sizes must match, got ${show(x)} and ${show(y)}`);
    const size = x[x.length - 1];
    const rows = (t: Tensor): Tensor => reshape(t, [sizeBut(t), size]);
    const product = matmul(rows(a), transposed(rows(b)));
    return reshape(product, [...x.slice(0, -1), ...y.slice(0, -1)]);
  },
  "contract",
);
/** The type of outer. */
export interface Outer extends OpFunction {
  <A extends Tensor, B extends Tensor>(
    x: A,
    other: B,
    options?: OutOption,
  ): Tensor<[...A["shape"], ...B["shape"]], DTypeOf<A, B>>;
  readonly method: <A extends Tensor, B extends Tensor>(
    this: A,
    other: B,
    options?: OutOption,
  ) => Tensor<[...A["shape"], ...B["shape"]], DTypeOf<A, B>>;
}
/** Returns the outer product of two vectors. */
export const outer: Outer = /* @__PURE__ */ compositeOp(
  "outer(x: Tensor, other: Tensor; out)",
  (a: Tensor, b: Tensor, options?: OutOption) => {
    if (a.rank !== 1 || b.rank !== 1)
      throw new ShapeError(
        `outer: expected tensors with one axis, got ${a.rank} and ${b.rank}. Flatten them first: flatten()`,
      );
    return mul(withAxis(a, 1), b, options);
  },
  "contract",
);

/** The number of rows of a tensor, with its last axis as a row. */
const sizeBut = (t: Tensor): number => {
  const sizes = sizesOf(t).slice(0, -1);
  return sizes.reduce((count, size) => count * size, 1);
};

const transposed = (t: Tensor): Tensor => transpose(t, -2, -1);

/** Options of products that are added to a tensor. */
export interface SumOptions extends OutOption {
  /** The factor of x; if it is 0, the elements of x are ignored. Default: 1. */
  readonly beta?: number;
  /** The factor of the product. Default: 1. */
  readonly alpha?: number;
}

/** The type of products that are added to a tensor. */
export interface AddedProduct<P extends readonly [Tensor, Tensor]> extends OpFunction {
  (x: Tensor, ...factors: [...P, options?: SumOptions]): Tensor;
  readonly method: (this: Tensor, ...factors: [...P, options?: SumOptions]) => Tensor;
}
type Matrices = [mat1: Tensor, mat2: Tensor];
type MatrixAndVector = [mat: Tensor, vec: Tensor];
type Vectors = [vec1: Tensor, vec2: Tensor];
type Batches = [batch1: Tensor, batch2: Tensor];

/** beta * x + alpha * product. */
function plus(x: Tensor, product: Tensor, { alpha = 1, beta = 1, out }: SumOptions = {}): Tensor {
  const options = out === undefined ? undefined : { out };
  if (beta === 0) return mul(product, alpha, options);
  const base = beta === 1 ? x : mul(x, beta);
  return add(base, product, { ...options, alpha });
}

/** An op that adds the product of two tensors to a third. */
function added<P extends readonly [Tensor, Tensor]>(
  signature: string,
  product: (a: Tensor, b: Tensor) => Tensor,
): AddedProduct<P> {
  return compositeOp(
    signature,
    (x: Tensor, a: Tensor, b: Tensor, options?: SumOptions) => plus(x, product(a, b), options),
    "contract",
  );
}
/** Returns beta * x + alpha * (mat1 @ mat2) for matrices. */
export const addmm: AddedProduct<Matrices> = /* @__PURE__ */ added(
  "addmm(x: Tensor, mat1: Tensor, mat2: Tensor; alpha, beta, out)",
  (a, b) => mm(a, b),
);
/** Returns beta * x + alpha * (mat @ vec) for a matrix and a vector. */
export const addmv: AddedProduct<MatrixAndVector> = /* @__PURE__ */ added(
  "addmv(x: Tensor, mat: Tensor, vec: Tensor; alpha, beta, out)",
  (a, b) => mv(a, b),
);
/** Returns beta * x + alpha * outer(vec1, vec2) for vectors. */
export const addr: AddedProduct<Vectors> = /* @__PURE__ */ added(
  "addr(x: Tensor, vec1: Tensor, vec2: Tensor; alpha, beta, out)",
  (a, b) => outer(a, b),
);
/** Returns beta * x + alpha * (batch1 @ batch2) for batches of matrices. */
export const baddbmm: AddedProduct<Batches> = /* @__PURE__ */ added(
  "baddbmm(x: Tensor, batch1: Tensor, batch2: Tensor; alpha, beta, out)",
  (a, b) => bmm(a, b),
);
/** Returns beta * x + alpha * (batch1 @ batch2) summed over the batch. */
export const addbmm: AddedProduct<Batches> = /* @__PURE__ */ added(
  "addbmm(x: Tensor, batch1: Tensor, batch2: Tensor; alpha, beta, out)",
  (a, b) => {
    if (a.rank !== 3 || b.rank !== 3 || a.s0 !== b.s0 || a.s2 !== b.s1)
      throw new ShapeError(`addbmm: expected batches [b, n, m] and [b, m, p], got ${showShape(a)} and ${showShape(b)}`);
    // One product of the concatenated matrices.
    const [batch, rows, size] = sizesOf(a) as [number, number, number];
    const left = reshape(transpose(a, 0, 1), [rows, batch * size]);
    return mm(left, reshape(b, [batch * size, b.s2]));
  },
);

/** The ops that are methods of tensors. */
export default [matmul, mm, mv, bmm, dot, vdot, inner, outer, addmm, addmv, addr, baddbmm, addbmm];
