/** The compiler's knowledge of joined, convolved, pooled and selected tensors: shapes, dtypes, and the messages for mistakes. */
import {
  adaptiveAvgPool2d,
  bincount,
  cat,
  conv1d,
  conv2d,
  convTranspose2d,
  crossEntropy,
  cumsum,
  type DType,
  einsum,
  flip,
  gradOf,
  hvp,
  interpolate,
  jacobian,
  jvp,
  linear,
  maxPool2d,
  type Shape,
  stack,
  type Tensor,
  tensor,
  tril,
  valueAndGrad,
  vjp,
  vmap,
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
const filled = matrix.maskedFill(matrix.gt(0), 0);
const filledRows = zeros([n, 3]).maskedFill(zeros([n, 1]).eq(0), 0);
const filledSome = matrix.maskedFill(some, 0);
const gathered = matrix.gather(1, zeros([2, 1], { dtype: "int32" }));
const selected = matrix.indexSelect(1, [0, 2]);
const selectedSome = matrix.indexSelect("height", some);
const counted = bincount(whole.flatten());
const weighted = bincount(whole.flatten(), { weights: zeros([10]) });
/** Functions of tensors of known shapes, as arguments of transforms. */
const energy = (x: Made<[3]>, y: Made<[2, 3]>) => y.matmul(x).sum();
const [vector, three] = [zeros([3]), (x: Made<[3]>) => x.exp()];
const slope = gradOf(energy)(vector, matrix);
const second = gradOf((x: Made<[3]>) => gradOf((y: Made<[3]>) => y.sum())(x).sum())(vector);
const pulled = vjp(energy, [vector, matrix]);
const pushed = jvp(three, vector, vector);
const both2 = valueAndGrad(energy, vector, matrix);
const inferred = valueAndGrad((x) => x.sum(), vector);
const rowsOf = jacobian(three, vector);
const curved = hvp((x: Made<[3]>) => x.sum(), vector, vector);
const perSample = vmap(three)(matrix);
/** A variable that holds the results of ops in turn. */
let scores = zeros([n, n]);
scores = scores.matmul(scores).mul(0.5);
scores = scores.maskedFill(tril(zeros([n, n])).eq(0), 0).softmax(-1);
scores = scores.gather(0, scores.argsort(0));
const mapped = linear(matrix, zeros([7, 3]));
const largest = matrix.max(1);
const both = matrix.max(zeros([3], { dtype: "float64" }));
const top = matrix.topk(2, 0);
const loss: number = crossEntropy(matrix, zeros([2], { dtype: "int64" })).item();

// @ts-expect-error where: the condition must be bool, got float32. Use ne(condition, 0)
where(matrix, matrix, 0);
// @ts-expect-error maskedFill: the condition must be bool, got int64. Use ne(condition, 0)
whole.maskedFill(whole, 0);
// @ts-expect-error einsum: j has the sizes 3 and 4
einsum("ij,jk", matrix, zeros([4, 5]));
// @ts-expect-error axis 2 is out of range for rank 2: [2,3]
matrix.indexSelect(2, [0]);
// @ts-expect-error a function of vectors is not applied to a matrix
jvp(three, matrix, matrix);
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
  Expect<Equal<typeof filled, Made<[2, 3]>>>,
  Expect<Equal<typeof filledRows, Made<[number, 3]>>>,
  Expect<Equal<typeof filledSome, Made<Shape>>>,
  Expect<Equal<typeof gathered, Made<[2, 1]>>>,
  Expect<Equal<typeof selected, Made<[2, 2]>>>,
  Expect<Equal<typeof selectedSome, Made<[number, number]>>>,
  Expect<Equal<typeof counted, Made<Shape, "int64">>>,
  Expect<Equal<typeof weighted, Made<Shape, "float32" | "float64">>>,
  Expect<Equal<typeof slope, Made<[3]>>>,
  Expect<Equal<typeof second, Made<[3]>>>,
  Expect<Equal<typeof pulled.value, Made<[]>>>,
  Expect<Equal<typeof pulled.gradients, [Made<[3]>, Made<[2, 3]>]>>,
  Expect<Equal<typeof pushed.tangent, Made<[3]>>>,
  Expect<Equal<typeof both2.gradients, [Made<[3]>, Made<[2, 3]>]>>,
  Expect<Equal<typeof inferred.gradients, [Made<[3]>]>>,
  Expect<Equal<typeof rowsOf, Made<Shape>>>,
  Expect<Equal<typeof curved, Made<[3]>>>,
  Expect<Equal<typeof perSample, Made<Shape>>>,
  Expect<Equal<typeof scores, Made<[number, number]>>>,
  Expect<Equal<typeof mapped, Made<[2, 7]>>>,
  Expect<Equal<typeof largest.values, Tensor<[2], "float32">>>,
  Expect<Equal<typeof both, Made<[2, 3], "float64">>>,
  Expect<Equal<typeof top.values, Made<[2, 3]>>>,
  Expect<Equal<typeof loss, number>>,
];
