/**
 * The functions that create tensors, and formulas. Each starts the library (`boot.ts`) and calls the implementation. This file adds their
 * types: literal shapes where the compiler knows them, and the dtype of the options or of the data.
 */

import { boot } from "./boot.ts";
import * as editing from "./graph/edit/edit.ts";
import * as rewriting from "./graph/edit/rewrite.ts";
import * as interpreter from "./graph/run/interpret.ts";
import * as parsing from "./graph/text/parse.ts";
import * as verifying from "./graph/verify.ts";
import type { Checked } from "./layout/types/faults.ts";
import type { OpFunction } from "./ops/elementwise/map.ts";
import * as fourier from "./ops/fft/fft.ts";
import * as lookup from "./ops/movement/lookup.ts";
import * as triangles from "./ops/movement/triangle-indices.ts";
import * as numpyCreation from "./ops/numpy-creation.ts";
import * as distributions from "./ops/random/distributions.ts";
import { drawn } from "./ops/random/drawn.ts";
import { gamma as gammas } from "./ops/random/gamma.ts";
import * as draws from "./ops/random/in-place.ts";
import { elementwise as computed } from "./ops/user-kernel.ts";
import * as shapes from "./ops/windows.ts";
import type { DType } from "./storage/dtype.ts";
import { type DLTensor, fromDLPack as overDLPack } from "./tensor/convert/dlpack.ts";
import { fromMessage as ofMessage, type TensorMessage } from "./tensor/convert/message.ts";
import type * as create from "./tensor/create/create.ts";
import { checkDefined } from "./tensor/create/create.ts";
import * as creation from "./tensor/create/create-ops.ts";
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

/** The dtype in the options, else D. */
type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType }
  ? E
  : O extends { readonly dtype?: infer E }
    ? Extract<E, DType> | D
    : D;

/** The properties that distinguish a tensor from other data; cheaper than comparing all methods. */
type TensorLike = { readonly shape: Shape; readonly dtype: DType; readonly storageOffset: number };
type TensorOf<T, O> = [T] extends [TensorLike]
  ? Tensor<T["shape"], AskedOr<O, T["dtype"]>>
  : Tensor<ShapeOfNested<T>, DTypeOfData<T, O>>;

/** Creates a tensor from nested arrays, a typed array, one value, or tensors. Numbers get the default dtype (float32), bigints int64, booleans bool. */
export function tensor<const T extends TensorData, const O extends DataOptions | undefined = undefined>(
  data: Checked<T, RaggedFault<T>>,
  options?: O,
): TensorOf<T, O> {
  boot();
  return creation.tensor(data as TensorData, options) as never;
}

/** Creates a tensor over existing memory, without a copy. */
export function fromBuffer<
  const B extends buffers.BufferSource,
  const O extends buffers.BufferOptions | undefined = undefined,
>(source: B, options?: O): Tensor<ShapeIn<O>, DTypeOfData<B, O>> {
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

/** Creates a tensor with uninitialized elements. */
export function empty<const S extends Shape, const O extends create.ShapedOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.empty(shape, options) as never;
}

/** Creates a tensor of zeros; with `{ constant: true }`, one element with strides of 0. */
export function zeros<const S extends Shape, const O extends create.FillOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.zeros(shape, options) as never;
}

/** Creates a tensor of ones; with `{ constant: true }`, one element with strides of 0. */
export function ones<const S extends Shape, const O extends create.FillOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.ones(shape, options) as never;
}

type DTypeOfScalar<V> = V extends TensorLike ? V["dtype"] : DTypeOfData<V>;

/** Creates a tensor filled with a value, whose type determines the dtype, as in `tensor`. */
export function full<
  const S extends Shape,
  V extends ScalarLike,
  const O extends create.FillOptions | undefined = undefined,
>(shape: readonly [...S], value: V, options?: O): Tensor<Known<S>, AskedOr<O, DTypeOfScalar<V>>> {
  boot();
  return creation.full(shape, value, options) as never;
}

/** Creates a read-only tensor filled with a value; it stores one element, with strides of 0. */
export function constant<
  V extends ScalarLike,
  const S extends Shape = [],
  const O extends create.CreateOptions | undefined = undefined,
>(value: V, shape?: readonly [...S], options?: O): Tensor<Known<S>, AskedOr<O, DTypeOfScalar<V>>> {
  boot();
  return creation.constant(value, shape, options) as never;
}

