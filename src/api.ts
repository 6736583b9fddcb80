/**
 * The functions that make tensors, and formulas. Each starts the library (`runtime.ts`) and hands over to the tensor room; what is added here is
 * the types: shapes as literals where the code shows them, the dtype that was asked for or that the data has.
 */
import type { Checked } from "./layout/types/faults.ts";
import type { OpFunction } from "./ops/elementwise/map.ts";
import * as fourier from "./ops/fft/fft.ts";
import * as triangles from "./ops/movement/triangle-indices.ts";
import * as numpyMade from "./ops/numpy-creation.ts";
import * as distributions from "./ops/random/distributions.ts";
import { drawn } from "./ops/random/drawn.ts";
import { gamma as gammas } from "./ops/random/gamma.ts";
import * as draws from "./ops/random/in-place.ts";
import { elementwise as computed } from "./ops/user-kernel.ts";
import * as shapes from "./ops/windows.ts";
import { boot } from "./runtime.ts";
import type { DType } from "./storage/dtype.ts";
import { type DLTensor, fromDLPack as overDLPack } from "./tensor/convert/dlpack.ts";
import { fromMessage as ofMessage, type TensorMessage } from "./tensor/convert/message.ts";
import type * as create from "./tensor/create/create.ts";
import { checkGiven } from "./tensor/create/create.ts";
import * as made from "./tensor/create/create-ops.ts";
import * as buffers from "./tensor/create/from-buffer.ts";
import type { DataOptions, TensorData } from "./tensor/create/from-data.ts";
import type { Generator } from "./tensor/create/generator.ts";

import type * as random from "./tensor/create/random.ts";
import * as ranges from "./tensor/create/ranges.ts";
import * as like from "./tensor/cute/make-like.ts";
import * as making from "./tensor/cute/make-tensor.ts";
import * as libraries from "./tensor/dispatch/library.ts";
import { plainArgument } from "./tensor/dispatch/static-arguments.ts";
import type { ScalarLike } from "./tensor/elements.ts";
import type { Tensor } from "./tensor/tensor.ts";
import type { DefaultDType, DTypeOfData, RaggedFault, Scalar, ShapeOfNested } from "./tensor/types/nested-data.ts";
import type { Known, Shape } from "./tensor/types/types.ts";

/** The dtype that was asked for, else another. */
type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType }
  ? E
  : O extends { readonly dtype?: infer E }
    ? Extract<E, DType> | D
    : D;

/** What tells a tensor from other data, without comparing all methods. */
type TensorLike = { readonly shape: Shape; readonly dtype: DType; readonly storageOffset: number };
type MadeOf<T, O> = [T] extends [TensorLike]
  ? Tensor<T["shape"], AskedOr<O, T["dtype"]>, "none">
  : Tensor<ShapeOfNested<T>, DTypeOfData<T, O>, "none">;

/** A new tensor from nested arrays, a typed array, one value, or tensors. Numbers have the default dtype (float32), bigints int64, booleans bool. */
export function tensor<const T extends TensorData, const O extends DataOptions | undefined = undefined>(
  data: Checked<T, RaggedFault<T>>,
  options?: O,
): MadeOf<T, O> {
  boot();
  return made.tensor(data as TensorData, options) as never;
}

/** A tensor over memory that you own, without a copy. */
export function fromBuffer<
  const B extends buffers.BufferSource,
  const O extends buffers.BufferOptions | undefined = undefined,
>(source: B, options?: O): Tensor<ShapeIn<O>, DTypeOfData<B, O>, "none"> {
  boot();
  return buffers.fromBuffer(source, options) as never;
}
type ShapeIn<O> = O extends { readonly shape: infer S extends Shape }
  ? Known<S>
  : O extends { readonly shape?: infer S }
    ? [Extract<S, Shape>] extends [never]
      ? [number]
      : Shape
    : [number];

/** A new tensor whose elements are not set. */
export function empty<const S extends Shape, const O extends create.ShapedOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.empty(shape, options) as never;
}

