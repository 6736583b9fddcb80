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
  /** beta * x + alpha * the sum over the batch of first @ second. */
  readonly addbmm: MethodOf<typeof matmul.addbmm>;
  /** beta * x + alpha * (first @ second), of matrices. */
  readonly addmm: MethodOf<typeof matmul.addmm>;
  /** beta * x + alpha * (matrix @ vector). */
  readonly addmv: MethodOf<typeof matmul.addmv>;
  /** beta * x + alpha * the outer product of two vectors. */
  readonly addr: MethodOf<typeof matmul.addr>;
  /** True if no element is 0. */
  readonly all: MethodOf<typeof reduce.all>;
  /** Returns true if all elements are close: |x - other| <= atol + rtol * |other|. */
  readonly allclose: MethodOf<typeof equal.allclose>;
  /** The largest element; NaN if one is NaN. */
  readonly amax: MethodOf<typeof reduce.amax>;
  /** The smallest element; NaN if one is NaN. */
  readonly amin: MethodOf<typeof reduce.amin>;
  /** The smallest and the largest element. */
  readonly aminmax: MethodOf<typeof reduce.aminmax>;
  /** True if one of the elements is not 0. */
  readonly any: MethodOf<typeof reduce.any>;
  /** The place of the largest element, the first of several; without an axis among all elements in row-major order. */
  readonly argmax: MethodOf<typeof reduce.argmax>;
  /** The place of the smallest element, the first of several; without an axis among all elements in row-major order. */
  readonly argmin: MethodOf<typeof reduce.argmin>;
  /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
  readonly argsort: MethodOf<typeof sorting.argsort>;
  /** beta * x + alpha * (first @ second), of batches of matrices. */
  readonly baddbmm: MethodOf<typeof matmul.baddbmm>;
  /** The products of two batches of matrices, which are of one size. */
  readonly bmm: MethodOf<typeof matmul.bmm>;
  /** How many elements are not 0. */
  readonly countNonzero: MethodOf<typeof reduce.countNonzero>;
  /** The largest element up to each along an axis, and its place. */
  readonly cummax: MethodOf<typeof scan.cummax>;
  /** The smallest element up to each along an axis, and its place. */
  readonly cummin: MethodOf<typeof scan.cummin>;
  /** The products of the elements up to each along an axis. */
  readonly cumprod: MethodOf<typeof scan.cumprod>;
  /** The sums of the elements up to each along an axis. */
  readonly cumsum: MethodOf<typeof scan.cumsum>;
  /** The sum of the products of two vectors' elements. */
  readonly dot: MethodOf<typeof matmul.dot>;
  /** Returns true if both tensors have the same shape and elements. */
  readonly equal: MethodOf<typeof equal.equal>;
  /** The elements backwards along these axes; a copy. */
  readonly flip: MethodOf<typeof rearrange.flip>;
  /** The columns in reverse order. */
  readonly fliplr: MethodOf<typeof rearrange.fliplr>;
  /** The rows in reverse order. */
  readonly flipud: MethodOf<typeof rearrange.flipud>;
  /** The element of x with the coordinate of each index, which takes the place of the coordinate on the axis. */
  readonly gather: MethodOf<typeof gathering.gather>;
  /** The rows of an axis with these indices, in their order. */
  readonly indexSelect: MethodOf<typeof gathering.indexSelect>;
  /** The products of the last axes of two tensors, for all combinations of their other axes. */
  readonly inner: MethodOf<typeof matmul.inner>;
  /** Returns the k-th smallest element along an axis, counted from 1, and its index. */
  readonly kthvalue: MethodOf<typeof sorting.kthvalue>;
  /** Returns the logarithm of softmax along an axis, computed without underflow. */
  readonly logSoftmax: MethodOf<typeof softmax.logSoftmax>;
  /** log(sum(exp(x))) of the elements up to each along an axis, without overflow. */
  readonly logcumsumexp: MethodOf<typeof scan.logcumsumexp>;
  /** log(sum(exp(x))), without overflow. */
  readonly logsumexp: MethodOf<typeof reduce.logsumexp>;
  /** The matrix product over the last two axes, batches broadcast; a tensor of one axis is a row on the left, a column on the right. */
  readonly matmul: MethodOf<typeof matmul.matmul>;
  /** The largest element; along an axis, with its place; or of two tensors the larger elements. */
  readonly max: MethodOf<typeof reduce.max>;
  /** The mean of the elements, which are floats. */
  readonly mean: MethodOf<typeof reduce.mean>;
  /** Returns the median of all elements, the lower of two; along an axis, the medians and their indices. */
  readonly median: MethodOf<typeof sorting.median>;
  /** The smallest element; along an axis, with its place; or of two tensors the smaller elements. */
  readonly min: MethodOf<typeof reduce.min>;
  /** The product of two matrices. */
  readonly mm: MethodOf<typeof matmul.mm>;
  /** Returns the most frequent element along an axis, the smallest of several, and its index. */
  readonly mode: MethodOf<typeof sorting.mode>;
  /** Returns the elements sorted along the first axis in ascending order. */
  readonly msort: MethodOf<typeof sorting.msort>;
  /** The product of a matrix and a vector. */
  readonly mv: MethodOf<typeof matmul.mv>;
  /** The mean of the elements that are no NaN. */
  readonly nanmean: MethodOf<typeof reduce.nanmean>;
  /** Returns the median of all elements, ignoring NaN; along an axis, the medians and their indices. */
  readonly nanmedian: MethodOf<typeof sorting.nanmedian>;
  /** The sum of the elements that are no NaN. */
  readonly nansum: MethodOf<typeof reduce.nansum>;
  /** The products of all pairs of elements of two vectors. */
  readonly outer: MethodOf<typeof matmul.outer>;
  /** The product of the elements; integers are multiplied as int64. */
  readonly prod: MethodOf<typeof reduce.prod>;
  /** The tensor so many times along each axis; more numbers than axes add axes in front. */
  readonly repeat: MethodOf<typeof rearrange.repeat>;
  /** The elements moved along axes by so many places, those that leave at one end coming in at the other; without axes, of all in a row. */
  readonly roll: MethodOf<typeof rearrange.roll>;
  /** The tensor turned by 90 degrees, k times, in the plane of two axes, from the first towards the second. */
  readonly rot90: MethodOf<typeof rearrange.rot90>;
  /** Returns exp(x) divided by the sum of exp(x) along an axis, computed without overflow. */
  readonly softmax: MethodOf<typeof softmax.softmax>;
  /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
  readonly sort: MethodOf<typeof sorting.sort>;
  /** The standard deviation, the root of the variance. */
  readonly std: MethodOf<typeof reduce.std>;
  /** The sum of the elements; integers are added up as int64. */
  readonly sum: MethodOf<typeof reduce.sum>;
  /** The elements of x with these indices in row-major order, in the shape of the index. */
  readonly take: MethodOf<typeof gathering.take>;
  /** gather with x and the indices broadcast against each other, or without an axis, of all elements in row-major order. */
  readonly takeAlongDim: MethodOf<typeof gathering.takeAlongDim>;
  /** The tensor so many times along each axis; missing numbers in front are 1. */
  readonly tile: MethodOf<typeof rearrange.tile>;
  /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
  readonly topk: MethodOf<typeof sorting.topk>;
  /** The variance, computed stably; divided by one less than the number of elements unless `correction` says otherwise. */
  readonly var: MethodOf<typeof reduce.var>;
  /** The variance, computed stably; divided by one less than the number of elements unless `correction` says otherwise. */
  readonly variance: MethodOf<typeof reduce.variance>;
  /** The sum of the products of two vectors' elements, those of the first conjugated. */
  readonly vdot: MethodOf<typeof matmul.vdot>;
  /** The norm of the elements as a vector: the root of the sum of squares, or with `ord` another one. */
  readonly vectorNorm: MethodOf<typeof reduce.vectorNorm>;
}
