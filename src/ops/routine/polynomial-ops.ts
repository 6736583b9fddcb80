/**
 * Polynomials as lists of coefficients, highest power first, as in NumPy: values, fits, arithmetic, derivatives, integrals and roots.
 * Leading zeros are kept, so that no shape but that of roots depends on values. All are composite ops.
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

/** The largest exponent; powers of numbers overflow or underflow long before it. */
const maxPowers = 1000;

function checkCount(who: string, name: string, count: number): void {
  if (!Number.isInteger(count) || count < 0 || count > maxPowers)
    throw new StridewiseError(`${who}: ${name} must be an integer from 0 to ${maxPowers}, got ${describeValue(count)}`);
}

type List<D extends DType> = Tensor<[number], D>;

/** The type of polyval. */
export interface Polyval extends OpFunction {
  <P extends Tensor, X extends Tensor>(
    p: P,
    x: X,
  ): Tensor<X["shape"], DTypeOf<Tensor<Shape, Promote<P["dtype"], X["dtype"]>>, number>>;
}
/** Evaluates the polynomial with coefficients p, highest power first, at x. */
export const polyval: Polyval = /* @__PURE__ */ routineOfOps(
  "polyval(p, x)",
  (args: { readonly p: Tensor; readonly x: Tensor }) => {
    checkTensor("polyval", args.x);
    const [p, x] = together(sequence("polyval", "p", args.p), args.x);
    let y: Tensor = mul(x, 0);
    for (let k = 0; k < p.size; k++) y = addcmul(select(p, 0, k), y, x);
    return y;
  },
);

/** The options of polyfit. */
export interface PolyfitOptions {
  /** The weight of the residual of each point. */
  readonly weights?: Tensor | undefined;
}
/** The type of polyfit. */
export interface Polyfit extends OpFunction {
  <X extends Tensor, Y extends Tensor>(
    x: X,
    y: Y,
    degree: number,
    options?: PolyfitOptions,
  ): Tensor<FittedShape<Y["shape"]>, WideTogether<X["dtype"], Y["dtype"]>>;
}
/** A list for one list of values, or a column for each of several. */
type FittedShape<S extends Shape> = S extends readonly [number, infer N extends number]
  ? [number, N]
  : S extends readonly [number?]
    ? [number]
    : Shape;
