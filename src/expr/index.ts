/**
 * Integer expressions and the affine primitives: build, parse, print, prove, evaluate, compile.
 */
export { ExprError, OverflowError, ParseError } from "../base/errors.ts";
export { type Affine, AffinePrimitives } from "./affine-primitives.ts";
export { and, shiftLeft, shiftRight, xor } from "./bits.ts";
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
export type { ParseOptions } from "./parse.ts";
export { parse } from "./parse-bits.ts";
export { divideExact, divisorOf, proveDivisible, proveEqual, proveLess, proveLessEqual, range } from "./proofs.ts";
export { encodeWasm, toWasm, type WasmCode } from "./wasm.ts";
export { toWgsl } from "./wgsl.ts";
