/** The compiler's knowledge of the results of ops: shapes broadcast, reduced and multiplied, dtypes promoted. */
import {
  add,
  average,
  convolve,
  type DType,
  digitize,
  exp,
  interp,
  matmul,
  outer,
  percentile,
  polyadd,
  polyder,
  polydiv,
  polyfit,
  polyint,
  polyval,
  quantile,
  roots,
  type Shape,
  sum,
  type Tensor,
  tensor,
  unwrap,
  where,
  zeros,
} from "stridewise";
import type { Equal, Expect } from "../support/types.ts";

declare const n: number;
declare const some: Tensor;

type Created<S extends Shape, D extends DType = "float32"> = Tensor<S, D>;

const matrix = zeros([2, 3]);
const row = zeros([3]);
const column = zeros([2, 1]);
const open = zeros([n, 3]);
const keptByTorchsName = matrix.sum(1, { keepdim: true });
const whole = zeros([3], { dtype: "int64" });
const bytes = zeros([3], { dtype: "uint8" });
const flags = zeros([3], { dtype: "bool" });
const wide = zeros([3], { dtype: "float64" });
const half = zeros([3], { dtype: "float16" });
const complexes = zeros([3], { dtype: "complex64" });

const added = matrix.add(row);
const outerSum = add(column, row);
const opened = open.mul(row);
const withNumber = whole.add(1);
const quotient = whole.div(2);
const promoted = whole.mul(half);
const widened = wide.add(complexes);
const integers = bytes.add(whole);
const bools = flags.add(1);
const compared = matrix.gt(row);
const functions = exp(whole);
const magnitude = complexes.abs();
const chosen = where(flags, whole, wide);
const totals = matrix.sum(1);
const kept = sum(matrix, 0, { keepdims: true });
const keptAll = matrix.sum({ keepdims: true });
const keptMost = matrix.max({ keepdims: true });
const keptMiddle = matrix.median({ keepdims: true });
const widely = sum(whole, { dtype: "float64" });
const last = matrix.mean(-1);
const everything = whole.sum();
const counted = bytes.sum(0);
const product = matmul(matrix, zeros([3, 5]));
const batched = zeros([4, 1, 2, 3]).matmul(zeros([7, 3, 5]));
const image = matrix.matmul(row);
const pairs = outer(row, zeros([4]));
const running = matrix.cumsum(0);
const unknown = some.add(matrix);
const same = matrix.add_(1);
const convolved = convolve(row, wide, { mode: "same" });
const between = interp(matrix, row, whole);
const phases = unwrap(matrix);
const atPoints = polyval(whole, matrix);
const fitted = polyfit(row, zeros([3, 4]), 1);
const fittedWhole = polyfit(whole, row, 1);
const rooted = roots(wide);
const divided = polydiv(whole, whole);
const averaged = average(matrix, 1, { weights: wide });
const averagedWhole = average(whole);
const middle = percentile(matrix, 50, 1);
const middleOfAll = quantile(wide, 0.5, { keepdims: true });
const several = percentile(matrix, [25, 50], 1);
const bins = digitize(matrix, row);

/** Each line holds, or does not compile. */
export type Checks = [
  Expect<Equal<typeof added, Created<[2, 3]>>>,
  Expect<Equal<typeof outerSum, Created<[2, 3]>>>,
  Expect<Equal<typeof opened, Created<[number, 3]>>>,
  Expect<Equal<typeof withNumber, Created<[3], "int64">>>,
  Expect<Equal<typeof quotient, Created<[3]>>>,
  Expect<Equal<typeof promoted, Created<[3], "float16">>>,
  Expect<Equal<typeof widened, Created<[3], "complex128">>>,
  Expect<Equal<typeof integers, Created<[3], "int64">>>,
  Expect<Equal<typeof bools, Created<[3]>>>,
  Expect<Equal<typeof compared, Created<[2, 3], "bool">>>,
  Expect<Equal<typeof functions, Created<[3]>>>,
  Expect<Equal<typeof magnitude, Created<[3]>>>,
  Expect<Equal<typeof chosen, Created<[3], "float64">>>,
  Expect<Equal<typeof totals, Created<[2]>>>,
  Expect<Equal<typeof kept, Created<[1, 3]>>>,
  Expect<Equal<typeof keptAll, Created<[1, 1]>>>,
  Expect<Equal<typeof keptMost, Created<[1, 1]>>>,
  Expect<Equal<typeof keptMiddle, Created<[1, 1]>>>,
  Expect<Equal<typeof widely, Created<[], "float64">>>,
  Expect<Equal<typeof last, Created<[2]>>>,
  Expect<Equal<typeof everything, Created<[], "int64">>>,
  Expect<Equal<typeof counted, Created<[], "int64">>>,
  Expect<Equal<typeof product, Created<[2, 5]>>>,
  Expect<Equal<typeof batched, Created<[4, 7, 2, 5]>>>,
  Expect<Equal<typeof image, Created<[2]>>>,
  Expect<Equal<typeof pairs, Created<[3, 4]>>>,
  Expect<Equal<typeof running, Created<[2, 3]>>>,
  Expect<Equal<(typeof unknown)["shape"], Shape>>,
  Expect<Equal<(typeof same)["shape"], [2, 3]>>,
  Expect<Equal<typeof convolved, Created<[number], "float64">>>,
  Expect<Equal<typeof between, Created<[2, 3]>>>,
  Expect<Equal<typeof phases, Created<[2, 3]>>>,
  Expect<Equal<typeof atPoints, Created<[2, 3]>>>,
  Expect<Equal<typeof fitted, Created<[number, 4]>>>,
  Expect<Equal<typeof fittedWhole, Created<[number], "float64">>>,
  Expect<Equal<typeof rooted, Created<[number], "complex128">>>,
  Expect<Equal<typeof divided.remainder, Created<[number]>>>,
  Expect<Equal<typeof averaged, Created<[2], "float64">>>,
  Expect<Equal<typeof averagedWhole, Created<[]>>>,
  Expect<Equal<typeof middle, Created<[2]>>>,
  Expect<Equal<typeof middleOfAll, Created<[1], "float64">>>,
  Expect<Equal<typeof several, Created<Shape>>>,
  Expect<Equal<typeof bins, Created<[2, 3], "int32">>>,
  Expect<Equal<typeof keptByTorchsName, Created<[2, 1]>>>,
];

// @ts-expect-error: sizes 3 and 4 differ
matrix.add(zeros([4]));
// @ts-expect-error: sizes 2 and 3 differ
add(zeros([2]), row);
// @ts-expect-error: an option that does not exist
matrix.sum(1, { keepDims: true });
// @ts-expect-error: neither a tensor nor a number
matrix.mul("2");
tensor([1]).add(tensor([2])) satisfies Created<[1]>;
polyadd(row, wide) satisfies Created<[number], "float64">;
polyder(wide) satisfies Created<[number], "float64">;
polyint(wide, 2, { k: 1 }) satisfies Created<[number], "float64">;
// @ts-expect-error: no such mode
convolve(row, row, { mode: "some" });
