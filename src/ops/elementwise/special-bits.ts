/**
 * Ops on the bits of floats, by views of their memory as integers: the next float toward another, and mantissa and exponent.
 *
 * Ops on integers: greatest common divisors and least common multiples of 64-bit elements by Euclid's algorithm. Elements that fit into
 * 32 bits are computed as numbers, others as bigints. Multiples wrap around, as products of integers do.
 */

import { StridewiseError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypes, isFloatDType, isIntegerDType } from "../../storage/dtype.ts";
import { promoteTypes, resultType } from "../../storage/promotion.ts";
import { to } from "../../tensor/clone.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkOutputsDisjoint } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { viewDType } from "../../tensor/views/views-dtype.ts";
import { notImplemented } from "../dtype-errors.ts";
import { compositeOp, fresh } from "../op.ts";
import type { FloatOf } from "../op-types.ts";
import { finishOut, targetsFor } from "../out.ts";
import { map, type OpFunction } from "./map.ts";
import { checkTensors, denseIn, shapeTogether, type TensorOrNumber, windowOf } from "./special-numbers.ts";

type Formula = OpFunction & ((...args: unknown[]) => Tensor);

/** The integer dtype of the same size for each floating-point dtype. */
const integers: Readonly<Partial<Record<DType, DType>>> = {
  float64: "int64",
  float32: "int32",
  float16: "int16",
  bfloat16: "int16",
};

/** Throws unless both operands are floating-point tensors. */
export function checkFloats(name: string, x: TensorOrNumber, other: TensorOrNumber): void {
  checkTensors(name, x, other);
  for (const { dtype } of [x, other] as readonly Tensor[])
    if (!isFloatDType(dtype)) throw notImplemented(name, dtype, "float32", ", it takes floats");
}

/** Adjacent floats have adjacent bits; around 0 the sign changes. The op handles NaN and equal operands. */
const adjacent: Formula = /* @__PURE__ */ map("nextafter.bits(x, other, bits)", ({ bits }) => {
  const width = 8 * dtypes[(bits as Tensor).dtype].itemsize;
  const first = 1n - (1n << BigInt(width - 1));
  return `like(x == 0 ? (other > 0 ? 1 : ${first}) : bits + ((other > x) == (x > 0) ? 1 : -1), bits)`;
});

/** The next float after each element of x toward other, where they differ. */
export function adjacentFloats(x: TensorOrNumber, other: TensorOrNumber): Tensor {
  const [a, b] = [x as Tensor, other as Tensor];
  const dtype = promoteTypes(a.dtype, b.dtype);
  const from = to(a, dtype);
  return viewDType(adjacent(from, b, viewDType(from, integers[dtype] as DType)), dtype);
}

/** The number of fraction bits, the mask of the exponent, and its offset for a mantissa of at least 1/2. */
const parts = { float64: [52, 2047, 1022], float32: [23, 255, 126] } as const;
const partsOf = (bits: unknown): readonly [number, number, number] =>
  parts[(bits as Tensor).dtype === "int64" ? "float64" : "float32"];

/** Subnormal numbers are scaled first. */
const isTiny = (offset: number): string => `abs(x) < ${2 ** -offset}`;
const enlarged: Formula = /* @__PURE__ */ map("frexp.enlarge(x)", ({ x }) => {
  const [shift, , offset] = parts[(x as Tensor).dtype as keyof typeof parts];
  return `${isTiny(offset)} ? x * ${2 ** (shift + 2)}.0 : x`;
});
/** The bits with an exponent of -1. */
const halved: Formula = /* @__PURE__ */ map("frexp.halve(bits)", ({ bits }) => {
  const [shift, mask, offset] = partsOf(bits);
  return `(bits & ${~(BigInt(mask) << BigInt(shift))}) | ${BigInt(offset) << BigInt(shift)}`;
});
const isPlain = "(x != 0) & (x * 0 == 0)";
const mantissaOf: Formula = /* @__PURE__ */ map("frexp.mantissa(x, value)", `like(${isPlain} ? value : x, x)`, {
  // value / x is a power of 2 that does not depend on small changes of x.
  x: `${isPlain} ? g * exp2(round(log2(value / x))) : g`,
});
const exponentOf: Formula = /* @__PURE__ */ map("frexp.exponent(x, bits)", ({ bits }) => {
  const [shift, mask, offset] = partsOf(bits);
  return `${isPlain} ? int32((bits >> ${shift}) & ${mask}) - ${offset} - int32(${isTiny(offset)} ? ${shift + 2} : 0) : int32(0)`;
});
const single: Formula = /* @__PURE__ */ map("frexp.single(x)", "float32(x)");

/** The type of frexp. */
export interface Frexp extends OpFunction {
  <X extends Tensor>(
    x: X,
    options?: FrexpOptions,
  ): {
    readonly mantissa: Tensor<X["shape"], FloatOf<X["dtype"]>>;
    readonly exponent: Tensor<X["shape"], "int32">;
  };
  readonly method: <X extends Tensor>(
    this: X,
    options?: FrexpOptions,
  ) => {
    readonly mantissa: Tensor<X["shape"], FloatOf<X["dtype"]>>;
    readonly exponent: Tensor<X["shape"], "int32">;
  };
}
export interface FrexpOptions {
  readonly out?: { readonly mantissa: Tensor; readonly exponent: Tensor } | undefined;
}

