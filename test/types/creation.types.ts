/**
 * The compiler's knowledge of created tensors: literal shapes if the code shows them, the requested dtype or that of
 * the data, and the arrays that tensors convert to.
 */
import {
  arange,
  constant,
  type DType,
  eye,
  fromBuffer,
  fromFunction,
  full,
  linspace,
  permutation,
  rand,
  randint,
  type Shape,
  type Tensor,
  tensor,
  zeros,
  zerosLike,
} from "stridewise";
import type { Complex } from "stridewise/storage";
import type { Equal, Expect } from "../support/types.ts";

declare const n: number;
declare const sizes: number[];
declare const dtype: DType;
declare const some: Tensor;
declare const buffer: ArrayBuffer;

type Created<S extends Shape, D extends DType = "float32"> = Tensor<S, D>;

const matrix = zeros([2, 3]);
const half = zeros([n, 3], { dtype: "float16" });
const withDType = zeros(sizes, { dtype });
const fixed = zeros([2], { constant: true });
const flags = full([2], true);
const bigs = full([2], 1n, { dtype: "uint64" });
const ofTensor = full([4], half);
const scalar = constant(5n);
const square = eye(3);
const wide = eye(3, 4, { dtype: "int8" });
const floats = arange(5);
const longs = arange(0n, 5n);
const steps = linspace(0, 1, 5);
const table = fromFunction([2, 3], (i, j) => i === j);
const random = rand([2], { dtype: "float64" });
const die = randint(1, 7, [2]);
const order = permutation(4);
const like = zerosLike(half);
const likeWithDType = zerosLike(half, { dtype: "bool" });
const mine = fromBuffer(new Float64Array(6), { shape: [2, 3] });
const bytes = fromBuffer(new Uint8Array(6));
const raw = fromBuffer(buffer, { dtype: "int16" });
const copied = tensor(matrix);
const converted = tensor(matrix, { dtype: "int8" });
const view = new Float32Array(buffer);
const ofView = tensor(new Float32Array(buffer));

export type Creation = [
  Expect<Equal<typeof matrix, Created<[2, 3]>>>,
  Expect<Equal<typeof half, Created<[number, 3], "float16">>>,
  Expect<Equal<typeof withDType, Created<number[], DType>>>,
  Expect<Equal<typeof fixed, Created<[2]>>>,
  Expect<Equal<typeof flags, Created<[2], "bool">>>,
  Expect<Equal<typeof bigs, Created<[2], "uint64">>>,
  Expect<Equal<typeof ofTensor, Created<[4], "float16">>>,
  Expect<Equal<typeof scalar, Created<[], "int64">>>,
  Expect<Equal<typeof square, Created<[3, 3]>>>,
  Expect<Equal<typeof wide, Created<[3, 4], "int8">>>,
  Expect<Equal<typeof floats, Created<[number]>>>,
  Expect<Equal<typeof longs, Created<[number], "int64">>>,
  Expect<Equal<typeof steps, Created<[5]>>>,
  Expect<Equal<typeof table, Created<[2, 3], "bool">>>,
  Expect<Equal<typeof random, Created<[2], "float64">>>,
  Expect<Equal<typeof die, Created<[2], "int32">>>,
  Expect<Equal<typeof order, Created<[4], "int32">>>,
  Expect<Equal<typeof like, Created<[number, 3], "float16">>>,
  Expect<Equal<typeof likeWithDType, Created<[number, 3], "bool">>>,
  Expect<Equal<typeof mine, Created<[2, 3], "float64">>>,
  Expect<Equal<typeof bytes, Created<[number], "uint8">>>,
  Expect<Equal<typeof raw, Created<[number], "int16">>>,
  Expect<Equal<typeof copied, Created<[2, 3]>>>,
  Expect<Equal<typeof converted, Created<[2, 3], "int8">>>,
  Expect<Equal<typeof ofView, Created<[number]>>>,
];

const nested = matrix.toArray();
const element = scalar.toArray({ bigint: true });
const flat = half.toTypedArray();
const bits = half.rawView().array;
const pairs = zeros([1], { dtype: "complex64" }).toArray();
const unknownDepth = some.toArray();
const anyArray = some.toTypedArray();

export type Conversion = [
  Expect<Equal<typeof nested, number[][]>>,
  Expect<Equal<typeof element, bigint>>,
  Expect<Equal<typeof flat, Float32Array<ArrayBuffer>>>,
  Expect<Equal<typeof bits, Uint16Array>>,
  Expect<Equal<typeof pairs, Complex[]>>,
  Expect<Equal<typeof unknownDepth, unknown> extends true ? false : true>,
  Expect<Equal<typeof view.length, (typeof anyArray)["length"]>>,
];

/**
 * The result of `toTypedArray` for each dtype: an array in its own buffer, which can be posted, saved and put into a
 * Blob.
 */
interface OwnArrays {
  bool: Uint8Array<ArrayBuffer>;
  uint8: Uint8Array<ArrayBuffer>;
  int8: Int8Array<ArrayBuffer>;
  int16: Int16Array<ArrayBuffer>;
  uint16: Uint16Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  uint32: Uint32Array<ArrayBuffer>;
  int64: BigInt64Array<ArrayBuffer>;
  uint64: BigUint64Array<ArrayBuffer>;
  float16: Float32Array<ArrayBuffer>;
  bfloat16: Float32Array<ArrayBuffer>;
  float32: Float32Array<ArrayBuffer>;
  float64: Float64Array<ArrayBuffer>;
  complex64: Float32Array<ArrayBuffer>;
  complex128: Float64Array<ArrayBuffer>;
}
declare const ofDType: <D extends DType>(dtype: D) => Tensor<[2], D>;
type Arrays = {
  [D in DType]: ReturnType<typeof toOwn<D>>;
};
function toOwn<D extends DType>(dtype: D) {
  return ofDType(dtype).toTypedArray();
}
export type OwnMemory = [Expect<Equal<Arrays, OwnArrays>>, Expect<Equal<(typeof anyArray)["buffer"], ArrayBuffer>>];
export const blob = new Blob([anyArray]);

// The depth of the arrays of an unknown shape is known at run time only.
export const depths: Equal<ReturnType<typeof some.toArray>, unknown> = false;
// @ts-expect-error the depth is not known
export const rows: readonly number[][] = some.toArray();
export const firstOf = (t: Tensor): Tensor => [...t][0] ?? t;
// @ts-expect-error rows of two lengths
tensor([[1, 2], [3]]);
// @ts-expect-error a size is a number
zeros(["2"]);
// @ts-expect-error unknown dtype
zeros([2], { dtype: "float" });