/** Creates a matrix with ones on the diagonal and zeros elsewhere, by default square. */
export function eye<const N extends number, const O extends create.ShapedOptions>(
  rows: N,
  options: O,
): Tensor<Known<[N, N]>, AskedOr<O, DefaultDType>>;
export function eye<
  const N extends number,
  const M extends number = N,
  const O extends create.ShapedOptions | undefined = undefined,
>(rows: N, columns?: M, options?: O): Tensor<Known<[N, M]>, AskedOr<O, DefaultDType>>;
export function eye(rows: number, columns?: number | create.ShapedOptions, options?: create.ShapedOptions): Tensor {
  boot();
  return creation.eye(rows, columns, options);
}

type Like<T extends Tensor, O> = Tensor<T["shape"], AskedOr<O, T["dtype"]>>;

/** Creates a tensor with the shape, dtype and memory order of another, with uninitialized elements. */
export function emptyLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return creation.emptyLike(like, options) as never;
}

/** Creates a tensor of zeros with the shape, dtype and memory order of another. */
export function zerosLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return creation.fullLike(like, 0, options, "zerosLike") as never;
}

/** Creates a tensor of ones with the shape, dtype and memory order of another. */
export function onesLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return creation.fullLike(like, 1, options, "onesLike") as never;
}

/** Creates a tensor filled with a value, with the shape, dtype and memory order of another. */
export function fullLike<T extends Tensor, const O extends create.LikeOptions | undefined = undefined>(
  like: T,
  value: ScalarLike,
  options?: O,
): Like<T, O> {
  boot();
  return creation.fullLike(like, value, options) as never;
}

type RangeDType<A, O> = AskedOr<O, [A] extends [bigint] ? "int64" : DefaultDType>;

/** Returns 0, 1, ... up to, but not including, end. Numbers get the default dtype (float32), bigints int64. */
export function arange<A extends number | bigint, const O extends create.PlacedOptions | undefined = undefined>(
  end: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>>;
/** Returns start, start + step, ... up to, but not including, end. */
export function arange<A extends number | bigint, const O extends create.PlacedOptions | undefined = undefined>(
  start: A,
  end: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>>;
export function arange<A extends number | bigint, const O extends create.PlacedOptions | undefined = undefined>(
  start: A,
  end: A,
  step: A,
  options?: O,
): Tensor<[number], RangeDType<A, O>>;
export function arange(...args: readonly (number | bigint | create.PlacedOptions | undefined)[]): Tensor {
  boot();
  const items = args.map(plainArgument);
  const numbers = items.filter((item) => typeof item === "number" || typeof item === "bigint");
  const options = items.find((item) => item !== undefined && !numbers.includes(item as number)) as create.PlacedOptions;
  if (numbers.length === 0) throw ranges.noNumbers(args);
  const [first, end, step] = numbers as [number | bigint, ...(number | bigint)[]];
  if (end === undefined) return creation.arange(typeof first === "bigint" ? 0n : 0, first, undefined, options);
  return creation.arange(first, end, step, options);
}

/** Returns `steps` evenly spaced values from start to end, both included, or with `{ endpoint: false }` without end. */
export function linspace<const N extends number, const O extends ranges.SpaceOptions | undefined = undefined>(
  start: number,
  end: number,
  steps: N,
  options?: O,
): Tensor<Known<[N]>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.linspace(start, end, steps, options) as never;
}

/** Returns `steps` values from base^start to base^end, both included, evenly spaced on a logarithmic scale; with `{ endpoint: false }` without the last. The default base is 10. */
export function logspace<
  const N extends number,
  const O extends (ranges.SpaceOptions & { readonly base?: number }) | undefined = undefined,
>(start: number, end: number, steps: N, options?: O): Tensor<Known<[N]>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.logspace(start, end, steps, options) as never;
}

/** Creates the tensor whose element at (i, j, ...) is valueAt(i, j, ...). */
export function fromFunction<
  const S extends Shape,
  V extends Scalar,
  const O extends create.PlacedOptions | undefined = undefined,
>(
  shape: readonly [...S],
  valueAt: (...index: { [I in keyof S]: number }) => V,
  options?: O,
): Tensor<Known<S>, AskedOr<O, DTypeOfData<V>>> {
  boot();
  return creation.fromFunction(shape, valueAt as (...index: number[]) => V, options) as never;
}

