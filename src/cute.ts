/**
 * The entry `stridewise/cute`, the commonly used parts of CuTe in one import: layouts and their algebra, static integers, tensors over pointers, tiles and
 * partitions, copy, gemm and the other algorithms, tiled copies and tiled matrix products over atoms, and printing. Functions that layouts and
 * tensors share take both. Ops on tensors (`add`, `sum`, `matmul`) are in `stridewise`, pictures in `stridewise/draw`.
 */
export { makeCoordTensor, makeIdentityTensor, makeTensor, makeTransformTensor } from "./api.ts";
export { printLatex, printLayout } from "./draw/print-layout.ts";
export { explain, formatExplanation } from "./layout/explain.ts";
// Names that are exported below, too, come from there.
export * from "./layout/index.ts";
export { type NotationOptions, parseLayout, parseTiler } from "./layout/notation.ts";
export {
  colexLeq,
  colexLess,
  elemLeq,
  elemLess,
  elemScale,
  innerProduct,
  lexLeq,
  lexLess,
  prefixProduct,
  roundUp,
  shapeDiv,
} from "./layout/shape.ts";
export { product, productEach, productLike } from "./layout/tuple.ts";
export { dataPtr } from "./tensor/access/access.ts";
export {
  axpby,
  batchReduce,
  type CopyPlan,
  clear,
  cooperativeCopy,
  copy,
  copyAligned,
  copyIf,
  copyPlan,
  fill,
  forEach,
  gemm,
  logicalReduce,
  type Predicate,
  plus,
  reduce,
  transform,
} from "./tensor/algorithms/index.ts";
export {
  type CopyAtom,
  type MmaAtom,
  type MmaAtomName,
  mmaAtom,
  mmaAtomNames,
  universalCopy,
  universalFma,
} from "./tensor/cute/atoms.ts";
export { makeFragmentLike, makeTensorLike, makeZipTensor } from "./tensor/cute/make-like.ts";
export {
  innerPartition,
  localPartition,
  localTile,
  outerPartition,
  threadValuePartition,
} from "./tensor/cute/partition.ts";
export {
  coalesce,
  composition,
  domainOffset,
  filter,
  flatDivide,
  flatten,
  groupModes,
  logicalDivide,
  recast,
  tiledDivide,
  zippedDivide,
} from "./tensor/cute/tensor-modes.ts";
export { makeTiledCopy, type ThreadCopy, type TiledCopy } from "./tensor/cute/tiled-copy.ts";
export {
  makeTiledCopyA,
  makeTiledCopyB,
  makeTiledCopyC,
  makeTiledMma,
  type ThreadMma,
  type TiledMma,
} from "./tensor/cute/tiled-mma.ts";
export type { Engine } from "./tensor/engine.ts";
export { counting, transformEngine } from "./tensor/engines/computed-engines.ts";
export { constPtr, gmem, pointer, rmem, smem, type TaggedPointer } from "./tensor/engines/pointers.ts";
export type { Space } from "./tensor/identity.ts";
export { describe, printTensor } from "./tensor/print/print.ts";
export { Tensor } from "./tensor/tensor.ts";
