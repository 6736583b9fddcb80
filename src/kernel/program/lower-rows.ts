/**
 * Lowers a row kernel over strided operands: row by row where rows are contiguous, else one phase after the other.
 *
 * All operands have the axes over all rows first, then those of one row; broadcasting is strides of 0. The caller ensures that outputs overlap
 * neither the inputs nor each other, and that the elements of an output do not overlap. The choice depends on sizes and strides alone,
 * so neither threads nor splits nor staging change the bits of a result.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import { alignment } from "../../storage/memory.ts";
import type { Operand } from "../operand.ts";
import { lanesOf } from "../reduce/order.ts";
import { buildRows } from "../rows/build.ts";
import type { RowKernel } from "../rows/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { lowerMap } from "./lower-map.ts";
import { lowerReduce, reduceOrder } from "./lower-reduce.ts";
import { buffersOf, lowerInHeapParts, type ReduceWork, type Row } from "./reduce-work.ts";

/** The minimum number of elements of a row that several units share, if there are few rows. */
const long = 2 ** 17;
const few = 32;
/** The minimum number of bytes of an input that is not in the cache, so that its rows are prefetched. */
const large = 2 ** 21;

/** Adds the steps that compute the outputs; the last `axes` axes of all operands are those of a row. */
export function lowerRows(
  builder: ProgramBuilder,
  kernel: RowKernel,
  axes: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[] = [],
): void {
  const { shape } = outputs[0];
  if (shape.includes(0)) return;
  if (builder.defer({ kind: "rows", kernel, axes, operands: { outputs, inputs, scalars } })) return;
  const work = workOf(outputs, inputs, shape.length - axes);
  if (isRowByRow(work)) lowerInHeapParts(builder, work, (inHeap) => launchRows(builder, kernel, inHeap, scalars));
  else lowerPhases(builder, kernel, shape.length - axes, outputs, inputs, scalars);
}

/** Returns a text that is equal for row kernels that combine the terms of a row in the same order. */
export function rowOrder(
  { spec, steps }: RowKernel,
  axes: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
): string {
  const { shape } = outputs[0];
  const rank = shape.length - axes;
  const work = workOf(outputs, inputs, rank);
  if (isRowByRow(work))
    return `by row ${lanesOf(spec.inputs, spec.read, spec.scalars, [], spec.phases)}, ${work.reduced}`;
  const [first] = steps.reductions;
  if (first === undefined) return "none";
  const results = first.spec.outputs.map((dtype) => ({
    ...outputs[0],
    dtype,
    shape: shape.slice(0, rank),
    stride: outputs[0].stride.slice(0, rank),
  }));
  return `in phases ${reduceOrder(first, results, inputs.slice(0, spec.read))}`;
}

/** Returns the operands over the modes of all rows and those of a row, both simplified. */
function workOf(outputs: readonly Operand[], inputs: readonly Operand[], rank: number): ReduceWork {
  const operands = [...outputs, ...inputs];
  const { shape } = outputs[0];
  const zeros = operands.map(() => 0);
  const row = simplifyFlat(
    shape.slice(rank),
    zeros,
    operands.map(({ stride }) => stride.slice(rank)),
  );
  const kept = simplifyFlat(
    shape.slice(0, rank),
    operands.map(({ offset }, k) => offset + row.starts[k]),
    operands.map(({ stride }) => stride.slice(0, rank)),
  );
  const rows = operands.map(
    ({ storage, dtype }, k): Row => ({
      dtype,
      storage,
      start: kept.starts[k],
      kept: kept.strides[k],
      reduced: row.strides[k],
    }),
  );
  const [results, read] = [rows.slice(0, outputs.length), rows.slice(outputs.length)];
  return { kept: kept.sizes, reduced: row.sizes, outputs: results, inputs: read, held: [], number: null };
}

function isRowByRow({ kept, reduced, outputs, inputs }: ReduceWork): boolean {
  if (product(reduced) >= long && product(kept) < few) return false;
  const read = [outputs[0], inputs[0]];
  const bytesOf = (stepOf: (row: Row) => number): number =>
    read.reduce((bytes, row) => bytes + Math.min(64, Math.abs(stepOf(row)) * dtypes[row.dtype].itemsize), 0);
  const along = bytesOf((row) => row.reduced[0] ?? 0);
  return kept.every((_, d) => along <= bytesOf((row) => row.kept[d]));
}

function launchRows(
  builder: ProgramBuilder,
  kernel: RowKernel,
  { kept, reduced, outputs, inputs }: ReduceWork,
  scalars: readonly Value[],
): void {
  const all = [...outputs, ...inputs];
  const n = reduced[0] ?? 1;
  const rounds = product(reduced.slice(1));
  const count = product(kept);
  const block = Math.max(1, Math.min(count, Math.floor(builder.tiling.unit / (n * rounds))));
  const sizes = [count, block, n, rounds];
  let classes = 0;
  for (let k = 0; k < all.length; k++) {
    const step = all[k].reduced[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** k;
    if (kind === 2) sizes.push(step);
  }
  const listOf = (list: readonly number[], first: number, stepsOf: (row: Row) => readonly number[]): number[] =>
    list.flatMap((size, d) => (d < first ? [] : [size, ...all.map((row) => stepsOf(row)[d])]));
  const isAhead = count * n * rounds * dtypes[inputs[0].dtype].itemsize >= large;
  const key = isAhead ? classes + 4 ** all.length : classes;
  builder.launch({
    kernel: kernel.entry(key, () => buildRows(kernel.spec, classes, isAhead)),
    buffers: buffersOf(all),
    sizes,
    scalars,
    modes: [listOf(kept, 0, (row) => row.kept), listOf(reduced, 1, (row) => row.reduced)],
    units: ceilDiv(count, block),
    unitSize: block * n * rounds,
  });
}

/** Adds one phase after the other; intermediate values are in the workspace. */
function lowerPhases(
  builder: ProgramBuilder,
  { spec, steps }: RowKernel,
  rank: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[],
): void {
  const { shape } = outputs[0];
  const kept = shape.slice(0, rank);
  const types = steps.reductions.flatMap((reduction) => reduction.spec.outputs);
  const bytes = Math.ceil((product(kept) * 8) / alignment) * alignment;
  let dense = 1;
  const stride = shape.map(() => 0);
  for (let axis = rank - 1; axis >= 0; axis--) {
    stride[axis] = dense;
    dense *= kept[axis];
  }
  builder.workspace(bytes * types.length, (storage, byteOffset) => {
    const phaseResults = types.map((dtype, k): Operand => {
      const offset = (byteOffset + k * bytes) / dtypes[dtype].itemsize;
      return { storage, dtype, offset, shape, stride };
    });
    const read = inputs.slice(0, spec.read);
    let known = 0;
    for (const reduction of steps.reductions) {
      const next = known + reduction.spec.outputs.length;
      const results = phaseResults
        .slice(known, next)
        .map((operand) => ({ ...operand, shape: kept, stride: stride.slice(0, rank) }));
      lowerReduce(builder, reduction, results, [...read, ...phaseResults.slice(0, known)], scalars);
      known = next;
    }
    lowerMap(builder, steps.map, [...outputs, ...inputs, ...phaseResults], scalars);
  });
}
