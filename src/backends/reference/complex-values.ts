/**
 * The scalar functions on complex numbers.
 *
 * Accuracy: add, sub, mul and div round each step to the precision of the parts, in the same order as the lowered kernel, so the bits
 * agree (mul is the schoolbook product, div is Smith's algorithm, which avoids intermediate overflow). The others are computed in double
 * precision and rounded once; a lowered kernel computes them in the precision of the parts, and its error is measured as a distance
 * in the plane, not per part. Branch cuts are on the negative real axis; the sign of a zero selects the side.
 */
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { type Complex, complex, type Value } from "../../storage/dtype.ts";

/** True if and only if the sign bit is set, also that of -0. */
export const isNegative = (x: number): boolean => x < 0 || Object.is(x, -0);

/** a * b, where 0 times anything, also infinity and NaN, is 0 with the sign of the product. */
function product(a: number, b: number): number {
  if (a !== 0 && b !== 0) return a * b;
  return isNegative(a) === isNegative(b) ? 0 : -0;
}

/**
 * Scales e^x that overflows down in steps of e^shift, because a small factor may bring it back into range. Two steps suffice for the
 * smallest factor. Returns the reduced exponent and the function that undoes the steps.
 */
function near(x: number, size: number): { readonly x: number; readonly grown: (value: number) => number } {
  const [far, shift] = [700, 512];
  const steps = size > far + shift ? 2 : size > far ? 1 : 0;
  return {
    x: x - Math.sign(x) * steps * shift,
    grown: (value) => value * (steps > 0 ? Math.exp(shift) : 1) * (steps > 1 ? Math.exp(shift) : 1),
  };
}

function exp({ re, im }: Complex): Complex {
  // An angle that is not finite makes both parts NaN, even where e^re underflows to 0.
  if (Number.isFinite(re) && !Number.isFinite(im)) return complex(NaN, NaN);
  const { x, grown } = near(re, re);
  const size = Math.exp(x);
  return complex(grown(product(size, Math.cos(im))), grown(product(size, Math.sin(im))));
}

/** sinh (re + i im) and cosh (re + i im). */
function hyperbolic({ re, im }: Complex): { sinh: Complex; cosh: Complex } {
  const { x, grown } = near(re, Math.abs(re));
  const part = (a: number, b: number): number => grown(product(a, b));
  const [s, c] = [Math.sinh(x), Math.cosh(x)];
  return {
    sinh: complex(part(s, Math.cos(im)), part(c, Math.sin(im))),
    cosh: complex(part(c, Math.cos(im)), part(s, Math.sin(im))),
  };
}

/** Kahan's algorithm. From 20 on, the real part is 1 in double precision (or NaN), and only the imaginary part is computed. */
function tanh({ re, im }: Complex): Complex {
  const wave = Math.sin(im) * Math.cos(im);
  if (Math.abs(re) === Infinity) return complex(Math.sign(re), product(0, wave));
  if (Math.abs(re) >= 20) return complex(Math.sign(re) + 0 * wave, 4 * Math.exp(-2 * Math.abs(re)) * wave);
  const t = Math.tan(im);
  const s = Math.sinh(re);
  const beta = 1 + t * t;
  const divisor = 1 + beta * s * s;
  return complex((beta * Math.sqrt(1 + s * s) * s) / divisor, t / divisor);
}

/** i * z and z / i. */
const turn = ({ re, im }: Complex): Complex => complex(-im, re);
const turnBack = ({ re, im }: Complex): Complex => complex(im, -re);

function log({ re, im }: Complex): Complex {
  const [long, short] = [Math.max(Math.abs(re), Math.abs(im)), Math.min(Math.abs(re), Math.abs(im))];
  const angle = Math.atan2(im, re);
  // Near the unit circle log|z| is small, and is computed from |z|^2 - 1.
  if (long > 0.5 && long < 1.5) return complex(0.5 * Math.log1p((long - 1) * (long + 1) + short * short), angle);
  const length = Math.hypot(re, im);
  if (length < Infinity && length > 2 ** -1000) return complex(Math.log(length), angle);
  const [factor, lost] = long < 1 ? [2 ** 100, -100 * Math.LN2] : [2 ** -60, 60 * Math.LN2];
  return complex(Math.log(Math.hypot(re * factor, im * factor)) + lost, angle);
}

