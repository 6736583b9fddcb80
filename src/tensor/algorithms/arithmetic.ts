/**
 * The arithmetic of the algorithms: the type that a destination accumulates in, and its rounding.
 * Integers of up to 32 bits multiply and add modulo 2^32, 64-bit integers as bigints; both wrap like their dtype.
 * Real numbers are computed in float64 and rounded to the destination's dtype after each step; complex numbers likewise.
 *
 * The kernels cast operands to the type of this arithmetic and round the result once to the destination's dtype.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { kernelBackend } from "../../kernel/backend.ts";
import { call, cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { type FlatLayout, flatLayout, refineFlat } from "../../layout/flat.ts";
import {
  type Complex,
  type DType,
  DTypeError,
  dtypes,
  isComplex,
  isComplexDType,
  isIntegerDType,
  type Value,
} from "../../storage/dtype.ts";
import { clone } from "../clone.ts";
import { flatLayoutOf, flatStrides, isComposedTensor, isFlat, sizesOf } from "../geometry.ts";
import { computedEngine, storageOf, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { mayDisturb, operandInOrder, stridedAxes } from "./in-order.ts";

/** word: integers of up to 32 bits; long: 64-bit integers; real: float64; complex: a pair of float64. */
export type Arithmetic = "word" | "long" | "real" | "complex";

const isLong = (dtype: DType): boolean => dtype === "int64" || dtype === "uint64";
const isExact = (dtype: DType): boolean => isIntegerDType(dtype) || dtypes[dtype].category === "bool";
const isInteger = (value: Value): boolean =>
  typeof value === "number" ? Number.isSafeInteger(value) : typeof value !== "object";

/** Returns the arithmetic of a destination with these inputs and scalars. Throws for complex inputs and a real destination. */
export function arithmeticOf(
  who: string,
  to: DType,
  inputs: readonly DType[],
  scalars: readonly Value[] = [],
): Arithmetic {
  if (isComplexDType(to)) return "complex";
  const complexInput = inputs.find((dtype) => isComplexDType(dtype));
  if (complexInput !== undefined || scalars.some(isComplex))
    throw new DTypeError(
      `${who}: a ${to} destination cannot hold products of ${complexInput ?? "complex"} numbers. Use a complex64 or complex128 destination`,
    );
  if (!isExact(to) || !inputs.every(isExact) || !scalars.every(isInteger)) return "real";
  return isLong(to) || inputs.some(isLong) ? "long" : "word";
}

const asWord = (value: Value): number =>
  typeof value === "number" ? value : Number(typeof value === "bigint" ? BigInt.asIntN(32, value) : value);
const asLong = (value: Value): bigint => (typeof value === "bigint" ? value : BigInt(value as number));
const asReal = (value: Value): number => (typeof value === "number" ? value : Number(value));
const asComplex = (value: Value): Complex => (isComplex(value) ? value : { re: Number(value), im: 0 });

/** a * b + c */
export const multiplyAdd: Readonly<Record<Arithmetic, (a: Value, b: Value, c: Value) => Value>> = {
  word: (a, b, c) => (Math.imul(asWord(a), asWord(b)) + asWord(c)) | 0,
  long: (a, b, c) => asLong(a) * asLong(b) + asLong(c),
  real: (a, b, c) => asReal(a) * asReal(b) + asReal(c),
  complex: (a, b, c) => {
    const [x, y, z] = [asComplex(a), asComplex(b), asComplex(c)];
    return { re: x.re * y.re - x.im * y.im + z.re, im: x.re * y.im + x.im * y.re + z.im };
  },
};

/** a * b */
export const multiply: Readonly<Record<Arithmetic, (a: Value, b: Value) => Value>> = {
  word: (a, b) => Math.imul(asWord(a), asWord(b)),
  long: (a, b) => asLong(a) * asLong(b),
  real: (a, b) => asReal(a) * asReal(b),
  complex: (a, b) => {
    const [x, y] = [asComplex(a), asComplex(b)];
    return { re: x.re * y.re - x.im * y.im, im: x.re * y.im + x.im * y.re };
  },
};

/** The dtype that each arithmetic computes in. */
const computedIn: Readonly<Record<Arithmetic, DType>> = {
  word: "int32",
  long: "int64",
  real: "float64",
  complex: "complex128",
};

type Body = (inputs: readonly Scalar[], scalars: readonly Scalar[]) => Scalar;

const product = (a: unknown, b: unknown): Scalar => call("mul", a as Scalar, b as Scalar);
const sum = (a: unknown, b: unknown): Scalar => call("add", a as Scalar, b as Scalar);

