/**
 * Gradients compared with finite differences, for users who define functions or gradients.
 *
 * For every element x of an input that requires a gradient and every element of an output, the gradient must be within atol + rtol * |d| of
 * d = (f(x + eps) - f(x - eps)) / (2 eps). Both parts of a complex element are moved. Inputs are float64 or complex128: in smaller dtypes the
 * differences are too inexact.
 */
import { checkFunction } from "../base/arguments.ts";
import { checkOptions } from "../ops/signature.ts";
import { dtypes, isComplex, type Value } from "../storage/dtype.ts";
import { get, set } from "../tensor/access/access.ts";
import { toArray } from "../tensor/convert/to-array.ts";
import { zeros } from "../tensor/create/create-ops.ts";
import { fromData } from "../tensor/create/from-data.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { dataOf, detach } from "../tensor/in-place.ts";
import { checkNoSelfOverlap, checkTensor } from "../tensor/operand.ts";
import { tensorToString } from "../tensor/print/print.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { grad, setRequiresGrad } from "./api.ts";
import { isDifferentiable, tensorsOf } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { dualLevel, makeDual, unpackDual } from "./forward-api.ts";
import { requiresGrad } from "./history.ts";

export interface GradcheckOptions {
  /** The step of the finite differences. */
  readonly eps?: number;
  /** The absolute tolerance. */
  readonly atol?: number;
  /** The relative tolerance. */
  readonly rtol?: number;
  /** Whether to check the tangents of forward mode too. */
  readonly checkForward?: boolean;
}

export interface GradgradcheckOptions extends GradcheckOptions {
  /** The gradients of the outputs from which the gradients of the inputs are computed. Default: fixed values. */
  readonly gradOutputs?: Tensor | readonly Tensor[];
}

const known = ["eps", "atol", "rtol", "checkForward"];

/** A function to check. It returns a tensor, or a list or object of tensors; integer tensors are ignored. */
export type CheckedFunction = (...inputs: Tensor[]) => unknown;

/** Checks the gradients of a function against finite differences. Returns true, or throws an error with the differences. */
export function gradcheck(
  fn: CheckedFunction,
  inputs: Tensor | readonly Tensor[],
  options: GradcheckOptions = {},
): boolean {
  checkFunction("gradcheck", fn);
  checkOptions("gradcheck", options, ...known);
  return check("gradcheck", fn, listOf("gradcheck", inputs), options);
}

/** Checks the second-order gradients of a function, with respect to its inputs and to the gradients of its outputs. */
export function gradgradcheck(
  fn: CheckedFunction,
  inputs: Tensor | readonly Tensor[],
  options: GradgradcheckOptions = {},
): boolean {
  checkFunction("gradgradcheck", fn);
  const primals = listOf("gradgradcheck", inputs);
  checkOptions("gradgradcheck", options, ...known, "gradOutputs");
  const { gradOutputs } = options;
  const outputs = outputsOf(fn, primals);
  const seeds = gradOutputs === undefined ? outputs.map(seedFor) : listOf("gradgradcheck", gradOutputs);
  for (const seed of seeds) if (!requiresGrad(seed)) setRequiresGrad(seed, true, "gradgradcheck");
  const isChecked = primals.map(requiresGrad);
  const first: CheckedFunction = (...args) => {
    const moved = args.slice(0, primals.length);
    const checked = moved.filter((_, k) => isChecked[k]);
    const results = outputsOf(fn, moved).map((t, k) => [t, args[primals.length + k]] as const);
    const recorded = results.filter(([t]) => requiresGrad(t));
    if (recorded.length === 0) return [];
    const gradients = grad(
      recorded.map(([t]) => t),
      checked,
      { gradOutputs: recorded.map(([, seed]) => seed), createGraph: true, allowUnused: true },
    );
    return gradients.filter((t) => t !== null);
  };
  return check("gradgradcheck", first, [...primals, ...seeds], options);
}

function listOf(who: string, tensors: Tensor | readonly Tensor[]): readonly Tensor[] {
  const list = Array.isArray(tensors) ? (tensors as readonly Tensor[]) : [tensors as Tensor];
  for (const t of list) checkTensor(who, t);
  return list;
}

