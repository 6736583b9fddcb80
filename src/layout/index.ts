/**
 * The layout algebra: `stridewise/layout`. Stands alone; knows no tensors.
 * Arithmetic of shapes as such is `stridewise/tuple`, reading layouts from text `stridewise/notation`, derivations step
 * by step `stridewise/explain`.
 */
export { LayoutError, type Refusal, ShapeError, StridewiseError } from "../base/errors.ts";
export { coalesce, filter, filterZeros, type Mode } from "./algebra/coalesce.ts";
export { ceilDivLayout, complement, evenlyDivides } from "./algebra/complement.ts";
export { composition, isAdmissible } from "./algebra/composition.ts";
export { flatDivide, logicalDivide, tiledDivide, withShape, zippedDivide } from "./algebra/divide.ts";
export { leftInverse } from "./algebra/left-inverse.ts";
export { innerPartition, localPartition, localTile, outerPartition, type Partition } from "./algebra/partition.ts";
export { areDisjoint, isBijective, isCompact, isInjective } from "./algebra/predicates.ts";
export {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from "./algebra/product.ts";
export { downcast, maxAlignment, recastLayout, upcast } from "./algebra/recast.ts";
export {
  domainDistribute,
  maxCommonLayout,
  maxCommonVector,
  nullspace,
  rightInverse,
} from "./algebra/right-inverse.ts";
export { asPlain, sliceAndOffset } from "./algebra/swizzled.ts";
export { E, isBasis, type ScaledBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
export { _, type Coord, crd2crd, crd2idx, idx2crd, isUnderscore, type SliceCoord, type Underscore } from "./coord.ts";
export { formatLayout, formatTuple } from "./format.ts";
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
  type Int,
  int,
  isInt,
  isStaticInt,
  Static,
  valueOf,
} from "./int.ts";
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
  type Tiler,
} from "./layout.ts";
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
export {
  ceilDiv,
  compactColMajor,
  compactOrder,
  compactRowMajor,
  compatible,
  congruent,
  weaklyCongruent,
} from "./shape.ts";
export { applySwizzle, isSwizzle, type Swizzle, swizzle, swizzleFromMasks, swizzleMasks } from "./swizzle.ts";
export type { Step } from "./trace.ts";
export { type IntTuple, leaves, type Nested } from "./tuple.ts";
export type { Assert, DepthOf, IsStatic, RankOf, ShapeOf, SizeOf, StrideOf } from "./types/layout-types.ts";
