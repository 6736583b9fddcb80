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
  /** The distance of x from 0. Written to the tensor itself, which is given back. */
  readonly abs_: InPlaceForm<typeof arithmetic.abs>;
  /** The angle whose cosine is x. Written to the tensor itself, which is given back. */
  readonly acos_: InPlaceForm<typeof functions.acos>;
  /** The number whose hyperbolic cosine is x. Written to the tensor itself, which is given back. */
  readonly acosh_: InPlaceForm<typeof functions.acosh>;
  /** x + other, or x + alpha * other. Written to the tensor itself, which is given back. */
  readonly add_: InPlaceForm<typeof arithmetic.add>;
  /** x + value * first / second. Written to the tensor itself, which is given back. */
  readonly addcdiv_: InPlaceForm<typeof arithmetic.addcdiv>;
  /** x + value * first * second. Written to the tensor itself, which is given back. */
  readonly addcmul_: InPlaceForm<typeof arithmetic.addcmul>;
  /** The angle of a complex number; of a real one 0, or pi where it is negative. Written to the tensor itself, which is given back. */
  readonly angle_: InPlaceForm<typeof functions.angle>;
  /** The angle whose sine is x. Written to the tensor itself, which is given back. */
  readonly asin_: InPlaceForm<typeof functions.asin>;
  /** The number whose hyperbolic sine is x. Written to the tensor itself, which is given back. */
  readonly asinh_: InPlaceForm<typeof functions.asinh>;
  /** The angle whose tangent is x. Written to the tensor itself, which is given back. */
  readonly atan_: InPlaceForm<typeof functions.atan>;
  /** The angle of the point (other, x). Written to the tensor itself, which is given back. */
  readonly atan2_: InPlaceForm<typeof functions.atan2>;
  /** The number whose hyperbolic tangent is x. Written to the tensor itself, which is given back. */
  readonly atanh_: InPlaceForm<typeof functions.atanh>;
  /** The bits that both have. Written to the tensor itself, which is given back. */
  readonly bitwiseAnd_: InPlaceForm<typeof comparison.bitwiseAnd>;
  /** The bits moved up. Written to the tensor itself, which is given back. */
  readonly bitwiseLeftShift_: InPlaceForm<typeof comparison.bitwiseLeftShift>;
  /** All bits turned over. Written to the tensor itself, which is given back. */
  readonly bitwiseNot_: InPlaceForm<typeof comparison.bitwiseNot>;
  /** The bits that one of both has. Written to the tensor itself, which is given back. */
  readonly bitwiseOr_: InPlaceForm<typeof comparison.bitwiseOr>;
  /** The bits moved down, the sign kept. Written to the tensor itself, which is given back. */
  readonly bitwiseRightShift_: InPlaceForm<typeof comparison.bitwiseRightShift>;
  /** The bits in which they differ. Written to the tensor itself, which is given back. */
  readonly bitwiseXor_: InPlaceForm<typeof comparison.bitwiseXor>;
  /** The smallest integer that is not below x. Written to the tensor itself, which is given back. */
  readonly ceil_: InPlaceForm<typeof functions.ceil>;
  /** elu with a slope of 1 at 0 whatever alpha is. Written to the tensor itself, which is given back. */
  readonly celu_: InPlaceForm<typeof activation.celu>;
  /** x, but at least min and at most max; a bound that is null or left away does not count. Written to the tensor itself, which is given back. */
  readonly clamp_: InPlaceForm<typeof arithmetic.clamp>;
  /** x, but at most max. Written to the tensor itself, which is given back. */
  readonly clampMax_: InPlaceForm<typeof arithmetic.clampMax>;
  /** x, but at least min. Written to the tensor itself, which is given back. */
  readonly clampMin_: InPlaceForm<typeof arithmetic.clampMin>;
  /** x with its imaginary part turned over; x itself if it is real. Written to the tensor itself, which is given back. */
  readonly conj_: InPlaceForm<typeof functions.conj>;
  /** x with the sign of other. Written to the tensor itself, which is given back. */
  readonly copysign_: InPlaceForm<typeof arithmetic.copysign>;
  /** The cosine. Written to the tensor itself, which is given back. */
  readonly cos_: InPlaceForm<typeof functions.cos>;
  /** The hyperbolic cosine. Written to the tensor itself, which is given back. */
  readonly cosh_: InPlaceForm<typeof functions.cosh>;
  /** Degrees as radians. Written to the tensor itself, which is given back. */
  readonly deg2rad_: InPlaceForm<typeof functions.deg2rad>;
  /** x / other; integers become floats, unless the result is rounded: down ("floor") or towards 0 ("trunc"). Written to the tensor itself, which is given back. */
  readonly div_: InPlaceForm<typeof arithmetic.div>;
  /** x where it is positive, else alpha * (exp(x) - 1). Written to the tensor itself, which is given back. */
  readonly elu_: InPlaceForm<typeof activation.elu>;
  /** True where both are equal. Written to the tensor itself, which is given back. */
  readonly eq_: InPlaceForm<typeof comparison.eq>;
  /** The error function. Written to the tensor itself, which is given back. */
  readonly erf_: InPlaceForm<typeof functions.erf>;
  /** 1 - erf(x), exact for large x. Written to the tensor itself, which is given back. */
  readonly erfc_: InPlaceForm<typeof functions.erfc>;
  /** e to the power of x. Written to the tensor itself, which is given back. */
  readonly exp_: InPlaceForm<typeof functions.exp>;
  /** 2 to the power of x. Written to the tensor itself, which is given back. */
  readonly exp2_: InPlaceForm<typeof functions.exp2>;
  /** exp(x) - 1, exact near 0. Written to the tensor itself, which is given back. */
  readonly expm1_: InPlaceForm<typeof functions.expm1>;
  /** x to the power of other, in float64 or complex128. Written to the tensor itself, which is given back. */
  readonly floatPower_: InPlaceForm<typeof arithmetic.floatPower>;
  /** The largest integer that is not above x. Written to the tensor itself, which is given back. */
  readonly floor_: InPlaceForm<typeof functions.floor>;
  /** x / other, rounded down. Written to the tensor itself, which is given back. */
  readonly floorDivide_: InPlaceForm<typeof arithmetic.floorDivide>;
  /** The larger of both; where one is NaN the other one. Written to the tensor itself, which is given back. */
  readonly fmax_: InPlaceForm<typeof arithmetic.fmax>;
  /** The smaller of both; where one is NaN the other one. Written to the tensor itself, which is given back. */
  readonly fmin_: InPlaceForm<typeof arithmetic.fmin>;
  /** The rest of x / other cut off; it has the sign of x. Written to the tensor itself, which is given back. */
  readonly fmod_: InPlaceForm<typeof arithmetic.fmod>;
  /** The fraction of x, with its sign. Written to the tensor itself, which is given back. */
  readonly frac_: InPlaceForm<typeof functions.frac>;
  /** True where x is larger or equal. Written to the tensor itself, which is given back. */
  readonly ge_: InPlaceForm<typeof comparison.ge>;
  /** x times the probability that a standard normal number is below it; with "tanh", by the usual approximation. Written to the tensor itself, which is given back. */
  readonly gelu_: InPlaceForm<typeof activation.gelu>;
  /** True where x is larger. Written to the tensor itself, which is given back. */
  readonly gt_: InPlaceForm<typeof comparison.gt>;
  /** x where it is farther than lambda from 0, else 0. Written to the tensor itself, which is given back. */
  readonly hardshrink_: InPlaceForm<typeof activation.hardshrink>;
  /** relu6(x + 3) / 6. Written to the tensor itself, which is given back. */
  readonly hardsigmoid_: InPlaceForm<typeof activation.hardsigmoid>;
  /** x * relu6(x + 3) / 6. Written to the tensor itself, which is given back. */
  readonly hardswish_: InPlaceForm<typeof activation.hardswish>;
  /** x kept between two bounds. Written to the tensor itself, which is given back. */
  readonly hardtanh_: InPlaceForm<typeof activation.hardtanh>;
  /** 0 where x is negative, 1 where it is positive, and where it is 0 the value given. Written to the tensor itself, which is given back. */
  readonly heaviside_: InPlaceForm<typeof arithmetic.heaviside>;
  /** The length of the vector (x, other), without overflow on the way. Written to the tensor itself, which is given back. */
  readonly hypot_: InPlaceForm<typeof arithmetic.hypot>;
  /** True where both are close: |x - other| <= atol + rtol * |other|. Written to the tensor itself, which is given back. */
  readonly isclose_: InPlaceForm<typeof comparison.isclose>;
  /** True where x is neither infinite nor NaN. Written to the tensor itself, which is given back. */
  readonly isfinite_: InPlaceForm<typeof comparison.isfinite>;
  /** True where x is infinite. Written to the tensor itself, which is given back. */
  readonly isinf_: InPlaceForm<typeof comparison.isinf>;
  /** True where x is not a number. Written to the tensor itself, which is given back. */
  readonly isnan_: InPlaceForm<typeof comparison.isnan>;
  /** True where x is infinite and negative. Written to the tensor itself, which is given back. */
  readonly isneginf_: InPlaceForm<typeof comparison.isneginf>;
  /** True where x is infinite and positive. Written to the tensor itself, which is given back. */
  readonly isposinf_: InPlaceForm<typeof comparison.isposinf>;
  /** True where the imaginary part is 0. Written to the tensor itself, which is given back. */
  readonly isreal_: InPlaceForm<typeof comparison.isreal>;
  /** x times 2 to the power of other. Written to the tensor itself, which is given back. */
  readonly ldexp_: InPlaceForm<typeof arithmetic.ldexp>;
  /** True where x is smaller or equal. Written to the tensor itself, which is given back. */
  readonly le_: InPlaceForm<typeof comparison.le>;
  /** x where it is positive, else slope * x. Written to the tensor itself, which is given back. */
  readonly leakyRelu_: InPlaceForm<typeof activation.leakyRelu>;
  /** The point between x and end at the given weight: x at 0, end at 1. Written to the tensor itself, which is given back. */
  readonly lerp_: InPlaceForm<typeof arithmetic.lerp>;
  /** The natural logarithm. Written to the tensor itself, which is given back. */
  readonly log_: InPlaceForm<typeof functions.log>;
  /** The logarithm to base 10. Written to the tensor itself, which is given back. */
  readonly log10_: InPlaceForm<typeof functions.log10>;
  /** log(1 + x), exact near 0. Written to the tensor itself, which is given back. */
  readonly log1p_: InPlaceForm<typeof functions.log1p>;
  /** The logarithm to base 2. Written to the tensor itself, which is given back. */
  readonly log2_: InPlaceForm<typeof functions.log2>;
  /** log(sigmoid(x)), without overflow. Written to the tensor itself, which is given back. */
  readonly logSigmoid_: InPlaceForm<typeof activation.logSigmoid>;
  /** log(exp(x) + exp(other)), without overflow on the way. Written to the tensor itself, which is given back. */
  readonly logaddexp_: InPlaceForm<typeof arithmetic.logaddexp>;
  /** log2(2^x + 2^other), without overflow on the way. Written to the tensor itself, which is given back. */
  readonly logaddexp2_: InPlaceForm<typeof arithmetic.logaddexp2>;
  /** True where both are not 0. Written to the tensor itself, which is given back. */
  readonly logicalAnd_: InPlaceForm<typeof comparison.logicalAnd>;
  /** True where x is 0. Written to the tensor itself, which is given back. */
  readonly logicalNot_: InPlaceForm<typeof comparison.logicalNot>;
  /** True where one of both is not 0. Written to the tensor itself, which is given back. */
  readonly logicalOr_: InPlaceForm<typeof comparison.logicalOr>;
  /** True where exactly one of both is not 0. Written to the tensor itself, which is given back. */
  readonly logicalXor_: InPlaceForm<typeof comparison.logicalXor>;
  /** log(x / (1 - x)); with eps, x is kept that far from 0 and 1. Written to the tensor itself, which is given back. */
  readonly logit_: InPlaceForm<typeof functions.logit>;
  /** True where x is smaller. Written to the tensor itself, which is given back. */
  readonly lt_: InPlaceForm<typeof comparison.lt>;
  /** x with the value where the mask is true, in the dtype of x. Written to the tensor itself, which is given back. */
  readonly maskedFill_: InPlaceForm<typeof choose.maskedFill>;
  /** The larger of both; NaN if one is NaN. Written to the tensor itself, which is given back. */
  readonly maximum_: InPlaceForm<typeof arithmetic.maximum>;
  /** The smaller of both; NaN if one is NaN. Written to the tensor itself, which is given back. */
  readonly minimum_: InPlaceForm<typeof arithmetic.minimum>;
  /** x * tanh(softplus(x)). Written to the tensor itself, which is given back. */
  readonly mish_: InPlaceForm<typeof activation.mish>;
  /** x * other. Written to the tensor itself, which is given back. */
  readonly mul_: InPlaceForm<typeof arithmetic.mul>;
  /** x with other numbers in the place of NaN and of the infinities: 0 and the largest finite ones, unless given. Written to the tensor itself, which is given back. */
  readonly nanToNum_: InPlaceForm<typeof activation.nanToNum>;
  /** True where they differ. Written to the tensor itself, which is given back. */
  readonly ne_: InPlaceForm<typeof comparison.ne>;
  /** -x. Written to the tensor itself, which is given back. */
  readonly neg_: InPlaceForm<typeof arithmetic.neg>;
  /** x to the power of other. Written to the tensor itself, which is given back. */
  readonly pow_: InPlaceForm<typeof arithmetic.pow>;
  /** leakyRelu with slopes from a tensor that is broadcast. Written to the tensor itself, which is given back. */
  readonly preluOf_: InPlaceForm<typeof activation.preluOf>;
  /** Radians as degrees. Written to the tensor itself, which is given back. */
  readonly rad2deg_: InPlaceForm<typeof functions.rad2deg>;
  /** 1 / x. Written to the tensor itself, which is given back. */
  readonly reciprocal_: InPlaceForm<typeof arithmetic.reciprocal>;
  /** x where it is positive, else 0. Written to the tensor itself, which is given back. */
  readonly relu_: InPlaceForm<typeof activation.relu>;
  /** relu, but at most 6. Written to the tensor itself, which is given back. */
  readonly relu6_: InPlaceForm<typeof activation.relu6>;
  /** The rest of x / other rounded down; it has the sign of other. Written to the tensor itself, which is given back. */
  readonly remainder_: InPlaceForm<typeof arithmetic.remainder>;
  /** The nearest integer, halves to the even one; with decimals, the nearest multiple of that power of ten. Written to the tensor itself, which is given back. */
  readonly round_: InPlaceForm<typeof functions.round>;
  /** 1 / the root of x. Written to the tensor itself, which is given back. */
  readonly rsqrt_: InPlaceForm<typeof arithmetic.rsqrt>;
  /** other - x, or other - alpha * x. Written to the tensor itself, which is given back. */
  readonly rsub_: InPlaceForm<typeof arithmetic.rsub>;
  /** elu, scaled so that it keeps mean and variance. Written to the tensor itself, which is given back. */
  readonly selu_: InPlaceForm<typeof activation.selu>;
  /** x divided by its distance from 0; 0 where x is 0. Written to the tensor itself, which is given back. */
  readonly sgn_: InPlaceForm<typeof arithmetic.sgn>;
  /** 1 / (1 + exp(-x)). Written to the tensor itself, which is given back. */
  readonly sigmoid_: InPlaceForm<typeof functions.sigmoid>;
  /** -1, 0 or 1: the sign of x. Written to the tensor itself, which is given back. */
  readonly sign_: InPlaceForm<typeof arithmetic.sign>;
  /** True where x has a minus, that of -0 included. Written to the tensor itself, which is given back. */
  readonly signbit_: InPlaceForm<typeof comparison.signbit>;
  /** x * sigmoid(x), also called swish. Written to the tensor itself, which is given back. */
  readonly silu_: InPlaceForm<typeof activation.silu>;
  /** The sine. Written to the tensor itself, which is given back. */
  readonly sin_: InPlaceForm<typeof functions.sin>;
  /** sin(pi x) / (pi x), and 1 at 0. Written to the tensor itself, which is given back. */
  readonly sinc_: InPlaceForm<typeof functions.sinc>;
  /** The hyperbolic sine. Written to the tensor itself, which is given back. */
  readonly sinh_: InPlaceForm<typeof functions.sinh>;
  /** log(1 + exp(beta x)) / beta, without overflow; x itself where beta x is above the threshold. Written to the tensor itself, which is given back. */
  readonly softplus_: InPlaceForm<typeof activation.softplus>;
  /** x moved by lambda towards 0, and 0 where it is nearer. Written to the tensor itself, which is given back. */
  readonly softshrink_: InPlaceForm<typeof activation.softshrink>;
  /** x / (1 + |x|). Written to the tensor itself, which is given back. */
  readonly softsign_: InPlaceForm<typeof activation.softsign>;
  /** The root of x. Written to the tensor itself, which is given back. */
  readonly sqrt_: InPlaceForm<typeof arithmetic.sqrt>;
  /** x * x. Written to the tensor itself, which is given back. */
  readonly square_: InPlaceForm<typeof arithmetic.square>;
  /** x - other, or x - alpha * other. Written to the tensor itself, which is given back. */
  readonly sub_: InPlaceForm<typeof arithmetic.sub>;
  /** The tangent. Written to the tensor itself, which is given back. */
  readonly tan_: InPlaceForm<typeof functions.tan>;
  /** The hyperbolic tangent. Written to the tensor itself, which is given back. */
  readonly tanh_: InPlaceForm<typeof functions.tanh>;
  /** x - tanh(x). Written to the tensor itself, which is given back. */
  readonly tanhshrink_: InPlaceForm<typeof activation.tanhshrink>;
  /** x where it is above the threshold, else the value. Written to the tensor itself, which is given back. */
  readonly threshold_: InPlaceForm<typeof activation.threshold>;
  /** x without its fraction. Written to the tensor itself, which is given back. */
  readonly trunc_: InPlaceForm<typeof functions.trunc>;
  /** x * log(1 + other); 0 where x is 0 and other is no NaN. Written to the tensor itself, which is given back. */
  readonly xlog1py_: InPlaceForm<typeof arithmetic.xlog1py>;
  /** x * log(other); 0 where x is 0 and other is no NaN. Written to the tensor itself, which is given back. */
  readonly xlogy_: InPlaceForm<typeof arithmetic.xlogy>;
}