/** A new tensor of zeros; with `{ constant: true }` one element behind strides of 0. */
export function zeros<const S extends Shape, const O extends create.FillOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.zeros(shape, options) as never;
}

/** A new tensor of ones; with `{ constant: true }` one element behind strides of 0. */
export function ones<const S extends Shape, const O extends create.FillOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.ones(shape, options) as never;
}

type DTypeOfScalar<V> = V extends TensorLike ? V["dtype"] : DTypeOfData<V>;

/** A new tensor whose elements are all equal; the value's kind gives the dtype, as in `tensor`. */
export function full<
  const S extends Shape,
  V extends ScalarLike,
  const O extends create.FillOptions | undefined = undefined,
>(shape: readonly [...S], value: V, options?: O): Tensor<Known<S>, AskedOr<O, DTypeOfScalar<V>>, "none"> {
  boot();
  return made.full(shape, value, options) as never;
}

/** A tensor whose elements are all one element of memory, by strides of 0. It refuses writes. */
export function constant<
  V extends ScalarLike,
  const S extends Shape = [],
  const O extends create.CreateOptions | undefined = undefined,
>(value: V, shape?: readonly [...S], options?: O): Tensor<Known<S>, AskedOr<O, DTypeOfScalar<V>>, "none"> {
  boot();
  return made.constant(value, shape, options) as never;
}

/** The matrix with ones on its diagonal and zeros elsewhere; square unless the columns are given. */
export function eye<const N extends number, const O extends create.ShapedOptions>(
  rows: N,
  options: O,
): Tensor<Known<[N, N]>, AskedOr<O, DefaultDType>, "none">;
export function eye<
  const N extends number,
  const M extends number = N,
  const O extends create.ShapedOptions | undefined = undefined,
>(rows: N, columns?: M, options?: O): Tensor<Known<[N, M]>, AskedOr<O, DefaultDType>, "none">;
export function eye(rows: number, columns?: number | create.ShapedOptions, options?: create.ShapedOptions): Tensor {
  boot();
  return made.eye(rows, columns, options);
}

type Like<T extends Tensor, O> = Tensor<T["shape"], AskedOr<O, T["dtype"]>, "none">;

/** A new tensor with the shape, dtype and order of another, its elements not set. */
export function emptyLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return made.emptyLike(like, options) as never;
}

/** Zeros with the shape, dtype and order of another tensor. */
export function zerosLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return made.fullLike(like, 0, options, "zerosLike") as never;
}

/** Ones with the shape, dtype and order of another tensor. */
export function onesLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return made.fullLike(like, 1, options, "onesLike") as never;
}

/** Equal elements with the shape, dtype and order of another tensor. */
export function fullLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  value: ScalarLike,
  options?: O,
): Like<T, O> {
  boot();
  return made.fullLike(like, value, options) as never;
}

type RangeDType<A, O> = AskedOr<O, [A] extends [bigint] ? "int64" : DefaultDType>;

