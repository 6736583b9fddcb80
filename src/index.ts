/**
 * Stridewise: everything a program usually needs.
 * Functions on tuples with everyday names (flatten, take, sum, ...) are in `stridewise/layout` and `stridewise/tuple`, pictures
 * in `stridewise/draw`.
 */
export {
  arange,
  constant,
  empty,
  emptyLike,
  eye,
  fromBuffer,
  fromFunction,
  full,
  fullLike,
  linspace,
  logspace,
  ones,
  onesLike,
  permutation,
  rand,
  randint,
  randLike,
  randn,
  randnLike,
  tensor,
  zeros,
  zerosLike,
} from "./api.ts";
export {
  ExprError,
  LayoutError,
  OverflowError,
  ParseError,
  type Refusal,
  ShapeError,
  StridewiseError,
} from "./base/errors.ts";
export { AffinePrimitives, compileToFunction, type Expr, parse as parseExpr, sym } from "./expr/index.ts";
export { type Explainable, type Explanation, explain, explainable, formatExplanation } from "./layout/explain.ts";
export {
  _,
  type AnyLayout,
  asPlain,
  blockedProduct,
  type ComposedLayout,
  type Coord,
  coalesce,
  complement,
  composition,
  coordAt,
  cosize,
  depth,
  downcast,
  E,
  flatDivide,
  flatProduct,
  formatLayout,
  GenColMajor,
  GenRowMajor,
  type Int,
  type IntTuple,
  innerPartition,
  int,
  isAdmissible,
  isBijective,
  isCompact,
  isInjective,
  isStatic,
  type Layout,
  LayoutLeft,
  LayoutRight,
  leftInverse,
  localPartition,
  localTile,
  logicalDivide,
  logicalProduct,
  makeFragmentLike,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
  makeOrderedLayout,
  offsetAt,
  offsets,
  outerPartition,
  rakedProduct,
  rank,
  recastLayout,
  rightInverse,
  type SliceCoord,
  type Static,
  size,
  sliceAndOffset,
  swizzle,
  type Tiler,
  tiledDivide,
  tiledProduct,
  tileToShape,
  upcast,
  zippedDivide,
  zippedProduct,
} from "./layout/index.ts";
export { type NotationOptions, parseLayout, parseTiler } from "./layout/notation.ts";
export { type Complex, complex, type DType, DTypeError, type Value } from "./storage/dtype.ts";
export {
  canCast,
  getDefaultDType,
  promoteTypes,
  setDefaultDType,
} from "./storage/promotion.ts";
export { type MemoryStatistics, memoryStatistics, Storage, StorageError } from "./storage/storage.ts";
export { broadcastShapes } from "./tensor/broadcast.ts";
export { DisposedError } from "./tensor/ended.ts";
export { defaultGenerator, Generator, manualSeed } from "./tensor/generator.ts";
export { ellipsis, type Index, newaxis, range } from "./tensor/indexing.ts";
export { getPrintOptions, type PrintOptions, setPrintOptions } from "./tensor/print-options.ts";
export { keep, scope } from "./tensor/scope.ts";
export type { Space } from "./tensor/space.ts";
export { Tensor } from "./tensor/tensor.ts";
export type { Shape } from "./tensor/types.ts";
export { WriteError } from "./tensor/write-error.ts";
