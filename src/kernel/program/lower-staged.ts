/**
 * Lowers kernels over memory that the backend cannot address: the user's buffers, and overflow buffers.
 *
 * The plan is split into pieces of some thousand elements. For each operand that is not addressable, the runs of memory that a piece touches are
 * copied into the workspace, the kernel runs there, and the runs of outputs are copied back. An output whose runs have gaps
 * is copied in first, so that the bytes in the gaps keep their values. If a gap may contain elements of another output, the runs are split at it.
 */

import { type FlatLayout, simplifyFlat } from "../../layout/flat.ts";
import { alignment } from "../../storage/memory.ts";
import type { ElementStorage } from "../operand.ts";
import type { Buffer, ProgramBuilder } from "./builder.ts";
import { mayShare } from "./builder.ts";
import { type ContiguousRuns, runsOf } from "./contiguous-runs.ts";
import type { CopyEnd } from "./program.ts";

/** A plan with the storage and itemsize of each operand. */
export interface StagedPlan {
  readonly plan: FlatLayout;
  readonly storages: readonly ElementStorage[];
  readonly itemsizes: readonly number[];
}

/** The largest number of elements of a piece, and of its innermost mode if a staged operand has its smallest stride in a different mode. */
export const pieceElements = 8192;
const pieceSide = 64;

/** Lowers a plan piece by piece; `lower` adds the steps of a plan whose operands are all addressable. */
export function lowerStaged(
  builder: ProgramBuilder,
  { plan, storages, itemsizes }: StagedPlan,
  outputs: number,
  lower: (planned: StagedPlan) => void,
): void {
  builder.isCacheable = false;
  const isOutside = storages.map((storage) => !builder.canAddress(storage));
  const isOutputIn = (storage: ElementStorage, j: number): boolean => j < outputs && mayShare(storages[j], storage);
  const isAlone = storages.map(
    (storage, k) => k >= outputs || !storages.some((_, j) => j !== k && isOutputIn(storage, j)),
  );
  const cut = pieceSizes(plan, isOutside);
  const runsFor = (sizes: readonly number[]): (ContiguousRuns | null)[] =>
    plan.strides.map((strides, k) => (isOutside[k] ? runsOf(sizes, strides, isAlone[k]) : null));
  const { offsets, bytes } = offsetsFor(runsFor(cut), itemsizes);
  builder.workspace(bytes, (workspace, at) => {
    const lowerPiece = (sizes: readonly number[], buffers: readonly Buffer[]): void => {
      const staged = runsFor(sizes);
      const move = (k: number, direction: "in" | "out"): void => {
        const { storage, start, itemsize } = buffers[k];
        const { runLength, counts, low, steps, stepsInCopy } = staged[k] as ContiguousRuns;
        const shift = builder.shiftOf({ storage, start: start + low, itemsize });
        const box: CopyEnd = { slot: builder.slotOf(storage), shift, steps };
        const copy: CopyEnd = { slot: 0, shift: at + offsets[k], steps: stepsInCopy };
        const [from, to] = direction === "in" ? [box, copy] : [copy, box];
        builder.add({ kind: "copy", from, to, run: runLength, counts, itemsize });
      };
      const starts = buffers.map(({ start, itemsize }, k) => {
        const part = staged[k];
        if (part == null) return start;
        if (k >= outputs || part.hasGaps) move(k, "in");
        return (at + offsets[k]) / itemsize - part.lowInCopy;
      });
      const strides = plan.strides.map((operandStrides, k) => staged[k]?.strides ?? operandStrides);
      lower({
        plan: simplifyFlat(sizes, starts, strides),
        storages: buffers.map(({ storage }, k) => (isOutside[k] ? workspace : storage)),
        itemsizes,
      });
      for (let k = 0; k < outputs; k++) if (isOutside[k]) move(k, "out");
    };
    const buffers = storages.map((storage, k) => ({
      storage,
      start: plan.starts[k],
      itemsize: itemsizes[k],
    }));
    eachPiece(builder, plan, cut, buffers, lowerPiece);
  });
}

/** Returns the offset of each copy in the workspace, and the number of bytes of all copies. */
function offsetsFor(
  staged: readonly (ContiguousRuns | null)[],
  itemsizes: readonly number[],
): { readonly offsets: readonly number[]; readonly bytes: number } {
  let bytes = 0;
  const offsets = staged.map((part, k) => {
    const offset = bytes;
    const length = (part?.length ?? 0) * itemsizes[k];
    bytes += Math.ceil(length / alignment) * alignment;
    return offset;
  });
  return { offsets, bytes };
}

/** The sizes of a piece: whole inner modes while they fit; about square if a staged operand has its smallest stride in a different mode. */
function pieceSizes({ sizes, strides }: FlatLayout, isOutside: readonly boolean[]): readonly number[] {
  const cut = sizes.map(() => 1);
  let left = pieceElements;
  const take = (mode: number, max: number): void => {
    cut[mode] = Math.max(1, Math.min(sizes[mode], max, left));
    left = Math.floor(left / cut[mode]);
  };
  const across = acrossMode(strides, isOutside);
  if (across > 0) {
    take(0, pieceSide);
    take(across, left);
  }
  for (let d = 0; d < sizes.length; d++) if (cut[d] === 1) take(d, left);
  return cut;
}

/** The mode in which a staged operand has its smallest stride if that is not the innermost mode; otherwise 0. */
function acrossMode(strides: readonly (readonly number[])[], isOutside: readonly boolean[]): number {
  for (let k = 0; k < strides.length; k++) {
    if (!isOutside[k]) continue;
    const operandStrides = strides[k];
    let best = 0;
    for (let d = 1; d < operandStrides.length; d++)
      if (operandStrides[d] !== 0 && Math.abs(operandStrides[d]) < Math.abs(operandStrides[best])) best = d;
    if (best !== 0) return best;
  }
  return 0;
}

/** Adds a loop over the pieces of each mode that is split, and the remaining piece after the loop. */
function eachPiece(
  builder: ProgramBuilder,
  { sizes, strides }: FlatLayout,
  cut: readonly number[],
  all: readonly Buffer[],
  lower: (sizes: readonly number[], buffers: readonly Buffer[]) => void,
): void {
  const loop = (mode: number, piece: readonly number[], buffers: readonly Buffer[]): void => {
    if (mode < 0) {
      lower(piece, buffers);
      return;
    }
    const [size, part] = [sizes[mode], cut[mode]];
    const steps = buffers.map(({ itemsize }, k) => part * strides[k][mode] * itemsize);
    const rounds = Math.floor(size / part);
    if (rounds === 1) loop(mode - 1, piece.with(mode, part), buffers);
    else
      builder.pieces(rounds, buffers, steps, (storages) =>
        loop(
          mode - 1,
          piece.with(mode, part),
          buffers.map(({ itemsize }, k) => ({ storage: storages[k], start: 0, itemsize })),
        ),
      );
    const rest = size - rounds * part;
    if (rest > 0) {
      const advanced = buffers.map(({ storage, start, itemsize }, k) => ({
        storage,
        start: start + (rounds * steps[k]) / itemsize,
        itemsize,
      }));
      loop(mode - 1, piece.with(mode, rest), advanced);
    }
  };
  loop(sizes.length - 1, sizes, all);
}