/** The op frexp. Of 0, infinities and NaN the mantissa is the number itself, and the exponent 0. */
export const frexpOp = (): Frexp =>
  compositeOp(
    "frexp(x: Tensor; out)",
    (x: Tensor, { out }: FrexpOptions = {}) => {
      if (!isFloatDType(x.dtype))
        throw new DTypeError(`frexp: x must be a floating point tensor, got ${x.dtype}. Convert it: to("float32")`);
      if (out && !(out.mantissa && out.exponent))
        throw new StridewiseError(`frexp: out must be two tensors, { mantissa, exponent }, got ${describeValue(out)}`);
      const wide = x.dtype === "float64" || x.dtype === "float32" ? x : single(x);
      const large = enlarged(wide);
      const bits = viewDType(large, integers[wide.dtype] as DType);
      const exponent = exponentOf(wide, bits);
      const value = viewDType(halved(bits), wide.dtype);
      if (!out) return { mantissa: mantissaOf(x, value), exponent };
      // Both outputs are checked before either is written.
      targetsFor("frexp", [out.exponent], [{ dtype: "int32", shape: sizesOf(x), isIndex: true }], []);
      checkOutputsDisjoint([out.mantissa, out.exponent], "frexp");
      mantissaOf(x, value, { out: out.mantissa });
      finishOut("frexp", out.exponent, exponent);
      return { mantissa: out.mantissa, exponent: out.exponent };
    },
    "elementwise",
  );

/** The common dtype of both operands. */
const commonOf = (x: TensorOrNumber, other: TensorOrNumber): DType =>
  resultType(
    ...([x, other] as readonly Tensor[]).map(
      ({ dtype, rank }) => ({ dtype, bucket: rank === 0 ? "zeroDim" : "tensor" }) as const,
    ),
  );

/** Throws unless both operands are tensors with an integer as their common dtype. */
export function checkIntegers(name: string, x: TensorOrNumber, other: TensorOrNumber): void {
  checkTensors(name, x, other);
  const common = commonOf(x, other);
  if (!isIntegerDType(common)) throw notImplemented(name, common, "int64", ", it takes integers");
}

function divisorOf(a: number, b: number): number {
  let [p, q] = [Math.abs(a), Math.abs(b)];
  while (q !== 0) {
    const rest = p % q;
    p = q;
    q = rest;
  }
  return p;
}

function longDivisorOf(a: bigint, b: bigint): bigint {
  let [p, q] = [a, b];
  while (q !== 0n) [p, q] = [q, p % q];
  return p < 0n ? -p : p;
}

/** Writes a number as two 32-bit words. */
function writeNumber(words: Int32Array, i: number, value: number): void {
  words[2 * i] = value;
  words[2 * i + 1] = Math.floor(value / 2 ** 32);
}

function writeLong(words: Int32Array, i: number, value: bigint): void {
  words[2 * i] = Number(BigInt.asIntN(32, value));
  words[2 * i + 1] = Number(BigInt.asIntN(32, value >> 32n));
}

function readLong(words: Int32Array, i: number, isUnsigned: boolean): bigint {
  const upper = words[2 * i + 1];
  return (BigInt(isUnsigned ? upper >>> 0 : upper) << 32n) | BigInt(words[2 * i] >>> 0);
}

/** True if the element fits into its lower word. */
const isShort = (words: Int32Array, i: number): boolean => words[2 * i + 1] === words[2 * i] >> 31;

/** The divisors, or with `isMultiple` the multiples, of pairs of elements, broadcast, as int64 or uint64. */
export function overIntegers(name: string, x: TensorOrNumber, other: TensorOrNumber, isMultiple: boolean): Tensor {
  const common = commonOf(x, other);
  const isUnsigned = common === "uint64";
  const dtype = isUnsigned ? "uint64" : "int64";
  const shape = shapeTogether(name, x, other);
  const result = fresh(dtype, shape);
  // A 0-d tensor may have a wider dtype than the common one.
  const dense = [x, other].map((one) => denseIn(name, dtype, to(one as Tensor, common), shape) as Tensor);
  const words = windowOf(result, "i32", true);
  const [a, b] = dense.map((t) => windowOf(t, "i32")) as [Int32Array, Int32Array];
  const stepA = a.length === 2 ? 0 : 1;
  const stepB = b.length === 2 ? 0 : 1;
  for (let i = 0; i < result.size; i++) {
    const [j, k] = [i * stepA, i * stepB];
    const [p, q] = [a[2 * j], b[2 * k]];
    if (isShort(a, j) && isShort(b, k) && (!isUnsigned || (p | q) >= 0)) {
      const divisor = divisorOf(p, q);
      const value = isMultiple && divisor !== 0 ? Math.abs((p / divisor) * q) : divisor;
      if (value <= Number.MAX_SAFE_INTEGER) {
        writeNumber(words, i, value);
        continue;
      }
    }
    const [m, n] = [readLong(a, j, isUnsigned), readLong(b, k, isUnsigned)];
    const divisor = longDivisorOf(m, n);
    const value = isMultiple && divisor !== 0n ? (m / divisor) * n : divisor;
    writeLong(words, i, value < 0n ? -value : value);
  }
  return result;
}
