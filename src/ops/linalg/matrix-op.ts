/**
 * The definition of ops on matrices. A plan holds the tensors of matrices, the results, and a function that computes one matrix of each
 * result. Batches are broadcast, and elements are computed in float64 and rounded at the end. Nothing is written before all of a batch
 * is computed, so that a matrix without a result leaves `out` unchanged.
 */
import { listOf } from "../../base/list-of.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { contiguous } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { Matrix } from "../linalg-core/matrix.ts";
import { compositeOp, fresh, type Result, structuredOp } from "../op.ts";
import { elementsIn } from "../routine/dense-elements.ts";
import { refuseOut, withNames } from "../routine/routine-op.ts";
import { isOptions, readArguments, Signature } from "../signature.ts";
import { sumTo } from "../sum-to.ts";

/** The elements of one matrix of a result. */
export interface Part {
  readonly re: ArrayLike<number>;
  readonly im?: ArrayLike<number> | null;
}

/** An empty result, whatever the batch, for a result that was not requested. */
export const nothing = (dtype: DType): PlannedResult => ({ dtype, shape: [0], isAlone: true });
interface PlannedResult extends Result {
  /** The shape is complete: no axes of a batch are added. */
  readonly isAlone?: boolean;
}

/** The work of an op for given arguments. */
export interface Plan {
  /** The tensors of matrices: the last two axes of each, or the last `axes[k]`; one axis is a row. */
  readonly inputs: readonly Tensor[];
  readonly axes?: readonly number[];
  /** The results, with shapes without the axes of the batch; an op may return only the first of them. */
  readonly results: readonly PlannedResult[];
  /** Computes one matrix of each result from one of each input; `prefix` names the matrix of a batch in errors. */
  run(matrices: readonly Matrix[], prefix: string): readonly Part[];
}

interface Batch {
  readonly shape: readonly number[];
  readonly count: number;
}

const axesIn = (plan: Plan, k: number): number => plan.axes?.[k] ?? 2;

const batchAxes = (plan: Plan, k: number): readonly number[] => {
  const sizes = sizesOf(plan.inputs[k]);
  return sizes.slice(0, sizes.length - axesIn(plan, k));
};

function batchOf(who: string, plan: Plan): Batch {
  let shape: readonly number[] = [];
  for (let k = 0; k < plan.inputs.length; k++) shape = broadcastTwo(who, shape, batchAxes(plan, k));
  return { shape, count: sizeOf(shape) };
}

/** Maps the index of a matrix in the batch to its index in an input. */
function indexIn(own: readonly number[], { shape, count }: Batch): (k: number) => number {
  if (sizeOf(own) === count) return (k) => k;
  const ahead = shape.length - own.length;
  return (k) => {
    let [index, rest, step] = [0, k, 1];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const size = shape[axis];
      const ownSize = axis < ahead ? 1 : own[axis - ahead];
      if (ownSize > 1) index += (rest % size) * step;
      rest = Math.floor(rest / size);
      step *= ownSize;
    }
    return index;
  };
}

type Elements = Float64Array | BigInt64Array;

/** Returns a function that reads one matrix of an input. */
function reader(who: string, plan: Plan, k: number, batch: Batch): (at: number) => Matrix {
  const dense = contiguous(plan.inputs[k]);
  const tail = sizesOf(dense).slice(dense.rank - axesIn(plan, k));
  const [rows, cols] = [tail.length > 1 ? tail[0] : 1, tail[tail.length - 1] ?? 1];
  const size = rows * cols;
  const isComplex = dtypes[dense.dtype].parts === 2;
  const indexOf = indexIn(batchAxes(plan, k), batch);
  let elements: Float64Array | null = null;
  return (at) => {
    elements ??= elementsIn(dense, who) as Float64Array;
    const from = indexOf(at) * size;
    if (!isComplex) return { rows, cols, re: new Float64Array(elements.subarray(from, from + size)), im: null };
    const [re, im] = [new Float64Array(size), new Float64Array(size)];
    for (let i = 0; i < size; i++) {
      re[i] = elements[2 * (from + i)];
      im[i] = elements[2 * (from + i) + 1];
    }
    return { rows, cols, re, im };
  };
}

