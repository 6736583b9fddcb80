/**
 * Ops as methods of tensors, each with the sentence of its op. No run-time code.
 * Made from the code: `npx vitest run test/golden/method-types.test.ts --update=all` writes it anew.
 */
import type * as softmax from "./composite/softmax.ts";
import type * as matmul from "./contract/matmul.ts";
import type * as gathering from "./movement/gather.ts";
import type * as rearrange from "./movement/rearrange.ts";
import type { MethodOf } from "./op-types.ts";
import type * as reduce from "./reduce/reduce.ts";
import type * as scan from "./reduce/scan.ts";
import type * as equal from "./routine/equal-ops.ts";
import type * as sorting from "./routine/sort-ops.ts";

/** Ops as methods of tensors. */
export interface Methods {
  /** Returns beta * x + alpha * (first @ second) summed over the batch. */
  readonly addbmm: MethodOf<typeof matmul.addbmm>;
  /** Returns beta * x + alpha * (first @ second) for matrices. */
  readonly addmm: MethodOf<typeof matmul.addmm>;
  /** Returns beta * x + alpha * (first @ second) for a matrix and a vector. */
  readonly addmv: MethodOf<typeof matmul.addmv>;
  /** Returns beta * x + alpha * outer(first, second) for vectors. */
  readonly addr: MethodOf<typeof matmul.addr>;
  /** Tests whether all elements are nonzero. */
  readonly all: MethodOf<typeof reduce.all>;
  /** Returns true if all elements are close: |x - other| <= atol + rtol * |other|. */
  readonly allclose: MethodOf<typeof equal.allclose>;
  /** Returns the maximum of all elements, or over the given axes; NaN if any element is NaN. */
  readonly amax: MethodOf<typeof reduce.amax>;
  /** Returns the minimum of all elements, or over the given axes; NaN if any element is NaN. */
  readonly amin: MethodOf<typeof reduce.amin>;
  /** Returns the minimum and the maximum of all elements, or over the given axes. */
  readonly aminmax: MethodOf<typeof reduce.aminmax>;
  /** Tests whether any element is nonzero. */
  readonly any: MethodOf<typeof reduce.any>;
  /** Returns the index of the maximum along an axis, or in the flattened tensor; the first one if there are several. */
  readonly argmax: MethodOf<typeof reduce.argmax>;
  /** Returns the index of the minimum along an axis, or in the flattened tensor; the first one if there are several. */
  readonly argmin: MethodOf<typeof reduce.argmin>;
  /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
  readonly argsort: MethodOf<typeof sorting.argsort>;
  /** Returns beta * x + alpha * (first @ second) for batches of matrices. */
  readonly baddbmm: MethodOf<typeof matmul.baddbmm>;
  /** Returns the products of two batches of matrices with the same batch size. */
  readonly bmm: MethodOf<typeof matmul.bmm>;
  /** Counts the nonzero elements. */
  readonly countNonzero: MethodOf<typeof reduce.countNonzero>;
  /** Returns the cumulative maximum of elements along an axis, and the indices of the maxima. */
  readonly cummax: MethodOf<typeof scan.cummax>;
  /** Returns the cumulative minimum of elements along an axis, and the indices of the minima. */
  readonly cummin: MethodOf<typeof scan.cummin>;
  /** Returns the cumulative product of elements along an axis. */
  readonly cumprod: MethodOf<typeof scan.cumprod>;
  /** Returns the cumulative sum of elements along an axis. */
  readonly cumsum: MethodOf<typeof scan.cumsum>;
  /** Returns the dot product of two vectors. */
  readonly dot: MethodOf<typeof matmul.dot>;
  /** Returns true if both tensors have the same shape and elements. */
  readonly equal: MethodOf<typeof equal.equal>;
  /** Reverses the order of elements along the given axes; the result is a copy. */
  readonly flip: MethodOf<typeof rearrange.flip>;
  /** Reverses the order of columns. */
  readonly fliplr: MethodOf<typeof rearrange.fliplr>;
  /** Reverses the order of rows. */
  readonly flipud: MethodOf<typeof rearrange.flipud>;
  /** Gathers elements along an axis: each index replaces the coordinate on that axis. */
  readonly gather: MethodOf<typeof gathering.gather>;
  /** Selects slices along an axis by index. The result is a copy. */
  readonly indexSelect: MethodOf<typeof gathering.indexSelect>;
  /** Returns the inner products over the last axes of two tensors, for all combinations of their other axes. */
  readonly inner: MethodOf<typeof matmul.inner>;
  /** Returns the Kronecker product of two tensors. */
  readonly kron: MethodOf<typeof matmul.kron>;
  /** Returns the k-th smallest element along an axis, counted from 1, and its index. */
  readonly kthvalue: MethodOf<typeof sorting.kthvalue>;
  /** Returns the logarithm of softmax along an axis, computed without underflow. */
  readonly logSoftmax: MethodOf<typeof softmax.logSoftmax>;
  /** Returns the cumulative log-sum-exp of elements along an axis, without overflow. */
  readonly logcumsumexp: MethodOf<typeof scan.logcumsumexp>;
  /** Returns the logarithm of the sum of exponentials, log(sum(exp(x))), without overflow. */
  readonly logsumexp: MethodOf<typeof reduce.logsumexp>;
  /** Returns the matrix product over the last two axes; batches are broadcast, and a vector is a row on the left, a column on the right. */
  readonly matmul: MethodOf<typeof matmul.matmul>;
  /** Returns the maximum of all elements, the maxima along an axis and their indices, or the elementwise maximum of two tensors. */
  readonly max: MethodOf<typeof reduce.max>;
  /** Returns the mean of all elements, or over the given axes, of a floating point or complex tensor. */
  readonly mean: MethodOf<typeof reduce.mean>;
  /** Returns the median of all elements, the lower of two; along an axis, the medians and their indices. */
  readonly median: MethodOf<typeof sorting.median>;
  /** Returns the minimum of all elements, the minima along an axis and their indices, or the elementwise minimum of two tensors. */
  readonly min: MethodOf<typeof reduce.min>;
  /** Returns the product of two matrices. */
  readonly mm: MethodOf<typeof matmul.mm>;
  /** Returns the most frequent element along an axis, the smallest of several, and its index. */
  readonly mode: MethodOf<typeof sorting.mode>;
  /** Returns the elements sorted along the first axis in ascending order. */
  readonly msort: MethodOf<typeof sorting.msort>;
  /** Returns the product of a matrix and a vector. */
  readonly mv: MethodOf<typeof matmul.mv>;
  /** Returns the mean of all elements that are not NaN. */
  readonly nanmean: MethodOf<typeof reduce.nanmean>;
  /** Returns the median of all elements, ignoring NaN; along an axis, the medians and their indices. */
  readonly nanmedian: MethodOf<typeof sorting.nanmedian>;
  /** Returns the sum of all elements, treating NaN as 0. */
  readonly nansum: MethodOf<typeof reduce.nansum>;
  /** Returns the outer product of two vectors. */
  readonly outer: MethodOf<typeof matmul.outer>;
  /** Returns the product of all elements, or over the given axes; integers are multiplied as int64. */
  readonly prod: MethodOf<typeof reduce.prod>;
  /** Repeats the tensor along each axis; if there are more numbers than axes, axes are added in front. */
  readonly repeat: MethodOf<typeof rearrange.repeat>;
  /** Rolls elements along axes; those shifted past the end reappear at the start. Without axes, the tensor is rolled as if flattened. */
  readonly roll: MethodOf<typeof rearrange.roll>;
  /** Rotates the tensor k times by 90 degrees in the plane of two axes, from the first towards the second. */
  readonly rot90: MethodOf<typeof rearrange.rot90>;
  /** Returns exp(x) divided by the sum of exp(x) along an axis, computed without overflow. */
  readonly softmax: MethodOf<typeof softmax.softmax>;
  /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
  readonly sort: MethodOf<typeof sorting.sort>;
  /** Returns the standard deviation, with Bessel's correction unless another `correction` is given. */
  readonly std: MethodOf<typeof reduce.std>;
  /** Returns the sum of all elements, or over the given axes; integers are summed as int64. */
  readonly sum: MethodOf<typeof reduce.sum>;
  /** Returns the elements of x at the given indices in row-major order, in the shape of the index. */
  readonly take: MethodOf<typeof gathering.take>;
  /** Gathers elements along an axis, with x and the indices broadcast against each other; without an axis, both are flattened. */
  readonly takeAlongDim: MethodOf<typeof gathering.takeAlongDim>;
  /** Repeats the tensor along each axis; missing leading numbers count as 1. */
  readonly tile: MethodOf<typeof rearrange.tile>;
  /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
  readonly topk: MethodOf<typeof sorting.topk>;
  /** Returns the variance, with Bessel's correction unless another `correction` is given. */
  readonly var: MethodOf<typeof reduce.var>;
  /** Returns the variance, with Bessel's correction unless another `correction` is given. */
  readonly variance: MethodOf<typeof reduce.variance>;
  /** Returns the dot product of two vectors, with the first one conjugated. */
  readonly vdot: MethodOf<typeof matmul.vdot>;
  /** Returns the vector norm of order `ord` of all elements, or over the given axes. The default order 2 is the square root of the sum of squares. */
  readonly vectorNorm: MethodOf<typeof reduce.vectorNorm>;
}
