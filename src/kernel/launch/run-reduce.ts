/**
 * Running a reduction over strided operands: cut what is too large, stage what is out of reach, plan, program, arguments, call.
 *
 * The inputs have the axes of the outputs first, then those that are reduced; broadcasting is strides of 0. Outputs lie apart from
 * the inputs and from each other, and their elements have different places; that is the caller's to see to.
 * Each output is made by one unit, in an order that its own layout fixes, so neither threads nor cuts change its bits.
 */
import { dtypes, type Value } from "../../storage/dtype.ts";
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
  const isFar = ({ storage }: Operand): boolean => !backend.reaches(storage.readable());
  const needsStage = outputs.some(isFar) || inputs.some(isFar);
  const axis = axisToCut(shape, inputs, needsStage);
  if (axis >= 0) {
    const half = Math.floor((shape[axis] as number) / 2);
    for (const [from, size] of [
      [0, half],
      [half, (shape[axis] as number) - half],
    ] as const) {
      const part = (operand: Operand): Operand => partOf(operand, axis, from, size);
      runReduce(kernel, outputs.map(part), inputs.map(part), scalars);
    }
  } else if (needsStage) runStaged(kernel, outputs, inputs, scalars, isFar);
  else runNear(kernel, outputs, inputs, scalars);
}

/** The longest axis of the outputs if all of it is too much for one call; -1 if it is not. */
function axisToCut(shape: readonly number[], inputs: readonly Operand[], needsStage: boolean): number {
  let reach = 0;
  let count = 1;
  for (const { shape: all, stride } of inputs) {
    count = all.reduce((a, b) => a * b, 1);
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

/** Runs on copies in the heap of the operands that are out of reach. */
function runStaged(
  kernel: ReduceKernel,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[],
  isFar: (operand: Operand) => boolean,
): void {
  const bytesOf = ({ dtype, shape, stride }: Operand): number => {
    const count = shape.reduce((a, size, d) => (stride[d] === 0 ? a : a * size), 1);
    return Math.ceil((count * dtypes[dtype].itemsize) / alignment) * alignment;
  };
  const bytes = [...outputs, ...inputs].reduce((sum, each) => sum + (isFar(each) ? bytesOf(each) : 0), 0);
  withBytes(bytes, (memory, byteOffset) => {
    let at = byteOffset;
    const nearOf = (operand: Operand): Operand => {
      if (!isFar(operand)) return operand;
      const near = denseCopy(operand, memory, at);
      at += bytesOf(operand);
      return near;
    };
    const nearOutputs = outputs.map(nearOf);
    const nearInputs = inputs.map(nearOf);
    nearInputs.forEach((near, k) => {
      const far = inputs[k] as Operand;
      if (near !== far && !far.shape.includes(0)) copyElements(withoutRepeats(far), withoutRepeats(near));
    });
    runNear(kernel, nearOutputs, nearInputs, scalars);
    nearOutputs.forEach((near, k) => {
      if (near !== outputs[k]) copyElements(near, outputs[k] as Operand);
    });
  });
}

/** The operand in other memory: row-major, axes in which it stands still left as they are. */
function denseCopy({ dtype, shape, stride }: Operand, memory: Memory, byteOffset: number): Operand {
  let step = 1;
  const dense = shape.slice();
  for (let d = shape.length - 1; d >= 0; d--) {
    dense[d] = stride[d] === 0 ? 0 : step;
    if (stride[d] !== 0) step *= shape[d] as number;
  }
  return { storage: fixedStorage(memory, byteOffset), dtype, offset: 0, shape, stride: dense };
}

/** The operand with each element once. */
function withoutRepeats(operand: Operand): Operand {
  const moves = (_: number, d: number): boolean => operand.stride[d] !== 0;
  return { ...operand, shape: operand.shape.filter(moves), stride: operand.stride.filter(moves) };
}

/** Runs one call on operands that are all in reach. */
function runNear(
  kernel: ReduceKernel,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[],
): void {
  const operands = [...outputs, ...inputs];
  const { shape } = outputs[0] as Operand;
  const kept = planModes(
    shape,
    operands.map(({ storage, dtype, offset }) => storage.byteOffset / dtypes[dtype].itemsize + offset),
    operands.map(({ stride }) => stride.slice(0, shape.length)),
  );
  const reduced = reducedPlan(inputs, shape.length);
  const n = reduced.sizes[0] ?? 1;
  const rounds = productOf(reduced.sizes.slice(1));
  const count = productOf(kept.sizes);
  const block = Math.max(1, Math.min(count, Math.floor(tiling.unit / Math.max(1, n * rounds))));

  const call = presentCall();
  operands.forEach(({ storage, dtype }, k) => {
    const moved = k < outputs.length ? 0 : (reduced.starts[k - outputs.length] as number);
    call.memories[k] = storage.readable();
    call.addresses[k] = ((kept.starts[k] as number) + moved) * dtypes[dtype].itemsize;
  });
  scalars.forEach((value, k) => {
    call.scalars[k] = value;
  });
  let classes = 0;
  let at = 4;
  [call.sizes[0], call.sizes[1], call.sizes[2], call.sizes[3]] = [count, block, n, rounds];
  reduced.strides.forEach((strides, k) => {
    const step = strides[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** k;
    if (kind === 2) call.sizes[at++] = step;
  });
  call.modes[0] = rowsOf(kept, 0);
  call.modes[1] = rowsOf(reduced, 1);
  call.units = Math.ceil(count / block);
  call.unitSize = block * n * rounds;
  programFor(kernel, classes, () => buildReduce(kernel.spec, classes)).run(call);
}

const productOf = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

/** The modes that are reduced; of nothing at all, one mode without rounds. */
function reducedPlan(inputs: readonly Operand[], rank: number): Plan {
  const sizes = (inputs[0] as Operand).shape.slice(rank);
  const starts = inputs.map(() => 0);
  if (sizes.includes(0)) return { sizes: [0], strides: inputs.map(() => [0]), starts };
  return planModes(
    sizes,
    starts,
    inputs.map(({ stride }) => stride.slice(rank)),
  );
}

/** The modes of a plan from one on, as rows of (size, stride of each operand). */
function rowsOf({ sizes, strides }: Plan, from: number): number[] {
  const rows: number[] = [];
  for (let d = from; d < sizes.length; d++) rows.push(sizes[d] as number, ...strides.map((of) => of[d] as number));
  return rows;
}
