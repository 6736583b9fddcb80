/**
 * The main entry of Stridewise. Functions on tuples that share names with ops (flatten, take, sum, ...) are in `stridewise/layout` and
 * `stridewise/tuple`, drawings in `stridewise/draw`.
 */
export {
  addOp,
  arange,
  constant,
  type DrawOptions,
  elementwise,
  empty,
  emptyLike,
  exponential,
  eye,
  fft,
  fromBuffer,
  fromDLPack,
  fromFunction,
  fromMessage,
  full,
  fullLike,
  gamma,
  geomspace,
  identity,
  library,
  linspace,
  logspace,
  makeCoordTensor,
  makeIdentityTensor,
  makeTensor,
  makeTransformTensor,
  normal,
  oneHot,
  ones,
  onesLike,
  operatorNamed,
  parseGraph,
  parseGraphs,
  permutation,
  rand,
  randint,
  randLike,
  randn,
  randnLike,
  randperm,
  rewrite,
  runGraph,
  tensor,
  tri,
  trilIndices,
  triuIndices,
  uniform,
  verifyGraph,
  windows,
  zeros,
  zerosLike,
} from "./api.ts";
export * from "./autograd/index.ts";
export type {} from "./autograd/methods.ts";
export { shutdown } from "./backends/open.ts";
export { configure } from "./backends/wasm/options.ts";
export { type Features, features } from "./backends/wasm/probes.ts";
export { type Configuration, ConfigurationError, configuration, type Options } from "./backends/wasm/settings.ts";
export {
  ExprError,
  IndexError,
  LayoutError,
  OverflowError,
  ParseError,
  type Refusal,
  ShapeError,
  StridewiseError,
  WriteError,
} from "./base/errors.ts";
export { version } from "./base/version.ts";
export { AffinePrimitives, compileToFunction, type Expr, sym } from "./expr/index.ts";
export { parse as parseExpr } from "./expr/parse.ts";
export { type Compiled, type CompileOptions, compile } from "./graph/compile/compile.ts";
export { cond, type ScanLoopOptions, scan, whileLoop } from "./graph/control/control.ts";
export { Dim, type DimOptions, dim, type InputShape } from "./graph/dims.ts";
export {
  bindSizes,
  copyGraph,
  type GraphVisitor,
  mapNodes,
  type NodeMapper,
  type NodePosition,
  type OpLike,
  visitGraph,
} from "./graph/edit/edit.ts";
export type { Captures } from "./graph/edit/pattern.ts";
export type { AddNode, RewriteRule } from "./graph/edit/rewrite.ts";
export type {
  Argument as GraphArgument,
  Input as GraphInput,
  Node as GraphNode,
  TensorType as GraphType,
  Value as GraphValue,
  Write as GraphWrite,
} from "./graph/ir.ts";
export { Graph, GraphError } from "./graph/ir.ts";
export type { Pass } from "./graph/passes/pass.ts";
export { graphPasses, type PassListener } from "./graph/passes/pipeline.ts";
export type { GraphResults, RunGraphOptions } from "./graph/run/interpret.ts";
export type { SymbolValues } from "./graph/sizes.ts";
export type { ParseGraphOptions } from "./graph/text/parse.ts";
export { graphData, printGraph } from "./graph/text/text.ts";
export { formatFault, type GraphFault, type GraphRule, graphRules } from "./graph/verify.ts";
export { KernelError } from "./kernel/ir/error.ts";
export { type KernelStatistics, kernelStatistics } from "./kernel/program/kernels.ts";
export { type Explainable, type Explanation, explain, explainable, formatExplanation } from "./layout/explain.ts";
export {
  _,
  type AnyLayout,
  asPlain,
  blockedProduct,
  type ComposedLayout,
  type Coord,
  complement,
  coordAt,
  cosize,
  depth,
  downcast,
  E,
  flatProduct,
  formatLayout,
  GenColMajor,
  GenRowMajor,
  type Int,
  type IntTuple,
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
  logicalProduct,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
  makeOrderedLayout,
  offsetAt,
  offsets,
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
  tiledProduct,
  tileToShape,
  upcast,
  zippedProduct,
} from "./layout/index.ts";
export { type NotationOptions, parseLayout, parseTiler } from "./layout/notation.ts";
export type { Symbolic } from "./ops/formula/symbolic.ts";
export type { FormulaOperand } from "./ops/formula-variant.ts";
export * from "./ops/index.ts";
export type {} from "./ops/methods.ts";
export { printProgram } from "./ops/print-program.ts";
export type { LoopBody, LoopOptions } from "./ops/tiled/complex-loops.ts";
export type {
  ModuleFunction,
  RegionBody,
  RegionMap,
  RegionOptions,
  RegionReduction,
} from "./ops/tiled/parallel-loops.ts";
export { TiledTensor, tiled } from "./ops/tiled/tiled.ts";
export type { Tile } from "./ops/tiled/tiles.ts";
export type { FormulaOperands, FormulaOptions, FormulaResult, UserKernel } from "./ops/user-kernel.ts";
export type * from "./storage/default-dtype.ts";
export { type Complex, type DType, DTypeError, type Value } from "./storage/dtype.ts";
export { type FloatInfo, finfo, type IntegerInfo, iinfo } from "./storage/dtype-info.ts";
export {
  canCast,
  getDefaultDType,
  promoteTypes,
  setDefaultDType,
} from "./storage/promotion.ts";
export { type MemoryStatistics, memoryStatistics, Storage, StorageError } from "./storage/storage.ts";
export { dataPtr } from "./tensor/access/access.ts";
export { ellipsis, type Index, newaxis, range } from "./tensor/access/indexing.ts";
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
export { type OpenScope, scope } from "./tensor/async-scope.ts";
export type { DLTensor } from "./tensor/convert/dlpack.ts";
export { type TensorMessage, transferList } from "./tensor/convert/message.ts";
export type { RawView } from "./tensor/convert/raw-view.ts";
export { defaultGenerator, Generator, manualSeed } from "./tensor/create/generator.ts";
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
  flatDivide,
  groupModes,
  logicalDivide,
  recast,
  tiledDivide,
  zippedDivide,
} from "./tensor/cute/tensor-modes.ts";
export { type DispatchKey, dispatchKeys, formatKeySet, type KeySet, keySet } from "./tensor/dispatch/keys.ts";
export { Library } from "./tensor/dispatch/library.ts";
export { keysOf, type Mode, setFallback, withKeys, withMode } from "./tensor/dispatch/modes.ts";
export { DispatchError, type Family, fallthrough, type KeyGuard, Operator } from "./tensor/dispatch/operator.ts";
export { WrapperTensor } from "./tensor/dispatch/wrapper.ts";
export { DisposedError } from "./tensor/disposed.ts";
export type { Engine } from "./tensor/engine.ts";
export { counting, transformEngine } from "./tensor/engines/computed-engines.ts";
export { constPtr, gmem, pointer, rmem, smem, type TaggedPointer } from "./tensor/engines/pointers.ts";
export type { StorageEngine } from "./tensor/engines/storage-engine.ts";
export type { Space } from "./tensor/identity.ts";
export type {} from "./tensor/install.ts";
export { guard, type LiveNumbers, live } from "./tensor/live.ts";
export { describe, installPrintedTitle, printTensor } from "./tensor/print/print.ts";
export { getPrintOptions, type PrintOptions, setPrintOptions } from "./tensor/print/print-options.ts";
export { keep, outsideScopes } from "./tensor/scope.ts";
export { Tensor } from "./tensor/tensor.ts";
export type * as types from "./tensor/types/named-types.ts";
export type { Shape } from "./tensor/types/types.ts";
export { broadcastShapes } from "./tensor/views/view-shape.ts";
