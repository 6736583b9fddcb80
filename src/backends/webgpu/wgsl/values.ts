/**
 * The functions, casts and constants of scalar values as WGSL, with the meaning that `kernel/ir/functions.ts` gives them.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { Combination } from "../../../kernel/ir/kernel.ts";
import { type DType, dtypes, type Value } from "../../../storage/dtype.ts";
import type { HelperName } from "./functions.ts";
import { isLong, isSigned, narrowed, type ValueType, valueType } from "./types.ts";

const infixes: Readonly<Partial<Record<ScalarFunction, string>>> = { add: "+", sub: "-", mul: "*", div: "/" };
const comparisons: Readonly<Partial<Record<ScalarFunction, string>>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
const bitwise: Readonly<Partial<Record<ScalarFunction, string>>> = { and: "&", or: "|", xor: "^" };

type Texts = readonly string[];

/** Functions of bools. */
const onBools: Readonly<Partial<Record<ScalarFunction, (a: string, b: string) => string>>> = {
  and: (a, b) => `(${a} & ${b})`,
  or: (a, b) => `(${a} | ${b})`,
  min: (a, b) => `(${a} & ${b})`,
  max: (a, b) => `(${a} | ${b})`,
  xor: (a, b) => `(${a} != ${b})`,
  eq: (a, b) => `(${a} == ${b})`,
  ne: (a, b) => `(${a} != ${b})`,
  lt: (a, b) => `(!${a} & ${b})`,
  le: (a, b) => `(!${a} | ${b})`,
  gt: (a, b) => `(${a} & !${b})`,
  ge: (a, b) => `(${a} | !${b})`,
  not: (a) => `!${a}`,
};

/** Prints values, and collects the helpers that they need. */
export class Values {
  readonly helpers = new Set<HelperName>();
  /** True if a constant is NaN or infinite. */
  needsNan = false;
  needsInfinity = false;