type RandomOptions = create.ShapedOptions & random.RandomOptions;

/** Returns random numbers from the uniform distribution on [0, 1). */
export function rand<const S extends Shape, const O extends RandomOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.rand(shape, options) as never;
}

/** Returns random numbers from the standard normal distribution, with mean 0 and variance 1. */
export function randn<const S extends Shape, const O extends RandomOptions | undefined = undefined>(
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, DefaultDType>> {
  boot();
  return creation.randn(shape, options) as never;
}

/** Returns random integers low <= x < high: int32 for numbers, int64 for bigints. */
export function randint<
  A extends number | bigint,
  const S extends Shape,
  const O extends RandomOptions | undefined = undefined,
>(
  low: A,
  high: A,
  shape: readonly [...S],
  options?: O,
): Tensor<Known<S>, AskedOr<O, [A] extends [bigint] ? "int64" : "int32">> {
  boot();
  return creation.randint(low, high, shape, options) as never;
}

/** Returns a random permutation of the integers from 0 to count - 1, int32. */
export function permutation<
  const N extends number,
  const O extends (create.PlacedOptions & random.RandomOptions) | undefined = undefined,
>(count: N, options?: O): Tensor<Known<[N]>, AskedOr<O, "int32">> {
  boot();
  return creation.permutation(count, options) as never;
}

/** Same as permutation. */
export const randperm: typeof permutation = permutation;

type RandomLikeOptions = create.LikeOptions & random.RandomOptions;

/** Returns random numbers from the uniform distribution on [0, 1), with the shape, dtype and memory order of another tensor. */
export function randLike<T extends Tensor, const O extends RandomLikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return creation.randLike(like, options) as never;
}

/** Returns random numbers from the standard normal distribution, with the shape, dtype and memory order of another tensor. */
export function randnLike<T extends Tensor, const O extends RandomLikeOptions | undefined = undefined>(
  like: T,
  options?: O,
): Like<T, O> {
  boot();
  return creation.randnLike(like, options) as never;
}

type AnyFunction = (...args: never[]) => unknown;
type AnyTensor = Tensor<Shape, DType>;

/** Wraps a function so that it starts the library first. With `who`, null and symbols among the arguments throw an error that names it. */
const booted = <F extends AnyFunction>(make: F, who?: string): F =>
  ((...args: never[]) => {
    boot();
    if (who !== undefined) checkDefined(who, args);
    return make(...args);
  }) as F;

/** Creates a tensor from a message of `toMessage()`. */
export const fromMessage: (message: TensorMessage) => AnyTensor = /* @__PURE__ */ booted(ofMessage as never);
/** Creates a tensor over the memory of a DLPack descriptor, without a copy. The deleter runs when the last such tensor is freed. */
export const fromDLPack: (descriptor: DLTensor) => AnyTensor = /* @__PURE__ */ booted(overDLPack as never);
/** Returns `count` values of a geometric sequence from start to stop, both included, or with `{ endpoint: false }` without stop. */
export const geomspace: typeof numpyCreation.geomspace = /* @__PURE__ */ booted(numpyCreation.geomspace);
/** Creates a square matrix with ones on the diagonal and zeros elsewhere. */
export const identity: typeof numpyCreation.identity = /* @__PURE__ */ booted(numpyCreation.identity);
/** Creates a matrix with ones on and below a diagonal, by default the main one, and zeros above. */
export const tri: typeof numpyCreation.tri = /* @__PURE__ */ booted(numpyCreation.tri);

/** Creates a tensor with a layout or shape over a pointer, a typed array or an engine; with a dtype, it allocates its memory. Column-major by default, as in CuTe. */
export const makeTensor: typeof making.makeTensor = /* @__PURE__ */ booted(making.makeTensor);
/** Creates the tensor whose element at a coordinate is the coordinate itself. */
export const makeIdentityTensor: typeof like.makeIdentityTensor = /* @__PURE__ */ booted(like.makeIdentityTensor);
/** Creates the tensor of coordinates of a layout whose strides are coordinates. */
export const makeCoordTensor: typeof like.makeCoordTensor = /* @__PURE__ */ booted(like.makeCoordTensor);
/** Creates a tensor whose elements are a function of another's, computed when they are read. */
export const makeTransformTensor: typeof like.makeTransformTensor = /* @__PURE__ */ booted(like.makeTransformTensor);

