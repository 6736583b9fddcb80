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
  /** The distance of x from 0. */
  readonly abs: MethodOf<typeof arithmetic.abs>;
  /** The angle whose cosine is x. */
  readonly acos: MethodOf<typeof functions.acos>;
  /** The number whose hyperbolic cosine is x. */
  readonly acosh: MethodOf<typeof functions.acosh>;
  /** x + other, or x + alpha * other. */
  readonly add: MethodOf<typeof arithmetic.add>;
  /** x + value * first / second. */
  readonly addcdiv: MethodOf<typeof arithmetic.addcdiv>;
  /** x + value * first * second. */
  readonly addcmul: MethodOf<typeof arithmetic.addcmul>;
  /** The angle of a complex number; of a real one 0, or pi where it is negative. */
  readonly angle: MethodOf<typeof functions.angle>;
  /** The angle whose sine is x. */
  readonly asin: MethodOf<typeof functions.asin>;
  /** The number whose hyperbolic sine is x. */
  readonly asinh: MethodOf<typeof functions.asinh>;
  /** The angle whose tangent is x. */
  readonly atan: MethodOf<typeof functions.atan>;
  /** The angle of the point (other, x). */
  readonly atan2: MethodOf<typeof functions.atan2>;
  /** The number whose hyperbolic tangent is x. */
  readonly atanh: MethodOf<typeof functions.atanh>;
  /** The bits that both have. */
  readonly bitwiseAnd: MethodOf<typeof comparison.bitwiseAnd>;
  /** The bits moved up. */
  readonly bitwiseLeftShift: MethodOf<typeof comparison.bitwiseLeftShift>;
  /** All bits turned over. */
  readonly bitwiseNot: MethodOf<typeof comparison.bitwiseNot>;
  /** The bits that one of both has. */
  readonly bitwiseOr: MethodOf<typeof comparison.bitwiseOr>;
  /** The bits moved down, the sign kept. */
  readonly bitwiseRightShift: MethodOf<typeof comparison.bitwiseRightShift>;
  /** The bits in which they differ. */
  readonly bitwiseXor: MethodOf<typeof comparison.bitwiseXor>;
  /** The smallest integer that is not below x. */
  readonly ceil: MethodOf<typeof functions.ceil>;
  /** elu with a slope of 1 at 0 whatever alpha is. */
  readonly celu: MethodOf<typeof activation.celu>;
  /** x, but at least min and at most max; a bound that is null or left away does not count. */
  readonly clamp: MethodOf<typeof arithmetic.clamp>;
  /** x, but at most max. */
  readonly clampMax: MethodOf<typeof arithmetic.clampMax>;
  /** x, but at least min. */
  readonly clampMin: MethodOf<typeof arithmetic.clampMin>;
  /** x with its imaginary part turned over; x itself if it is real. */
  readonly conj: MethodOf<typeof functions.conj>;
  /** x with the sign of other. */
  readonly copysign: MethodOf<typeof arithmetic.copysign>;
  /** The cosine. */
  readonly cos: MethodOf<typeof functions.cos>;
  /** The hyperbolic cosine. */
  readonly cosh: MethodOf<typeof functions.cosh>;
  /** Degrees as radians. */
  readonly deg2rad: MethodOf<typeof functions.deg2rad>;
  /** x / other; integers become floats, unless the result is rounded: down ("floor") or towards 0 ("trunc"). */
  readonly div: MethodOf<typeof arithmetic.div>;
  /** x where it is positive, else alpha * (exp(x) - 1). */
  readonly elu: MethodOf<typeof activation.elu>;
  /** True where both are equal. */
  readonly eq: MethodOf<typeof comparison.eq>;
  /** The error function. */
  readonly erf: MethodOf<typeof functions.erf>;
  /** 1 - erf(x), exact for large x. */
  readonly erfc: MethodOf<typeof functions.erfc>;
  /** e to the power of x. */
  readonly exp: MethodOf<typeof functions.exp>;
  /** 2 to the power of x. */
  readonly exp2: MethodOf<typeof functions.exp2>;
  /** exp(x) - 1, exact near 0. */
  readonly expm1: MethodOf<typeof functions.expm1>;
  /** x to the power of other, in float64 or complex128. */
  readonly floatPower: MethodOf<typeof arithmetic.floatPower>;
  /** The largest integer that is not above x. */
  readonly floor: MethodOf<typeof functions.floor>;
  /** x / other, rounded down. */
  readonly floorDivide: MethodOf<typeof arithmetic.floorDivide>;
  /** The larger of both; where one is NaN the other one. */
  readonly fmax: MethodOf<typeof arithmetic.fmax>;
  /** The smaller of both; where one is NaN the other one. */
  readonly fmin: MethodOf<typeof arithmetic.fmin>;
  /** The rest of x / other cut off; it has the sign of x. */
  readonly fmod: MethodOf<typeof arithmetic.fmod>;
  /** The fraction of x, with its sign. */
  readonly frac: MethodOf<typeof functions.frac>;
  /** True where x is larger or equal. */
  readonly ge: MethodOf<typeof comparison.ge>;
  /** x times the probability that a standard normal number is below it; with "tanh", by the usual approximation. */
  readonly gelu: MethodOf<typeof activation.gelu>;
  /** True where x is larger. */
  readonly gt: MethodOf<typeof comparison.gt>;
  /** x where it is farther than lambda from 0, else 0. */
  readonly hardshrink: MethodOf<typeof activation.hardshrink>;
  /** relu6(x + 3) / 6. */
  readonly hardsigmoid: MethodOf<typeof activation.hardsigmoid>;
  /** x * relu6(x + 3) / 6. */
  readonly hardswish: MethodOf<typeof activation.hardswish>;
  /** x kept between two bounds. */
  readonly hardtanh: MethodOf<typeof activation.hardtanh>;
  /** 0 where x is negative, 1 where it is positive, and where it is 0 the value given. */
  readonly heaviside: MethodOf<typeof arithmetic.heaviside>;
  /** The length of the vector (x, other), without overflow on the way. */
  readonly hypot: MethodOf<typeof arithmetic.hypot>;
  /** True where both are close: |x - other| <= atol + rtol * |other|. */
  readonly isclose: MethodOf<typeof comparison.isclose>;
  /** True where x is neither infinite nor NaN. */
  readonly isfinite: MethodOf<typeof comparison.isfinite>;
  /** True where x is infinite. */
  readonly isinf: MethodOf<typeof comparison.isinf>;
  /** True where x is not a number. */
  readonly isnan: MethodOf<typeof comparison.isnan>;
  /** True where x is infinite and negative. */
  readonly isneginf: MethodOf<typeof comparison.isneginf>;
  /** True where x is infinite and positive. */
  readonly isposinf: MethodOf<typeof comparison.isposinf>;
  /** True where the imaginary part is 0. */
  readonly isreal: MethodOf<typeof comparison.isreal>;
  /** x times 2 to the power of other. */
  readonly ldexp: MethodOf<typeof arithmetic.ldexp>;
  /** True where x is smaller or equal. */
  readonly le: MethodOf<typeof comparison.le>;
  /** x where it is positive, else slope * x. */
  readonly leakyRelu: MethodOf<typeof activation.leakyRelu>;
  /** The point between x and end at the given weight: x at 0, end at 1. */
  readonly lerp: MethodOf<typeof arithmetic.lerp>;
  /** The natural logarithm. */
  readonly log: MethodOf<typeof functions.log>;
  /** The logarithm to base 10. */
  readonly log10: MethodOf<typeof functions.log10>;
  /** log(1 + x), exact near 0. */
  readonly log1p: MethodOf<typeof functions.log1p>;
  /** The logarithm to base 2. */
  readonly log2: MethodOf<typeof functions.log2>;
  /** log(sigmoid(x)), without overflow. */
  readonly logSigmoid: MethodOf<typeof activation.logSigmoid>;
  /** log(exp(x) + exp(other)), without overflow on the way. */
  readonly logaddexp: MethodOf<typeof arithmetic.logaddexp>;
  /** log2(2^x + 2^other), without overflow on the way. */
  readonly logaddexp2: MethodOf<typeof arithmetic.logaddexp2>;
  /** True where both are not 0. */
  readonly logicalAnd: MethodOf<typeof comparison.logicalAnd>;
  /** True where x is 0. */
  readonly logicalNot: MethodOf<typeof comparison.logicalNot>;
  /** True where one of both is not 0. */
  readonly logicalOr: MethodOf<typeof comparison.logicalOr>;
  /** True where exactly one of both is not 0. */
  readonly logicalXor: MethodOf<typeof comparison.logicalXor>;
  /** log(x / (1 - x)); with eps, x is kept that far from 0 and 1. */
  readonly logit: MethodOf<typeof functions.logit>;
  /** True where x is smaller. */
  readonly lt: MethodOf<typeof comparison.lt>;
  /** x with the value where the mask is true, in the dtype of x. */
  readonly maskedFill: MethodOf<typeof choose.maskedFill>;
  /** The larger of both; NaN if one is NaN. */
  readonly maximum: MethodOf<typeof arithmetic.maximum>;
  /** The smaller of both; NaN if one is NaN. */
  readonly minimum: MethodOf<typeof arithmetic.minimum>;
  /** x * tanh(softplus(x)). */
  readonly mish: MethodOf<typeof activation.mish>;
  /** x * other. */
  readonly mul: MethodOf<typeof arithmetic.mul>;
  /** x with other numbers in the place of NaN and of the infinities: 0 and the largest finite ones, unless given. */
  readonly nanToNum: MethodOf<typeof activation.nanToNum>;
  /** True where they differ. */
  readonly ne: MethodOf<typeof comparison.ne>;
  /** -x. */
  readonly neg: MethodOf<typeof arithmetic.neg>;
  /** x to the power of other. */
  readonly pow: MethodOf<typeof arithmetic.pow>;
  /** leakyRelu with slopes from a tensor that is broadcast. */
  readonly preluOf: MethodOf<typeof activation.preluOf>;
  /** Radians as degrees. */
  readonly rad2deg: MethodOf<typeof functions.rad2deg>;
  /** 1 / x. */
  readonly reciprocal: MethodOf<typeof arithmetic.reciprocal>;
  /** x where it is positive, else 0. */
  readonly relu: MethodOf<typeof activation.relu>;
  /** relu, but at most 6. */
  readonly relu6: MethodOf<typeof activation.relu6>;
  /** The rest of x / other rounded down; it has the sign of other. */
  readonly remainder: MethodOf<typeof arithmetic.remainder>;
  /** The nearest integer, halves to the even one; with decimals, the nearest multiple of that power of ten. */
  readonly round: MethodOf<typeof functions.round>;
  /** 1 / the root of x. */
  readonly rsqrt: MethodOf<typeof arithmetic.rsqrt>;
  /** other - x, or other - alpha * x. */
  readonly rsub: MethodOf<typeof arithmetic.rsub>;
  /** elu, scaled so that it keeps mean and variance. */
  readonly selu: MethodOf<typeof activation.selu>;
  /** x divided by its distance from 0; 0 where x is 0. */
  readonly sgn: MethodOf<typeof arithmetic.sgn>;
  /** 1 / (1 + exp(-x)). */
  readonly sigmoid: MethodOf<typeof functions.sigmoid>;
  /** -1, 0 or 1: the sign of x. */
  readonly sign: MethodOf<typeof arithmetic.sign>;
  /** True where x has a minus, that of -0 included. */
  readonly signbit: MethodOf<typeof comparison.signbit>;
  /** x * sigmoid(x), also called swish. */
  readonly silu: MethodOf<typeof activation.silu>;
  /** The sine. */
  readonly sin: MethodOf<typeof functions.sin>;
  /** sin(pi x) / (pi x), and 1 at 0. */
  readonly sinc: MethodOf<typeof functions.sinc>;
  /** The hyperbolic sine. */
  readonly sinh: MethodOf<typeof functions.sinh>;
  /** log(1 + exp(beta x)) / beta, without overflow; x itself where beta x is above the threshold. */
  readonly softplus: MethodOf<typeof activation.softplus>;
  /** x moved by lambda towards 0, and 0 where it is nearer. */
  readonly softshrink: MethodOf<typeof activation.softshrink>;
  /** x / (1 + |x|). */
  readonly softsign: MethodOf<typeof activation.softsign>;
  /** The root of x. */
  readonly sqrt: MethodOf<typeof arithmetic.sqrt>;
  /** x * x. */
  readonly square: MethodOf<typeof arithmetic.square>;
  /** x - other, or x - alpha * other. */
  readonly sub: MethodOf<typeof arithmetic.sub>;
  /** The tangent. */
  readonly tan: MethodOf<typeof functions.tan>;
  /** The hyperbolic tangent. */
  readonly tanh: MethodOf<typeof functions.tanh>;
  /** x - tanh(x). */
  readonly tanhshrink: MethodOf<typeof activation.tanhshrink>;
  /** x where it is above the threshold, else the value. */
  readonly threshold: MethodOf<typeof activation.threshold>;
  /** x without its fraction. */
  readonly trunc: MethodOf<typeof functions.trunc>;
  /** x * log(1 + other); 0 where x is 0 and other is no NaN. */
  readonly xlog1py: MethodOf<typeof arithmetic.xlog1py>;
  /** x * log(other); 0 where x is 0 and other is no NaN. */
  readonly xlogy: MethodOf<typeof arithmetic.xlogy>;
}