  #help(name: HelperName, ...args: Texts): string {
    this.helpers.add(name);
    if (name === "rem_f32" || name === "mod_f32" || name === "floor_div_f32") this.needsNan = true;
    return `${name}(${args.join(", ")})`;
  }

  /** A float whose rounding compilers must keep. */
  exact(text: string): string {
    return this.#help("exact", bareSum(text));
  }

  /** The float nearest to the float64 of two words, and the words of a float. */
  fromDouble(words: string): string {
    return this.#help("f32_from_f64", words);
  }
  toDouble(text: string): string {
    return this.#help("f64_from_f32", text);
  }

  /** fn(args), where the operands have a dtype. For `select`, it is that of the two values. */
  call(fn: ScalarFunction | Combination, dtype: DType, args: Texts): string {
    const [a, b = "", c = ""] = args;
    if (fn === "select") return `select(${c}, ${b}, ${a})`;
    const type = valueType(dtype);
    const text =
      type === "bool"
        ? onBools[fn]?.(a, b)
        : type === "f32"
          ? this.#onFloats(fn, a, b)
          : type === "vec2<u32>"
            ? this.#onLongs(fn, dtype, a, b)
            : this.#onWords(fn, dtype, type, a, b);
    if (text !== undefined) return text;
    throw new KernelError(
      `webgpu: ${fn} of ${dtype} is not supported. Cast to ${isLong(dtype) ? "int32" : "float32"}, or move the tensors: await x.cpu()`,
    );
  }

  #onFloats(fn: ScalarFunction, a: string, b: string): string | undefined {
    const infix = infixes[fn];
    // Not 0 for infinities and NaN.
    if (fn === "sub" && a === b) return `(${this.exact(a)} - ${b})`;
    if (fn === "mul" && b === "0.0f") return `(${a} * ${this.exact(b)})`;
    if (infix !== undefined) return `(${a} ${infix} ${b})`;
    // Compilers may assume that no value is NaN, but not that bits differ.
    if (fn === "ne" && a === b) return this.#help("is_nan", a);
    if (fn === "eq" && a === b) return `!${this.#help("is_nan", a)}`;
    // WGSL's != of NaN may be false.
    if (fn === "ne") return `!(${a} == ${b})`;
    const comparison = comparisons[fn];
    if (comparison !== undefined) return `(${a} ${comparison} ${b})`;
    switch (fn) {
      case "neg":
        return `(-${a})`;
      case "abs":
      case "sqrt":
      case "floor":
      case "ceil":
      case "trunc":
      case "round":
        return `${fn}(${a})`;
      case "min":
      case "max":
        return this.#help(`${fn}_f32`, a, b);
      case "smaller":
        return `select(${a}, ${b}, ${b} < ${a})`;
      case "larger":
        return `select(${a}, ${b}, ${a} < ${b})`;
      case "copysign":
        return this.#help("copysign_f32", a, b);
      case "truncDiv":
        return `trunc(${a} / ${b})`;
      case "truncRem":
        return this.#help("rem_f32", a, b);
      case "floorMod":
        return this.#help("mod_f32", a, b);
      case "floorDiv":
        return this.#help("floor_div_f32", a, b);
      default:
        return undefined;
    }
  }

  #onWords(fn: ScalarFunction, dtype: DType, type: "i32" | "u32", a: string, b: string): string | undefined {
    const infix = fn === "div" ? undefined : (infixes[fn] ?? bitwise[fn]);
    if (infix !== undefined) return narrowed(dtype, `(${a} ${infix} ${b})`);
    const comparison = comparisons[fn];
    if (comparison !== undefined) return `(${a} ${comparison} ${b})`;
    const bits = `${8 * dtypes[dtype].itemsize}`;
    const signed = type === "i32";
    // A constant number of bits in range needs no check.
    if ((fn === "shiftLeft" || fn === "shiftRight") && /^\d+u?$/.test(b) && Number.parseInt(b, 10) < Number(bits))
      return narrowed(dtype, `(${a} ${fn === "shiftLeft" ? "<<" : ">>"} ${Number.parseInt(b, 10)}u)`);
    switch (fn) {
      case "min":
      case "max":
        return `${fn}(${a}, ${b})`;
      case "neg":
        return narrowed(dtype, signed ? `(-${a})` : `(0u - ${a})`);
      case "not":
        return narrowed(dtype, `(~${a})`);
      case "abs":
        return narrowed(dtype, `abs(${a})`);
      case "truncDiv":
        return narrowed(dtype, this.#help(`div_${type}`, a, b));
      case "truncRem":
        return this.#help(`rem_${type}`, a, b);
      case "floorDiv":
        return narrowed(dtype, this.#help(signed ? "floor_div_i32" : "div_u32", a, b));
      case "floorMod":
        return this.#help(signed ? "mod_i32" : "rem_u32", a, b);
      case "shiftLeft":
        return narrowed(
          dtype,
          signed
            ? `bitcast<i32>(${this.#help("shl", `bitcast<u32>(${a})`, b, bits)})`
            : this.#help("shl", a, `i32(${b})`, bits),
        );
      case "shiftRight":
        return signed ? this.#help("shr_i32", a, b, bits) : this.#help("shr_u32", a, `i32(${b})`, bits);
      case "dotHalves":
        return this.#help("dot_halves", a, b);
      default:
        return undefined;
    }
  }

  #onLongs(fn: ScalarFunction, dtype: DType, a: string, b: string): string | undefined {
    const less = (x: string, y: string): string => this.#help(isSigned(dtype) ? "less_long" : "less_ulong", x, y);
    switch (fn) {
      case "add":
      case "sub":
      case "mul":
        return this.#help(`${fn}_long`, a, b);
      case "neg":
        return this.#help("neg_long", a);
      case "abs":
        return isSigned(dtype) ? this.#help("abs_long", a) : a;
      case "and":
      case "or":
      case "xor":
        return `(${a} ${bitwise[fn]} ${b})`;
      case "not":
        return `(~${a})`;
      case "eq":
        return `all(${a} == ${b})`;
      case "ne":
        return `any(${a} != ${b})`;
      case "lt":
        return less(a, b);
      case "gt":
        return less(b, a);
      case "le":
        return `!${less(b, a)}`;
      case "ge":
        return `!${less(a, b)}`;
      case "min":
        return `select(${a}, ${b}, ${less(b, a)})`;
      case "max":
        return `select(${a}, ${b}, ${less(a, b)})`;
      case "shiftLeft":
        return this.#help("shl_long", a, b);
      case "shiftRight":
        return this.#help("shr_long", a, b, isSigned(dtype) ? `bitcast<u32>(bitcast<i32>(${a}.y) >> 31u)` : "0u");
      default:
        return undefined;
    }
  }

  /** A value as a different dtype. */
  cast(from: DType, to: DType, text: string): string {
    const [source, target] = [valueType(from), valueType(to)];
    if (from === to) return text;
    if (target === "bool") return notZero(source, text);
    if (source === "bool") {
      const [zero, one] = [this.constant(to, 0), this.constant(to, 1)];
      return `select(${zero}, ${one}, ${text})`;
    }
    if (target === "f32") {
      if (source !== "vec2<u32>") return `f32(${text})`;
      return this.#help(isSigned(from) ? "f32_from_long" : "f32_from_ulong", text);
    }
    if (target === "vec2<u32>") {
      if (source === "vec2<u32>") return text;
      if (source === "f32") return this.#help("long_from_f32", text);
      return source === "i32" ? this.#help("long_from_i32", text) : `vec2<u32>(${text}, 0u)`;
    }
    const word = source === "f32" ? this.#help("wrapped", text) : source === "vec2<u32>" ? `${text}.x` : text;
    const wordType = source === "i32" ? "i32" : "u32";
    return narrowed(to, wordType === target ? word : `bitcast<${target}>(${word})`);
  }

  /** The bits of a value as a different dtype of the same size. */
  bits(from: DType, to: DType, text: string): string {
    const [source, target] = [valueType(from), valueType(to)];
    const { itemsize } = dtypes[to];
    if (source === "vec2<u32>" || source === "bool" || target === "bool") return this.cast(from, to, text);
    const word = source === target ? text : `bitcast<${target}>(${text})`;
    return itemsize === 4 ? word : narrowed(to, word);
  }

  constant(dtype: DType, value: Value): string {
    switch (valueType(dtype)) {
      case "bool":
        return `${Boolean(value)}`;
      case "f32":
        return this.#float(Math.fround(Number(value)));
      case "vec2<u32>": {
        const bits = BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(Number(value))));
        return `vec2<u32>(${bits & 0xffffffffn}u, ${bits >> 32n}u)`;
      }
      case "i32": {
        const word = Number(value) | 0;
        return word < 0 ? `(${word})` : `${word}`;
      }
      case "u32":
        return `${Number(value) >>> 0}u`;
    }
  }

  #float(value: number): string {
    if (Number.isNaN(value)) {
      this.needsNan = true;
      return "bitcast<f32>(nan_bits)";
    }
    if (!Number.isFinite(value)) {
      this.needsInfinity = true;
      return value > 0 ? "bitcast<f32>(infinity_bits)" : "(-bitcast<f32>(infinity_bits))";
    }
    if (Object.is(value, -0)) return "(-0.0f)";
    const text = /[.e]/.test(`${value}`) ? `${value}f` : `${value}.0f`;
    return value < 0 ? `(${text})` : text;
  }
}

/** A sum without its parentheses. */
const bareSum = (text: string): string => (/^\([^()]*\)$/.test(text) ? text.slice(1, -1) : text);

function notZero(type: ValueType, text: string): string {
  switch (type) {
    case "vec2<u32>":
      return `any(${text} != vec2<u32>())`;
    case "f32":
      // By bits: devices may take subnormal numbers for 0, and NaN for equal to it.
      return `((bitcast<u32>(${text}) & 0x7fffffffu) != 0u)`;
    default:
      return `(${text} != ${type === "i32" ? "0" : "0u"})`;
  }
}
