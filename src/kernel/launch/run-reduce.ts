/**
 * Running a reduction over strided operands: cut what is too large, stage what is out of reach, plan, program, arguments, call.
 *
 * The inputs have the axes of the outputs first, then those that are reduced; broadcasting is strides of 0. Outputs lie apart from
 * the inputs and from each other, and their elements have different places; that is the caller's to see to.
 * Each output is made by one unit, in an order that the layouts alone fix, so neither threads nor cuts nor staging change its bits.
 */
import { product } from "../../base/ints.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { alignment, type Memory } from "../../storage/memory.ts";
import { kernelBackend } from "../backend.ts";
import { copyElements, fixedStorage } from "../copy.ts";
import { KernelError } from "../ir/error.ts";
import type { Operand } from "../operand.ts";
import { type Plan, planModes } from "../plan/plan.ts";
import { tiling } from "../plan/tiles.ts";
import { buildReduce } from "../reduce/build.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import { presentCall } from "./call.ts";
import { programFor } from "./programs.ts";
import { withBytes } from "./temporary.ts";

/** Elements that one call counts in 32 bits, loop bounds past the end included. */
const mostElements = 2 ** 30;
/** Elements that are staged at once, as long as there are outputs to cut apart. */
const mostStaged = 2 ** 22;

/** Computes every element of the outputs from all elements of the inputs that belong to it; from none, what no terms give. */
export function runReduce(
  kernel: ReduceKernel,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[] = [],
): void {
  const { shape } = outputs[0] as Operand;
  if (shape.includes(0)) return;
  for (const { storage } of outputs) storage.writable();
  for (const { storage } of inputs) storage.readable();
  const backend = kernelBackend();
  const operands = [...outputs, ...inputs];
  const needsStage = operands.some(({ storage }) => !backend.reaches(storage.readable()));
  const axis = axisToCut(shape, inputs, needsStage);
  if (axis >= 0) {
    const size = shape[axis] as number;
    const half = Math.floor(size / 2);
    const run = (from: number, count: number): void => {
      const part = (operand: Operand): Operand => partOf(operand, axis, from, count);
      runReduce(kernel, outputs.map(part), inputs.map(part), scalars);
    };
    run(0, half);
    run(half, size - half);
    return;
  }
  const work = workOf(operands, outputs.length, shape);
  if (needsStage) runStaged(kernel, work, scalars);
  else launch(kernel, work, scalars);
}

/** The longest axis of the outputs if all of it is too much for one call; -1 if it is not. */
function axisToCut(shape: readonly number[], inputs: readonly Operand[], needsStage: boolean): number {
  let reach = 0;
  let count = 1;
  for (const { shape: all, stride } of inputs) {
    count = product(all);
    reach = Math.max(
      reach,
      all.reduce((sum, size, d) => sum + (size - 1) * Math.abs(stride[d] as number), 0),
    );
  }
  const isLarge = Math.max(count, reach) > mostElements;
  if (!isLarge && !(needsStage && count > mostStaged)) return -1;
  const longest = Math.max(1, ...shape);
  if (longest > 1) return shape.indexOf(longest);
  if (!isLarge) return -1;
  throw new KernelError(
    `reduce: one result takes ${count} elements that reach over ${reach + 1}, and a kernel counts to ${mostElements}. Reduce fewer axes at a time.`,
  );
}

function partOf(operand: Operand, axis: number, from: number, size: number): Operand {
  return {
    ...operand,
    offset: operand.offset + from * (operand.stride[axis] as number),
    shape: operand.shape.with(axis, size),
  };
}

/** All operands, outputs first, over two lists of modes, the fastest first; outputs stand still in those that are reduced. */
interface Work {
  readonly outputs: number;
  readonly dtypes: readonly DType[];
  readonly memories: readonly Memory[];
  readonly kept: Plan;
  readonly reduced: Plan;
}

function workOf(operands: readonly Operand[], outputs: number, shape: readonly number[]): Work {
  const rank = shape.length;
  const reducedSizes = (operands[outputs] as Operand).shape.slice(rank);
  const zeros = operands.map(() => 0);
  const strides = operands.map(({ stride }, k) => (k < outputs ? reducedSizes.map(() => 0) : stride.slice(rank)));
  const reduced = reducedSizes.includes(0)
    ? { sizes: [0], strides: zeros.map((zero) => [zero]), starts: zeros }
    : planModes(reducedSizes, zeros, strides);
  const starts = operands.map(
    ({ storage, dtype, offset }, k) =>
      storage.byteOffset / dtypes[dtype].itemsize + offset + (reduced.starts[k] as number),
  );
  return {
    outputs,
    dtypes: operands.map(({ dtype }) => dtype),
    memories: operands.map(({ storage }) => storage.readable()),
    kept: planModes(
      shape,
      starts,
      operands.map(({ stride }) => stride.slice(0, rank)),
    ),
    reduced,
  };
}