/** 0, 1, ... up to, not including, end. Numbers make the default dtype (float32), bigints int64. */
export function arange<A extends number | bigint, const O extends create.CreateOptions | undefined = undefined>(
  end: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>, "none">;
/** start, start + step, ... up to, not including, end. */
export function arange<A extends number | bigint, const O extends create.CreateOptions | undefined = undefined>(
  start: A,
  end: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>, "none">;
export function arange<A extends number | bigint, const O extends create.CreateOptions | undefined = undefined>(
  start: A,
  end: A,
  step: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>, "none">;
export function arange(...given: readonly (number | bigint | create.CreateOptions | undefined)[]): Tensor {
  boot();
  const items = given.map(plainArgument);
  const numbers = items.filter((item) => typeof item === "number" || typeof item === "bigint");
  const options = items.find((item) => item !== undefined && !numbers.includes(item as number)) as create.CreateOptions;
  if (numbers.length === 0) throw ranges.noNumbers(given);
  const [first, end, step] = numbers as [number | bigint, ...(number | bigint)[]];
  if (end === undefined) return made.arange(typeof first === "bigint" ? 0n : 0, first, undefined, options);
  return made.arange(first, end, step, options);
}

/** `steps` values from start to end, both included. */
export function linspace<const N extends number, const O extends create.CreateOptions | undefined = undefined>(
  start: number,
  end: number,
  steps: N,
  options?: O,
): Tensor<Known<[N]>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.linspace(start, end, steps, options) as never;
}

/** `steps` values from base^start to base^end, both included; the base is 10 unless given. */
export function logspace<
  const N extends number,
  const O extends (create.CreateOptions & { readonly base?: number }) | undefined = undefined,
>(start: number, end: number, steps: N, options?: O): Tensor<Known<[N]>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.logspace(start, end, steps, options) as never;
}

/** The tensor whose element at (i, j, ...) is f(i, j, ...). */
export function fromFunction<
  const S extends Shape,
  V extends Scalar,
  const O extends create.CreateOptions | undefined = undefined,
>(
  shape: readonly [...S],
  valueAt: (...index: { [I in keyof S]: number }) => V,
  options?: O,
): Tensor<Known<S>, AskedOr<O, DTypeOfData<V>>, "none"> {
  boot();
  return made.fromFunction(shape, valueAt as (...index: number[]) => V, options) as never;
}

type RandomOptions = create.ShapedOptions & random.RandomOptions;

/** Random numbers, uniform in [0, 1). */
export function rand<const S extends Shape, const O extends RandomOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.rand(shape, options) as never;
}

/** Random numbers of the normal distribution with mean 0 and variance 1. */
export function randn<const S extends Shape, const O extends RandomOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>, "none"> {
  boot();
  return made.randn(shape, options) as never;
}

/** Random integers low <= x < high: int32 of numbers, int64 of bigints. */
export function randint<
  A extends number | bigint,
  const S extends Shape,
  const O extends RandomOptions | undefined = undefined,
>(
  low: A,
  high: A,
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, [A] extends [bigint] ? "int64" : "int32">, "none"> {
  boot();
  return made.randint(low, high, shape, options) as never;
}

/** The integers from 0 to count - 1 in random order, int32. */
export function permutation<
  const N extends number,
  const O extends (create.CreateOptions & random.RandomOptions) | undefined = undefined,
>(count: N, options?: O): Tensor<Known<[N]>, AskedOr<O, "int32">, "none"> {
  boot();
  return made.permutation(count, options) as never;
}

type RandomLikeOptions = create.LikeOptions & random.RandomOptions;

/** Random numbers, uniform in [0, 1), with the shape, dtype and order of another tensor. */
export function randLike<T extends Tensor, const O extends RandomLikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return made.randLike(like, options) as never;
}

/** Random numbers of the normal distribution, with the shape, dtype and order of another tensor. */
export function randnLike<T extends Tensor, const O extends RandomLikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return made.randnLike(like, options) as never;
}

type AnyFunction = (...given: never[]) => unknown;
type AnyTensor = Tensor<Shape, DType, "none">;

/** The same function, which starts the library first; one that takes numbers and options refuses null and symbols in its name. */
const booted = <F extends AnyFunction>(make: F, who?: string): F =>
  ((...given: never[]) => {
    boot();
    if (who !== undefined) checkGiven(who, given);
    return make(...given);
  }) as F;

/** A new tensor with the elements of a message that `toMessage()` made. */
export const fromMessage: (message: TensorMessage) => AnyTensor = /* @__PURE__ */ booted(ofMessage as never);
/** A tensor over the memory of a DLPack descriptor, without a copy; its deleter runs when the last such tensor is gone. */
export const fromDLPack: (descriptor: DLTensor) => AnyTensor = /* @__PURE__ */ booted(overDLPack as never);
/** `count` values from start to stop, both included, each the same factor further on. */
export const geomspace: typeof numpyMade.geomspace = /* @__PURE__ */ booted(numpyMade.geomspace);
/** The square matrix with ones on its diagonal and zeros elsewhere. */
export const identity: typeof numpyMade.identity = /* @__PURE__ */ booted(numpyMade.identity);
/** The matrix with ones on and below a diagonal, the main one unless given, and zeros above. */
export const tri: typeof numpyMade.tri = /* @__PURE__ */ booted(numpyMade.tri);