const outputsOf = (fn: CheckedFunction, inputs: readonly Tensor[]): Tensor[] =>
  tensorsOf([fn(...inputs)]).filter(isDifferentiable);

const partsOf = (t: Tensor): number => dtypes[t.dtype].parts;
/** The number of real numbers in a tensor: two for each complex element. */
const countOf = (t: Tensor): number => partsOf(t) * t.size;

/** The real numbers of a tensor in row-major order, real and imaginary parts alternating. */
function numbersOf(t: Tensor): number[] {
  const elements = [toArray(detach(t)) as unknown].flat(Infinity) as Value[];
  return elements.flatMap((value) => (isComplex(value) ? [value.re, value.im] : [Number(value)]));
}

/** The coordinate of the number `k`. */
function coordOf(t: Tensor, k: number): number[] {
  const coord = sizesOf(t);
  let rest = Math.floor(k / partsOf(t));
  for (let axis = coord.length - 1; axis >= 0; axis--) {
    const size = coord[axis];
    coord[axis] = rest % size;
    rest = Math.floor(rest / size);
  }
  return coord;
}

/** Adds to the number `k` of a tensor. */
function move(t: Tensor, k: number, by: number): void {
  const coord = coordOf(t, k);
  const value = get(t, coord);
  if (!isComplex(value)) set(t, coord, Number(value) + by);
  else set(t, coord, k % 2 === 0 ? { re: value.re + by, im: value.im } : { re: value.re, im: value.im + by });
}

/** A gradient for an output that differs at each element. */
function seedFor(t: Tensor): Tensor {
  const seed = zeros(sizesOf(t), { dtype: t.dtype });
  for (let k = 0; k < countOf(t); k++) move(seed, k, Math.cos(k));
  return seed;
}

function check(who: string, fn: CheckedFunction, inputs: readonly Tensor[], options: GradcheckOptions): boolean {
  const checked = inputs.filter(requiresGrad);
  if (checked.length === 0) throw new AutogradError(`${who}: no input requires grad. Call x.requiresGrad_() first`);
  for (const t of checked) checkNoSelfOverlap(t, who);
  const outputs = outputsOf(fn, inputs);
  const back = outputs.map((t) => analytical(who, t, checked));
  checked.forEach((input, w) => {
    const slopes = numerical(fn, inputs, input, options.eps ?? 1e-6);
    const compare = (what: string, analytical: Derivative): void =>
      outputs.forEach((output, o) => {
        const [difference, total] = worstOf(output, input, options, (row, column) => [
          slopes[column]?.[o]?.[row],
          analytical(o, row, column),
        ]);
        if (difference === null) return;
        const matrix = (of: Derivative): string => matrixText(input, output, (row, column) => of(o, row, column));
        const matrices = `numerical:${matrix((_, row, column) => slopes[column]?.[o]?.[row])}\nanalytical:${matrix(analytical)}`;
        const rough = dtypes[input.dtype].itemsize < 8 * partsOf(input);
        throw new AutogradError(
          `${who}: ${what} for output ${o} with respect to input ${inputs.indexOf(input)},\n${matrices}\n${total} of ${countOf(output) * countOf(input)} elements differ, most at ${difference}${rough ? `. The input is ${input.dtype}, and differences need float64: x.to("float64")` : ""}`,
        );
      });
    compare("Jacobian mismatch", (o, row, column) => back[o]?.[row]?.[w]?.[column] ?? 0);
    if (options.checkForward !== true) return;
    const tangents = forwards(fn, inputs, input);
    compare("Jacobian mismatch in forward mode", (o, row, column) => tangents[column]?.[o]?.[row] ?? 0);
  });
  return true;
}

/** The derivative of a number of an output by one of an input. */
type Derivative = (output: number, row: number, column: number) => number;

