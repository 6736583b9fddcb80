/**
 * The samples of all ops as functions whose derivatives can be checked. All floats of a sample become float64 and are
 * perturbed a little, away from ties and kinks; the results are summed with fixed weights, so that one gradient covers
 * all of them.
 */
import * as stridewise from "../../src/index.ts";
import { type DType, dtypes } from "../../src/storage/dtype.ts";
import { tensorsIn } from "./op-results.ts";
import { callSample, exportedOps, type Op, samplesOf } from "./op-samples.ts";

const { Tensor, manualSeed, tensor } = stridewise;
type Tensor = stridewise.Tensor;

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Ops without a derivative in PyTorch either, or without one here yet: `backward` throws an error. */
export const without = names(`
  floorDivide heaviside nextafter igamma gammainc igammac gammaincc zeta
  airyAi besselJ0 besselJ1 besselY0 besselY1 modifiedBesselI0 modifiedBesselI1 modifiedBesselK0 modifiedBesselK1
  scaledModifiedBesselK0 scaledModifiedBesselK1 sphericalBesselJ0
  chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV chebyshevPolynomialW hermitePolynomialH hermitePolynomialHe
  laguerrePolynomialL legendrePolynomialP shiftedChebyshevPolynomialT shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV
  shiftedChebyshevPolynomialW
  geqrf linalg.ldlFactor linalg.ldlFactorEx linalg.ldlSolve histogram histogramdd unique uniqueConsecutive
  union1d intersect1d setdiff1d setxor1d
  normal poisson sampleBeta sampleDirichlet standardGamma bernoulli binomial
`);

/** Samples that throw, as in PyTorch. */
export const refused: readonly string[] = ["linalg.qr(tensor([[1, 2], [3, 4], [5, 7]]), 'r')"];

/** Samples without a gradient, or without one at that point: they test something else. */
const unsuited: readonly RegExp[] = [
  // Infinities, NaN and numbers too large or small to perturb.
  /Infinity, -Infinity/,
  /^linalg\.choleskyEx\(tensor\(\[\[1, 2\], \[2, 1\]\]\)\)$/,
];

/** The domains of functions that are not defined everywhere: elements are moved into them. */
const domains: Readonly<Record<string, readonly [low: number, high: number]>> = {
  erfinv: [-1, 1],
  ndtri: [0, 1],
  entr: [0, 3],
  asin: [-1, 1],
  acos: [-1, 1],
};

type Change = (t: Tensor) => Tensor;
const symmetric: Change = (t) => t.add(t.mT as never).mul(0.5) as Tensor;
const lower: Change = (t) => stridewise.tril(t) as Tensor;

/** Arguments that are read only in part, or taken to be symmetric, keep that property. */
const shaped: Readonly<Record<string, readonly Change[]>> = {
  "linalg.cholesky": [symmetric],
  "linalg.choleskyEx": [symmetric],
  cholesky: [symmetric],
  "linalg.eigh": [symmetric],
  "linalg.eigvalsh": [symmetric],
  "linalg.pinv(tensor([[4, 2], [2, 3]]), { hermitian: true })": [symmetric],
  choleskyInverse: [lower],
  choleskySolve: [(t) => t, lower],
  binomial: [(t) => t.round() as Tensor],
};

type Parts = Readonly<Record<string, Tensor>>;
/** Columns are determined up to a factor of absolute value 1. */
const columns = (t: Tensor, count: number): Tensor => stridewise.abs(t.narrow(-1, 0, count)) as Tensor;
/** The determined and differentiable part of results. */
const determined: Readonly<Record<string, (result: never) => unknown>> = {
  "linalg.eig": ({ eigenvalues, eigenvectors }: Parts) => [eigenvalues, columns(eigenvectors as Tensor, 2)],
  "linalg.eigh": ({ eigenvalues, eigenvectors }: Parts) => [eigenvalues, columns(eigenvectors as Tensor, 2)],
  "linalg.svd": ({ U, S, Vh }: Parts) => [columns(U as Tensor, 2), S, columns((Vh as Tensor).mT as Tensor, 2)],
  "linalg.lstsq": ({ solution }: Parts) => solution,
  "masked.logSoftmax": (t: Tensor) => t.nanToNum(0, 0, 0),
  "masked.norm": (t: Tensor) => t.nanToNum(0, 0, 0),
  nanToNum: (t: Tensor) => t.narrow(0, 2, 1),
};

