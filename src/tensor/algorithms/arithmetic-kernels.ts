/**
 * The kernels of the algorithms that compute, in the arithmetic that `arithmetic.ts` chooses: operands are cast to the type it
 * computes in, and the result is rounded once to the destination's dtype.
 */
import { call, cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { runMap } from "../../kernel/launch/run-map.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { clone } from "../clone.ts";
import type { Tensor } from "../tensor.ts";
import type { Arithmetic } from "./arithmetic.ts";
import { mayDisturb } from "./in-order.ts";
import { operandInOrder, stridedAxes } from "./strided-axes.ts";

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
): MapKernel {
  kernels ??= new Map();
  const key = `${name} ${arithmetic} ${to} ${inputs.join(" ")}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    const computed = computedIn[arithmetic];
    const body: Body = bodies[name];
    kernel = new MapKernel({
      name: `${to}_${name}`,
      outputs: [to],
      inputs,
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
  return true;
}
