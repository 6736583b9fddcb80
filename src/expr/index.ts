/**
 * Integer expressions and the affine primitives: build, parse, print, prove, evaluate, compile.
 */
export { ExprError, OverflowError, ParseError } from "../base/errors.ts";
export { type Affine, AffinePrimitives } from "./affine-primitives.ts";
export { compileToFunction } from "./compile.ts";
export { type Bindings, evaluate } from "./evaluate.ts";
export {
  type Assumptions,
  asExpr,
  type ConstExpr,
  constant,
  type Expr,
  equals,
  isExpr,
  type OpenExpr,
  sym,
} from "./expr.ts";
export { type ParseOptions, parse } from "./parse.ts";
export { divideExact, divisorOf, proveDivisible, proveEqual, proveLess, proveLessEqual, range } from "./proofs.ts";
export { encodeWasm, toWasm, type WasmCode } from "./wasm.ts";
export { toWgsl } from "./wgsl.ts";
