/**
 * Polynomials through points, with exact rational coefficients: the numbers of a program that are products and sums of sizes. Coefficients are
 * solved in integers of any length, so that a polynomial is returned only if it has the value of each point exactly.
 */

/** A number as a function of sizes, and as text of JavaScript in which `s.n` is the size n. */
export interface Formula {
  readonly text: string;
  at(sizes: readonly number[]): number;
}

/** The values of symbols at some points. */
export interface Points {
  readonly names: readonly string[];
  readonly sizes: readonly (readonly number[])[];
  /** True if there are no further points, so that a formula needs no spare ones that confirm it. */
  readonly isWhole: boolean;
}

/** The exponents of each symbol. */
type Monomial = readonly number[];

const valueAt = (monomial: Monomial, sizes: readonly number[]): number =>
  monomial.reduce((product, power, k) => product * sizes[k] ** power, 1);

export const constantFormula = (value: number): Formula => ({ text: String(value), at: () => value });

/** All monomials up to a total degree, the simplest first. */
function monomialsOf(symbols: number, degree: number): Monomial[] {
  let all: number[][] = [[]];
  for (let k = 0; k < symbols; k++)
    all = all.flatMap((each) => Array.from({ length: degree + 1 }, (_, power) => [...each, power]));
  const total = (monomial: Monomial): number => monomial.reduce((a, b) => a + b, 0);
  return all.filter((each) => total(each) <= degree).sort((a, b) => total(a) - total(b));
}

/** The largest degree: products of three sizes. */
const maxDegree = 3;

/** Returns a polynomial with integer values at all points; null if none of a small degree has them. */
export function fitPolynomial(values: readonly number[], points: Points): Formula | null {
  if (!values.every(Number.isSafeInteger)) return null;
  const monomials = monomialsOf(points.names.length, maxDegree);
  for (const monomial of monomials.slice(1)) {
    const result = solved([monomials[0], monomial], values, points);
    if (result !== null) return result;
  }
  for (let degree = 1; degree <= maxDegree; degree++) {
    const result = solved(monomialsOf(points.names.length, degree), values, points);
    if (result !== null) return result;
  }
  return null;
}

/** The number of points beyond those that determine a polynomial: without them, every list of values has one. */
const spare = 2;

/** The number of points of the equations. */
const maxRows = 48;

function solved(monomials: readonly Monomial[], values: readonly number[], points: Points): Formula | null {
  const { sizes } = points;
  if (sizes.length < monomials.length + (points.isWhole ? 0 : spare)) return null;
  // A few points determine it; all of them confirm it.
  const stride = Math.ceil(sizes.length / maxRows);
  const chosen = sizes.map((_, k) => k).filter((k) => k % stride === 0 || k >= sizes.length - spare);
  const rows = chosen.map((k) => [
    ...monomials.map((monomial) => BigInt(valueAt(monomial, sizes[k]))),
    BigInt(values[k]),
  ]);
  const solution = solve(rows, monomials.length);
  if (solution === null) return null;
  const formula = polynomial(monomials, solution.numerators, solution.denominator, points.names);
  return sizes.every((each, k) => formula.at(each) === values[k]) ? formula : null;
}

/** Solves linear equations by elimination without fractions; null if they have no solution or several. */
function solve(
  equations: readonly (readonly bigint[])[],
  unknowns: number,
): { readonly numerators: readonly bigint[]; readonly denominator: bigint } | null {
  const rows = equations.map((row) => row.slice());
  for (let k = 0; k < unknowns; k++) {
    const pivot = rows.findIndex((row, at) => at >= k && row[k] !== 0n);
    if (pivot < 0) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    rows.forEach((row, at) => {
      if (at === k || row[k] === 0n) return;
      const [factor, other] = [row[k], rows[k][k]];
      for (let i = 0; i <= unknowns; i++) row[i] = row[i] * other - rows[k][i] * factor;
      reduce(row);
    });
  }
  if (rows.slice(unknowns).some((row) => row[unknowns] !== 0n)) return null;
  const denominator = rows
    .slice(0, unknowns)
    .reduce((product, row, k) => (product * row[k]) / gcd(product, row[k]), 1n);
  const positive = denominator < 0n ? -denominator : denominator;
  return {
    numerators: rows.slice(0, unknowns).map((row, k) => (row[unknowns] * positive) / row[k]),
    denominator: positive,
  };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

/** Divides a row by the common divisor of its numbers. */
function reduce(row: bigint[]): void {
  const divisor = row.reduce(gcd, 0n);
  if (divisor > 1n) for (let i = 0; i < row.length; i++) row[i] /= divisor;
}

function polynomial(
  monomials: readonly Monomial[],
  numerators: readonly bigint[],
  denominator: bigint,
  names: readonly string[],
): Formula {
  const terms = monomials.flatMap((monomial, k) =>
    numerators[k] === 0n ? [] : [{ monomial, factor: Number(numerators[k]) }],
  );
  const divisor = Number(denominator);
  const textOf = ({ monomial, factor }: (typeof terms)[number]): string => {
    const factors = monomial.flatMap((power, k) => Array.from({ length: power }, () => `s.${names[k]}`));
    if (factors.length === 0) return String(factor);
    return factor === 1 ? factors.join(" * ") : [String(factor), ...factors].join(" * ");
  };
  // The highest powers come first, as they are usually written.
  const sum = terms.length === 0 ? "0" : terms.toReversed().map(textOf).join(" + ").replaceAll("+ -", "- ");
  return {
    text: divisor === 1 ? sum : `(${sum}) / ${divisor}`,
    at: (sizes) =>
      terms.reduce((total, { monomial, factor }) => total + factor * valueAt(monomial, sizes), 0) / divisor,
  };
}