/** A tensor of a layout or shape: over a pointer, a typed array or an engine, or owning if a dtype is given. Column-major, as CuTe. */
export const makeTensor: typeof making.makeTensor = /* @__PURE__ */ booted(making.makeTensor);
/** The tensor whose element at a coordinate is the coordinate. */
export const makeIdentityTensor: typeof like.makeIdentityTensor = /* @__PURE__ */ booted(like.makeIdentityTensor);
/** The tensor of the coordinates that a layout with coordinates as strides gives. */
export const makeCoordTensor: typeof like.makeCoordTensor = /* @__PURE__ */ booted(like.makeCoordTensor);
/** The tensor whose elements are a function of another's, computed when they are read. */
export const makeTransformTensor: typeof like.makeTransformTensor = /* @__PURE__ */ booted(like.makeTransformTensor);

/** Computes a formula over tensors and numbers, such as `elementwise("a * x + b", { a, x, b })`; without operands, a kernel to call later. */
export const elementwise: typeof computed = /* @__PURE__ */ booted(computed);

/** A library of ops and kernels of one's own. */
export const library: typeof libraries.library = /* @__PURE__ */ booted(libraries.library);
/** The op of a name, with its library before a dot unless it is one of Stridewise's own. */
export const operatorNamed: typeof libraries.operatorNamed = /* @__PURE__ */ booted(libraries.operatorNamed);

/** Functions that start the library first; ops take tensors, so for them that has happened. */
function started<T extends object>(table: T): T {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [
      name,
      typeof value !== "function" || "operator" in value ? value : booted(value as AnyFunction, name),
    ]),
  ) as T;
}

/** Fourier transforms. */
export const fft: typeof fourier = /* @__PURE__ */ started(fourier);

/** Windows for signals: `windows.hann(512)`. */
export const windows: typeof shapes = /* @__PURE__ */ started(shapes);

/** The rows and columns of the elements on and above a diagonal. */
export const triuIndices: typeof triangles.triuIndices = /* @__PURE__ */ booted(triangles.triuIndices, "triuIndices");
/** The rows and columns of the elements on and below a diagonal. */
export const trilIndices: typeof triangles.trilIndices = /* @__PURE__ */ booted(triangles.trilIndices, "trilIndices");
/** New float numbers above 0 of the gamma distribution with this shape parameter and scale; their mean is the product of both. */
export const gamma: typeof gammas = /* @__PURE__ */ booted(gammas);

/** An op that may be called without tensors, and starts the library first. */
const startedOp = <F extends OpFunction>(op: F): F =>
  Object.assign(booted(op as never), { operator: op.operator }) as unknown as F;

/** Returns samples from normal distributions. mean and std are tensors or numbers; if both are numbers, pass a size. */
export const normal: typeof distributions.normal = /* @__PURE__ */ startedOp(distributions.normal);

export interface DrawOptions extends create.ShapedOptions {
  /** Where the numbers come from: the default generator unless given. */
  readonly generator?: Generator | undefined;
}

/** New float numbers between two bounds, the upper one excluded, all equally likely. */
export function uniform<const S extends Shape>(
  shape: readonly [...S],
  low = 0,
  high = 1,
  options: DrawOptions = {},
): Tensor<Known<S>, DType, "none"> {
  boot();
  return drawn("uniform", shape, options, (t, source) => draws.uniform_(t, low, high, source)) as never;
}

/** New float numbers above 0 whose density falls exponentially, at this rate. */
export function exponential<const S extends Shape>(
  shape: readonly [...S],
  rate = 1,
  options: DrawOptions = {},
): Tensor<Known<S>, DType, "none"> {
  boot();
  return drawn("exponential", shape, options, (t, source) => draws.exponential_(t, rate, source)) as never;
}
