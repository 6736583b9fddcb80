/**
 * Running the kernel of indexed places over strided operands. Reading is shared by threads; writing is one call after the other, in
 * the order of the plan, so that equal places are written in the same order always.
 *
 * Indices are in range, no operand lies across the one that is written, and its elements have different places: the caller's to see to.
 */
import { remember } from "../base/remember.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { copyBytes, type Memory } from "../storage/memory.ts";
import { kernelBackend } from "./backend.ts";
import { presentCall } from "./launch/call.ts";
import { ProgramTable, runProgram } from "./launch/programs.ts";
import { withBytes } from "./launch/temporary.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import type { Operand } from "./operand.ts";
import { planModes } from "./plan/plan.ts";
import { type IndexedMove, indexedKernel } from "./scatter-kernel.ts";

/** An operand whose elements lie `step` times an index further, where indices are less than `length`. */
export interface Indexed extends Operand {
  readonly step: number;
  readonly length: number;
}

let tables: Map<string, ProgramTable> | null = null;

/** Elements that one unit moves. */
const unitElements = 8192;

/** Moves every element of near to or from the place that the index at its coordinate says. */
export function moveIndexed(move: IndexedMove, far: Indexed, near: Operand, index: Operand): void {
  for (let axis = 0; axis < near.shape.length; axis++) if (near.shape[axis] === 0) return;
  if (move === "take") near.storage.writable();
  else far.storage.writable();
  // Elements that only move are moved as bits.
  const { itemsize } = dtypes[near.dtype];
  const dtype = move === "take" || move === "set" ? (bitTypes[itemsize] ?? near.dtype) : near.dtype;
  // In the order of `indexedOperands`.
  const operands = move === "take" ? [near, index, far] : [far, near, index];
  for (let k = 0; k < 3; k++) (operands[k] as Operand).storage.readable();
  const memories = operands.map(({ storage }) => storage.readable());
  const starts = operands.map(({ storage, dtype: own, offset }) => storage.byteOffset / dtypes[own].itemsize + offset);
  const backend = kernelBackend();
  if (memories.every((memory) => backend.reaches(memory))) run(move, dtype, far, operands, memories, starts);
  else withCopies(operands, far, memories, starts, 0, () => run(move, dtype, far, operands, memories, starts));
}

function run(
  move: IndexedMove,
  dtype: DType,
  { step }: Indexed,
  operands: readonly Operand[],
  memories: readonly Memory[],
  starts: readonly number[],
): void {
  const strides = operands.map(({ stride }) => stride);
  const plan = planModes((operands[0] as Operand).shape, starts, strides);
  const index = operands[move === "take" ? 1 : 2] as Operand;
  const call = presentCall();
  let [classes, rows] = [0, 1];
  const inner: number[] = [];
  for (let k = 2; k >= 0; k--) {
    const own = plan.sizes.length === 0 ? 0 : ((plan.strides[k] as readonly number[])[0] as number);
    const kind = own === 0 || own === 1 ? own : 2;
    if (kind === 2) inner.unshift(own);
    classes = classes * 4 + kind;
    call.memories[k] = memories[k] as Memory;
    call.addresses[k] = (plan.starts[k] as number) * dtypes[(operands[k] as Operand).dtype].itemsize;
  }
  const modes: number[] = [];
  for (let d = 1; d < plan.sizes.length; d++) {
    rows *= plan.sizes[d] as number;
    modes.push(plan.sizes[d] as number);
    for (let k = 0; k < 3; k++) modes.push((plan.strides[k] as readonly number[])[d] as number);
  }
  const n = plan.sizes[0] ?? 1;
  const width = Math.min(n, unitElements);
  const cuts = Math.ceil(n / width);
  const block = cuts > 1 ? 1 : Math.min(rows, Math.ceil(unitElements / n));
  const units = Math.ceil(rows / block) * cuts;
  const together = move === "take" ? units : 1;
  const sizes = [n, rows, block, width, cuts, together, 0, step, ...inner];
  tables ??= new Map();
  const name = `${move} ${dtype} ${index.dtype}`;
  const table = remember(tables, name, () => new ProgramTable());
  call.modes[0] = modes;
  call.units = together;
  call.unitSize = block * width;
  for (let k = 0; k < sizes.length; k++) call.sizes[k] = sizes[k] as number;
  for (let unit = 0; unit < units; unit += together) {
    call.sizes[6] = unit;
    runProgram(table, classes, () => indexedKernel(move, dtype, index.dtype, classes));
  }
}

/** Calls `use` with all operands in reach of the backend: in the place of those that are not, there are copies of what they span. */
function withCopies(
  operands: readonly Operand[],
  far: Indexed,
  memories: Memory[],
  starts: number[],
  k: number,
  use: () => void,
): void {
  const operand = operands[k];
  if (operand === undefined) {
    use();
    return;
  }
  const next = (): void => withCopies(operands, far, memories, starts, k + 1, use);
  const memory = memories[k] as Memory;
  if (kernelBackend().reaches(memory)) {
    next();
    return;
  }
  let [low, high] = [0, 0];
  const widen = (reach: number): void => {
    if (reach < 0) low += reach;
    else high += reach;
  };
  for (let axis = 0; axis < operand.shape.length; axis++)
    widen(((operand.shape[axis] as number) - 1) * (operand.stride[axis] as number));
  if (operand === far) widen((far.length - 1) * far.step);
  const { itemsize } = dtypes[operand.dtype];
  const bytes = (high - low + 1) * itemsize;
  const from = ((starts[k] as number) + low) * itemsize;
  withBytes(bytes, (copy, byteOffset) => {
    copyBytes(memory, from, copy, byteOffset, bytes);
    memories[k] = copy;
    starts[k] = byteOffset / itemsize - low;
    next();
    // The first is the one that is written.
    if (k === 0) copyBytes(copy, byteOffset, memory, from, bytes);
  });
}
