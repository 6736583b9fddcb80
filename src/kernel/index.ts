/**
 * Kernels: `stridewise/kernel`. The loop programs that every backend runs, as data, with constructors, a printer, a parser and a verifier.
 * Programs that only use tensors do not need it.
 */
export { KernelError } from "./ir/error.ts";
export { isScalarFunction, type ScalarFunction, type ScalarFunctionInfo, scalarFunctions } from "./ir/functions.ts";
export type {
  AccumulateStatement,
  AccumulatorStatement,
  AllocateStatement,
  BarrierStatement,
  BufferParameter,
  Combination,
  FetchStatement,
  IfStatement,
  IndexStatement,
  Kernel,
  KernelSpace,
  LetStatement,
  LoopStatement,
  ModesParameter,
  ScalarParameter,
  SizeParameter,
  Statement,
  StoreStatement,
  WalkStatement,
} from "./ir/kernel.ts";
export { parseKernel } from "./ir/parse.ts";
export { printKernel } from "./ir/print.ts";
export {
  bitcast,
  type CallScalar,
  type CastScalar,
  type ConstantScalar,
  call,
  cast,
  constantScalar,
  type IndexScalar,
  indexScalar,
  type LoadScalar,
  loadScalar,
  type NamedScalar,
  namedScalar,
  type ParameterScalar,
  parameterScalar,
  type Scalar,
} from "./ir/scalar.ts";
export { loopSymbol, offsetSymbol, sizeSymbol } from "./ir/symbols.ts";
export { checkKernel, type Finding, formatFinding, kernelRules, verifyKernel } from "./ir/verify.ts";
export type { FindingLevel, KernelFacts, KernelRule } from "./ir/verify-rule.ts";
