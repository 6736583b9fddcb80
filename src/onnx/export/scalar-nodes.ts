/**
 * The computation of one element as nodes over whole tensors: each scalar function of kernels in ONNX operators, with the meaning that
 * `kernel/ir/functions.ts` states. Operators whose result ONNX leaves open, such as a quotient by 0, get operands for which it is defined.
 */
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { type GraphWriter, type Literal, NotExported, type Operand } from "./graph-writer.ts";

type Rule = (writer: ScalarWriter, ...args: Operand[]) => Operand;

/** Writes scalar values whose names are those of operands. */
export class ScalarWriter {
  readonly graph: GraphWriter;
  readonly #operands: ReadonlyMap<string, Operand>;
  readonly #known = new Map<Scalar, Operand>();

  constructor(graph: GraphWriter, operands: ReadonlyMap<string, Operand>) {
    this.graph = graph;
    this.#operands = operands;
  }

  write(value: Scalar): Operand {
    let known = this.#known.get(value);
    if (known === undefined) {
      known = this.#write(value);
      this.#known.set(value, known);
    }
    return known;
  }

  op(type: string, ...inputs: Operand[]): Operand {
    return this.graph.op(type, inputs);
  }

  /** Calls a scalar function. */
  call(fn: ScalarFunction, ...args: Operand[]): Operand {
    const rule = rules[fn];
    if (rule === undefined || dtypes[args[0].dtype].parts === 2)
      throw new NotExported(`uses ${fn} of ${args[0].dtype}, for which ONNX has no operator`);
    return rule(this, ...args);
  }

  test(type: string, ...inputs: Operand[]): Operand {
    return this.graph.op(type, inputs, {}, "bool");
  }

  number(like: Operand, value: Literal): Operand {
    return this.graph.number(like.dtype, value);
  }

  where(condition: Operand, a: Operand, b: Operand): Operand {
    return this.graph.op("Where", [condition, a, b]);
  }

  cast(value: Operand, dtype: DType): Operand {
    return this.graph.cast(value, dtype);
  }

  #write(value: Scalar): Operand {
    switch (value.kind) {
      case "named":
        return this.#operands.get(value.name) as Operand;
      case "constant":
        if (typeof value.value === "object")
          throw new NotExported("has complex numbers, which ONNX operators do not take");
        return this.graph.number(value.dtype, value.value);
      case "call":
        return this.call(value.fn, ...value.args.map((arg) => this.write(arg)));
      case "cast":
        if (value.how === "bits") throw new NotExported(`uses the bits of ${value.of.dtype} as ${value.dtype}`);
        return this.#converted(this.write(value.of), value.dtype);
      default:
        throw new NotExported(`computes with ${value.kind}s of elements`);
    }
  }

  /** Complex numbers have no operators in ONNX, not even conversions. */
  #converted(value: Operand, dtype: DType): Operand {
    for (const each of [value.dtype, dtype])
      if (dtypes[each].parts === 2) throw new NotExported(`computes with ${each}, for which ONNX has no operators`);
    return this.cast(value, dtype);
  }
}

const isInteger = ({ dtype }: Operand): boolean => dtypes[dtype].category === "integer";
const isSigned = ({ dtype }: Operand): boolean => !dtype.startsWith("u");

const direct =
  (type: string): Rule =>
  (w, ...args) =>
    w.op(type, ...args);

/** A comparison. The kernels have no uint64: subtracting the smallest int64 keeps the order. */
const compared =
  (type: string): Rule =>
  (w, ...args) =>
    w.test(
      type,
      ...args.map((arg) =>
        arg.dtype === "uint64" ? w.op("Sub", w.cast(arg, "int64"), w.graph.number("int64", -(2n ** 63n))) : arg,
      ),
    );

const equal: Rule = (w, a, b) => w.test("Equal", a, b);
const less = compared("Less");
const negated =
  (rule: Rule): Rule =>
  (w, ...args) =>
    w.test("Not", rule(w, ...args));

