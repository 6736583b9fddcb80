/**
 * The functions of complex numbers as functions of their parts, float32 or float64.
 *
 * What can leave the range on the way is scaled by a power of two first (div is Smith's), so a result that fits is found, also
 * by e^z and its kin where a small factor brings back what is past the range. mul is the schoolbook product. Branch cuts lie on the negative real axis, and the sign of a zero says on which side one is. Special values: 0 times infinity is 0 inside exp, sinh
 * and cosh, as C has it.
 */
import type { DType } from "../../storage/dtype.ts";
import type { ScalarFunction } from "../ir/functions.ts";
import { call, constantScalar, type Scalar } from "../ir/scalar.ts";

/** A complex value: two values of one float dtype. */
export interface Pair {
  readonly re: Scalar;
  readonly im: Scalar;
}

/** Where squares would overflow or lose bits, and the factors against it; where exp nears its end; where tanh is 1. */
interface Limits {
  readonly large: number;
  readonly down: number;
  readonly small: number;
  readonly up: number;
  readonly far: number;
  readonly shift: number;
  readonly flat: number;
}

const limits: Readonly<Partial<Record<DType, Limits>>> = {
  float32: { large: 2 ** 62, down: 2 ** -80, small: 2 ** -50, up: 2 ** 100, far: 80, shift: 64, flat: 10 },
  float64: { large: 2 ** 510, down: 2 ** -600, small: 2 ** -400, up: 2 ** 600, far: 700, shift: 512, flat: 20 },
};
const limitsOf = (of: Scalar): Limits => limits[of.dtype] as Limits;

type Binary = (a: Scalar, b: Scalar) => Scalar;
type Unary = (a: Scalar) => Scalar;
const binary =
  (fn: ScalarFunction): Binary =>
  (a, b) =>
    call(fn, a, b);
const unary =
  (fn: ScalarFunction): Unary =>
  (a) =>
    call(fn, a);
const [add, sub, mul, div] = [binary("add"), binary("sub"), binary("mul"), binary("div")];
const [or, eq, ne, lt, gt, ge] = [binary("or"), binary("eq"), binary("ne"), binary("lt"), binary("gt"), binary("ge")];
const [and, min, max, copysign] = [binary("and"), binary("min"), binary("max"), binary("copysign")];
const [neg, abs, sqrt, exp] = [unary("neg"), unary("abs"), unary("sqrt"), unary("exp")];
const select = (condition: Scalar, a: Scalar, b: Scalar): Scalar => call("select", condition, a, b);
const selectPair = (condition: Scalar, a: Pair, b: Pair): Pair => ({
  re: select(condition, a.re, b.re),
  im: select(condition, a.im, b.im),
});

/** A number of the dtype of `like`. */
const number = (like: Scalar, value: number): Scalar => constantScalar(like.dtype, value);
const isZero = ({ re, im }: Pair): Scalar => and(eq(re, number(re, 0)), eq(im, number(im, 0)));
const isInfinite = (part: Scalar): Scalar => eq(abs(part), number(part, Infinity));

const mulPair = (a: Pair, b: Pair): Pair => ({
  re: sub(mul(a.re, b.re), mul(a.im, b.im)),
  im: add(mul(a.re, b.im), mul(a.im, b.re)),
});

function divPair(a: Pair, b: Pair): Pair {
  const isWide = ge(abs(b.re), abs(b.im));
  const long = select(isWide, b.re, b.im);
  const short = select(isWide, b.im, b.re);
  const ratio = select(eq(long, number(long, 0)), number(long, 0), div(short, long));
  const divisor = add(long, mul(short, ratio));
  const p = select(isWide, a.re, a.im);
  const q = select(isWide, a.im, a.re);
  const im = div(sub(q, mul(p, ratio)), divisor);
  return { re: div(add(p, mul(q, ratio)), divisor), im: select(isWide, im, neg(im)) };
}

/** The number times a power of two at which its squares are in range, the length of that, and a choice that depends on the power. */
function scaled({ re, im }: Pair) {
  const { large, down, small, up } = limitsOf(re);
  const long = max(abs(re), abs(im));
  const [isLarge, isSmall] = [ge(long, number(re, large)), lt(long, number(re, small))];
  const choose = (ifLarge: number, ifSmall: number, otherwise: number): Scalar =>
    select(isLarge, number(re, ifLarge), select(isSmall, number(re, ifSmall), number(re, otherwise)));
  const factor = choose(down, up, 1);
  const [x, y] = [mul(re, factor), mul(im, factor)];
  const length = sqrt(add(mul(x, x), mul(y, y)));
  // Infinity next to NaN is as far away as infinity alone.
  const isEndless = or(isInfinite(re), isInfinite(im));
  return { x, y, long, length: select(isEndless, number(re, Infinity), length), choose };
}

function absPair(z: Pair): Scalar {
  const { down, up } = limitsOf(z.re);
  const { length, choose } = scaled(z);
  return mul(length, choose(1 / down, 1 / up, 1));
}

