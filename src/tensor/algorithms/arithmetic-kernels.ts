/**
 * The kernels of the algorithms that compute, in the arithmetic that `arithmetic.ts` chooses: operands are cast to the type it
 * computes in, and the result is rounded once to the destination's dtype.
 */

import { kernelBackend } from "../../kernel/backend.ts";
import { call, cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { type FlatLayout, flatLayout, refineFlat } from "../../layout/flat.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { clone } from "../clone.ts";
import { flatLayoutOf, flatStrides, nestedBit, sizesOf } from "../geometry.ts";
import { computedEngine, storageOf, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import type { Arithmetic } from "./arithmetic.ts";
import { mayDisturb } from "./in-order.ts";
import { isComposedTensor, operandInOrder, stridedAxes } from "./strided-axes.ts";

/** What each arithmetic computes in. */
const computedIn: Readonly<Record<Arithmetic, DType>> = {
  word: "int32",
  long: "int64",
  real: "float64",
  complex: "complex128",
};

type Body = (inputs: readonly Scalar[], scalars: readonly Scalar[]) => Scalar;

const product = (a: unknown, b: unknown): Scalar => call("mul", a as Scalar, b as Scalar);
const sum = (a: unknown, b: unknown): Scalar => call("add", a as Scalar, b as Scalar);

/** What the algorithms compute of each element. */
const bodies = {
  /** alpha * x */
  scale: ([x], [alpha]) => product(alpha, x),
  /** alpha * x + beta * y */
  axpby: ([x, y], [alpha, beta]) => sum(product(alpha, x), product(beta, y)),
  /** x */
  copy: ([x]) => x as Scalar,
  /** x + y */
  add: ([x, y]) => sum(x, y),
  /** a * b + c */
  multiplyAdd: ([a, b, c]) => sum(product(a, b), c),
} satisfies Record<string, Body>;

export type ArithmeticBody = keyof typeof bodies;

let kernels: Map<string, MapKernel> | null = null;

/** The kernel of a body for these dtypes. */
export function arithmeticKernel(
  name: ArithmeticBody,
  arithmetic: Arithmetic,
  to: DType,
  inputs: readonly DType[],
  scalars = 0,
  mask?: DType,
): MapKernel {
  kernels ??= new Map();
  const key = `${name} ${arithmetic} ${to} ${inputs.join(" ")} ${mask}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    const computed = name === "copy" ? to : computedIn[arithmetic];
    const body: Body = bodies[name];
    kernel = new MapKernel({
      name: `${shortName(to)}_${name}${mask === undefined ? "" : "_where"}`,
      outputs: [to],
      inputs: mask === undefined ? inputs : [...inputs, mask],
      isMasked: mask !== undefined,
      scalars: new Array<DType>(scalars).fill(computed),
      body: (values, given) => [
        cast(
          to,
          body(
            values.map((value) => cast(computed, value)),
            given,
          ),
        ),
      ],
    });
    kernels.set(key, kernel);
  }
  return kernel;
}

/**
 * Computes element i of the destination from the elements i of the sources, as if all had been read before the first is written;
 * false, and nothing is done, if there is no strided loop over all of them.
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
 * The same for the elements where a predicate is not 0; nothing else is read or written, so tensors may reach past their memory there.
 * False, and nothing is done, if the backend does not reach all memory, or if the destination lies across a source.
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
    offset: refined.starts[k] as number,
    shape: refined.sizes,
    stride: refined.strides[k] as readonly number[],
  }));
  const backend = kernelBackend();
  operands[0]?.storage.writable();
  if (!operands.every(({ storage }) => backend.reaches(storage.readable()))) return false;
  runMap(kernel, operands, scalars);
  return true;
}

/** The leaves of a predicate over the elements of the destination: modes of size 1 stand still. */
function predicateLeaves(predicate: Tensor, destination: Tensor): FlatLayout | null {
  if (predicate.size === destination.size) return flatLayoutOf(predicate);
  if (((predicate.bits | destination.bits) & nestedBit) !== 0 || predicate.rank !== destination.rank) return null;
  const [given, steps, shape] = [sizesOf(predicate), flatStrides(predicate), sizesOf(destination)];
  if (given.some((size, mode) => size !== 1 && size !== shape[mode])) return null;
  const strides = steps.map((step, mode) => (given[mode] === 1 ? 0 : step));
  return flatLayout(shape, strides, predicate.start);
}