/** Calls an operator of a quotient on integers with a divisor that is neither 0 nor -1. */
function quotient(
  w: ScalarWriter,
  type: "truncDiv" | "floorDiv" | "truncRem" | "floorMod",
  a: Operand,
  b: Operand,
): Operand {
  const zero = w.number(b, 0);
  const one = w.number(b, 1);
  const isZero = equal(w, b, zero);
  const isMinusOne = isSigned(b) ? equal(w, b, w.number(b, -1)) : null;
  const divisor = w.where(isMinusOne === null ? isZero : w.test("Or", isZero, isMinusOne), one, b);
  const rest = w.graph.op("Mod", [a, divisor], type.startsWith("trunc") ? { fmod: 1 } : {});
  if (type === "truncRem" || type === "floorMod") return w.where(isZero, zero, rest);
  const result = w.op("Div", w.op("Sub", a, rest), divisor);
  const signed = isMinusOne === null ? result : w.where(isMinusOne, w.op("Sub", zero, a), result);
  return w.where(isZero, zero, signed);
}

/** C's fmod. */
const floatRest = (w: ScalarWriter, a: Operand, b: Operand): Operand => w.graph.op("Mod", [a, b], { fmod: 1 });

/** True where a remainder is not 0 and its sign is not that of the divisor. */
const adjusts = (w: ScalarWriter, rest: Operand, b: Operand): Operand => {
  const zero = w.number(b, 0);
  return w.test("And", w.test("Not", equal(w, rest, zero)), w.test("Xor", less(w, rest, zero), less(w, b, zero)));
};

/** The steps of PyTorch, each rounded. */
function floatFloorDiv(w: ScalarWriter, a: Operand, b: Operand): Operand {
  const zero = w.number(b, 0);
  const ratio = w.op("Div", a, b);
  const rest = floatRest(w, a, b);
  const near = w.op("Sub", w.op("Div", w.op("Sub", a, rest), b), w.cast(adjusts(w, rest, b), b.dtype));
  const floor = w.op("Floor", near);
  const isAbove = w.test("Greater", w.op("Sub", near, floor), w.number(b, 0.5));
  const rounded = w.op("Add", floor, w.cast(isAbove, b.dtype));
  const signedZero = copysign(w, zero, ratio);
  return w.where(equal(w, b, zero), ratio, w.where(equal(w, near, zero), signedZero, rounded));
}

function floatFloorMod(w: ScalarWriter, a: Operand, b: Operand): Operand {
  const rest = floatRest(w, a, b);
  return w.where(adjusts(w, rest, b), w.op("Add", rest, b), rest);
}

/** True for negative numbers and -0. */
const isNegative = (w: ScalarWriter, a: Operand): Operand => {
  const zero = w.number(a, 0);
  return w.test("Or", less(w, a, zero), less(w, w.op("Div", w.number(a, 1), a), zero));
};

const copysign: Rule = (w, size, sign) => {
  const positive = w.op("Abs", size);
  return w.where(isNegative(w, sign), w.op("Neg", positive), positive);
};

function atan2(w: ScalarWriter, y: Operand, x: Operand): Operand {
  const [dy, dx] = [w.op("Abs", y), w.op("Abs", x)];
  const isSteep = less(w, dx, dy);
  const small = w.where(isSteep, dx, dy);
  const large = w.where(isSteep, dy, dx);
  // 0 / 0 counts as 0, and Infinity / Infinity as 1.
  const one = w.number(x, 1);
  const ratio = w.where(
    equal(w, small, large),
    w.where(equal(w, large, w.number(x, 0)), large, one),
    w.op("Div", small, large),
  );
  const angle = w.op("Atan", ratio);
  const fromAxis = w.where(isSteep, w.op("Sub", w.number(x, Math.PI / 2), angle), angle);
  const isNaN = w.test("Or", w.test("IsNaN", x), w.test("IsNaN", y));
  const half = w.where(isNegative(w, x), w.op("Sub", w.number(x, Math.PI), fromAxis), fromAxis);
  return w.where(isNaN, w.op("Add", x, y), copysign(w, half, y));
}

