/**
 * Functions of complex numbers as functions of their parts, float32 or float64.
 *
 * Intermediate values that could overflow or underflow are scaled by a power of two (div is Smith's algorithm), so every result in range is
 * computed; exp and the hyperbolic functions scale where a small factor brings a result back into range. mul is the schoolbook product.
 * Branch cuts are on the negative real axis, and the sign of a zero selects the side. In exp, sinh and cosh, 0 times infinity is 0, as in C.
 */
import type { DType } from "../../storage/dtype.ts";
import type { ScalarFunction } from "../ir/functions.ts";
import { call, constantScalar, type Scalar } from "../ir/scalar.ts";
import {
  abs,
  add,
  and,
  copysign,
  div,
  eq,
  ge,
  gt,
  lt,
  max,
  min,
  mul,
  ne,
  neg,
  or,
  select,
  sqrt,
  sub,
} from "./math/arithmetic.ts";

/** A complex value: two values of one float dtype. */
export interface ComplexParts {
  readonly re: Scalar;
  readonly im: Scalar;
}

interface Limits {
  /** Squares of larger numbers could overflow; `down` is the factor that prevents it. */
  readonly large: number;
  readonly down: number;
  /** Squares of smaller numbers could lose bits; `up` is the factor that prevents it. */
  readonly small: number;
  readonly up: number;
  /** Larger exponents are reduced by `shift`. */
  readonly far: number;
  readonly shift: number;
  /** tanh of larger numbers is 1. */
  readonly flat: number;
}

const limits: Readonly<Partial<Record<DType, Limits>>> = {
  float32: { large: 2 ** 62, down: 2 ** -80, small: 2 ** -50, up: 2 ** 100, far: 80, shift: 64, flat: 10 },
  float64: { large: 2 ** 510, down: 2 ** -600, small: 2 ** -400, up: 2 ** 600, far: 700, shift: 512, flat: 20 },
};
const limitsOf = (value: Scalar): Limits => limits[value.dtype] as Limits;

const exp = (x: Scalar): Scalar => call("exp", x);
const selectPair = (condition: Scalar, a: ComplexParts, b: ComplexParts): ComplexParts => ({
  re: select(condition, a.re, b.re),
  im: select(condition, a.im, b.im),
});

/** A constant of the dtype of `like`, not rounded to it. */
const number = (like: Scalar, value: number): Scalar => constantScalar(like.dtype, value);
const isZero = ({ re, im }: ComplexParts): Scalar => and(eq(re, 0), eq(im, 0));
const isInfinite = (part: Scalar): Scalar => eq(abs(part), Infinity);

const mulPair = (a: ComplexParts, b: ComplexParts): ComplexParts => ({
  re: sub(mul(a.re, b.re), mul(a.im, b.im)),
  im: add(mul(a.re, b.im), mul(a.im, b.re)),
});

function divPair(a: ComplexParts, b: ComplexParts): ComplexParts {
  const isWide = ge(abs(b.re), abs(b.im));
  const long = select(isWide, b.re, b.im);
  const short = select(isWide, b.im, b.re);
  const ratio = select(eq(long, 0), number(long, 0), div(short, long));
  const divisor = add(long, mul(short, ratio));
  const p = select(isWide, a.re, a.im);
  const q = select(isWide, a.im, a.re);
  const im = div(sub(q, mul(p, ratio)), divisor);
  return { re: div(add(p, mul(q, ratio)), divisor), im: select(isWide, im, neg(im)) };
}

/** Scales a number by a power of two so that its squares are in range. Returns its parts, its absolute value, and a choice by the power. */
function scaled({ re, im }: ComplexParts) {
  const { large, down, small, up } = limitsOf(re);
  const long = max(abs(re), abs(im));
  const [isLarge, isSmall] = [ge(long, number(re, large)), lt(long, number(re, small))];
  const choose = (ifLarge: number, ifSmall: number, otherwise: number): Scalar =>
    select(isLarge, number(re, ifLarge), select(isSmall, number(re, ifSmall), number(re, otherwise)));
  const factor = choose(down, up, 1);
  const [x, y] = [mul(re, factor), mul(im, factor)];
  const length = sqrt(add(mul(x, x), mul(y, y)));
  // The absolute value of infinity and NaN is infinity.
  const isEndless = or(isInfinite(re), isInfinite(im));
  return { x, y, long, length: select(isEndless, number(re, Infinity), length), choose };
}

function absPair(z: ComplexParts): Scalar {
  const { down, up } = limitsOf(z.re);
  const { length, choose } = scaled(z);
  return mul(length, choose(1 / down, 1 / up, 1));
}

function sqrtPair(z: ComplexParts): ComplexParts {
  const { down, up } = limitsOf(z.re);
  const { x, y, length, choose } = scaled(z);
  const half = number(x, 0.5);
  const size = sqrt(mul(add(abs(x), length), half));
  const other = select(eq(size, 0), size, div(mul(abs(y), half), size));
  const back = choose(Math.sqrt(1 / down), Math.sqrt(1 / up), 1);
  const isRight = ge(x, 0);
  const endless = isInfinite(z.im);
  return {
    re: select(endless, number(x, Infinity), mul(select(isRight, size, other), back)),
    im: select(endless, z.im, copysign(mul(select(isRight, other, size), back), z.im)),
  };
}

function logPair(z: ComplexParts): ComplexParts {
  const { down, up } = limitsOf(z.re);
  const { long, length, choose } = scaled(z);
  const one = number(long, 1);
  // Near the unit circle log|z| is small, and is computed from |z|^2 - 1.
  const short = min(abs(z.re), abs(z.im));
  const excess = add(mul(sub(long, one), add(long, one)), mul(short, short));
  const isNear = and(gt(long, 0.5), lt(long, 1.5));
  const far = add(call("log", length), choose(-Math.log(down), -Math.log(up), 0));
  return {
    re: select(isNear, mul(0.5, call("log1p", excess)), far),
    im: call("atan2", z.im, z.re),
  };
}

