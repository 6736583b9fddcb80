/** Nested tuples of integers, as shapes and coordinates are: `stridewise/tuple`. Structure, arithmetic, comparison. */
export { addBasis, scaleBasis } from "./basis-sum.ts";
export { prefixProduct } from "./compact.ts";
export { colexLeq, colexLess, elemLeq, elemLess, lexLeq, lexLess } from "./compare.ts";
export { type Int, int, isInt, isStaticInt, type Static, valueOf } from "./int.ts";
export { append, flatten, group, prepend, replace, select, take, unflatten, zip } from "./modes.ts";
export {
  ceilDiv,
  compatible,
  congruent,
  elemScale,
  innerProduct,
  roundUp,
  shapeDiv,
  weaklyCongruent,
} from "./shape.ts";
export {
  fold,
  type IntTuple,
  leaves,
  mapLeaves,
  type Nested,
  product,
  productEach,
  productLike,
  reverse,
  sum,
  transform,
  tupleMax,
} from "./tuple.ts";