function sqrt({ re, im }: Complex): Complex {
  if (Math.abs(im) === Infinity) return complex(Infinity, im);
  if (re === 0 && im === 0) return complex(0, im);
  const long = Math.max(Math.abs(re), Math.abs(im));
  const [factor, back] = long > 2 ** 1000 ? [2 ** -60, 2 ** 30] : long < 2 ** -900 ? [2 ** 160, 2 ** -80] : [1, 1];
  const [x, y] = [re * factor, im * factor];
  const size = Math.sqrt((Math.abs(x) + Math.hypot(x, y)) / 2);
  const other = Math.abs(y) / (2 * size);
  const signed = (part: number): number => (isNegative(im) ? -part : part) * back;
  return x >= 0 ? complex(size * back, signed(other)) : complex(other * back, signed(size));
}

/** e^(b log a). Any number to the power 0 is 1, and 0 to a power with a positive real part is 0. */
function pow(a: Complex, b: Complex): Complex {
  if (b.re === 0 && b.im === 0) return complex(1, 0);
  if (a.re === 0 && a.im === 0 && b.re > 0) return complex(0, 0);
  const l = log(a);
  return exp(complex(b.re * l.re - b.im * l.im, b.re * l.im + b.im * l.re));
}

function divide(a: Complex, b: Complex, narrow: Narrow): Complex {
  const isWide = Math.abs(b.re) >= Math.abs(b.im);
  const [long, short] = isWide ? [b.re, b.im] : [b.im, b.re];
  const ratio = long === 0 ? 0 : narrow(short / long);
  const divisor = narrow(long + narrow(short * ratio));
  const [p, q] = isWide ? [a.re, a.im] : [a.im, a.re];
  const im = narrow(narrow(q - narrow(p * ratio)) / divisor);
  return complex(narrow(narrow(p + narrow(q * ratio)) / divisor), isWide ? im : -im);
}

/** The functions of complex numbers; `narrow` rounds each part. */
export function complexMeanings(narrow: Narrow): Meanings {
  const narrowed = ({ re, im }: Complex): Complex => complex(narrow(re), narrow(im));
  return meaningTable({
    add: (a: Complex, b: Complex) => complex(narrow(a.re + b.re), narrow(a.im + b.im)),
    sub: (a: Complex, b: Complex) => complex(narrow(a.re - b.re), narrow(a.im - b.im)),
    mul: (a: Complex, b: Complex) =>
      complex(narrow(narrow(a.re * b.re) - narrow(a.im * b.im)), narrow(narrow(a.re * b.im) + narrow(a.im * b.re))),
    div: (a: Complex, b: Complex) => divide(a, b, narrow),
    neg: (a: Complex) => complex(-a.re, -a.im),
    conj: (a: Complex) => complex(a.re, -a.im),
    real: (a: Complex) => a.re,
    imag: (a: Complex) => a.im,
    abs: (a: Complex) => narrow(Math.hypot(a.re, a.im)),
    eq: (a: Complex, b: Complex) => a.re === b.re && a.im === b.im,
    ne: (a: Complex, b: Complex) => a.re !== b.re || a.im !== b.im,
    sqrt: (a: Complex) => narrowed(sqrt(a)),
    exp: (a: Complex) => narrowed(exp(a)),
    log: (a: Complex) => narrowed(log(a)),
    sin: (a: Complex) => narrowed(turnBack(hyperbolic(turn(a)).sinh)),
    cos: (a: Complex) => narrowed(hyperbolic(turn(a)).cosh),
    tan: (a: Complex) => narrowed(turnBack(tanh(turn(a)))),
    sinh: (a: Complex) => narrowed(hyperbolic(a).sinh),
    cosh: (a: Complex) => narrowed(hyperbolic(a).cosh),
    tanh: (a: Complex) => narrowed(tanh(a)),
    pow: (a: Complex, b: Complex) => narrowed(pow(a, b)),
  });
}

/** A function of one to three values; it ignores further arguments. */
export type Meaning = (a: Value, b: Value, c: Value) => Value;

export type Meanings = Readonly<Partial<Record<ScalarFunction, Meaning>>>;

/** Rounds to the precision of a dtype, or wraps to its range. */
export type Narrow = (x: number) => number;

/** A table of functions of one kind of value; callers must pass no others. */
export const meaningTable = (
  functions: Readonly<Partial<Record<ScalarFunction, (...args: never[]) => Value>>>,
): Meanings => functions as Meanings;