/** a * b, where 0 times anything, even infinity or NaN, is 0 with the sign of the product. */
function product(a: Scalar, b: Scalar): Scalar {
  const zero = mul(copysign(number(a, 0), a), copysign(number(b, 1), b));
  return select(or(eq(a, 0), eq(b, 0)), zero, mul(a, b));
}

/**
 * Reduces an exponent whose `size` is past the range of e^x by up to two shifts, and returns it with the function that multiplies them back.
 * Past that, even the smallest factor leaves the result out of range.
 */
function near(x: Scalar, size: Scalar): { readonly x: Scalar; readonly grown: (value: Scalar) => Scalar } {
  const { far, shift } = limitsOf(x);
  const [zero, one] = [number(x, 0), number(x, 1)];
  const [isFar, isFarther] = [gt(size, number(x, far)), gt(size, number(x, far + shift))];
  const by = add(select(isFar, number(x, shift), zero), select(isFarther, number(x, shift), zero));
  const [first, second] = [isFar, isFarther].map((is) => select(is, number(x, Math.exp(shift)), one));
  return {
    x: sub(x, copysign(by, x)),
    grown: (value) => mul(mul(value, first), second),
  };
}

function expPair({ re, im }: ComplexParts): ComplexParts {
  // An infinite or NaN angle makes the result NaN, even where e^re underflows to 0, but not if the real part is infinite.
  const angle = select(isInfinite(re), number(re, 0), mul(im, 0));
  const { x, grown } = near(re, re);
  const size = add(exp(x), angle);
  const part = (value: Scalar): Scalar => grown(product(size, value));
  return { re: part(call("cos", im)), im: part(call("sin", im)) };
}

function hyperbolic({ re, im }: ComplexParts): { sinh: ComplexParts; cosh: ComplexParts } {
  const { x, grown } = near(re, abs(re));
  const part = (a: Scalar, b: Scalar): Scalar => grown(product(a, b));
  const [s, c, sin, cos] = [call("sinh", x), call("cosh", x), call("sin", im), call("cos", im)];
  return { sinh: { re: part(s, cos), im: part(c, sin) }, cosh: { re: part(c, cos), im: part(s, sin) } };
}

/** (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); where the real part rounds to 1, only the imaginary part is computed. */
function tanhPair({ re, im }: ComplexParts): ComplexParts {
  const isFlat = ge(abs(re), number(re, limitsOf(re).flat));
  const [s, sin, cos] = [call("sinh", re), call("sin", im), call("cos", im)];
  const squared = mul(s, s);
  const divisor = add(squared, mul(cos, cos));
  const cosh = sqrt(add(squared, 1));
  const wave = mul(sin, cos);
  const fading = mul(mul(number(re, 4), exp(mul(-2, abs(re)))), wave);
  const rest = select(isInfinite(re), copysign(number(re, 0), wave), fading);
  const end = copysign(number(re, 1), re);
  // A NaN wave makes both parts NaN, unless the real part is infinite.
  const flat = select(isInfinite(re), end, add(end, mul(0, wave)));
  return {
    re: select(isFlat, flat, div(mul(s, cosh), divisor)),
    im: select(isFlat, rest, div(wave, divisor)),
  };
}

function powPair(a: ComplexParts, b: ComplexParts): ComplexParts {
  const [zero, one] = [number(a.re, 0), number(a.re, 1)];
  const power = expPair(mulPair(b, logPair(a)));
  const isNothing = and(isZero(a), gt(b.re, zero));
  return selectPair(isZero(b), { re: one, im: zero }, selectPair(isNothing, { re: zero, im: zero }, power));
}

/** i * z and z / i. */
const turn = ({ re, im }: ComplexParts): ComplexParts => ({ re: neg(im), im: re });
const turnBack = ({ re, im }: ComplexParts): ComplexParts => ({ re: im, im: neg(re) });

type PairFunction = (a: ComplexParts, b: ComplexParts) => ComplexParts;

/** The functions with a complex result, except `select` and `complex`, whose operands are not all complex. */
export const pairFunctions: Readonly<Partial<Record<ScalarFunction, PairFunction>>> = {
  add: (a, b) => ({ re: add(a.re, b.re), im: add(a.im, b.im) }),
  sub: (a, b) => ({ re: sub(a.re, b.re), im: sub(a.im, b.im) }),
  mul: mulPair,
  div: divPair,
  pow: powPair,
  neg: (a) => ({ re: neg(a.re), im: neg(a.im) }),
  conj: (a) => ({ re: a.re, im: neg(a.im) }),
  sqrt: sqrtPair,
  exp: expPair,
  log: logPair,
  sinh: (a) => hyperbolic(a).sinh,
  cosh: (a) => hyperbolic(a).cosh,
  tanh: tanhPair,
  sin: (a) => turnBack(hyperbolic(turn(a)).sinh),
  cos: (a) => hyperbolic(turn(a)).cosh,
  tan: (a) => turnBack(tanhPair(turn(a))),
};

/** The functions of complex numbers with a real or bool result. */
export const partFunctions: Readonly<Partial<Record<ScalarFunction, (a: ComplexParts, b: ComplexParts) => Scalar>>> = {
  real: (a) => a.re,
  imag: (a) => a.im,
  abs: absPair,
  eq: (a, b) => and(eq(a.re, b.re), eq(a.im, b.im)),
  ne: (a, b) => or(ne(a.re, b.re), ne(a.im, b.im)),
};