/** The largest difference past the tolerances, as text, and the number of such differences. */
function worstOf(
  output: Tensor,
  input: Tensor,
  { eps = 1e-6, atol = 1e-5, rtol = 1e-3 }: GradcheckOptions,
  both: (row: number, column: number) => readonly [slope: number, found: number],
): [worst: string | null, count: number] {
  let [count, worst, max] = [0, "", -Infinity];
  for (let row = 0; row < countOf(output); row++)
    for (let column = 0; column < countOf(input); column++) {
      const [slope, analytical] = both(row, column);
      const excess = Math.abs(analytical - slope) - (atol + rtol * Math.abs(slope));
      if (excess <= 0 || Object.is(analytical, slope)) continue;
      count++;
      if (excess <= max) continue;
      max = Number.isNaN(excess) ? Infinity : excess;
      worst = `output ${nameOf(output, row)}, input ${nameOf(input, column)}: numerical ${slope}, analytical ${analytical} (eps ${eps}, atol ${atol}, rtol ${rtol})`;
    }
  return [count === 0 ? null : worst, count];
}

/** For each number of an input, the tangents of the numbers of each output by forward mode. */
function forwards(fn: CheckedFunction, inputs: readonly Tensor[], input: Tensor): (readonly number[])[][] {
  return Array.from({ length: countOf(input) }, (_, column) => {
    const direction = zeros(sizesOf(input), { dtype: input.dtype });
    move(direction, column, 1);
    return dualLevel(() =>
      outputsOf(
        fn,
        inputs.map((t) => (t === input ? makeDual(t, direction) : t)),
      ).map((t) => {
        const { tangent } = unpackDual(t);
        return tangent === null ? [] : numbersOf(tangent);
      }),
    );
  });
}

/** A matrix as text: a row for each number of the input, a column for each of the output. */
function matrixText(input: Tensor, output: Tensor, of: (row: number, column: number) => number): string {
  const { itemsize, parts } = dtypes[input.dtype];
  const rows = Array.from({ length: countOf(input) }, (_, column) =>
    Array.from({ length: countOf(output) }, (_, row) => of(row, column)),
  );
  return tensorToString(fromData(rows, { dtype: itemsize === 8 * parts ? "float64" : "float32" }, "gradcheck"));
}

/** The element of a number, with its part if it is complex: [1, 2].im */
const nameOf = (t: Tensor, k: number): string =>
  `[${coordOf(t, k).join(", ")}]${partsOf(t) === 1 ? "" : [".re", ".im"][k % 2]}`;

/**
 * For each number of an output, its gradients as the numbers of each input. The differentiated value is the real part of
 * conj(gradient) * output: a gradient of 1 selects the real part of an element, i the imaginary part.
 */
function analytical(who: string, output: Tensor, inputs: readonly Tensor[]): (readonly number[] | null)[][] {
  return Array.from({ length: countOf(output) }, (_, row) => {
    if (!requiresGrad(output)) return inputs.map(() => null);
    const seed = zeros(sizesOf(output), { dtype: output.dtype });
    move(seed, row, 1);
    const gradients: (Tensor | null)[] = grad(output, inputs, {
      gradOutputs: [seed],
      retainGraph: true,
      allowUnused: true,
    });
    return gradients.map((t, k) => {
      const { dtype } = inputs[k];
      if (t !== null && t.dtype !== dtype)
        throw new AutogradError(`${who}: the gradient of a ${dtype} input has the dtype ${t.dtype}`);
      return t === null ? null : numbersOf(t);
    });
  });
}

/** For each number of an input, the finite differences of the numbers of each output. */
function numerical(fn: CheckedFunction, inputs: readonly Tensor[], input: Tensor, eps: number): number[][][] {
  const data = dataOf(input);
  return Array.from({ length: countOf(input) }, (_, column) => {
    const coord = coordOf(input, column);
    const before = get(data, coord);
    const moved = (by: number): number[][] => {
      set(data, coord, before as number);
      move(data, column, by);
      return outputsOf(fn, inputs).map(numbersOf);
    };
    try {
      const [up, down] = [moved(eps), moved(-eps)];
      return up.map((numbers, o) => numbers.map((number, k) => (number - down[o]?.[k]) / (2 * eps)));
    } finally {
      set(data, coord, before as number);
    }
  });
}
