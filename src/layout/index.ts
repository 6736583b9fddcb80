/**
 * The layout algebra: `stridewise/layout`. Stands alone; knows no tensors.
 * Arithmetic of shapes as such is `stridewise/tuple`, reading layouts from text `stridewise/notation`, derivations step
 * by step `stridewise/explain`.
 */
export { LayoutError, type Refusal, ShapeError, StridewiseError } from "../base/errors.ts";
export { E, isBasis, type ScaledBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
export { coalesce, filter, filterZeros, type Mode } from "./coalesce.ts";
export { compactColMajor, compactOrder, compactRowMajor } from "./compact.ts";
export { ceilDivLayout, complement, evenlyDivides } from "./complement.ts";
export { composition, isAdmissible } from "./composition.ts";
export {
  _0,
  _1,
  _2,
  _3,
  _4,
  _5,
  _6,
  _7,
  _8,
  _9,
  _10,
  _12,
  _16,
  _32,
  _64,
  _128,
  _256,
  _512,
  _1024,
} from "./constants.ts";
export { _, type Coord, crd2crd, crd2idx, idx2crd, isUnderscore, type SliceCoord, type Underscore } from "./coord.ts";
export { flatDivide, logicalDivide, tiledDivide, withShape, zippedDivide } from "./divide.ts";
export { formatLayout, formatTuple } from "./format.ts";
export { type Int, int, isInt, isStaticInt, Static, valueOf } from "./int.ts";
export {
  type AnyLayout,
  type ComposedLayout,
  concatenate,
  GenColMajor,
  GenRowMajor,
  isComposed,
  isLayout,
  type Layout,
  LayoutLeft,
  LayoutRight,
  makeComposedLayout,
  makeFragmentLike,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
  makeOrderedLayout,
} from "./layout.ts";
export { leftInverse } from "./left-inverse.ts";
export {
  append,
  dice,
  flatten,
  group,
  prepend,
  replace,
  select,
  slice,
  take,
  unflatten,
  zip,
} from "./modes.ts";
export { innerPartition, localPartition, localTile, outerPartition, type Partition } from "./partition.ts";
export { areDisjoint, isBijective, isCompact, isInjective } from "./predicates.ts";
export {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from "./product.ts";
export {
  coordAt,
  coprofile,
  coshape,
  cosize,
  cosizeInt,
  depth,
  domain,
  equalLayouts,
  isStatic,
  modeOf,
  offsetAt,
  offsets,
  rank,
  shapeOf,
  size,
  sizeInt,
  strideOf,
} from "./queries.ts";
export { downcast, maxAlignment, recastLayout, upcast } from "./recast.ts";
export { domainDistribute, maxCommonLayout, maxCommonVector, nullspace, rightInverse } from "./right-inverse.ts";
export { ceilDiv, compatible, congruent, weaklyCongruent } from "./shape.ts";
export { applySwizzle, isSwizzle, type Swizzle, swizzle, swizzleFromMasks, swizzleMasks } from "./swizzle.ts";
export { asPlain, sliceAndOffset } from "./swizzled.ts";
export type { Tiler } from "./tiler.ts";
export type { Step } from "./trace.ts";
export { type IntTuple, leaves, type Nested } from "./tuple.ts";
export type { Assert, DepthOf, IsStatic, RankOf, ShapeOf, SizeOf, StrideOf } from "./types.ts";
