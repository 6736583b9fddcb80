/**
 * Polynomials as lists of coefficients, as NumPy has them, the highest power first: values, fits, arithmetic, derivatives, integrals and
 * roots. Leading zeros stay, so that shapes never depend on values; only the number of roots does. Functions only, no methods; all made
 * of other ops.
 */

import { StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { complexDType, type DType, isComplexDType } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { item } from "../../tensor/access/access.ts";
import { eye, fullLike, zeros } from "../../tensor/create/create.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { listLike } from "../composite/tensors-like.ts";
import { add, addcmul, div, mul, neg, sub } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { vectorNorm } from "../linalg/norms.ts";
import { eigvals } from "../linalg/spectra.ts";
import { lstsq } from "../linalg/systems.ts";
import { cat, stack } from "../movement/join.ts";
import { nonzero } from "../movement/nonzero.ts";
import { pad } from "../movement/pad.ts";
import type { ComplexOf, DTypeOf, FloatOf, IfFloat, Promote, WideTogether } from "../op-types.ts";
import { clone, narrow, reshape, select, to, unsqueeze } from "../views.ts";
import { routineOfOps, withNames } from "./routine-op.ts";
import { checkPaired, floatsTogether, sequence, together } from "./sequence.ts";
import { convolve } from "./signal-ops.ts";

/** Powers of numbers are infinite or 0 long before this one. */
const mostPowers = 1000;

function checkCount(who: string, name: string, count: number): void {
  if (!Number.isInteger(count) || count < 0 || count > mostPowers)
    throw new StridewiseError(`${who}: ${name} is a whole number from 0 to ${mostPowers}, got ${describeValue(count)}`);
}

type List<D extends DType> = Tensor<[number], D, "none">;

/** The type of polyval. */
export interface Polyval extends OpFunction {
  <P extends Tensor, X extends Tensor>(
    p: P,
    x: X,
  ): Tensor<X["shape"], DTypeOf<Tensor<Shape, Promote<P["dtype"], X["dtype"]>>, number>, "none">;
}
/** The values at x of the polynomial with the coefficients p, the highest power first. */
export const polyval: Polyval = /* @__PURE__ */ routineOfOps(
  "polyval(p, x)",
  (given: { readonly p: Tensor; readonly x: Tensor }) => {
    checkTensor("polyval", given.x);
    const [p, x] = together(sequence("polyval", "p", given.p), given.x);
    let y: Tensor = mul(x, 0);
    for (let k = 0; k < p.size; k++) y = addcmul(select(p, 0, k), y, x);
    return y;
  },
);

/** How points count. */
export interface PolyfitOptions {
  /** What the distance of each point is multiplied by. */
  readonly weights?: Tensor | undefined;
}
/** The type of polyfit. */
export interface Polyfit extends OpFunction {
  <X extends Tensor, Y extends Tensor>(
    x: X,
    y: Y,
    degree: number,
    options?: PolyfitOptions,
  ): Tensor<FittedShape<Y["shape"]>, WideTogether<X["dtype"], Y["dtype"]>, "none">;
}
/** A list for one list of values, and a column for each of several. */
type FittedShape<S extends Shape> = S extends readonly [number, infer N extends number]
  ? [number, N]
  : S extends readonly [number?]
    ? [number]
    : Shape;
interface PolyfitGiven {
  readonly x: Tensor;
  readonly y: Tensor;
  readonly degree: number;
  readonly weights: Tensor | null;
}
/** The coefficients, the highest power first, of the polynomial of a degree that is nearest to the values y at x, by least squares. */
export const polyfit: Polyfit = /* @__PURE__ */ routineOfOps(
  "polyfit(x, y, degree; weights = null)",
  (given: PolyfitGiven) => {
    const { degree } = given;
    checkCount("polyfit", "degree", degree);
    const both = [sequence("polyfit", "x", given.x, true), sequence("polyfit", "y", given.y, false, 2)] as const;
    const dtype = promoteTypes(both[0].dtype, both[1].dtype);
    // Powers need more digits than their sum.
    const wide = isComplexDType(dtype) ? "complex128" : "float64";
    const [x, y] = both.map((t) => to(t, wide)) as [Tensor, Tensor];
    const weights = given.weights === null ? null : to(sequence("polyfit", "weights", given.weights), wide);
    checkPaired("polyfit", "x and y", x, y);
    if (weights !== null) checkPaired("polyfit", "x and weights", x, weights);
    const weighted = (t: Tensor): Tensor => (weights === null ? t : mul(t, unsqueeze(weights, 1)));
    const powers: Tensor[] = [fullLike(x, 1)];
    while (powers.length <= degree) powers.unshift(mul(powers[0], x));
    const columns = weighted(stack(powers, 1));
    // Columns of one length are the best conditioned.
    const lengths = vectorNorm(columns, 2, 0);
    const { solution } = lstsq(div(columns, lengths), weighted(reshape(y, [x.size, y.size / x.size])));
    const fitted = reshape(div(solution, unsqueeze(lengths, 1)), [degree + 1, ...sizesOf(y).slice(1)]);
    return to(fitted, both.every((t) => /float|complex/.test(t.dtype)) ? dtype : wide);
  },
);

/** The type of sums, differences and products of polynomials. */
export interface PolynomialPair extends OpFunction {
  <A extends Tensor, B extends Tensor>(a: A, b: B): List<Promote<A["dtype"], B["dtype"]>>;
}

/** The coefficients with zeros in front, so many at least. */
const atLeast = (p: Tensor, count: number): Tensor => (p.size < count ? pad(p, [count - p.size, 0]) : p);

/** An op on two polynomials with equally many coefficients, or with at least one each. */
const pairOp = (who: string, compute: (a: Tensor, b: Tensor) => Tensor, isAligned = true): PolynomialPair =>
  routineOfOps(`${who}(a, b)`, (given: { readonly a: Tensor; readonly b: Tensor }) => {
    const [a, b] = [sequence(who, "a", given.a), sequence(who, "b", given.b)];
    return compute(atLeast(a, isAligned ? b.size : 1), atLeast(b, isAligned ? a.size : 1));
  });
/** The sum of two polynomials. */
export const polyadd: PolynomialPair = /* @__PURE__ */ pairOp("polyadd", add);
/** The difference of two polynomials. */
export const polysub: PolynomialPair = /* @__PURE__ */ pairOp("polysub", sub);
/** The product of two polynomials. */
export const polymul: PolynomialPair = /* @__PURE__ */ pairOp("polymul", convolve, false);

/** The type of polydiv. */
export interface Polydiv extends OpFunction {
  <U extends Tensor, V extends Tensor>(
    u: U,
    v: V,
  ): Readonly<Record<"quotient" | "remainder", List<FloatOf<Promote<U["dtype"], V["dtype"]>>>>>;
}
/** The quotient of two polynomials and what remains of u, leading zeros included. */
export const polydiv: Polydiv = /* @__PURE__ */ withNames(
  /* @__PURE__ */ routineOfOps("polydiv(u, v)", (given: { readonly u: Tensor; readonly v: Tensor }) => {
    const part = (name: "u" | "v"): Tensor => sequence("polydiv", name, given[name], true);
    const [u, v] = floatsTogether(part("u"), part("v"));
    const degree = v.size - 1;
    const [leading, others] = [narrow(v, 0, 0, 1), narrow(v, 0, 1, degree)];
    const terms = [narrow(u, 0, 0, 0)];
    let rest: Tensor = clone(narrow(u, 0, 0, Math.min(degree, u.size)));
    for (let k = degree; k < u.size; k++) {
      const all = cat([rest, narrow(u, 0, k, 1)], 0);
      const term = div(narrow(all, 0, 0, 1), leading);
      terms.push(term);
      rest = sub(narrow(all, 0, 1, degree), mul(term, others));
    }
    return [atLeast(cat(terms, 0), 1), atLeast(rest, 1)];
  }),
  ["quotient", "remainder"],
);

/** The numbers from `count` down to 1. */
const down = (p: Tensor, count: number): Tensor =>
  listLike(
    p,
    listOf(count, (k) => count - k),
    "int32",
  );

/** What m steps make of a polynomial. */
function stepped(who: string, given: Tensor, m: number, step: (p: Tensor, k: number) => Tensor): Tensor {
  checkCount(who, "m", m);
  let p = clone(sequence(who, "p", given));
  for (let k = 0; k < m; k++) p = step(p, k);
  return p;
}

/** The type of polyder. */
export interface Polyder extends OpFunction {
  <P extends Tensor>(p: P, m?: number): List<IfFloat<P["dtype"]>>;
}
/** The m-th derivative of a polynomial. */
export const polyder: Polyder = /* @__PURE__ */ routineOfOps(
  "polyder(p, m = 1)",
  (given: { readonly p: Tensor; readonly m: number }) =>
    stepped("polyder", given.p, given.m, (p) => {
      const degree = Math.max(p.size - 1, 0);
      return mul(narrow(p, 0, 0, degree), down(p, degree));
    }),
);

/** What integrals are made with. */
export interface PolyintOptions {
  /** The constant of each integral in their order, or one for all: 0 unless given. */
  readonly k?: number | readonly number[] | undefined;
}
/** The type of polyint. */
export interface Polyint extends OpFunction {
  /** The m-th integral of a polynomial, with constants k. */
  <P extends Tensor>(p: P, options?: PolyintOptions): List<IfFloat<P["dtype"]>>;
  /** The m-th integral of a polynomial, with constants k. */
  <P extends Tensor>(p: P, m?: number, options?: PolyintOptions): List<IfFloat<P["dtype"]>>;
}
interface PolyintGiven {
  readonly p: Tensor;
  readonly m: number;
  readonly k: number | readonly number[];
}
/** The m-th integral of a polynomial, with constants k. */
export const polyint: Polyint = /* @__PURE__ */ routineOfOps("polyint(p, m = 1; k = 0)", (given: PolyintGiven) => {
  const constants = [given.k].flat();
  if (constants.length !== 1 && constants.length < given.m)
    throw new StridewiseError(
      `polyint: k must be a number, or a list of ${given.m}, one for each integral, got ${describeValue(given.k)}`,
    );
  return stepped("polyint", given.p, given.m, (p, k) =>
    pad(div(p, down(p, p.size)), [0, 1], { value: constants[k] ?? constants[0] }),
  );
});

/** The type of roots. */
export interface Roots extends OpFunction {
  <P extends Tensor>(p: P): List<ComplexOf<P["dtype"]>>;
}
/** The complex numbers at which a polynomial is 0, in no particular order. */
export const roots: Roots = /* @__PURE__ */ routineOfOps("roots(p)", (given: { readonly p: Tensor }) => {
  const p = sequence("roots", "p", given.p);
  const places = nonzero(p);
  const first = places.size === 0 ? p.size - 1 : Number(item(narrow(places, 0, 0, 1)));
  const degree = p.size - 1 - first;
  if (degree === 0) return zeros([0], { dtype: complexDType(p.dtype) });
  const row = neg(div(narrow(p, 0, first + 1, degree), narrow(p, 0, first, 1)));
  // The eigenvalues of its companion are the roots of a polynomial.
  return eigvals(cat([unsqueeze(row, 0), eye(degree - 1, degree, { dtype: row.dtype })], 0));
});