function shift(w: ScalarWriter, direction: "LEFT" | "RIGHT", a: Operand, by: Operand): Operand {
  const bits = dtypes[a.dtype].itemsize * 8;
  const [zero, width] = [w.number(by, 0), w.number(by, bits)];
  const isInside = w.test("And", w.test("Not", less(w, by, zero)), less(w, by, width));
  const count = w.cast(w.where(isInside, by, zero), "uint64");
  const shifted = (value: Operand): Operand => {
    const wide = w.cast(w.cast(value, "int64"), "uint64");
    return w.cast(w.cast(w.graph.op("BitShift", [wide, count], { direction }), "int64"), a.dtype);
  };
  const none = w.number(a, 0);
  if (direction === "LEFT" || !isSigned(a)) return w.where(isInside, shifted(a), none);
  // ~(~a >> n) for negative numbers; a shift by the width or more keeps the sign only.
  const isBelow = less(w, a, none);
  const flipped = w.where(isBelow, w.op("BitwiseNot", a), a);
  const result = w.where(isInside, shifted(flipped), none);
  return w.where(isBelow, w.op("BitwiseNot", result), result);
}

/** Powers of integers. ONNX Runtime computes them in float64, so they are exact up to 2^53. */
function integerPower(w: ScalarWriter, base: Operand, power: Operand): Operand {
  const [zero, one] = [w.number(base, 0), w.number(base, 1)];
  if (!isSigned(power)) return w.op("Pow", base, power);
  const isReciprocal = w.test("And", less(w, power, zero), equal(w, base, zero));
  return w.where(isReciprocal, zero, w.op("Pow", w.where(isReciprocal, one, base), power));
}

/** e^x - 1 without cancellation: 2 t / (1 - t) with t = tanh(x / 2) for small x. */
const expm1: Rule = (w, x) => {
  const isSmall = less(w, w.op("Abs", x), w.number(x, 0.5));
  const t = w.op("Tanh", w.op("Mul", w.where(isSmall, x, w.number(x, 0)), w.number(x, 0.5)));
  const small = w.op("Div", w.op("Add", t, t), w.op("Sub", w.number(x, 1), t));
  return w.where(isSmall, small, w.op("Sub", w.op("Exp", x), w.number(x, 1)));
};

/** log(1 + x) without cancellation: log(u) x / (u - 1) with the rounded sum u = 1 + x. */
const log1p: Rule = (w, x) => {
  const one = w.number(x, 1);
  const isSmall = less(w, w.op("Abs", x), w.number(x, 0.5));
  const sum = w.op("Add", x, one);
  const difference = w.op("Sub", sum, one);
  const isTiny = equal(w, difference, w.number(x, 0));
  const ratio = w.op("Div", x, w.where(isTiny, one, difference));
  const log = w.op("Log", sum);
  return w.where(isSmall, w.where(isTiny, x, w.op("Mul", log, ratio)), log);
};

/** Levels of the continued fraction of erfc, which is within 1e-8 from 2 on. */
const erfcLevels = 12;

/** 1 - erf(x) up to 2, and then, where that cancels, e^(-x^2) / sqrt(pi) times the continued fraction 1 / (x + (1/2) / (x + (2/2) / (x + ...))). */
function erfc(w: ScalarWriter, x: Operand): Operand {
  const isNear = less(w, x, w.number(x, 2));
  const far = w.where(isNear, w.number(x, 2), x);
  let fraction = far;
  for (let level = erfcLevels; level > 0; level--)
    fraction = w.op("Add", far, w.op("Div", w.number(x, level / 2), fraction));
  const power = w.op("Exp", w.op("Neg", w.op("Mul", far, far)));
  const tail = w.op("Div", power, w.op("Mul", fraction, w.number(x, Math.sqrt(Math.PI))));
  return w.where(isNear, w.op("Sub", w.number(x, 1), w.op("Erf", x)), tail);
}