const wide: Readonly<Partial<Record<DType, DType>>> = {
  float16: "float64",
  bfloat16: "float64",
  float32: "float64",
  complex64: "complex128",
};
const isFloat = (t: Tensor): boolean => /float|complex/.test(dtypes[t.dtype].category);

/** Numbers without a pattern, for the tensor `which`. */
const wave = (t: Tensor, which: number): Tensor =>
  tensor(
    Array.from({ length: Math.max(t.size, 1) }, (_, k) => 1.5 + Math.sin(3 * k + 1 + 7 * which)),
    { dtype: "float64" },
  )
    .slice(0, 0, t.size)
    .reshape([...t.shape]) as Tensor;

/** The tensor in float64, its elements perturbed a little, with requiresGrad. */
function moved(name: string, t: Tensor, which: number): Tensor {
  const x = (t.detach() as Tensor).to(wide[t.dtype] ?? t.dtype) as Tensor;
  const domain = domains[name];
  const y = domain === undefined ? x.add(wave(x, which).mul(0.04) as never) : inside(x, domain);
  return y.clone().requiresGrad_() as Tensor;
}

const inside = (x: Tensor, [low, high]: readonly [number, number]): Tensor =>
  x
    .sigmoid()
    .mul((high - low) as never)
    .add(low as never) as Tensor;

/** The arguments with each float tensor replaced. Requested dtypes are widened too, and random ops are reseeded. */
function replaced(arg: unknown, change: Change): unknown {
  if (arg instanceof Tensor) return isFloat(arg) ? change(arg) : arg;
  if (Array.isArray(arg)) return arg.map((each) => replaced(each, change));
  if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  const entries = Object.entries(arg).filter(([key]) => key !== "generator");
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === "dtype" ? (wide[value as DType] ?? value) : replaced(value, change)]),
  );
}

interface Case {
  readonly fn: (...inputs: Tensor[]) => Tensor;
  readonly inputs: readonly Tensor[];
}

/** A sample as a function of its float tensors: the sum of all floats of its results with fixed weights. */
export function caseOf(name: string, sample: string, op: Op): Case {
  const args = callSample("Array.of", sample) as unknown[];
  const inputs: Tensor[] = [];
  replaced(args, (t) => {
    inputs.push(moved(name, t, inputs.length));
    return t;
  });
  const changes = shaped[`${name}(${sample})`] ?? shaped[name] ?? [];
  const fn = (...leaves: Tensor[]): Tensor => {
    let next = 0;
    const mine = args.map((arg) =>
      replaced(arg, () => {
        const k = next++;
        return (changes[k] ?? ((t) => t))(leaves[k] as Tensor);
      }),
    );
    manualSeed(1);
    const result = op(...mine);
    const parts = tensorsIn(determined[name]?.(result as never) ?? result).filter(isFloat);
    const sums = parts.map((t, k) => weighted(t, k));
    return sums.reduce((a, b) => a.add(b as never) as Tensor, tensor(0, { dtype: "float64" }) as Tensor);
  };
  return { fn, inputs };
}

function weighted(t: Tensor, which: number): Tensor {
  const weights = wave(t, which);
  if (dtypes[t.dtype].category !== "complex") return t.mul(weights as never).sum() as Tensor;
  const other = wave(t, which + 1);
  return t.real
    .mul(weights as never)
    .add(t.imag.mul(other as never) as never)
    .sum() as Tensor;
}

export const cases = [...exportedOps()]
  .flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample, op] as const))
  .filter(([name, sample]) => !unsuited.some((pattern) => pattern.test(`${name}(${sample})`)))
  .filter(([name, sample, op]) => caseOf(name, sample, op).inputs.length > 0);