/** Runs on copies in the heap of the operands that are out of reach: the same modes, with dense strides. */
function runStaged(kernel: ReduceKernel, work: Work, scalars: readonly Value[]): void {
  const { kept, reduced, memories, outputs } = work;
  const backend = kernelBackend();
  const sizes = [...kept.sizes, ...reduced.sizes];
  const denseOf = memories.map((memory, k) => {
    if (backend.reaches(memory)) return null;
    let count = 1;
    const stride = [...(kept.strides[k] as number[]), ...(reduced.strides[k] as number[])].map((step, d) => {
      if (step === 0) return 0;
      const dense = count;
      count *= sizes[d] as number;
      return dense;
    });
    const { itemsize } = dtypes[work.dtypes[k] as DType];
    return { stride, bytes: Math.ceil((count * itemsize) / alignment) * alignment };
  });
  const bytes = denseOf.reduce((sum, dense) => sum + (dense?.bytes ?? 0), 0);
  withBytes(bytes, (heap, byteOffset) => {
    let at = byteOffset;
    const places = denseOf.map((dense) => {
      const place = at;
      at += dense?.bytes ?? 0;
      return place;
    });
    const move = (k: number, isBack: boolean): void => {
      const dense = denseOf[k];
      if (dense == null) return;
      const dtype = work.dtypes[k] as DType;
      const steps = [...(kept.strides[k] as number[]), ...(reduced.strides[k] as number[])];
      // An output does not move in modes that are reduced, and of an input each element goes once.
      const moves = (_: number, d: number): boolean => steps[d] !== 0;
      const operand = (memory: Memory, first: number, offset: number, stride: readonly number[]): Operand => ({
        storage: fixedStorage(memory, first),
        dtype,
        offset,
        shape: sizes.filter(moves),
        stride: stride.filter(moves),
      });
      const far = operand(memories[k] as Memory, 0, kept.starts[k] as number, steps);
      const near = operand(heap, places[k] as number, 0, dense.stride);
      if (isBack) copyElements(near, far);
      else copyElements(far, near);
    };
    // Of nothing there is nothing to bring.
    if (reduced.sizes[0] !== 0) for (let k = outputs; k < memories.length; k++) move(k, false);
    const strides = (plan: Plan, from: number): Plan["strides"] =>
      plan.strides.map((of, k) => denseOf[k]?.stride.slice(from, from + plan.sizes.length) ?? of);
    const starts = kept.starts.map((start, k) =>
      denseOf[k] == null ? start : (places[k] as number) / dtypes[work.dtypes[k] as DType].itemsize,
    );
    const near: Work = {
      ...work,
      memories: memories.map((memory, k) => (denseOf[k] == null ? memory : heap)),
      kept: { sizes: kept.sizes, strides: strides(kept, 0), starts },
      reduced: { ...reduced, strides: strides(reduced, kept.sizes.length) },
    };
    launch(kernel, near, scalars);
    for (let k = 0; k < outputs; k++) move(k, true);
  });
}

/** Runs one call on operands that are all in reach. */
function launch(
  kernel: ReduceKernel,
  { outputs, dtypes: types, memories, kept, reduced }: Work,
  scalars: readonly Value[],
): void {
  const n = reduced.sizes[0] ?? 1;
  const rounds = product(reduced.sizes.slice(1));
  const count = product(kept.sizes);
  const block = Math.max(1, Math.min(count, Math.floor(tiling.unit / Math.max(1, n * rounds))));
  const call = presentCall();
  for (let k = 0; k < memories.length; k++) {
    call.memories[k] = memories[k] as Memory;
    call.addresses[k] = (kept.starts[k] as number) * dtypes[types[k] as DType].itemsize;
  }
  for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
  const { sizes } = call;
  sizes[0] = count;
  sizes[1] = block;
  sizes[2] = n;
  sizes[3] = rounds;
  let classes = 0;
  let at = 4;
  for (let k = outputs; k < memories.length; k++) {
    const step = (reduced.strides[k] as readonly number[])[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** (k - outputs);
    if (kind === 2) sizes[at++] = step;
  }
  call.modes[0] = rowsOf(kept, 0, 0);
  call.modes[1] = rowsOf(reduced, 1, outputs);
  call.units = Math.ceil(count / block);
  call.unitSize = block * n * rounds;
  programFor(kernel, classes, () => buildReduce(kernel.spec, classes)).run(call);
}

/** The modes of a plan from one on, as rows of (size, stride of each operand from one on). */
function rowsOf({ sizes, strides }: Plan, from: number, operand: number): number[] {
  const rows: number[] = [];
  for (let d = from; d < sizes.length; d++) {
    rows.push(sizes[d] as number);
    for (let k = operand; k < strides.length; k++) rows.push((strides[k] as readonly number[])[d] as number);
  }
  return rows;
}