const scaledLog =
  (factor: number): Rule =>
  (w, x) =>
    w.op("Mul", w.op("Log", x), w.number(x, factor));

const onBits =
  (logical: string, bitwise: string): Rule =>
  (w, ...args) =>
    args[0].dtype === "bool" ? w.test(logical, ...args) : w.op(bitwise, ...args);

const extreme =
  (type: "Min" | "Max", logical: string): Rule =>
  (w, a, b) => {
    if (a.dtype === "bool") return w.test(logical, a, b);
    return w.op(type, a, b);
  };

const rules: Readonly<Partial<Record<ScalarFunction, Rule>>> = {
  add: direct("Add"),
  sub: direct("Sub"),
  mul: direct("Mul"),
  div: direct("Div"),
  truncDiv: (w, a, b) => {
    if (isInteger(a)) return quotient(w, "truncDiv", a, b);
    return truncated(w, w.op("Div", a, b));
  },
  truncRem: (w, a, b) => (isInteger(a) ? quotient(w, "truncRem", a, b) : floatRest(w, a, b)),
  floorDiv: (w, a, b) => (isInteger(a) ? quotient(w, "floorDiv", a, b) : floatFloorDiv(w, a, b)),
  floorMod: (w, a, b) => (isInteger(a) ? quotient(w, "floorMod", a, b) : floatFloorMod(w, a, b)),
  min: extreme("Min", "And"),
  max: extreme("Max", "Or"),
  smaller: (w, a, b) => w.where(less(w, b, a), b, a),
  larger: (w, a, b) => w.where(less(w, a, b), b, a),
  pow: (w, a, b) => (isInteger(a) ? integerPower(w, a, b) : w.op("Pow", a, b)),
  atan2,
  copysign,
  neg: (w, a) => (isSigned(a) ? w.op("Neg", a) : w.op("Sub", w.number(a, 0), a)),
  abs: direct("Abs"),
  sqrt: direct("Sqrt"),
  floor: direct("Floor"),
  ceil: direct("Ceil"),
  trunc: (w, a) => truncated(w, a),
  round: direct("Round"),
  exp: direct("Exp"),
  expNegative: direct("Exp"),
  exp2: (w, a) => w.op("Pow", w.number(a, 2), a),
  expm1,
  log: direct("Log"),
  log2: scaledLog(Math.LOG2E),
  log10: scaledLog(Math.LOG10E),
  log1p,
  sin: direct("Sin"),
  cos: direct("Cos"),
  tan: direct("Tan"),
  asin: direct("Asin"),
  acos: direct("Acos"),
  atan: direct("Atan"),
  sinh: direct("Sinh"),
  cosh: direct("Cosh"),
  tanh: direct("Tanh"),
  asinh: direct("Asinh"),
  acosh: direct("Acosh"),
  atanh: direct("Atanh"),
  erf: direct("Erf"),
  erfc,
  eq: equal,
  ne: negated(equal),
  lt: less,
  le: compared("LessOrEqual"),
  gt: compared("Greater"),
  ge: compared("GreaterOrEqual"),
  and: onBits("And", "BitwiseAnd"),
  or: onBits("Or", "BitwiseOr"),
  xor: onBits("Xor", "BitwiseXor"),
  not: onBits("Not", "BitwiseNot"),
  shiftLeft: (w, a, by) => shift(w, "LEFT", a, by),
  shiftRight: (w, a, by) => shift(w, "RIGHT", a, by),
  select: (w, condition, a, b) => w.where(condition, a, b),
};

const truncated = (w: ScalarWriter, a: Operand): Operand =>
  w.where(less(w, a, w.number(a, 0)), w.op("Ceil", a), w.op("Floor", a));