/** Computes a formula over tensors and numbers, such as `elementwise("a * x + b", { a, x, b })`. Without operands, returns a kernel to call later. */
export const elementwise: typeof computed = /* @__PURE__ */ booted(computed);

/** Creates a library of user-defined ops and kernels. */
export const library: typeof libraries.library = /* @__PURE__ */ booted(libraries.library);
/** Returns the op with this name. User-defined ops are named "library.op". */
export const operatorNamed: typeof libraries.operatorNamed = /* @__PURE__ */ booted(libraries.operatorNamed);

/** Wraps the functions of a table so that they start the library first. Ops take tensors, which have started it. */
function started<T extends object>(table: T): T {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [
      name,
      typeof value !== "function" || "operator" in value ? value : booted(value as AnyFunction, name),
    ]),
  ) as T;
}

/** Discrete Fourier transforms. */
export const fft: typeof fourier = /* @__PURE__ */ started(fourier);

/** Window functions for signals: `windows.hann(512)`. */
export const windows: typeof shapes = /* @__PURE__ */ started(shapes);

/** Returns the row and column indices of the elements on and above a diagonal. */
export const triuIndices: typeof triangles.triuIndices = /* @__PURE__ */ booted(triangles.triuIndices, "triuIndices");
/** Returns the row and column indices of the elements on and below a diagonal. */
export const trilIndices: typeof triangles.trilIndices = /* @__PURE__ */ booted(triangles.trilIndices, "trilIndices");
/** Returns random numbers from the gamma distribution with shape parameter alpha and the given scale; the mean is alpha * scale. */
export const gamma: typeof gammas = /* @__PURE__ */ booted(gammas);

/** Wraps an op that may be called without tensors, so that it starts the library first. */
const startedOp = <F extends OpFunction>(op: F): F =>
  Object.assign(booted(op as never), { operator: op.operator }) as unknown as F;

/** Returns a one-hot row of numClasses elements for each class index; numClasses defaults to one more than the largest index. */
export const oneHot: typeof lookup.oneHot = /* @__PURE__ */ startedOp(lookup.oneHot);

/** Returns samples from normal distributions. mean and std are tensors or numbers; if both are numbers, pass a size. */
export const normal: typeof distributions.normal = /* @__PURE__ */ startedOp(distributions.normal);

export interface DrawOptions extends create.ShapedOptions {
  /** The source of random numbers, by default the default generator. */
  readonly generator?: Generator | undefined;
}

/** Returns random numbers from the uniform distribution on [low, high). */
export function uniform<const S extends Shape>(
  shape: readonly [...S],
  low = 0,
  high = 1,
  options: DrawOptions = {},
): Tensor<Known<S>, DType> {
  boot();
  return drawn("uniform", shape, options, (t, source) => draws.uniform_(t, low, high, source)) as never;
}

/** Returns random numbers from the exponential distribution with this rate. */
export function exponential<const S extends Shape>(
  shape: readonly [...S],
  rate = 1,
  options: DrawOptions = {},
): Tensor<Known<S>, DType> {
  boot();
  return drawn("exponential", shape, options, (t, source) => draws.exponential_(t, rate, source)) as never;
}

/** Adds a node that calls an op, by its name or function, and returns it. The types of its results follow from the arguments. */
export const addOp: typeof editing.addOp = /* @__PURE__ */ booted(editing.addOp);
/** Parses the text of a graph. Throws a GraphError if the text is not a graph, or the graph breaks a rule of `verifyGraph`. */
export const parseGraph: typeof parsing.parseGraph = /* @__PURE__ */ booted(parsing.parseGraph);
/** Parses the text of several graphs. Returns them by name. */
export const parseGraphs: typeof parsing.parseGraphs = /* @__PURE__ */ booted(parsing.parseGraphs);
/** Returns a copy of a graph in which every node that matches a rule is replaced, until no rule matches. */
export const rewrite: typeof rewriting.rewrite = /* @__PURE__ */ booted(rewriting.rewrite);
/** Runs a graph on tensors for its arguments, with the eager ops, one node at a time. It does not write to the tensors. */
export const runGraph: typeof interpreter.runGraph = /* @__PURE__ */ booted(interpreter.runGraph);
/** Returns the rules that a graph breaks; an empty list for a graph without faults. */
export const verifyGraph: typeof verifying.verifyGraph = /* @__PURE__ */ booted(verifying.verifyGraph);