function write(target: Elements, from: number, size: number, { re, im }: Part, dtype: DType): void {
  if (dtypes[dtype].parts === 2)
    for (let i = 0; i < size; i++) {
      target[2 * (from + i)] = re[i];
      target[2 * (from + i) + 1] = im?.[i] ?? 0;
    }
  else if (target instanceof BigInt64Array) for (let i = 0; i < size; i++) target[from + i] = BigInt(re[i]);
  else if (re.length === size) target.set(re, from);
  else for (let i = 0; i < size; i++) target[from + i] = re[i];
}

function compute(who: string, plan: Plan, results: readonly Tensor[]): void {
  const batch = batchOf(who, plan);
  const isBatch = batch.shape.length > 0;
  const read = plan.inputs.map((_, k) => reader(who, plan, k, batch));
  const parts = listOf(batch.count, (at) =>
    plan.run(
      read.map((one) => one(at)),
      isBatch ? `(Batch element ${at}): ` : "",
    ),
  );
  for (const [k, result] of results.entries()) {
    const { dtype, shape } = plan.results[k];
    const isDense = result.dtype === dtype && result.isContiguous();
    const dense = isDense ? result : fresh(dtype, sizesOf(result));
    if (dense.size === 0) continue;
    const elements = elementsIn(dense, who, true) as Elements;
    const size = sizeOf(shape as readonly number[]);
    for (let at = 0; at < parts.length; at++) write(elements, at * size, size, (parts[at] as Part[])[k], dtype);
    if (!isDense) copyAll(dense, result, who);
  }
}

/** The gradient of an op: maps gradients of the results to gradients of the arguments by name, in the shape of the batch. */
export type MatrixGradient<V> = (
  args: V,
  call: RecordedCall,
) => (gradients: readonly Tensor[]) => Readonly<Record<string, Tensor | null>>;

/** The rule of dispatch: gradients in the order of the arguments, summed over broadcast axes. */
function gradientRule<V>(signature: Signature, gradient: MatrixGradient<V>): GradientRule {
  return (call) => {
    const { values } = readArguments(signature, call.args, true);
    const shapes: Record<string, readonly number[]> = {};
    for (const name in values) if (values[name] instanceof Tensor) shapes[name] = sizesOf(values[name]);
    const names = call.args.map((arg, k) => (isOptions(arg) ? Object.keys(arg) : signature.positional[k]?.name));
    const backward = gradient(values as V, call);
    return (gradients) => {
      const named = backward(gradients);
      const tensorOf = (name = ""): Tensor | null => {
        const [g, shape] = [named[name], shapes[name]];
        return g == null || shape === undefined ? null : sumTo(g, shape);
      };
      return names.map((name) =>
        Array.isArray(name) ? Object.fromEntries(name.map((one) => [one, tensorOf(one)])) : tensorOf(name),
      );
    };
  };
}

/** The facts of most ops: all tensors are matrices or batches of them. */
const matrixFacts: OpFacts = { batch: "matrix" };

/** Defines an op by a signature and a plan. It returns one result, or several as an object with the given names. */
export function matrixOp<F extends OpFunction, V>(
  text: string,
  plan: (args: V, who: string) => Plan,
  names: readonly string[] | null = null,
  gradient: MatrixGradient<V> | null = null,
  facts: OpFacts = matrixFacts,
): F {
  const signature = new Signature(text);
  const { name } = signature;
  const planFor = (args: readonly unknown[]): Plan => plan(readArguments(signature, args, true).values as V, name);
  const op = structuredOp<F, readonly unknown[]>(signature, "routine", {
    infer(...args) {
      const planned = planFor(args);
      const { shape } = batchOf(name, planned);
      const results = planned.results
        .slice(0, names?.length ?? 1)
        .map((one) => (one.isAlone ? one : { dtype: one.dtype, shape: [...shape, ...one.shape] }));
      return names === null ? results[0] : results;
    },
    fill: (results, ...args) => compute(name, planFor(args), results),
    ...facts,
    ...(gradient === null ? {} : { gradient: gradientRule(signature, gradient) }),
  });
  return names === null ? op : withNames(op, names);
}

/** Defines a composite op by a signature. */
export function matrixOfOps<F extends OpFunction, V>(
  text: string,
  fn: (args: V, who: string) => unknown,
  facts?: OpFacts,
): F {
  const signature = new Signature(text);
  const { name } = signature;
  const compute = (...args: unknown[]): unknown => {
    refuseOut(name, args);
    const { values } = readArguments(signature, args);
    return fn(values as V, name);
  };
  return compositeOp<F>(signature, compute, "composite", facts);
}
