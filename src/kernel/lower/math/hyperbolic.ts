/**
 * sinh, cosh, tanh, asinh, acosh and atanh of float32.
 *
 * Near 0 each is a polynomial; elsewhere they use e^x / 2, which overflows only where they do, and logarithms.
 * Measured on every 64th float32: sinh 1.59, cosh 1.39, tanh 1.32, asinh 1.48, acosh 1.49, atanh 1.00 ulp.
 */
import type { Scalar } from "../../ir/scalar.ts";
import { abs, add, atMost, constant, div, lt, mul, polynomial, select, sqrt, sub, withSignOf } from "./arithmetic.ts";
import { expDown, expInside } from "./exp.ts";
import { log, log1pSum } from "./log.ts";

/** f(x) = x + x^3 P(x^2): sinh on |x| <= 1 within 2^-31.5, tanh on 0.625 within 2^-27.8, asinh on 1 within 2^-28.1, atanh on 1/2 within 2^-29.3. */
const sinhTail = [0.16666667, 0.008333311, 0.00019842635, 2.7839255e-6];
const tanhTail = [-0.33333284, 0.13331485, -0.053743005, 0.020649103, -0.005715499];
const asinhTail = [
  -0.1666663, 0.07498716, -0.04448788, 0.029456288, -0.019182067, 0.010430844, -0.0038384395, 0.0006739853,
];
const atanhTail = [0.333333, 0.20002602, 0.14221255, 0.118356004, 0.050932124, 0.1772619];
/** acosh(1 + t) = sqrt(2t) (1 + t P(t)) on 0 <= t <= 1, within 2^-31.5. */
const acoshTail = [-0.083333306, 0.018749278, -0.0055738473, 0.0018705544, -0.0006310485, 0.00017495014, -2.6721304e-5];

function nearZero(x: Scalar, tail: readonly number[]): Scalar {
  const square = mul(x, x);
  return add(mul(mul(x, square), polynomial(square, tail)), x);
}

/** An odd function, from its values near 0 and at larger numbers. */
function odd(x: Scalar, bound: number, tail: readonly number[], far: (magnitude: Scalar) => Scalar): Scalar {
  const magnitude = abs(x);
  return withSignOf(select(lt(magnitude, bound), nearZero(magnitude, tail), far(magnitude)), x);
}

export function sinh(x: Scalar): Scalar {
  return odd(x, 1, sinhTail, (magnitude) => {
    const half = expDown(magnitude, 1);
    return sub(half, div(0.25, half));
  });
}

export function cosh(x: Scalar): Scalar {
  const half = expDown(abs(x), 1);
  return add(half, div(0.25, half));
}

export function tanh(x: Scalar): Scalar {
  return odd(x, 0.625, tanhTail, (magnitude) => {
    const power = expInside(mul(atMost(magnitude, 20), 2));
    return sub(1, div(2, add(power, 1)));
  });
}

/** log(x + root) for root < x + 1, where x + root loses less than the last bit of x. */
function logOfSum(x: Scalar, root: Scalar): Scalar {
  const less = sub(x, 1);
  const sum = add(root, less);
  return log1pSum(sum, add(sub(less, sub(sum, root)), sub(sub(x, 1), less)));
}

/** log(2x) of a large x. */
const logOfDouble = (x: Scalar): Scalar => add(log(x), Math.LN2);

export function asinh(x: Scalar): Scalar {
  return odd(x, 1, asinhTail, (magnitude) => {
    const near = logOfSum(magnitude, sqrt(add(mul(magnitude, magnitude), 1)));
    return select(lt(magnitude, 2 ** 13), near, logOfDouble(magnitude));
  });
}

export function acosh(x: Scalar): Scalar {
  const above = sub(x, 1);
  const root = sqrt(mul(above, 2));
  const near = add(mul(root, mul(above, polynomial(above, acoshTail))), root);
  const middle = logOfSum(x, sqrt(mul(above, add(x, 1))));
  return select(
    lt(x, 2),
    select(lt(x, 1), constant("float32", NaN), near),
    select(lt(x, 2 ** 13), middle, logOfDouble(x)),
  );
}

export function atanh(x: Scalar): Scalar {
  return odd(x, 0.5, atanhTail, (magnitude) => mul(log(div(add(magnitude, 1), sub(1, magnitude))), 0.5));
}
