/**
 * The operands of a reduction over two lists of modes, kept and reduced, the fastest first: created from operands, split, and staged.
 * `lower-reduce.ts` decides on these.
 */
import { product } from "../../base/ints.ts";
import { extentOf, simplifyFlat } from "../../layout/flat.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { KernelError } from "../ir/error.ts";
import type { ElementStorage, Operand } from "../operand.ts";
import type { Buffer, ProgramBuilder } from "./builder.ts";
import { lowerAllInHeap } from "./lower-in-heap.ts";

/** One operand: its first element, and its step in each mode, in elements. */
export interface Row {
  readonly dtype: DType;
  readonly storage: ElementStorage;
  readonly start: number;
  readonly kept: readonly number[];
  readonly reduced: readonly number[];
}

export interface ReduceWork {
  readonly kept: readonly number[];
  readonly reduced: readonly number[];
  readonly outputs: readonly Row[];
  readonly inputs: readonly Row[];
  /** Inputs that have stride 0 in the reduced modes. */
  readonly held: readonly Row[];
  /** The index of an element, computed as the offset of an operand is; its dtype and storage mean nothing. Null if the kernel does not need it. */
  readonly number: Row | null;
}

/** The maximum number of elements of one call, which counts in 32 bits, loop bounds past the end included. */
const maxElements = 2 ** 30;
/** The number of elements that are staged at once, where outputs can be split. */
const maxStaged = 2 ** 22;

/** Returns the work of outputs and inputs, of which the last `held` have stride 0 in the reduced modes. */
export function workOf(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  held: number,
  isNumbered: boolean,
): ReduceWork {
  const operands = [...outputs, ...inputs];
  const { shape } = outputs[0];
  const rank = shape.length;
  const reducedSizes = inputs[0].shape.slice(rank);
  const none = reducedSizes.map(() => 0);
  const reducedStrides = operands.map(({ stride }, k) => (k < outputs.length ? none : stride.slice(rank)));
  const keptStrides = operands.map(({ stride }) => stride.slice(0, rank));
  if (isNumbered) {
    let count = 1;
    const numbers = none.slice();
    for (let axis = numbers.length - 1; axis >= 0; axis--) {
      numbers[axis] = count;
      count *= reducedSizes[axis];
    }
    reducedStrides.push(numbers);
    keptStrides.push(shape.map(() => 0));
  }
  const zeros = reducedStrides.map(() => 0);
  const reduced = reducedSizes.includes(0)
    ? { sizes: [0], strides: zeros.map(() => [0]), starts: zeros }
    : simplifyFlat(reducedSizes, zeros, reducedStrides);
  checkCount(reduced.sizes, reduced.strides);
  const starts = zeros.map((_, k) => (operands[k]?.offset ?? 0) + reduced.starts[k]);
  const kept = simplifyFlat(shape, starts, keptStrides);
  const rowOf = (k: number): Row => ({
    dtype: operands[k]?.dtype ?? "int32",
    storage: (operands[k] ?? operands[0]).storage,
    start: kept.starts[k],
    kept: kept.strides[k],
    reduced: reduced.strides[k],
  });
  const rows = operands.map((_, k) => rowOf(k));
  return {
    kept: kept.sizes,
    reduced: reduced.sizes,
    outputs: rows.slice(0, outputs.length),
    inputs: rows.slice(outputs.length, rows.length - held),
    held: rows.slice(rows.length - held),
    number: isNumbered ? rowOf(rows.length) : null,
  };
}

/** Throws if an output is reduced from more elements than a kernel can count. */
function checkCount(sizes: readonly number[], strides: readonly (readonly number[])[]): void {
  const count = product(sizes);
  const reach = Math.max(0, ...strides.map((operandStrides) => extentOf(sizes, operandStrides)));
  if (Math.max(count, reach) <= maxElements) return;
  throw new KernelError(
    `reduce: one result reads ${count} elements over a span of ${reach + 1}, more than the limit of ${maxElements}. Reduce fewer axes at a time.`,
  );
}

/** Returns the work with every row changed in the same way. */
export const withRows = (work: ReduceWork, change: (row: Row) => Row): ReduceWork => ({
  ...work,
  outputs: work.outputs.map(change),
  inputs: work.inputs.map(change),
  held: work.held.map(change),
  number: work.number === null ? null : change(work.number),
});

/** Returns rows as the buffers of a launch. */
export const buffersOf = (rows: readonly Row[]): Buffer[] =>
  rows.map(({ storage, start, dtype }) => ({ storage, start, itemsize: dtypes[dtype].itemsize }));

/** Calls `lower` with parts of the work that one call can count, and with copies of operands that are not addressable. */
export function lowerInHeapParts(builder: ProgramBuilder, work: ReduceWork, lower: (work: ReduceWork) => void): void {
  const isOutside = ({ storage }: Row): boolean => !builder.canAddress(storage);
  const needsStage = work.outputs.some(isOutside) || work.inputs.some(isOutside) || work.held.some(isOutside);
  const mode = modeToCut(work, needsStage);
  if (mode >= 0) {
    const size = work.kept[mode];
    const half = Math.floor(size / 2);
    lowerInHeapParts(builder, partOf(work, mode, 0, half), lower);
    lowerInHeapParts(builder, partOf(work, mode, half, size - half), lower);
  } else if (needsStage) stage(builder, work, lower);
  else lower(work);
}

/** Returns the longest kept mode if the work is too much for one call; -1 if it is not, or cannot be split. */
function modeToCut({ kept, reduced, outputs, inputs, held }: ReduceWork, needsStage: boolean): number {
  const count = product(kept) * product(reduced);
  let reach = 0;
  for (const rows of [outputs, inputs, held])
    for (const row of rows) reach = Math.max(reach, extentOf(kept, row.kept) + extentOf(reduced, row.reduced));
  if (Math.max(count, reach) <= maxElements && !(needsStage && count > maxStaged)) return -1;
  const longest = Math.max(1, ...kept);
  return longest > 1 ? kept.indexOf(longest) : -1;
}

/** Returns `size` rounds of a kept mode from round `from`. */
function partOf(work: ReduceWork, mode: number, from: number, size: number): ReduceWork {
  return {
    ...withRows(work, (row) => ({ ...row, start: row.start + from * row.kept[mode] })),
    kept: work.kept.with(mode, size),
  };
}

/** Lowers the work over copies of the rows that are not addressable. */
function stage(builder: ProgramBuilder, work: ReduceWork, lower: (work: ReduceWork) => void): void {
  const shape = [...work.kept, ...work.reduced];
  const rank = work.kept.length;
  const rows = [...work.outputs, ...work.inputs, ...work.held];
  const operands = rows.map(({ storage, dtype, start, kept, reduced }) => {
    return { storage, dtype, offset: start, shape, stride: [...kept, ...reduced] };
  });
  lowerAllInHeap(builder, operands, work.outputs.length, false, (inHeap) =>
    lower(
      withRows(work, (row) => {
        const operand = inHeap[rows.indexOf(row)];
        if (operand === undefined) return row;
        const { storage, offset: start, stride } = operand;
        return { ...row, storage, start, kept: stride.slice(0, rank), reduced: stride.slice(rank) };
      }),
    ),
  );
}
