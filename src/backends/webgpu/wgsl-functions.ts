/**
 * The spelling of dtypes, constants and scalar functions in WGSL. What WGSL does not have throws a KernelError that names it.
 * Differences that remain: WGSL may ignore NaN, and a float that does not fit an integer is clamped, and not wrapped.
 */
import { KernelError } from "../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";

const types: Readonly<Partial<Record<DType, string>>> = {
  float32: "f32",
  float16: "f16",
  int32: "i32",
  uint32: "u32",
  bool: "bool",
};

/** The type of values of a dtype. */
export function wgslType(dtype: DType): string {
  return types[dtype] ?? refuse(`${dtype} has no type in WGSL. Use float32, float16, int32, uint32 or bool.`);
}

/** The type of elements that the host writes or reads. */
export function hostType(dtype: DType): string {
  return dtype === "bool" ? refuse("a buffer of bool cannot be shared with the host. Use int32.") : wgslType(dtype);
}

export function refuse(text: string): never {
  throw new KernelError(`printWgsl: ${text}`);
}

/** The declarations that values need besides the statements. */
export type Declarations = Map<string, string>;

export function wgslConstant(dtype: DType, value: Value, declarations: Declarations): string {
  if (dtype === "bool") return `${Boolean(value)}`;
  const number = Number(value);
  const type = wgslType(dtype);
  if (dtypes[dtype].category === "integer") return dtype === "uint32" ? `${number >>> 0}u` : `${number}`;
  if (Number.isFinite(number)) {
    const text = Object.is(number, -0) ? "-0" : `${dtype === "float32" ? Math.fround(number) : number}`;
    const literal = /[.e]/.test(text) ? text : `${text}.0`;
    return type === "f32" ? literal : `${type}(${literal})`;
  }
  // A constant expression must be finite, so the bits are those of a variable.
  const bits = Number.isNaN(number) ? "7fc00000" : number > 0 ? "7f800000" : "ff800000";
  declarations.set(`bits_${bits}`, `var<private> bits_${bits}: u32 = 0x${bits}u;`);
  return type === "f32" ? `bitcast<f32>(bits_${bits})` : `${type}(bitcast<f32>(bits_${bits}))`;
}

const symbols: Readonly<Partial<Record<ScalarFunction, string>>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** Functions that WGSL has with the same meaning on floats. */
const sameFunctions: Readonly<Partial<Record<ScalarFunction, string>>> = {
  abs: "abs",
  sqrt: "sqrt",
  floor: "floor",
  ceil: "ceil",
  trunc: "trunc",
  round: "round",
  exp: "exp",
  expNegative: "exp",
  exp2: "exp2",
  log: "log",
  log2: "log2",
  sin: "sin",
  cos: "cos",
  tan: "tan",
  asin: "asin",
  acos: "acos",
  atan: "atan",
  atan2: "atan2",
  sinh: "sinh",
  cosh: "cosh",
  tanh: "tanh",
  asinh: "asinh",
  acosh: "acosh",
  atanh: "atanh",
};

/** Functions of floats whose vectors are computed by the same text as numbers. */
const vectored: ReadonlySet<ScalarFunction> = new Set<ScalarFunction>([
  ...(["add", "sub", "mul", "div", "neg"] as const),
  ...(Object.keys(sameFunctions) as ScalarFunction[]),
]);

/** True if the text of a call on vectors is that of the call on numbers. */
export const isVectored = (fn: ScalarFunction): boolean => vectored.has(fn);

/** The text of a call, whose operands are names, literals, calls or in parentheses; binary operations have no parentheses. */
export function wgslCall(
  fn: ScalarFunction,
  dtype: DType,
  args: readonly string[],
  declarations: Declarations,
): string {
  const [a, b, c] = args as [string, string, string];
  const { category } = dtypes[dtype];
  const type = wgslType(dtype);
  const zero = wgslConstant(dtype, 0, declarations);
  const symbol = symbols[fn];
  if (symbol !== undefined) return `${a} ${symbol} ${b}`;
  if (category === "float" && sameFunctions[fn] !== undefined) return `${sameFunctions[fn]}(${args.join(", ")})`;
  if (category === "bool" && (fn === "and" || fn === "min")) return `${a} && ${b}`;
  if (category === "bool" && (fn === "or" || fn === "max")) return `${a} || ${b}`;
  switch (fn) {
    case "neg":
      return `-${a}`;
    case "abs":
      return `abs(${a})`;
    case "not":
      return `${category === "bool" ? "!" : "~"}${a}`;
    case "and":
      return `${a} & ${b}`;
    case "or":
      return `${a} | ${b}`;
    case "xor":
      return category === "bool" ? `${a} != ${b}` : `${a} ^ ${b}`;
    case "smaller":
      return `select(${a}, ${b}, ${b} < ${a})`;
    case "larger":
      return `select(${a}, ${b}, ${b} > ${a})`;
    case "select":
      return `select(${c}, ${b}, ${a})`;
    case "min":
    case "max": {
      if (category === "integer") return `${fn}(${a}, ${b})`;
      const name = `${fn}_${type}`;
      declarations.set(
        name,
        `fn ${name}(a: ${type}, b: ${type}) -> ${type} { return select(${fn}(a, b), a + b, a != a || b != b); }`,
      );
      return `${name}(${a}, ${b})`;
    }
    case "shiftLeft":
      return `select(${a} << (u32(${b}) & 31u), ${zero}, u32(${b}) > 31u)`;
    case "shiftRight":
      return dtype === "int32" ? `${a} >> min(u32(${b}), 31u)` : `select(${a} >> (${b} & 31u), 0u, ${b} > 31u)`;
    default:
      break;
  }
  if (category !== "integer") return refuse(`${fn} of ${dtype} has no function in WGSL.`);
  switch (fn) {
    case "truncDiv":
      return `select(${a} / ${b}, ${zero}, ${b} == ${zero})`;
    case "truncRem":
      return `${a} % ${b}`;
    case "floorDiv":
    case "floorMod": {
      if (dtype === "uint32") return wgslCall(fn === "floorDiv" ? "truncDiv" : "truncRem", dtype, args, declarations);
      declarations.set(
        "floor_mod",
        "fn floor_mod(a: i32, b: i32) -> i32 { let r = a % b; return select(r, r + b, r != 0 && (r < 0) != (b < 0)); }",
      );
      if (fn === "floorMod") return `floor_mod(${a}, ${b})`;
      declarations.set(
        "floor_div",
        "fn floor_div(a: i32, b: i32) -> i32 { return select((a - floor_mod(a, b)) / b, 0, b == 0); }",
      );
      return `floor_div(${a}, ${b})`;
    }
    default:
      return refuse(`${fn} of ${dtype} has no function in WGSL.`);
  }
}
