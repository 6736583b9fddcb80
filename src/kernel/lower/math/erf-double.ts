/**
 * erf and erfc of float64, by the algorithms of `erf.ts`. Coefficients: interpolation at Chebyshev nodes, computed with 50 digits.
 * Measured against 64-bit mantissas on 1.4 million numbers each: erf 1.31, erfc 3.53 ulp.
 */
import { cast, type Scalar } from "../../ir/scalar.ts";
import {
  abs,
  add,
  atMost,
  copysign,
  div,
  lt,
  mul,
  neg,
  pairedPolynomial,
  polynomial,
  select,
  sub,
} from "./arithmetic.ts";
import { expDouble } from "./exp-double.ts";

/** erf x = x + x P(x^2) on |x| <= 1, within 2^-55.7. */
const erfTail = [
  0.1283791670955126, -0.3761263890318375, 0.11283791670954879, -0.026866170645076792, 0.0052239776248180145,
  -0.000854832698083379, 0.0001205533111164271, -1.4925595266831182e-5, 1.6461000484121368e-6, -1.6350312701054695e-7,
  1.4659775274047436e-8, -1.1372848856791674e-9, 5.957176147748911e-11,
];
/** (x + 2) e^(x^2) erfc x as a polynomial of (x - 2) / (x + 2), 0.75 <= x <= 27.5, within 2^-55.6. */
const scaledFirst = 1.021582705242023;
const scaledErfc = [
  -0.6871606844138106, 0.2794720925560549, -0.036442231506875304, -0.02151066188950522, 0.006479185067505096,
  0.0030906120601307467, -0.0008372960555615225, -0.0006630735285651229, 3.437132503093947e-5, 0.00014447109653525992,
  3.414990431747386e-5, -2.169960424740739e-5, -1.6125724993354805e-5, -1.104294476915122e-6, 3.6503331505774734e-6,
  1.9211618776883295e-6, 4.529086030483915e-8, -4.1611965333948097e-7, -5.320679166508274e-7, -5.9069053545046244e-8,
  3.8378111476322214e-7, -1.1826759820539146e-7, -1.7292535888585754e-9,
];

const erfNear = (x: Scalar): Scalar => mul(x, polynomial(mul(x, x), erfTail));

/** The first 24 bits: the product of two such numbers is exact. */
const firstHalf = (x: Scalar): Scalar => cast("float64", cast("float32", x));

/** erfc of 0.75 <= x <= 27.5. */
function erfcFar(x: Scalar): Scalar {
  const sum = add(x, 2);
  const sumShort = firstHalf(sum);
  const inverse = div(1, sum);
  const inverseShort = firstHalf(inverse);
  const gap = sub(sub(1, mul(inverseShort, sumShort)), mul(inverseShort, sub(x, sub(sumShort, 2))));
  const inverseRest = mul(gap, inverse);
  const t = sub(sub(1, mul(inverseShort, 4)), mul(inverseRest, 4));
  const step = mul(t, pairedPolynomial(t, mul(t, t), scaledErfc));
  const factor = add(step, scaledFirst);
  const lost = add(sub(scaledFirst, factor), step);
  const scaled = mul(factor, inverse);
  // The part of `scaled` below its last bit: the errors of the factor and of the inverse.
  const more = mul(inverse, add(lost, mul(factor, sub(gap, mul(sub(inverse, inverseShort), sum)))));
  // e^(-x^2) = e^(-short^2) e^-rest: the first square is exact, and the rest is small.
  const short = firstHalf(x);
  const rest = mul(sub(x, short), add(x, short));
  const correction = mul(rest, polynomial(rest, [-1, 1 / 2, -1 / 6]));
  return mul(expDouble(neg(mul(short, short))), add(add(mul(scaled, correction), more), scaled));
}

export function erfDouble(x: Scalar): Scalar {
  const magnitude = abs(x);
  const far = sub(1, erfcFar(atMost(magnitude, 6)));
  return copysign(select(lt(magnitude, 1), add(erfNear(magnitude), magnitude), far), x);
}

export function erfcDouble(x: Scalar): Scalar {
  const magnitude = abs(x);
  const far = erfcFar(atMost(magnitude, 27.5));
  return select(lt(magnitude, 0.75), sub(sub(1, x), erfNear(x)), select(lt(x, 0), sub(2, far), far));
}
