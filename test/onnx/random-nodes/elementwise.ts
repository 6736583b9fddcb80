/** Cases of operators on elements. */
import type { DType } from "../../../src/index.ts";
import { type CaseMaker, type Draw, floatTypes, integerTypes, numberTypes } from "./draw.ts";

const versions = (since: number): number[] =>
  [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23].filter((v) => v >= since);

interface Range {
  readonly low?: number;
  readonly high?: number;
  readonly special?: boolean;
}

const unary =
  (
    types: readonly DType[],
    since = 7,
    { low = -4, high = 4, special = true }: Range = {},
    attributes: (d: Draw) => Record<string, { float: number }> = () => ({}),
  ): CaseMaker =>
  (d) => {
    const dtype = d.pick(types);
    return {
      version: d.pick(versions(since)),
      attributes: d.some(attributes(d)) as Record<string, { float: number }>,
      inputs: [special ? d.special(dtype, d.shape(), low, high) : d.tensor(dtype, d.shape(), low, high)],
    };
  };

const float = (value: number) => ({ float: value });
const signed = ["float32", "float64", "float16", "int8", "int16", "int32", "int64"] as const;

const binary =
  (
    types: readonly DType[],
    since = 7,
    { low = -9, high = 9, special = true }: Range = {},
    second?: (d: Draw, dtype: DType, shape: number[]) => ReturnType<Draw["tensor"]>,
  ): CaseMaker =>
  (d) => {
    const dtype = d.pick(types);
    const shape = d.shape();
    const make = (s: number[]) => (special ? d.special(dtype, s, low, high) : d.tensor(dtype, s, low, high));
    const [a, b] = d.shuffled([shape, d.broadcastable(shape)]);
    return { version: d.pick(versions(since)), inputs: [make(a), second?.(d, dtype, b) ?? make(b)] };
  };

const variadic =
  (types: readonly DType[], since = 8): CaseMaker =>
  (d) => {
    const dtype = d.pick(types);
    const shape = d.shape();
    return {
      version: d.pick(versions(since)),
      inputs: d.list(d.int(1, 4), () => d.special(dtype, d.broadcastable(shape))),
    };
  };

const nonZero = (d: Draw, dtype: DType, shape: number[]) => {
  const x = d.tensor(dtype, shape, 1, 9);
  return dtype.startsWith("u") || d.chance(0.5) ? x : x.neg();
};

