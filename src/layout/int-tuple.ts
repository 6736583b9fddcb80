/** The entry `stridewise/tuple`: structure, arithmetic and comparison of nested tuples of integers, such as shapes and coordinates. */
export { addBasis, scaleBasis } from "./basis.ts";
export { type Int, int, isInt, isStaticInt, type Static, valueOf } from "./int.ts";
export { append, flatten, group, prepend, replace, select, take, unflatten, zip } from "./modes.ts";
export {
  ceilDiv,
  colexLeq,
  colexLess,
  compatible,
  congruent,
  elemLeq,
  elemLess,
  elemScale,
  innerProduct,
  lexLeq,
  lexLess,
  prefixProduct,
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
