/**
 * Special functions against the identities that hold between them, at random points.
 */
import { tensor } from "stridewise";
import { expect, test } from "vitest";
import type { Tensor } from "../../tensor/tensor.ts";
import * as methods from "./special.ts";
import * as functions from "./special-functions.ts";

let state = 7;
function random(low: number, high: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return low + ((high - low) * state) / 2 ** 32;
}
const points = (count: number, low: number, high: number): number[] =>
  Array.from({ length: count }, () => random(low, high));

type Call = (...args: unknown[]) => Tensor;
const ops = { ...methods, ...functions } as unknown as Readonly<Record<string, Call>>;
const double = (xs: readonly number[]): Tensor => tensor(xs as number[], { dtype: "float64" });
/** The values of an op at points; other arguments are lists of as many numbers. */
const at = (name: string, ...args: readonly (readonly number[])[]): number[] =>
  (ops[name] as Call)(...args.map(double)).toArray() as number[];

function expectNear(ours: readonly number[], theirs: readonly number[], slack: number, where: readonly number[]): void {
  for (const [k, value] of ours.entries()) {
    const exact = theirs[k] as number;
    const bound = slack * Math.max(1, Math.abs(exact));
    expect(Math.abs(value - exact), `at ${where[k]}: ${value} and ${exact}`).toBeLessThanOrEqual(bound);
  }
}

test("lgamma and digamma obey the recurrence and the reflection", () => {
  const xs = [...points(200, 0, 30), ...points(100, -20, 0)];
  const next = xs.map((x) => x + 1);
  const log = at("lgamma", xs).map((value, k) => value + Math.log(Math.abs(xs[k] as number)));
  expectNear(at("lgamma", next), log, 2e-13, xs);
  const psi = at("digamma", xs).map((value, k) => value + 1 / (xs[k] as number));
  expectNear(at("digamma", next), psi, 2e-12, xs);
});

test("the Wronskians of Bessel functions are 2 / (pi x) and 1 / x", () => {
  const xs = [...points(300, 0.1, 40), ...points(50, 7.9, 8.1), ...points(50, 1.9, 2.1), ...points(50, 24.9, 25.1)];
  const [j0, j1, y0, y1] = ["J0", "J1", "Y0", "Y1"].map((name) => at(`bessel${name}`, xs)) as [
    number[],
    number[],
    number[],
    number[],
  ];
  expectNear(
    xs.map((x, k) => ((j1[k] as number) * (y0[k] as number) - (j0[k] as number) * (y1[k] as number)) * x),
    xs.map(() => 2 / Math.PI),
    3e-13,
    xs,
  );
  const [i0, i1] = [at("i0e", xs), at("i1e", xs)];
  const [k0, k1] = [at("scaledModifiedBesselK0", xs), at("scaledModifiedBesselK1", xs)];
  expectNear(
    xs.map((x, k) => ((i0[k] as number) * (k1[k] as number) + (i1[k] as number) * (k0[k] as number)) * x),
    xs.map(() => 1),
    1e-14,
    xs,
  );
});

test("Airy's function solves y'' = x y across all its pieces", () => {
  const step = 1e-3;
  const xs = [...points(200, -12, 6), ...points(20, -3.9, -3.7), ...points(20, 1.99, 2.01)];
  const [below, middle, above] = [-step, 0, step].map((d) =>
    at(
      "airyAi",
      xs.map((x) => x + d),
    ),
  ) as [number[], number[], number[]];
  const second = xs.map(
    (_, k) => ((below[k] as number) + (above[k] as number) - 2 * (middle[k] as number)) / step ** 2,
  );
  expectNear(
    second,
    xs.map((x, k) => x * (middle[k] as number)),
    1e-5,
    xs,
  );
});

test("erfinv and ndtri are inverses", () => {
  const xs = points(300, -1, 1);
  expectNear(
    at(
      "ndtri",
      xs.map((x) => 0.5 + x / 2),
    ),
    at("erfinv", xs).map((y) => y * Math.SQRT2),
    1e-14,
    xs,
  );
  const ps = points(200, 0, 300).map((power) => 10 ** -power);
  expectNear(
    at("ndtr", at("ndtri", ps)).map((p, k) => p / (ps[k] as number)),
    ps.map(() => 1),
    2e-12,
    ps,
  );
  expectNear(at("logNdtr", at("ndtri", ps)), ps.map(Math.log), 1e-14, ps);
});

