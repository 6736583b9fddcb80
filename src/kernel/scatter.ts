/**
 * Lowering the kernel of indexed places over strided operands. Reading is shared by threads; writing is one call after the other, in
 * the order of the plan, so that equal places are written in the same order always.
 *
 * Indices are in range, no operand lies across the one that is written, and its elements have different places: the caller's to see to.
 */
import { remember } from "../base/remember.ts";
import { simplifyFlat } from "../layout/flat.ts";
import { dtypes } from "../storage/dtype.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import type { Operand } from "./operand.ts";
import type { Buffer, ProgramBuilder } from "./program/builder.ts";
import { KernelTable } from "./program/kernels.ts";
import { lowerNear } from "./program/lower-near.ts";
import { execute } from "./program/run-program.ts";
import { type IndexedMove, indexedKernel } from "./scatter-kernel.ts";

/** An operand whose elements lie `step` times an index further, where indices are less than `length`. */
export interface Indexed extends Operand {
  readonly step: number;
  readonly length: number;
}

const tables = /* @__PURE__ */ new Map<string, KernelTable>();

/** Elements that one unit moves. */
const unitElements = 8192;

/** Moves every element of near to or from the place that the index at its coordinate says. */
export function moveIndexed(move: IndexedMove, far: Indexed, near: Operand, index: Operand): void {
  const [to, from] = move === "take" ? [near, far] : [far, near];
  execute([to], [from, index], (builder) => lowerIndexed(builder, move, far, near, index));
}

/** Adds what moves every element of near to or from the place that the index at its coordinate says. */
export function lowerIndexed(
  builder: ProgramBuilder,
  move: IndexedMove,
  far: Indexed,
  near: Operand,
  index: Operand,
): void {
  for (let axis = 0; axis < near.shape.length; axis++) if (near.shape[axis] === 0) return;
  // In the order of `indexedOperands`.
  const operands = move === "take" ? [near, index, far] : [far, near, index];
  /** The operands from `k` on, brought into reach one after the other. */
  const lowerFrom = (k: number, buffers: readonly Buffer[]): void => {
    const operand = operands[k];
    if (operand === undefined) {
      launchIndexed(builder, move, far, near, index, buffers);
      return;
    }
    const { storage, offset: start, dtype } = operand;
    const buffer = { storage, start, itemsize: dtypes[dtype].itemsize };
    // The first is the one that is written.
    lowerNear(builder, buffer, dtype, spanOf(operand, far), k === 0, (next) => lowerFrom(k + 1, [...buffers, next]));
  };
  lowerFrom(0, []);
}

/** The least and the largest offset of an operand's elements, from its first one. */
function spanOf(operand: Operand, far: Indexed): readonly [low: number, high: number] {
  let [low, high] = [0, 0];
  const widen = (reach: number): void => {
    if (reach < 0) low += reach;
    else high += reach;
  };
  for (let axis = 0; axis < operand.shape.length; axis++) widen((operand.shape[axis] - 1) * operand.stride[axis]);
  if (operand === far) widen((far.length - 1) * far.step);
  return [low, high];
}

/** Adds the launches over buffers that are all in reach, in the order of `indexedOperands`. */
function launchIndexed(
  builder: ProgramBuilder,
  move: IndexedMove,
  far: Indexed,
  near: Operand,
  index: Operand,
  buffers: readonly Buffer[],
): void {
  // Elements that only move are moved as bits.
  const { itemsize } = dtypes[near.dtype];
  const dtype = move === "take" || move === "set" ? (bitTypes[itemsize] ?? near.dtype) : near.dtype;
  const operands = move === "take" ? [near, index, far] : [far, near, index];
  const plan = simplifyFlat(
    near.shape,
    buffers.map(({ start }) => start),
    operands.map(({ stride }) => stride),
  );
  let [classes, rows] = [0, 1];
  const inner: number[] = [];
  for (let k = 2; k >= 0; k--) {
    const own = plan.sizes.length === 0 ? 0 : plan.strides[k][0];
    const kind = own === 0 || own === 1 ? own : 2;
    if (kind === 2) inner.unshift(own);
    classes = classes * 4 + kind;
  }
  const modes: number[] = [];
  for (let d = 1; d < plan.sizes.length; d++) {
    rows *= plan.sizes[d];
    modes.push(plan.sizes[d]);
    for (let k = 0; k < 3; k++) modes.push(plan.strides[k][d]);
  }
  const n = plan.sizes[0] ?? 1;
  const width = Math.min(n, unitElements);
  const cuts = Math.ceil(n / width);
  const block = cuts > 1 ? 1 : Math.min(rows, Math.ceil(unitElements / n));
  const units = Math.ceil(rows / block) * cuts;
  const together = move === "take" ? units : 1;
  const table = remember(tables, `${move} ${dtype} ${index.dtype}`, () => new KernelTable());
  const kernel = table.entry(classes, () => indexedKernel(move, dtype, index.dtype, classes));
  const placed = buffers.map((buffer, k) => ({ ...buffer, start: plan.starts[k] }));
  for (let unit = 0; unit < units; unit += together)
    builder.launch({
      kernel,
      buffers: placed,
      sizes: [n, rows, block, width, cuts, together, unit, far.step, ...inner],
      modes: [modes],
      units: together,
      unitSize: block * width,
    });
}
