/**
 * Logarithms of probabilities of counts, by Loader's expansion about the mean ("Fast and accurate computation of binomial
 * probabilities", 2000): no large terms are subtracted, so the error stays near one rounding for counts of any size.
 */

/** log(n!) - log(sqrt(2 pi n) (n / e)^n) for an integer n >= 1. */
function stirlingError(n: number): number {
  if (n > 15) {
    const s = 1 / (n * n);
    return (1 / 12 - (1 / 360 - (1 / 1260 - s / 1680) * s) * s) / n;
  }
  let factorial = 1;
  for (let i = 2; i <= n; i++) factorial *= i;
  return Math.log(factorial) - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI);
}

/** x log(x / mean) + mean - x, for x > 0. */
function deviance(x: number, mean: number): number {
  const difference = x - mean;
  if (Math.abs(difference) > 0.1 * (x + mean)) return x * Math.log(x / mean) - difference;
  const ratio = difference / (x + mean);
  let term = 2 * x * ratio;
  let sum = difference * ratio;
  for (let j = 3; ; j += 2) {
    term *= ratio * ratio;
    const next = sum + term / j;
    if (next === sum) return sum;
    sum = next;
  }
}

/** The logarithm of rate^k e^-rate / k!. */
export function logPoissonMass(k: number, rate: number): number {
  return k === 0 ? -rate : -stirlingError(k) - deviance(k, rate) - 0.5 * Math.log(2 * Math.PI * k);
}

/** The logarithm of (n over k) p^k (1 - p)^(n - k), for 0 < p < 1. */
export function logBinomialMass(k: number, n: number, p: number): number {
  if (k === 0) return n * Math.log1p(-p);
  if (k === n) return n * Math.log(p);
  const other = n - k;
  return (
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(other) -
    deviance(k, n * p) -
    deviance(other, n * (1 - p)) +
    0.5 * Math.log(n / (2 * Math.PI * k * other))
  );
}