export const elementwiseCases: Readonly<Record<string, CaseMaker>> = {
  Abs: unary(numberTypes),
  Neg: unary(signed),
  // The sign of NaN is NaN there too, but not for float16.
  Sign: unary(
    numberTypes.filter((dtype) => dtype !== "float16"),
    9,
  ),
  Ceil: unary(floatTypes),
  Floor: unary(floatTypes),
  Round: unary(floatTypes, 11),
  Sqrt: unary(floatTypes),
  Reciprocal: unary(floatTypes),
  Exp: unary(floatTypes),
  Log: unary(floatTypes),
  Sin: unary(floatTypes),
  Cos: unary(floatTypes),
  Tan: unary(floatTypes, 7, { low: -1.4, high: 1.4 }),
  Asin: unary(floatTypes),
  Acos: unary(floatTypes),
  Atan: unary(floatTypes),
  Sinh: unary(floatTypes, 9),
  Cosh: unary(floatTypes, 9),
  Tanh: unary(floatTypes),
  Asinh: unary(floatTypes, 9),
  Acosh: unary(floatTypes, 9),
  Atanh: unary(floatTypes, 9),
  Erf: unary(numberTypes, 9),
  Sigmoid: unary(floatTypes),
  Relu: unary(signed, 7),
  Mish: unary(floatTypes, 18),
  Softplus: unary(floatTypes, 7, { low: -30, high: 30 }),
  Softsign: unary(floatTypes),
  HardSwish: unary(floatTypes, 14),
  Gelu: (d) => ({
    version: d.pick([20, 21]),
    attributes: d.some({ approximate: d.pick(["none", "tanh"]) }),
    inputs: [d.special(d.pick(floatTypes), d.shape())],
  }),
  LeakyRelu: unary(floatTypes, 7, {}, (d) => ({ alpha: float(d.real(-1, 2)) })),
  Elu: unary(floatTypes, 7, {}, (d) => ({ alpha: float(d.real(-1, 2)) })),
  Celu: unary(["float32"], 12, {}, (d) => ({ alpha: float(d.real(0.1, 2)) })),
  Selu: unary(floatTypes, 7, {}, (d) => ({ alpha: float(d.real(0.1, 2)), gamma: float(d.real(1, 2)) })),
  ThresholdedRelu: unary(floatTypes, 10, {}, (d) => ({ alpha: float(d.real(-1, 2)) })),
  HardSigmoid: unary(floatTypes, 7, {}, (d) => ({ alpha: float(d.real(-1, 2)), beta: float(d.real(-1, 1)) })),
  Shrink: unary(numberTypes, 9, { special: false, low: -50, high: 50 }, (d) => ({
    lambd: float(d.real(0, 2)),
    bias: float(d.real(-2, 2)),
  })),
  IsInf: (d) => ({
    version: d.pick([10, 20]),
    attributes: d.some({ detect_negative: d.int(0, 1), detect_positive: d.int(0, 1) }),
    inputs: [d.special(d.pick(floatTypes), d.shape())],
  }),
  IsNaN: unary(floatTypes, 9),
  Not: unary(["bool"]),
  BitwiseNot: unary(integerTypes, 18),
  PRelu: (d) => {
    const dtype = d.pick([...floatTypes, "int32", "int64", "uint32"] as const);
    const shape = d.shape();
    const slope = d.chance(0.5) ? d.broadcastable(shape) : shape.map((s) => (d.chance(0.5) ? 1 : s));
    return { version: d.pick(versions(7)), inputs: [d.special(dtype, shape), d.tensor(dtype, slope)] };
  },
  Clip: (d) => {
    const version = d.pick(versions(7));
    const dtype = d.pick(version < 11 ? (["float32"] as const) : numberTypes);
    const x = dtype === "float16" ? d.tensor(dtype, d.shape(), -9, 9) : d.special(dtype, d.shape(), -9, 9);
    const shape = version >= 11 && d.chance(0.9) ? [] : [1];
    if (version < 11)
      return { version, attributes: d.some({ min: float(d.real(-5, 2)), max: float(d.real(-1, 5)) }), inputs: [x] };
    const bound = (low: number, high: number) =>
      d.maybe(() => (d.chance(0.1) ? d.special(dtype, shape) : d.tensor(dtype, shape, low, high)), 0.7);
    return { version, inputs: [x, bound(-5, 2), bound(0, 5)] };
  },
  Add: binary(numberTypes),
  Sub: binary(numberTypes),
  Mul: binary(numberTypes),
  Div: (d) =>
    d.chance(0.5) ? binary(floatTypes)(d) : binary(integerTypes, 7, { special: false, low: -90, high: 90 }, nonZero)(d),
  Mod: (d) => {
    const isFmod = d.chance(0.5);
    const types = isFmod ? numberTypes : integerTypes;
    return {
      ...binary(types, 10, { special: false, low: -90, high: 90 }, nonZero)(d),
      attributes: isFmod ? { fmod: 1 } : d.some({ fmod: 0 }),
    };
  },
  Pow: (d) => {
    const version = d.pick(versions(7));
    const dtype = d.pick(version < 12 ? floatTypes : ([...floatTypes, "int32", "int64"] as const));
    const by = version < 12 ? dtype : d.pick([...floatTypes, "int32", "int64"] as const);
    const shape = d.shape();
    const [a, b] = d.shuffled([shape, d.broadcastable(shape)]);
    const isWhole = !dtype.startsWith("float");
    return {
      version,
      inputs: [
        isWhole ? d.tensor(dtype, a, 1, 9) : d.special(dtype, a),
        by.startsWith("float")
          ? isWhole
            ? d.tensor(by, b, 0, 3)
            : d.special(by, b, -3, 3)
          : d.tensor(by, b, isWhole ? 0 : -3, 3),
      ],
    };
  },
  Max: variadic(numberTypes),
  Min: variadic(numberTypes),
  Sum: variadic(floatTypes),
  Mean: variadic(floatTypes),
  Greater: binary(numberTypes),
  Less: binary(numberTypes),
  GreaterOrEqual: binary(numberTypes, 12),
  LessOrEqual: binary(numberTypes, 12),
  Equal: (d) =>
    d.chance(0.2)
      ? (() => {
          const s = d.shape();
          return { version: d.pick([19, 20]), inputs: [d.texts(s), d.texts(d.broadcastable(s))] };
        })()
      : binary([...numberTypes, "bool"], 7, { low: -2, high: 2 })(d),
  And: binary(["bool"]),
  Or: binary(["bool"]),
  Xor: binary(["bool"]),
  BitwiseAnd: binary(integerTypes, 18),
  BitwiseOr: binary(integerTypes, 18),
  BitwiseXor: binary(integerTypes, 18),
  BitShift: (d) => ({
    ...binary(["uint8", "uint16", "uint32", "uint64"], 11, {}, (e, dtype, s) =>
      e.tensor(dtype, s, 0, Number(dtype.slice(4)) - 1),
    )(d),
    attributes: { direction: d.pick(["LEFT", "RIGHT"]) },
  }),
  Where: (d) => {
    const shape = d.shape();
    const dtype = d.pick([...numberTypes, "bool"] as const);
    const [c, a, b] = d.shuffled([shape, d.broadcastable(shape), d.broadcastable(shape)]);
    const text = d.chance(0.1);
    const make = (s: number[]) => (text ? d.texts(s) : d.special(dtype, s));
    return { version: d.pick(versions(9)), inputs: [d.tensor("bool", c), make(a), make(b)] };
  },
  Cast: (d) => {
    const from = d.pick([...numberTypes, "bool"] as const);
    const to = d.pick([1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13]);
    const x =
      d.chance(0.5) && from.startsWith("float")
        ? d.tensor(from, d.shape(), to === 2 || to === 4 || to > 11 ? 0 : -100, 100)
        : d.tensor(from, d.shape(), from.startsWith("float") ? 0 : -200, 200);
    return { version: d.pick(versions(9)), attributes: { to }, inputs: [x] };
  },
  CastLike: (d) => ({
    version: d.pick(versions(15)),
    inputs: [
      d.tensor(d.pick(numberTypes), d.shape(), 0, 100),
      d.tensor(d.pick([...numberTypes, "bool"] as const), d.shape()),
    ],
  }),
};