test("incomplete gamma functions add up to 1 and obey the recurrence in their order", () => {
  const orders = [...points(150, 0, 20), ...points(100, 0, 2000), ...points(20, 1e5, 1e6)];
  const xs = orders.map((a) => Math.max(1e-3, a + Math.sqrt(a + 1) * random(-4, 4)));
  const [lower, upper] = [at("igamma", orders, xs), at("igammac", orders, xs)];
  expectNear(
    lower.map((p, k) => p + (upper[k] as number)),
    orders.map(() => 1),
    1e-12,
    orders,
  );
  const log = at(
    "lgamma",
    orders.map((a) => a + 1),
  );
  const step = orders.map((a, k) => Math.exp(a * Math.log(xs[k] as number) - (xs[k] as number) - (log[k] as number)));
  const next = at(
    "igamma",
    orders.map((a) => a + 1),
    xs,
  );
  expectNear(
    next,
    lower.map((p, k) => p - (step[k] as number)),
    1e-8,
    orders,
  );
});

test("zeta falls by one term from q to q + 1, for negative q too", () => {
  const powers = points(200, 1.1, 20);
  const qs = points(200, 0.1, 50);
  const expectFall = (s: readonly number[], q: readonly number[]): void => {
    const next = at(
      "zeta",
      s,
      q.map((one) => one + 1),
    );
    expectNear(
      at("zeta", s, q).map((z, k) => z / ((next[k] as number) + (q[k] as number) ** -(s[k] as number))),
      s.map(() => 1),
      1e-12,
      q,
    );
  };
  expectFall(powers, qs);
  // Even powers: the terms have one sign, and nothing cancels.
  expectFall(
    powers.map((s) => 2 * Math.ceil(s / 2)),
    qs.map((q) => -q),
  );
});

const angles = points(60, 0.1, 3);
test.each([
  ["T", (n: number, t: number) => Math.cos(n * t)],
  ["U", (n: number, t: number) => Math.sin((n + 1) * t) / Math.sin(t)],
  ["V", (n: number, t: number) => Math.cos((n + 0.5) * t) / Math.cos(t / 2)],
  ["W", (n: number, t: number) => Math.sin((n + 0.5) * t) / Math.sin(t / 2)],
])("chebyshevPolynomial%s is its quotient of angles", (kind, quotient) => {
  for (const n of [0, 1, 2, 7, 32, 33, 100]) {
    const degrees = angles.map(() => n);
    const exact = angles.map((t) => quotient(n, t));
    const xs = angles.map(Math.cos);
    expectNear(at(`chebyshevPolynomial${kind}`, xs, degrees), exact, 1e-11, angles);
    expectNear(
      at(
        `shiftedChebyshevPolynomial${kind}`,
        xs.map((x) => (x + 1) / 2),
        degrees,
      ),
      exact,
      1e-11,
      angles,
    );
  }
});

test.each([
  ["hermitePolynomialH", (x: number) => 8 * x ** 3 - 12 * x],
  ["hermitePolynomialHe", (x: number) => x ** 3 - 3 * x],
  ["laguerrePolynomialL", (x: number) => (-(x ** 3) + 9 * x ** 2 - 18 * x + 6) / 6],
  ["legendrePolynomialP", (x: number) => (5 * x ** 3 - 3 * x) / 2],
])("%s of degree 3 is its cubic; degrees are cut, negative ones give 0, and those of millions NaN", (name, cubic) => {
  const xs = points(50, -3, 3);
  const call = ops[name] as Call;
  expectNear(call(double(xs), 3).toArray() as number[], xs.map(cubic), 1e-13, xs);
  expect(call(double(xs), 3.9).toArray()).toEqual(call(double(xs), 3).toArray());
  expect(call(1.5, double([-1, 0, 1])).toArray()).toEqual([0, 1, (call(double([1.5]), 1).toArray() as number[])[0]]);
  expect(call(double([0.5, 3]), Number.POSITIVE_INFINITY).toArray()).toEqual([NaN, NaN]);
});
