/**
 * Elementwise ops as methods of tensors, each with the sentence of its op. No run-time code.
 * Made from the code: `npx vitest run test/golden/method-types.test.ts --update=all` writes it anew.
 */
import type * as activation from "./elementwise/activation.ts";
import type * as arithmetic from "./elementwise/arithmetic.ts";
import type * as choose from "./elementwise/choose.ts";
import type * as comparison from "./elementwise/comparison.ts";
import type * as functions from "./elementwise/functions.ts";
import type { MethodOf } from "./op-types.ts";

/** Elementwise ops as methods of tensors. */
export interface ElementwiseMethods {
  /** Returns the absolute value of each element. */
  readonly abs: MethodOf<typeof arithmetic.abs>;
  /** Returns the inverse cosine of each element. */
  readonly acos: MethodOf<typeof functions.acos>;
  /** Returns the inverse hyperbolic cosine of each element. */
  readonly acosh: MethodOf<typeof functions.acosh>;
  /** Adds other, times alpha, to x. */
  readonly add: MethodOf<typeof arithmetic.add>;
  /** Returns x + value * first / second. */
  readonly addcdiv: MethodOf<typeof arithmetic.addcdiv>;
  /** Returns x + value * first * second. */
  readonly addcmul: MethodOf<typeof arithmetic.addcmul>;
  /** Returns the angle of each element in radians: for real numbers 0, or pi if they are negative. */
  readonly angle: MethodOf<typeof functions.angle>;
  /** Returns the inverse sine of each element. */
  readonly asin: MethodOf<typeof functions.asin>;
  /** Returns the inverse hyperbolic sine of each element. */
  readonly asinh: MethodOf<typeof functions.asinh>;
  /** Returns the inverse tangent of each element. */
  readonly atan: MethodOf<typeof functions.atan>;
  /** Returns the inverse tangent of x / other in the quadrant of the point (other, x). */
  readonly atan2: MethodOf<typeof functions.atan2>;
  /** Returns the inverse hyperbolic tangent of each element. */
  readonly atanh: MethodOf<typeof functions.atanh>;
  /** Returns the bitwise AND. */
  readonly bitwiseAnd: MethodOf<typeof comparison.bitwiseAnd>;
  /** Shifts the bits of x to the left by other. */
  readonly bitwiseLeftShift: MethodOf<typeof comparison.bitwiseLeftShift>;
  /** Returns the bitwise NOT. */
  readonly bitwiseNot: MethodOf<typeof comparison.bitwiseNot>;
  /** Returns the bitwise OR. */
  readonly bitwiseOr: MethodOf<typeof comparison.bitwiseOr>;
  /** Shifts the bits of x to the right by other, keeping the sign. */
  readonly bitwiseRightShift: MethodOf<typeof comparison.bitwiseRightShift>;
  /** Returns the bitwise XOR. */
  readonly bitwiseXor: MethodOf<typeof comparison.bitwiseXor>;
  /** Rounds each element up to an integer. */
  readonly ceil: MethodOf<typeof functions.ceil>;
  /** Applies the continuously differentiable exponential linear unit, which has slope 1 at 0 for every alpha. */
  readonly celu: MethodOf<typeof activation.celu>;
  /** Clamps each element to the range [min, max]; a bound that is null or omitted does not apply. */
  readonly clamp: MethodOf<typeof arithmetic.clamp>;
  /** Clamps each element to be at most max. */
  readonly clampMax: MethodOf<typeof arithmetic.clampMax>;
  /** Clamps each element to be at least min. */
  readonly clampMin: MethodOf<typeof arithmetic.clampMin>;
  /** Returns the complex conjugate of each element. */
  readonly conj: MethodOf<typeof functions.conj>;
  /** Returns x with the sign of other. */
  readonly copysign: MethodOf<typeof arithmetic.copysign>;
  /** Returns the cosine of each element. */
  readonly cos: MethodOf<typeof functions.cos>;
  /** Returns the hyperbolic cosine of each element. */
  readonly cosh: MethodOf<typeof functions.cosh>;
  /** Converts degrees to radians. */
  readonly deg2rad: MethodOf<typeof functions.deg2rad>;
  /** Divides x by other; integers become floats, unless the quotient is rounded down ("floor") or toward 0 ("trunc"). */
  readonly div: MethodOf<typeof arithmetic.div>;
  /** Applies the exponential linear unit: x if positive, else alpha * (exp(x) - 1). */
  readonly elu: MethodOf<typeof activation.elu>;
  /** Tests x == other elementwise. */
  readonly eq: MethodOf<typeof comparison.eq>;
  /** Returns the error function of each element. */
  readonly erf: MethodOf<typeof functions.erf>;
  /** Returns the complementary error function 1 - erf(x), accurate for large x. */
  readonly erfc: MethodOf<typeof functions.erfc>;
  /** Returns the exponential of each element. */
  readonly exp: MethodOf<typeof functions.exp>;
  /** Returns 2 to the power of each element. */
  readonly exp2: MethodOf<typeof functions.exp2>;
  /** Returns exp(x) - 1, accurate near 0. */
  readonly expm1: MethodOf<typeof functions.expm1>;
  /** Raises x to the power of other, computed in float64 or complex128. */
  readonly floatPower: MethodOf<typeof arithmetic.floatPower>;
  /** Rounds each element down to an integer. */
  readonly floor: MethodOf<typeof functions.floor>;
  /** Divides x by other and rounds down. */
  readonly floorDivide: MethodOf<typeof arithmetic.floorDivide>;
  /** Returns the elementwise maximum; if one element is NaN, the other one. */
  readonly fmax: MethodOf<typeof arithmetic.fmax>;
  /** Returns the elementwise minimum; if one element is NaN, the other one. */
  readonly fmin: MethodOf<typeof arithmetic.fmin>;
  /** Returns the remainder of truncated division, which has the sign of x. */
  readonly fmod: MethodOf<typeof arithmetic.fmod>;
  /** Returns the fractional part of each element, with its sign. */
  readonly frac: MethodOf<typeof functions.frac>;
  /** Tests x >= other elementwise. */
  readonly ge: MethodOf<typeof comparison.ge>;
  /** Applies the Gaussian error linear unit, x times the standard normal distribution function; with "tanh", its tanh approximation. */
  readonly gelu: MethodOf<typeof activation.gelu>;
  /** Tests x > other elementwise. */
  readonly gt: MethodOf<typeof comparison.gt>;
  /** Applies hard shrinkage: x if its absolute value is above lambda, else 0. */
  readonly hardshrink: MethodOf<typeof activation.hardshrink>;
  /** Applies relu6(x + 3) / 6. */
  readonly hardsigmoid: MethodOf<typeof activation.hardsigmoid>;
  /** Applies x * relu6(x + 3) / 6. */
  readonly hardswish: MethodOf<typeof activation.hardswish>;
  /** Clamps each element to the range [min, max]. */
  readonly hardtanh: MethodOf<typeof activation.hardtanh>;
  /** Computes the Heaviside step function: 0 for negative elements, 1 for positive ones, and `values` for 0. */
  readonly heaviside: MethodOf<typeof arithmetic.heaviside>;
  /** Returns the hypotenuse sqrt(x^2 + other^2), without intermediate overflow. */
  readonly hypot: MethodOf<typeof arithmetic.hypot>;
  /** Tests whether elements are close: |x - other| <= atol + rtol * |other|. */
  readonly isclose: MethodOf<typeof comparison.isclose>;
  /** Tests whether each element is finite. */
  readonly isfinite: MethodOf<typeof comparison.isfinite>;
  /** Tests each element for positive or negative infinity. */
  readonly isinf: MethodOf<typeof comparison.isinf>;
  /** Tests each element for NaN. */
  readonly isnan: MethodOf<typeof comparison.isnan>;
  /** Tests each element for negative infinity. */
  readonly isneginf: MethodOf<typeof comparison.isneginf>;
  /** Tests each element for positive infinity. */
  readonly isposinf: MethodOf<typeof comparison.isposinf>;
  /** Tests whether each element is real, that is, has an imaginary part of 0. */
  readonly isreal: MethodOf<typeof comparison.isreal>;
  /** Multiplies x by 2 to the power of other. */
  readonly ldexp: MethodOf<typeof arithmetic.ldexp>;
  /** Tests x <= other elementwise. */
  readonly le: MethodOf<typeof comparison.le>;
  /** Applies the leaky rectified linear unit: x if positive, else slope * x. */
  readonly leakyRelu: MethodOf<typeof activation.leakyRelu>;
  /** Interpolates linearly between x and end: x at weight 0, end at weight 1. */
  readonly lerp: MethodOf<typeof arithmetic.lerp>;
  /** Returns the natural logarithm of each element. */
  readonly log: MethodOf<typeof functions.log>;
  /** Returns the logarithm to base 10 of each element. */
  readonly log10: MethodOf<typeof functions.log10>;
  /** Returns log(1 + x), accurate near 0. */
  readonly log1p: MethodOf<typeof functions.log1p>;
  /** Returns the logarithm to base 2 of each element. */
  readonly log2: MethodOf<typeof functions.log2>;
  /** Applies log(sigmoid(x)), without overflow. */
  readonly logSigmoid: MethodOf<typeof activation.logSigmoid>;
  /** Returns log(exp(x) + exp(other)), without intermediate overflow. */
  readonly logaddexp: MethodOf<typeof arithmetic.logaddexp>;
  /** Returns log2(2^x + 2^other), without intermediate overflow. */
  readonly logaddexp2: MethodOf<typeof arithmetic.logaddexp2>;
  /** Returns the logical AND; nonzero elements count as true. */
  readonly logicalAnd: MethodOf<typeof comparison.logicalAnd>;
  /** Returns the logical NOT; nonzero elements count as true. */
  readonly logicalNot: MethodOf<typeof comparison.logicalNot>;
  /** Returns the logical OR; nonzero elements count as true. */
  readonly logicalOr: MethodOf<typeof comparison.logicalOr>;
  /** Returns the logical XOR; nonzero elements count as true. */
  readonly logicalXor: MethodOf<typeof comparison.logicalXor>;
  /** Returns the logit log(x / (1 - x)); with eps, x is clamped to [eps, 1 - eps] first. */
  readonly logit: MethodOf<typeof functions.logit>;
  /** Tests x < other elementwise. */
  readonly lt: MethodOf<typeof comparison.lt>;
  /** Fills elements of x with a value where the mask is true; the dtype stays that of x. */
  readonly maskedFill: MethodOf<typeof choose.maskedFill>;
  /** Returns the elementwise maximum; NaN if either element is NaN. */
  readonly maximum: MethodOf<typeof arithmetic.maximum>;
  /** Returns the elementwise minimum; NaN if either element is NaN. */
  readonly minimum: MethodOf<typeof arithmetic.minimum>;
  /** Applies x * tanh(softplus(x)). */
  readonly mish: MethodOf<typeof activation.mish>;
  /** Multiplies x by other. */
  readonly mul: MethodOf<typeof arithmetic.mul>;
  /** Replaces NaN and infinities, by default with 0 and with the largest finite numbers. */
  readonly nanToNum: MethodOf<typeof activation.nanToNum>;
  /** Tests x != other elementwise. */
  readonly ne: MethodOf<typeof comparison.ne>;
  /** Returns the negative of each element. */
  readonly neg: MethodOf<typeof arithmetic.neg>;
  /** Raises x to the power of other. */
  readonly pow: MethodOf<typeof arithmetic.pow>;
  /** Applies leakyRelu with slopes from a tensor, which is broadcast; prelu takes one weight per channel. */
  readonly preluOf: MethodOf<typeof activation.preluOf>;
  /** Converts radians to degrees. */
  readonly rad2deg: MethodOf<typeof functions.rad2deg>;
  /** Returns the reciprocal of each element. */
  readonly reciprocal: MethodOf<typeof arithmetic.reciprocal>;
  /** Applies the rectified linear unit, max(x, 0). */
  readonly relu: MethodOf<typeof activation.relu>;
  /** Applies min(max(x, 0), 6). */
  readonly relu6: MethodOf<typeof activation.relu6>;
  /** Returns the remainder of floor division, which has the sign of other. */
  readonly remainder: MethodOf<typeof arithmetic.remainder>;
  /** Rounds each element to the nearest integer, half to even, or to the given number of decimals. */
  readonly round: MethodOf<typeof functions.round>;
  /** Returns the reciprocal of the square root of each element. */
  readonly rsqrt: MethodOf<typeof arithmetic.rsqrt>;
  /** Subtracts x, times alpha, from other. */
  readonly rsub: MethodOf<typeof arithmetic.rsub>;
  /** Applies the scaled exponential linear unit, which keeps mean and variance. */
  readonly selu: MethodOf<typeof activation.selu>;
  /** Returns the sign of each element; for complex numbers x / abs(x), and 0 for 0. */
  readonly sgn: MethodOf<typeof arithmetic.sgn>;
  /** Returns the sigmoid function 1 / (1 + exp(-x)) of each element. */
  readonly sigmoid: MethodOf<typeof functions.sigmoid>;
  /** Returns the sign of each element: -1, 0 or 1. */
  readonly sign: MethodOf<typeof arithmetic.sign>;
  /** Tests whether the sign bit of each element is set; it is for -0. */
  readonly signbit: MethodOf<typeof comparison.signbit>;
  /** Applies the sigmoid linear unit x * sigmoid(x), also called swish. */
  readonly silu: MethodOf<typeof activation.silu>;
  /** Returns the sine of each element. */
  readonly sin: MethodOf<typeof functions.sin>;
  /** Returns the normalized sinc function sin(pi x) / (pi x), and 1 at 0. */
  readonly sinc: MethodOf<typeof functions.sinc>;
  /** Returns the hyperbolic sine of each element. */
  readonly sinh: MethodOf<typeof functions.sinh>;
  /** Applies log(1 + exp(beta * x)) / beta, without overflow; x where beta * x is above the threshold. */
  readonly softplus: MethodOf<typeof activation.softplus>;
  /** Applies soft shrinkage: moves x by lambda toward 0, and to 0 if it is nearer. */
  readonly softshrink: MethodOf<typeof activation.softshrink>;
  /** Applies x / (1 + |x|). */
  readonly softsign: MethodOf<typeof activation.softsign>;
  /** Returns the square root of each element. */
  readonly sqrt: MethodOf<typeof arithmetic.sqrt>;
  /** Returns the square of each element. */
  readonly square: MethodOf<typeof arithmetic.square>;
  /** Subtracts other, times alpha, from x. */
  readonly sub: MethodOf<typeof arithmetic.sub>;
  /** Returns the tangent of each element. */
  readonly tan: MethodOf<typeof functions.tan>;
  /** Returns the hyperbolic tangent of each element. */
  readonly tanh: MethodOf<typeof functions.tanh>;
  /** Applies x - tanh(x). */
  readonly tanhshrink: MethodOf<typeof activation.tanhshrink>;
  /** Returns x where it is above the threshold, else the value. */
  readonly threshold: MethodOf<typeof activation.threshold>;
  /** Truncates each element to its integer part. */
  readonly trunc: MethodOf<typeof functions.trunc>;
  /** Returns x * log1p(other), and 0 where x is 0 and other is not NaN. */
  readonly xlog1py: MethodOf<typeof arithmetic.xlog1py>;
  /** Returns x * log(other), and 0 where x is 0 and other is not NaN. */
  readonly xlogy: MethodOf<typeof arithmetic.xlogy>;
}