/** The elementwise computations of the algorithms. */
const bodies = {
  /** alpha * x */
  scale: ([x], [alpha]) => product(alpha, x),
  /** alpha * x + beta * y */
  axpby: ([x, y], [alpha, beta]) => sum(product(alpha, x), product(beta, y)),
  /** x */
  copy: ([x]) => x,
  /** x + y */
  add: ([x, y]) => sum(x, y),
  /** a * b + c */
  multiplyAdd: ([a, b, c]) => sum(product(a, b), c),
} satisfies Record<string, Body>;

export type ArithmeticBody = keyof typeof bodies;

const kernels: Map<string, MapKernel> = /* @__PURE__ */ new Map();

/** Returns the kernel of a body for these dtypes, from a cache. */
export function arithmeticKernel(
  name: ArithmeticBody,
  arithmetic: Arithmetic,
  to: DType,
  inputs: readonly DType[],
  scalars = 0,
  mask?: DType,
): MapKernel {
  const make = (): MapKernel => {
    const computed = name === "copy" ? to : computedIn[arithmetic];
    const body: Body = bodies[name];
    return new MapKernel({
      name: `${shortName(to)}_${name}${mask === undefined ? "" : "_where"}`,
      outputs: [to],
      inputs: mask === undefined ? inputs : [...inputs, mask],
      isMasked: mask !== undefined,
      scalars: new Array<DType>(scalars).fill(computed),
      body: (values, scalars) => [
        cast(
          to,
          body(
            values.map((value) => cast(computed, value)),
            scalars,
          ),
        ),
      ],
    });
  };
  return getOrCompute(kernels, `${name} ${arithmetic} ${to} ${inputs.join(" ")} ${mask}`, make);
}

/**
 * Computes element i of the destination from the elements i of the sources, as if all were read before the first write.
 * Does nothing and returns false if there is no strided loop over all of them.
 */
export function runInOrder(
  kernel: MapKernel,
  destination: Tensor,
  sources: readonly Tensor[],
  scalars: readonly Value[],
  who: string,
): boolean {
  const axes = stridedAxes([destination, ...sources], who);
  if (axes === null) return false;
  const copies = sources.map((source) => (mayDisturb(destination, source, who) ? clone(source) : source));
  const agreed = copies.some((copy, k) => copy !== sources[k]) ? stridedAxes([destination, ...copies], who) : axes;
  if (agreed === null) return false;
  const operands = [destination, ...copies].map((t, k) => operandInOrder(t, agreed, k, who));
  runMap(kernel, operands, scalars);
  for (const [k, copy] of copies.entries()) if (copy !== sources[k]) copy.endWith("a copy for the length of one call");
  return true;
}

/**
 * Like `runInOrder`, for the elements where a predicate is not 0. Other elements are not read or written, so tensors may reach past their
 * memory there. Does nothing and returns false if the backend cannot access all memory, or if the destination overlaps a source.
 */
export function runWhere(
  kernel: MapKernel,
  destination: Tensor,
  sources: readonly Tensor[],
  predicate: Tensor,
  scalars: readonly Value[],
  who: string,
): boolean {
  const tensors = [destination, ...sources];
  for (const t of [...tensors, predicate]) if (computedEngine(t, who) !== null || isComposedTensor(t)) return false;
  if ([...sources, predicate].some((source) => mayDisturb(destination, source, who))) return false;
  const mask = predicateLeaves(predicate, destination);
  const refined = mask && refineFlat([...tensors.map(flatLayoutOf), mask]);
  if (!refined) return false;
  const operands = [...tensors, predicate].map((t, k) => ({
    storage: k > sources.length ? wholeMemory(t, who) : storageOf(t, who),
    dtype: t.dtype,
    offset: refined.starts[k],
    shape: refined.sizes,
    stride: refined.strides[k],
  }));
  const backend = kernelBackend();
  operands[0]?.storage.writable();
  if (!operands.every(({ storage }) => backend.canAddress(storage.readable()))) return false;
  runMap(kernel, operands, scalars);
  return true;
}

/** Returns the leaves of a predicate over the elements of the destination: modes of size 1 have stride 0. */
function predicateLeaves(predicate: Tensor, destination: Tensor): FlatLayout | null {
  if (predicate.size === destination.size) return flatLayoutOf(predicate);
  if (!isFlat(predicate) || !isFlat(destination) || predicate.rank !== destination.rank) return null;
  const [sizes, steps, shape] = [sizesOf(predicate), flatStrides(predicate), sizesOf(destination)];
  if (sizes.some((size, mode) => size !== 1 && size !== shape[mode])) return null;
  const strides = steps.map((step, mode) => (sizes[mode] === 1 ? 0 : step));
  return flatLayout(shape, strides, predicate.start);
}
