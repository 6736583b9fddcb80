/**
 * The factor by which Bessel functions differ from their first asymptotic term, as an integral (DLMF 10.32.8, 10.9.10):
 *
 * F(z) = integral of e^-u u^(v - 1/2) (1 + u / 2z)^(v - 1/2) over u > 0, divided by its value at infinity. Then
 * K(x) = sqrt(pi / 2x) e^-x F(x) and J(x) + i Y(x) = sqrt(2 / pi x) e^(i (x - v pi/2 - pi/4)) F(-i x), where F(-i x) = P + i Q.
 *
 * Numbers alone, slow and exact to about 1e-15: what formulas interpolate.
 */

/** F(z) for 1 / 2z = re + i im, as its two parts. */
export function hankelFactor(order: number, re: number, im: number): readonly [re: number, im: number] {
  const power = order - 0.5;
  let whole = 0;
  let real = 0;
  let imaginary = 0;
  // The trapezoidal rule after u = exp(s - exp(-s)), under which the integrand falls doubly exponentially.
  for (let s = -5; s <= 5; s += 1 / 32) {
    const inner = Math.exp(-s);
    const u = Math.exp(s - inner);
    const weight = Math.exp(-u) * u ** (power + 1) * (1 + inner);
    const size = weight * Math.hypot(1 + u * re, u * im) ** power;
    const angle = power * Math.atan2(u * im, 1 + u * re);
    whole += weight;
    real += size * Math.cos(angle);
    imaginary += size * Math.sin(angle);
  }
  return [real / whole, imaginary / whole];
}