interface PolyfitArguments {
  readonly x: Tensor;
  readonly y: Tensor;
  readonly degree: number;
  readonly weights: Tensor | null;
}
/** Returns the coefficients, highest power first, of the polynomial of the given degree fitted to the points (x, y) by least squares. */
export const polyfit: Polyfit = /* @__PURE__ */ routineOfOps(
  "polyfit(x, y, degree; weights = null)",
  (args: PolyfitArguments) => {
    const { degree } = args;
    checkCount("polyfit", "degree", degree);
    const both = [sequence("polyfit", "x", args.x, true), sequence("polyfit", "y", args.y, false, 2)] as const;
    const dtype = promoteTypes(both[0].dtype, both[1].dtype);
    // Powers need more precision than their sum.
    const wide = isComplexDType(dtype) ? "complex128" : "float64";
    const [x, y] = both.map((t) => to(t, wide)) as [Tensor, Tensor];
    const weights = args.weights === null ? null : to(sequence("polyfit", "weights", args.weights), wide);
    checkPaired("polyfit", "x and y", x, y);
    if (weights !== null) checkPaired("polyfit", "x and weights", x, weights);
    const weighted = (t: Tensor): Tensor => (weights === null ? t : mul(t, unsqueeze(weights, 1)));
    const powers: Tensor[] = [fullLike(x, 1)];
    while (powers.length <= degree) powers.unshift(mul(powers[0], x));
    const columns = weighted(stack(powers, 1));
    // Columns of equal norm improve the condition.
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

/** Pads the coefficients with leading zeros to at least `count`. */
const atLeast = (p: Tensor, count: number): Tensor => (p.size < count ? pad(p, [count - p.size, 0]) : p);

/** Defines an op on two polynomials, padded to the same number of coefficients, or to at least one each. */
const pairOp = (who: string, compute: (a: Tensor, b: Tensor) => Tensor, isAligned = true): PolynomialPair =>
  routineOfOps(`${who}(a, b)`, (args: { readonly a: Tensor; readonly b: Tensor }) => {
    const [a, b] = [sequence(who, "a", args.a), sequence(who, "b", args.b)];
    return compute(atLeast(a, isAligned ? b.size : 1), atLeast(b, isAligned ? a.size : 1));
  });
/** Returns the sum of two polynomials. */
export const polyadd: PolynomialPair = /* @__PURE__ */ pairOp("polyadd", add);
/** Returns the difference of two polynomials. */
export const polysub: PolynomialPair = /* @__PURE__ */ pairOp("polysub", sub);
/** Returns the product of two polynomials. */
export const polymul: PolynomialPair = /* @__PURE__ */ pairOp("polymul", convolve, false);

/** The type of polydiv. */
export interface Polydiv extends OpFunction {
  <U extends Tensor, V extends Tensor>(
    u: U,
    v: V,
  ): Readonly<Record<"quotient" | "remainder", List<FloatOf<Promote<U["dtype"], V["dtype"]>>>>>;
}
/** Returns the quotient and the remainder of the division of two polynomials. Leading zeros of the remainder are kept. */
export const polydiv: Polydiv = /* @__PURE__ */ withNames(
  /* @__PURE__ */ routineOfOps("polydiv(u, v)", (args: { readonly u: Tensor; readonly v: Tensor }) => {
    const part = (name: "u" | "v"): Tensor => sequence("polydiv", name, args[name], true);
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

/** Returns the numbers from `count` down to 1. */
const down = (p: Tensor, count: number): Tensor =>
  listLike(
    p,
    listOf(count, (k) => count - k),
    "int32",
  );

/** Applies a step m times to a polynomial. */
function stepped(who: string, args: Tensor, m: number, step: (p: Tensor, k: number) => Tensor): Tensor {
  checkCount(who, "m", m);
  let p = clone(sequence(who, "p", args));
  for (let k = 0; k < m; k++) p = step(p, k);
  return p;
}

/** The type of polyder. */
export interface Polyder extends OpFunction {
  <P extends Tensor>(p: P, m?: number): List<IfFloat<P["dtype"]>>;
}
/** Returns the m-th derivative of a polynomial. */
export const polyder: Polyder = /* @__PURE__ */ routineOfOps(
  "polyder(p, m = 1)",
  (args: { readonly p: Tensor; readonly m: number }) =>
    stepped("polyder", args.p, args.m, (p) => {
      const degree = Math.max(p.size - 1, 0);
      return mul(narrow(p, 0, 0, degree), down(p, degree));
    }),
);

/** The options of polyint. */
export interface PolyintOptions {
  /** The constants of the integrals in order, or one for all. Default: 0. */
  readonly k?: number | readonly number[] | undefined;
}
/** The type of polyint. */
export interface Polyint extends OpFunction {
  /** Returns the m-th antiderivative of a polynomial, with integration constants k. */
  <P extends Tensor>(p: P, options?: PolyintOptions): List<IfFloat<P["dtype"]>>;
  /** Returns the m-th antiderivative of a polynomial, with integration constants k. */
  <P extends Tensor>(p: P, m?: number, options?: PolyintOptions): List<IfFloat<P["dtype"]>>;
}
interface PolyintArguments {
  readonly p: Tensor;
  readonly m: number;
  readonly k: number | readonly number[];
}
/** Returns the m-th antiderivative of a polynomial, with integration constants k. */
export const polyint: Polyint = /* @__PURE__ */ routineOfOps("polyint(p, m = 1; k = 0)", (args: PolyintArguments) => {
  const constants = [args.k].flat();
  if (constants.length !== 1 && constants.length < args.m)
    throw new StridewiseError(
      `polyint: k must be a number or a list of ${args.m}, one for each integral, got ${describeValue(args.k)}`,
    );
  return stepped("polyint", args.p, args.m, (p, k) =>
    pad(div(p, down(p, p.size)), [0, 1], { value: constants[k] ?? constants[0] }),
  );
});

/** The type of roots. */
export interface Roots extends OpFunction {
  <P extends Tensor>(p: P): List<ComplexOf<P["dtype"]>>;
}
/** Returns the complex roots of a polynomial, in no particular order. */
export const roots: Roots = /* @__PURE__ */ routineOfOps("roots(p)", (args: { readonly p: Tensor }) => {
  const p = sequence("roots", "p", args.p);
  const indices = nonzero(p);
  const first = indices.size === 0 ? p.size - 1 : Number(item(narrow(indices, 0, 0, 1)));
  const degree = p.size - 1 - first;
  if (degree === 0) return zeros([0], { dtype: complexDType(p.dtype) });
  const row = neg(div(narrow(p, 0, first + 1, degree), narrow(p, 0, first, 1)));
  // The roots are the eigenvalues of the companion matrix.
  return eigvals(cat([unsqueeze(row, 0), eye(degree - 1, degree, { dtype: row.dtype })], 0));
});