function sqrtPair(z: Pair): Pair {
  const { down, up } = limitsOf(z.re);
  const { x, y, length, choose } = scaled(z);
  const half = number(x, 0.5);
  const size = sqrt(mul(add(abs(x), length), half));
  const other = select(eq(size, number(x, 0)), size, div(mul(abs(y), half), size));
  const back = choose(Math.sqrt(1 / down), Math.sqrt(1 / up), 1);
  const isRight = ge(x, number(x, 0));
  const endless = isInfinite(z.im);
  return {
    re: select(endless, number(x, Infinity), mul(select(isRight, size, other), back)),
    im: select(endless, z.im, copysign(mul(select(isRight, other, size), back), z.im)),
  };
}

function logPair(z: Pair): Pair {
  const { down, up } = limitsOf(z.re);
  const { long, length, choose } = scaled(z);
  const one = number(long, 1);
  // Near the unit circle log|z| is small, and is found from |z|^2 - 1.
  const short = min(abs(z.re), abs(z.im));
  const excess = add(mul(sub(long, one), add(long, one)), mul(short, short));
  const isNear = and(gt(long, number(long, 0.5)), lt(long, number(long, 1.5)));
  const far = add(call("log", length), choose(-Math.log(down), -Math.log(up), 0));
  return {
    re: select(isNear, mul(number(long, 0.5), call("log1p", excess)), far),
    im: call("atan2", z.im, z.re),
  };
}

/** a * b, where 0 times anything, also infinity and NaN, is 0 with the sign of the product. */
function product(a: Scalar, b: Scalar): Scalar {
  const zero = mul(copysign(number(a, 0), a), copysign(number(b, 1), b));
  return select(or(eq(a, number(a, 0)), eq(b, number(b, 0))), zero, mul(a, b));
}

/**
 * An exponent whose `size` is past the range of e^x, brought back by up to two shifts, and the function that makes up for it. Past
 * that, even the smallest factor leaves the result out of range.
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

function expPair({ re, im }: Pair): Pair {
  // An angle that is none makes all NaN, also where e^re is too small to be told from 0; beside an infinite part 0 stays 0.
  const angle = select(isInfinite(re), number(re, 0), mul(im, number(re, 0)));
  const { x, grown } = near(re, re);
  const size = add(exp(x), angle);
  const part = (of: Scalar): Scalar => grown(product(size, of));
  return { re: part(call("cos", im)), im: part(call("sin", im)) };
}

function hyperbolic({ re, im }: Pair): { sinh: Pair; cosh: Pair } {
  const { x, grown } = near(re, abs(re));
  const part = (a: Scalar, b: Scalar): Scalar => grown(product(a, b));
  const [s, c, sin, cos] = [call("sinh", x), call("cosh", x), call("sin", im), call("cos", im)];
  return { sinh: { re: part(s, cos), im: part(c, sin) }, cosh: { re: part(c, cos), im: part(s, sin) } };
}

/** (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); where that is 1 up to rounding, only the imaginary part is left. */
function tanhPair({ re, im }: Pair): Pair {
  const isFlat = ge(abs(re), number(re, limitsOf(re).flat));
  const [s, sin, cos] = [call("sinh", re), call("sin", im), call("cos", im)];
  const squared = mul(s, s);
  const divisor = add(squared, mul(cos, cos));
  const cosh = sqrt(add(squared, number(re, 1)));
  const wave = mul(sin, cos);
  const fading = mul(mul(number(re, 4), exp(mul(number(re, -2), abs(re)))), wave);
  const rest = select(isInfinite(re), copysign(number(re, 0), wave), fading);
  const end = copysign(number(re, 1), re);
  // A wave that is NaN makes both parts NaN, unless the real one is infinite.
  const flat = select(isInfinite(re), end, add(end, mul(number(re, 0), wave)));
  return {
    re: select(isFlat, flat, div(mul(s, cosh), divisor)),
    im: select(isFlat, rest, div(wave, divisor)),
  };
}

function powPair(a: Pair, b: Pair): Pair {
  const [zero, one] = [number(a.re, 0), number(a.re, 1)];
  const power = expPair(mulPair(b, logPair(a)));
  const isNothing = and(isZero(a), gt(b.re, zero));
  return selectPair(isZero(b), { re: one, im: zero }, selectPair(isNothing, { re: zero, im: zero }, power));
}

/** i * z and z / i. */
const turn = ({ re, im }: Pair): Pair => ({ re: neg(im), im: re });
const turnBack = ({ re, im }: Pair): Pair => ({ re: im, im: neg(re) });

type PairFunction = (a: Pair, b: Pair) => Pair;

/** The functions with a complex result; `select` and `complex`, whose operands are not all complex, are left to the pass. */
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

/** The functions of complex numbers with another result. */
export const partFunctions: Readonly<Partial<Record<ScalarFunction, (a: Pair, b: Pair) => Scalar>>> = {
  real: (a) => a.re,
  imag: (a) => a.im,
  abs: absPair,
  eq: (a, b) => and(eq(a.re, b.re), eq(a.im, b.im)),
  ne: (a, b) => or(ne(a.re, b.re), ne(a.im, b.im)),
};
