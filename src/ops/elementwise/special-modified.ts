/**
 * Formulas of the modified Bessel functions I and K of orders 0 and 1: power series (DLMF 10.25.2, 10.31), and beyond them the
 * asymptotic series of I (DLMF 10.40.1) and an interpolation of the factor of K.
 */
import { listOf } from "../../base/list-of.ts";
import { hankelFactor } from "./special-hankel.ts";
import { interpolated, poly, termsOf } from "./special-text.ts";

type Order = 0 | 1;

/** The series of I(x) (2 / x)^order by powers of x^2 / 4. */
const seriesOf = (order: Order, n: number): number[] => termsOf(n, 1, (k) => 1 / (k * (k + order)));

/** I of x, times e^-|x| if it is scaled. */
export function besselIText(order: Order, isScaled: boolean): string {
  const near = `${poly("h", seriesOf(order, 42))}${order === 0 ? "" : " * a * 0.5"}${isScaled ? " * exp(-a)" : ""}`;
  const tail = poly(
    "r",
    termsOf(20, 1, (k) => ((2 * k - 1) ** 2 - 4 * order) / (8 * k)),
  );
  // The exponential in two halves: their product overflows where I does, and not before.
  const far = `${tail} / sqrt(2 * pi * a)${isScaled ? "" : " * e * e"}`;
  return `let a = abs(x); let h = 0.25 * a * a; let r = 1 / a;${isScaled ? "" : " let e = exp(a * 0.5);"}
    let i = a < 25 ? ${near} : ${isScaled ? "" : "a == inf ? inf : "}${far}; ${order === 0 ? "i" : "copysign(i, x)"}`;
}

/** K of x > 0, times e^x if it is scaled; infinite at 0. */
export function besselKText(order: Order, isScaled: boolean): string {
  // psi(k + 1) = H(k) - euler, with H(k) the sum of 1 / j up to k.
  let harmonic = -0.5772156649015329;
  const psi = listOf(16, (k) => {
    if (k > 0) harmonic += 1 / k;
    return harmonic;
  });
  const series = seriesOf(order, 15);
  const logs = series.map((c, k) => c * ((psi[k] as number) + (order === 0 ? 0 : (psi[k + 1] as number))));
  const near =
    order === 0
      ? `${poly("h", logs)} - log(x * 0.5) * ${poly("h", series)}`
      : `1 / x + x * 0.5 * (log(x * 0.5) * ${poly("h", series)} - 0.5 * ${poly("h", logs)})`;
  const factor = interpolated(18, (t) => hankelFactor(order, 0.5 / (6 / (1 - t) - 1), 0)[0]);
  const [inNear, inFar] = isScaled ? [" * exp(x)", ""] : ["", " * exp(-x)"];
  return `let h = 0.25 * x * x; let t = 1 - 6 / (x + 1);
    x == 0 ? inf : x <= 2 ? (${near})${inNear} : ${poly("t", factor)} / sqrt(x * 0.6366197723675814)${inFar}`;
}
