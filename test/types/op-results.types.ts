/** The compiler's knowledge of joined, convolved, pooled and selected tensors: shapes, dtypes, and the messages for mistakes. */
import {
  adaptiveAvgPool2d,
  cat,
  conv1d,
  conv2d,
  convTranspose2d,
  crossEntropy,
  cumsum,
  type DType,
  einsum,
  flip,
  interpolate,
  linear,
  maxPool2d,
  type Shape,
  stack,
  type Tensor,
  tensor,
  vstack,
  where,
  zeros,
} from "stridewise";
import type { Equal, Expect } from "../support/types.ts";

type Made<S extends Shape, D extends DType = "float32"> = Tensor<S, D>;

declare const some: Tensor;
declare const list: Tensor<[2, 3], "float32">[];
declare const n: number;

const matrix = zeros([2, 3]);
const image = zeros([1, 3, 8, 8]);
const weight = zeros([16, 3, 3, 3]);
const whole = zeros([2, 5], { dtype: "int64" });

const joined = cat([matrix, zeros([4, 3])]);
const joinedColumns = cat([matrix, whole], 1);
const joinedOpen = cat([zeros([n, 3]), matrix]);
const joinedEmpty = cat([tensor([]), matrix] as [Made<[0]>, typeof matrix]);
const joinedList = cat(list);
const joinedSome = cat([some, matrix]);
const stacked = stack([matrix, matrix, matrix], -1);
const stackedList = stack(list);
const rows = vstack([matrix, matrix]);
const convolved = conv2d(image, weight);
const same = conv2d(image, weight, null, { padding: "same" });
const strided = conv2d(image, weight, null, { stride: 2 });
const single = conv1d(zeros([3, 10]), zeros([4, 3, 3]));
const unknown = conv2d(some, weight);
const transposed = convTranspose2d(image, zeros([3, 5, 2, 2]));
const pooled = maxPool2d(image, 2);
const found = maxPool2d(image, 2, { returnIndices: true });
const adaptive = adaptiveAvgPool2d(image, 1);
const larger = interpolate(image, { scaleFactor: 2 });
const product = einsum("bij, bjk -> bik", zeros([4, 2, 3]), zeros([4, 3, 5]));
const trace = einsum("ii->", zeros([3, 3]));
const implicit = einsum("ij,jk", matrix, zeros([3, 4]));
const listed = einsum("ij->ji", [matrix]);
const chosen = matrix.where(matrix.gt(0), 0);
const chosenWide = where(matrix.gt(0), matrix, zeros([3], { dtype: "float64" }));
const mapped = linear(matrix, zeros([7, 3]));
const largest = matrix.max(1);
const both = matrix.max(zeros([3], { dtype: "float64" }));
const top = matrix.topk(2, 0);
const loss: number = crossEntropy(matrix, zeros([2], { dtype: "int64" })).item();

// @ts-expect-error cat: sizes must match except along axis 0, got [2,3] and [2,4]
cat([matrix, zeros([2, 4])]);
// @ts-expect-error cat: tensors must have the same rank, got [2,3] and [2]
cat([matrix, zeros([2])]);
// @ts-expect-error cat: axis 2 is out of range for rank 2: [2,3]
cat([matrix], 2);
// @ts-expect-error stack: tensors must have the same shape, got [2,3] and [3,2]
stack([matrix, zeros([3, 2])]);
// @ts-expect-error conv2d: the input has 4 channels and the weight is for 3
conv2d(zeros([1, 4, 8, 8]), weight);
// @ts-expect-error einsum: j has the sizes 3 and 4
einsum("ij,jk->ik", matrix, zeros([4, 5]));
// @ts-expect-error einsum: ijk has more letters than [2,3] has axes
einsum("ijk->ij", matrix);
// @ts-expect-error einsum: 2 terms for 1 operands
einsum("ij,jk->ik", matrix);
// @ts-expect-error linear: x has 3 features and the weight is for 4
linear(matrix, zeros([7, 4]));
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
matrix.sum(2);
// @ts-expect-error axis -3 is out of range for rank 2: [2,3]
matrix.mean([0, -3]);
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
matrix.softmax(2);
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
matrix.sort(2);
// @ts-expect-error axis 3 is out of range for rank 2: [2,3]
flip(matrix, [0, 3]);
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
cumsum(matrix, 2);
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
matrix.max(2);

export type Claims = [
  Expect<Equal<typeof joined, Made<[6, 3]>>>,
  Expect<Equal<typeof joinedColumns, Made<[2, 8]>>>,
  Expect<Equal<typeof joinedOpen, Made<[number, 3]>>>,
  Expect<Equal<typeof joinedEmpty, Made<[2, 3]>>>,
  Expect<Equal<typeof joinedList, Made<Shape>>>,
  Expect<Equal<typeof joinedSome, Made<Shape, DType>>>,
  Expect<Equal<typeof stacked, Made<[2, 3, 3]>>>,
  Expect<Equal<typeof stackedList, Made<Shape>>>,
  Expect<Equal<typeof rows, Made<Shape>>>,
  Expect<Equal<typeof convolved, Made<[1, 16, 6, 6]>>>,
  Expect<Equal<typeof same, Made<[1, 16, 8, 8]>>>,
  Expect<Equal<typeof strided, Made<[1, 16, number, number]>>>,
  Expect<Equal<typeof single, Made<[4, 8]>>>,
  Expect<Equal<typeof unknown, Made<Shape, DType>>>,
  Expect<Equal<typeof transposed, Made<[1, number, number, number]>>>,
  Expect<Equal<typeof pooled, Made<[1, 3, number, number]>>>,
  Expect<Equal<typeof found.indices, Tensor<[1, 3, number, number], "int32">>>,
  Expect<Equal<typeof adaptive, Made<[1, 3, number, number]>>>,
  Expect<Equal<typeof larger, Made<Shape>>>,
  Expect<Equal<typeof product, Made<[4, 2, 5]>>>,
  Expect<Equal<typeof trace, Made<[]>>>,
  Expect<Equal<typeof implicit, Made<Shape>>>,
  Expect<Equal<typeof listed, Made<[3, 2]>>>,
  Expect<Equal<typeof chosen, Made<[2, 3]>>>,
  Expect<Equal<typeof chosenWide, Made<[2, 3], "float64">>>,
  Expect<Equal<typeof mapped, Made<[2, 7]>>>,
  Expect<Equal<typeof largest.values, Tensor<[2], "float32">>>,
  Expect<Equal<typeof both, Made<[2, 3], "float64">>>,
  Expect<Equal<typeof top.values, Made<[2, 3]>>>,
  Expect<Equal<typeof loss, number>>,
];
