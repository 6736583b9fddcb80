/**
 * Elementwise ops that write their result to the tensor itself, each with the sentence of its op. No run-time code.
 * Made from the code: `npx vitest run test/golden/method-types.test.ts --update=all` writes it anew.
 */
import type * as activation from "./elementwise/activation.ts";
import type * as arithmetic from "./elementwise/arithmetic.ts";
import type * as choose from "./elementwise/choose.ts";
import type * as comparison from "./elementwise/comparison.ts";
import type * as functions from "./elementwise/functions.ts";
import type { InPlaceForm } from "./op-types.ts";

/** Elementwise ops that write their result to the tensor itself. */
export interface InPlaceMethods {
  /** Returns the absolute value of each element. Written to the tensor itself, which is given back. */
  readonly abs_: InPlaceForm<typeof arithmetic.abs>;
  /** Returns the inverse cosine of each element. Written to the tensor itself, which is given back. */
  readonly acos_: InPlaceForm<typeof functions.acos>;
  /** Returns the inverse hyperbolic cosine of each element. Written to the tensor itself, which is given back. */
  readonly acosh_: InPlaceForm<typeof functions.acosh>;
  /** Adds other, times alpha, to x. Written to the tensor itself, which is given back. */
  readonly add_: InPlaceForm<typeof arithmetic.add>;
  /** Returns x + value * first / second. Written to the tensor itself, which is given back. */
  readonly addcdiv_: InPlaceForm<typeof arithmetic.addcdiv>;
  /** Returns x + value * first * second. Written to the tensor itself, which is given back. */
  readonly addcmul_: InPlaceForm<typeof arithmetic.addcmul>;
  /** Returns the angle of each element in radians: for real numbers 0, or pi if they are negative. Written to the tensor itself, which is given back. */
  readonly angle_: InPlaceForm<typeof functions.angle>;
  /** Returns the inverse sine of each element. Written to the tensor itself, which is given back. */
  readonly asin_: InPlaceForm<typeof functions.asin>;
  /** Returns the inverse hyperbolic sine of each element. Written to the tensor itself, which is given back. */
  readonly asinh_: InPlaceForm<typeof functions.asinh>;
  /** Returns the inverse tangent of each element. Written to the tensor itself, which is given back. */
  readonly atan_: InPlaceForm<typeof functions.atan>;
  /** Returns the inverse tangent of x / other in the quadrant of the point (other, x). Written to the tensor itself, which is given back. */
  readonly atan2_: InPlaceForm<typeof functions.atan2>;
  /** Returns the inverse hyperbolic tangent of each element. Written to the tensor itself, which is given back. */
  readonly atanh_: InPlaceForm<typeof functions.atanh>;
  /** Returns the bitwise AND. Written to the tensor itself, which is given back. */
  readonly bitwiseAnd_: InPlaceForm<typeof comparison.bitwiseAnd>;
  /** Shifts the bits of x to the left by other. Written to the tensor itself, which is given back. */
  readonly bitwiseLeftShift_: InPlaceForm<typeof comparison.bitwiseLeftShift>;
  /** Returns the bitwise NOT. Written to the tensor itself, which is given back. */
  readonly bitwiseNot_: InPlaceForm<typeof comparison.bitwiseNot>;
  /** Returns the bitwise OR. Written to the tensor itself, which is given back. */
  readonly bitwiseOr_: InPlaceForm<typeof comparison.bitwiseOr>;
  /** Shifts the bits of x to the right by other, keeping the sign. Written to the tensor itself, which is given back. */
  readonly bitwiseRightShift_: InPlaceForm<typeof comparison.bitwiseRightShift>;
  /** Returns the bitwise XOR. Written to the tensor itself, which is given back. */
  readonly bitwiseXor_: InPlaceForm<typeof comparison.bitwiseXor>;
  /** Rounds each element up to an integer. Written to the tensor itself, which is given back. */
  readonly ceil_: InPlaceForm<typeof functions.ceil>;
  /** Applies the continuously differentiable exponential linear unit, which has slope 1 at 0 for every alpha. Written to the tensor itself, which is given back. */
  readonly celu_: InPlaceForm<typeof activation.celu>;
  /** Clamps each element to the range [min, max]; a bound that is null or omitted does not apply. Written to the tensor itself, which is given back. */
  readonly clamp_: InPlaceForm<typeof arithmetic.clamp>;
  /** Clamps each element to be at most max. Written to the tensor itself, which is given back. */
  readonly clampMax_: InPlaceForm<typeof arithmetic.clampMax>;
  /** Clamps each element to be at least min. Written to the tensor itself, which is given back. */
  readonly clampMin_: InPlaceForm<typeof arithmetic.clampMin>;
  /** Returns the complex conjugate of each element. Written to the tensor itself, which is given back. */
  readonly conj_: InPlaceForm<typeof functions.conj>;
  /** Returns x with the sign of other. Written to the tensor itself, which is given back. */
  readonly copysign_: InPlaceForm<typeof arithmetic.copysign>;
  /** Returns the cosine of each element. Written to the tensor itself, which is given back. */
  readonly cos_: InPlaceForm<typeof functions.cos>;
  /** Returns the hyperbolic cosine of each element. Written to the tensor itself, which is given back. */
  readonly cosh_: InPlaceForm<typeof functions.cosh>;
  /** Converts degrees to radians. Written to the tensor itself, which is given back. */
  readonly deg2rad_: InPlaceForm<typeof functions.deg2rad>;
  /** Divides x by other; integers become floats, unless the quotient is rounded down ("floor") or toward 0 ("trunc"). Written to the tensor itself, which is given back. */
  readonly div_: InPlaceForm<typeof arithmetic.div>;
  /** Applies the exponential linear unit: x if positive, else alpha * (exp(x) - 1). Written to the tensor itself, which is given back. */
  readonly elu_: InPlaceForm<typeof activation.elu>;
  /** Tests x == other elementwise. Written to the tensor itself, which is given back. */
  readonly eq_: InPlaceForm<typeof comparison.eq>;
  /** Returns the error function of each element. Written to the tensor itself, which is given back. */
  readonly erf_: InPlaceForm<typeof functions.erf>;
  /** Returns the complementary error function 1 - erf(x), accurate for large x. Written to the tensor itself, which is given back. */
  readonly erfc_: InPlaceForm<typeof functions.erfc>;
  /** Returns the exponential of each element. Written to the tensor itself, which is given back. */
  readonly exp_: InPlaceForm<typeof functions.exp>;
  /** Returns 2 to the power of each element. Written to the tensor itself, which is given back. */
  readonly exp2_: InPlaceForm<typeof functions.exp2>;
  /** Returns exp(x) - 1, accurate near 0. Written to the tensor itself, which is given back. */
  readonly expm1_: InPlaceForm<typeof functions.expm1>;
  /** Raises x to the power of other, computed in float64 or complex128. Written to the tensor itself, which is given back. */
  readonly floatPower_: InPlaceForm<typeof arithmetic.floatPower>;
  /** Rounds each element down to an integer. Written to the tensor itself, which is given back. */
  readonly floor_: InPlaceForm<typeof functions.floor>;
  /** Divides x by other and rounds down. Written to the tensor itself, which is given back. */
  readonly floorDivide_: InPlaceForm<typeof arithmetic.floorDivide>;
  /** Returns the elementwise maximum; if one element is NaN, the other one. Written to the tensor itself, which is given back. */
  readonly fmax_: InPlaceForm<typeof arithmetic.fmax>;
  /** Returns the elementwise minimum; if one element is NaN, the other one. Written to the tensor itself, which is given back. */
  readonly fmin_: InPlaceForm<typeof arithmetic.fmin>;
  /** Returns the remainder of truncated division, which has the sign of x. Written to the tensor itself, which is given back. */
  readonly fmod_: InPlaceForm<typeof arithmetic.fmod>;
  /** Returns the fractional part of each element, with its sign. Written to the tensor itself, which is given back. */
  readonly frac_: InPlaceForm<typeof functions.frac>;
  /** Tests x >= other elementwise. Written to the tensor itself, which is given back. */
  readonly ge_: InPlaceForm<typeof comparison.ge>;
  /** Applies the Gaussian error linear unit, x times the standard normal distribution function; with "tanh", its tanh approximation. Written to the tensor itself, which is given back. */
  readonly gelu_: InPlaceForm<typeof activation.gelu>;
  /** Tests x > other elementwise. Written to the tensor itself, which is given back. */
  readonly gt_: InPlaceForm<typeof comparison.gt>;
  /** Applies hard shrinkage: x if its absolute value is above lambda, else 0. Written to the tensor itself, which is given back. */
  readonly hardshrink_: InPlaceForm<typeof activation.hardshrink>;
  /** Applies relu6(x + 3) / 6. Written to the tensor itself, which is given back. */
  readonly hardsigmoid_: InPlaceForm<typeof activation.hardsigmoid>;
  /** Applies x * relu6(x + 3) / 6. Written to the tensor itself, which is given back. */
  readonly hardswish_: InPlaceForm<typeof activation.hardswish>;
  /** Clamps each element to the range [min, max]. Written to the tensor itself, which is given back. */
  readonly hardtanh_: InPlaceForm<typeof activation.hardtanh>;
  /** Computes the Heaviside step function: 0 for negative elements, 1 for positive ones, and `values` for 0. Written to the tensor itself, which is given back. */
  readonly heaviside_: InPlaceForm<typeof arithmetic.heaviside>;
  /** Returns the hypotenuse sqrt(x^2 + other^2), without intermediate overflow. Written to the tensor itself, which is given back. */
  readonly hypot_: InPlaceForm<typeof arithmetic.hypot>;
  /** Tests whether elements are close: |x - other| <= atol + rtol * |other|. Written to the tensor itself, which is given back. */
  readonly isclose_: InPlaceForm<typeof comparison.isclose>;
  /** Tests whether each element is finite. Written to the tensor itself, which is given back. */
  readonly isfinite_: InPlaceForm<typeof comparison.isfinite>;
  /** Tests each element for positive or negative infinity. Written to the tensor itself, which is given back. */
  readonly isinf_: InPlaceForm<typeof comparison.isinf>;
  /** Tests each element for NaN. Written to the tensor itself, which is given back. */
  readonly isnan_: InPlaceForm<typeof comparison.isnan>;
  /** Tests each element for negative infinity. Written to the tensor itself, which is given back. */
  readonly isneginf_: InPlaceForm<typeof comparison.isneginf>;
  /** Tests each element for positive infinity. Written to the tensor itself, which is given back. */
  readonly isposinf_: InPlaceForm<typeof comparison.isposinf>;
  /** Tests whether each element is real, that is, has an imaginary part of 0. Written to the tensor itself, which is given back. */
  readonly isreal_: InPlaceForm<typeof comparison.isreal>;
  /** Multiplies x by 2 to the power of other. Written to the tensor itself, which is given back. */
  readonly ldexp_: InPlaceForm<typeof arithmetic.ldexp>;
  /** Tests x <= other elementwise. Written to the tensor itself, which is given back. */
  readonly le_: InPlaceForm<typeof comparison.le>;
  /** Applies the leaky rectified linear unit: x if positive, else slope * x. Written to the tensor itself, which is given back. */
  readonly leakyRelu_: InPlaceForm<typeof activation.leakyRelu>;
  /** Interpolates linearly between x and end: x at weight 0, end at weight 1. Written to the tensor itself, which is given back. */
  readonly lerp_: InPlaceForm<typeof arithmetic.lerp>;
  /** Returns the natural logarithm of each element. Written to the tensor itself, which is given back. */
  readonly log_: InPlaceForm<typeof functions.log>;
  /** Returns the logarithm to base 10 of each element. Written to the tensor itself, which is given back. */
  readonly log10_: InPlaceForm<typeof functions.log10>;
  /** Returns log(1 + x), accurate near 0. Written to the tensor itself, which is given back. */
  readonly log1p_: InPlaceForm<typeof functions.log1p>;
  /** Returns the logarithm to base 2 of each element. Written to the tensor itself, which is given back. */
  readonly log2_: InPlaceForm<typeof functions.log2>;
  /** Applies log(sigmoid(x)), without overflow. Written to the tensor itself, which is given back. */
  readonly logSigmoid_: InPlaceForm<typeof activation.logSigmoid>;
  /** Returns log(exp(x) + exp(other)), without intermediate overflow. Written to the tensor itself, which is given back. */
  readonly logaddexp_: InPlaceForm<typeof arithmetic.logaddexp>;
  /** Returns log2(2^x + 2^other), without intermediate overflow. Written to the tensor itself, which is given back. */
  readonly logaddexp2_: InPlaceForm<typeof arithmetic.logaddexp2>;
  /** Returns the logical AND; nonzero elements count as true. Written to the tensor itself, which is given back. */
  readonly logicalAnd_: InPlaceForm<typeof comparison.logicalAnd>;
  /** Returns the logical NOT; nonzero elements count as true. Written to the tensor itself, which is given back. */
  readonly logicalNot_: InPlaceForm<typeof comparison.logicalNot>;
  /** Returns the logical OR; nonzero elements count as true. Written to the tensor itself, which is given back. */
  readonly logicalOr_: InPlaceForm<typeof comparison.logicalOr>;
  /** Returns the logical XOR; nonzero elements count as true. Written to the tensor itself, which is given back. */
  readonly logicalXor_: InPlaceForm<typeof comparison.logicalXor>;
  /** Returns the logit log(x / (1 - x)); with eps, x is clamped to [eps, 1 - eps] first. Written to the tensor itself, which is given back. */
  readonly logit_: InPlaceForm<typeof functions.logit>;
  /** Tests x < other elementwise. Written to the tensor itself, which is given back. */
  readonly lt_: InPlaceForm<typeof comparison.lt>;
  /** Fills elements of x with a value where the mask is true; the dtype stays that of x. Written to the tensor itself, which is given back. */
  readonly maskedFill_: InPlaceForm<typeof choose.maskedFill>;
  /** Returns the elementwise maximum; NaN if either element is NaN. Written to the tensor itself, which is given back. */
  readonly maximum_: InPlaceForm<typeof arithmetic.maximum>;
  /** Returns the elementwise minimum; NaN if either element is NaN. Written to the tensor itself, which is given back. */
  readonly minimum_: InPlaceForm<typeof arithmetic.minimum>;
  /** Applies x * tanh(softplus(x)). Written to the tensor itself, which is given back. */
  readonly mish_: InPlaceForm<typeof activation.mish>;
  /** Multiplies x by other. Written to the tensor itself, which is given back. */
  readonly mul_: InPlaceForm<typeof arithmetic.mul>;
  /** Replaces NaN and infinities, by default with 0 and with the largest finite numbers. Written to the tensor itself, which is given back. */
  readonly nanToNum_: InPlaceForm<typeof activation.nanToNum>;
  /** Tests x != other elementwise. Written to the tensor itself, which is given back. */
  readonly ne_: InPlaceForm<typeof comparison.ne>;
  /** Returns the negative of each element. Written to the tensor itself, which is given back. */
  readonly neg_: InPlaceForm<typeof arithmetic.neg>;
  /** Raises x to the power of other. Written to the tensor itself, which is given back. */
  readonly pow_: InPlaceForm<typeof arithmetic.pow>;
  /** Applies leakyRelu with slopes from a tensor, which is broadcast; prelu takes one weight per channel. Written to the tensor itself, which is given back. */
  readonly preluOf_: InPlaceForm<typeof activation.preluOf>;
  /** Converts radians to degrees. Written to the tensor itself, which is given back. */
  readonly rad2deg_: InPlaceForm<typeof functions.rad2deg>;
  /** Returns the reciprocal of each element. Written to the tensor itself, which is given back. */
  readonly reciprocal_: InPlaceForm<typeof arithmetic.reciprocal>;
  /** Applies the rectified linear unit, max(x, 0). Written to the tensor itself, which is given back. */
  readonly relu_: InPlaceForm<typeof activation.relu>;
  /** Applies min(max(x, 0), 6). Written to the tensor itself, which is given back. */
  readonly relu6_: InPlaceForm<typeof activation.relu6>;
  /** Returns the remainder of floor division, which has the sign of other. Written to the tensor itself, which is given back. */
  readonly remainder_: InPlaceForm<typeof arithmetic.remainder>;
  /** Rounds each element to the nearest integer, half to even, or to the given number of decimals. Written to the tensor itself, which is given back. */
  readonly round_: InPlaceForm<typeof functions.round>;
  /** Returns the reciprocal of the square root of each element. Written to the tensor itself, which is given back. */
  readonly rsqrt_: InPlaceForm<typeof arithmetic.rsqrt>;
  /** Subtracts x, times alpha, from other. Written to the tensor itself, which is given back. */
  readonly rsub_: InPlaceForm<typeof arithmetic.rsub>;
  /** Applies the scaled exponential linear unit, which keeps mean and variance. Written to the tensor itself, which is given back. */
  readonly selu_: InPlaceForm<typeof activation.selu>;
  /** Returns the sign of each element; for complex numbers x / abs(x), and 0 for 0. Written to the tensor itself, which is given back. */
  readonly sgn_: InPlaceForm<typeof arithmetic.sgn>;
  /** Returns the sigmoid function 1 / (1 + exp(-x)) of each element. Written to the tensor itself, which is given back. */
  readonly sigmoid_: InPlaceForm<typeof functions.sigmoid>;
  /** Returns the sign of each element: -1, 0 or 1. Written to the tensor itself, which is given back. */
  readonly sign_: InPlaceForm<typeof arithmetic.sign>;
  /** Tests whether the sign bit of each element is set; it is for -0. Written to the tensor itself, which is given back. */
  readonly signbit_: InPlaceForm<typeof comparison.signbit>;
  /** Applies the sigmoid linear unit x * sigmoid(x), also called swish. Written to the tensor itself, which is given back. */
  readonly silu_: InPlaceForm<typeof activation.silu>;
  /** Returns the sine of each element. Written to the tensor itself, which is given back. */
  readonly sin_: InPlaceForm<typeof functions.sin>;
  /** Returns the normalized sinc function sin(pi x) / (pi x), and 1 at 0. Written to the tensor itself, which is given back. */
  readonly sinc_: InPlaceForm<typeof functions.sinc>;
  /** Returns the hyperbolic sine of each element. Written to the tensor itself, which is given back. */
  readonly sinh_: InPlaceForm<typeof functions.sinh>;
  /** Applies log(1 + exp(beta * x)) / beta, without overflow; x where beta * x is above the threshold. Written to the tensor itself, which is given back. */
  readonly softplus_: InPlaceForm<typeof activation.softplus>;
  /** Applies soft shrinkage: moves x by lambda toward 0, and to 0 if it is nearer. Written to the tensor itself, which is given back. */
  readonly softshrink_: InPlaceForm<typeof activation.softshrink>;
  /** Applies x / (1 + |x|). Written to the tensor itself, which is given back. */
  readonly softsign_: InPlaceForm<typeof activation.softsign>;
  /** Returns the square root of each element. Written to the tensor itself, which is given back. */
  readonly sqrt_: InPlaceForm<typeof arithmetic.sqrt>;
  /** Returns the square of each element. Written to the tensor itself, which is given back. */
  readonly square_: InPlaceForm<typeof arithmetic.square>;
  /** Subtracts other, times alpha, from x. Written to the tensor itself, which is given back. */
  readonly sub_: InPlaceForm<typeof arithmetic.sub>;
  /** Returns the tangent of each element. Written to the tensor itself, which is given back. */
  readonly tan_: InPlaceForm<typeof functions.tan>;
  /** Returns the hyperbolic tangent of each element. Written to the tensor itself, which is given back. */
  readonly tanh_: InPlaceForm<typeof functions.tanh>;
  /** Applies x - tanh(x). Written to the tensor itself, which is given back. */
  readonly tanhshrink_: InPlaceForm<typeof activation.tanhshrink>;
  /** Returns x where it is above the threshold, else the value. Written to the tensor itself, which is given back. */
  readonly threshold_: InPlaceForm<typeof activation.threshold>;
  /** Truncates each element to its integer part. Written to the tensor itself, which is given back. */
  readonly trunc_: InPlaceForm<typeof functions.trunc>;
  /** Returns x * log1p(other), and 0 where x is 0 and other is not NaN. Written to the tensor itself, which is given back. */
  readonly xlog1py_: InPlaceForm<typeof arithmetic.xlog1py>;
  /** Returns x * log(other), and 0 where x is 0 and other is not NaN. Written to the tensor itself, which is given back. */
  readonly xlogy_: InPlaceForm<typeof arithmetic.xlogy>;
}
