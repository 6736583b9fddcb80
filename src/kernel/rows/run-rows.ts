/**
 * Running a row kernel over strided operands: row by row where rows lie along memory, else one phase after the other.
 *
 * All operands have the axes of the rows' places first, then those of one row; broadcasting is strides of 0. Outputs lie apart from the
 * inputs and from each other, and their elements have different places; that is the caller's to see to. The way is chosen by sizes and
 * strides alone, so neither threads nor cuts nor staging change the bits of a result.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import { alignment } from "../../storage/memory.ts";
import { fixedStorage } from "../copy.ts";
import { presentCall } from "../launch/call.ts";
import { runProgram } from "../launch/programs.ts";
import { inReach, type ReduceWork, type Row } from "../launch/reduce-work.ts";
import { runMap } from "../launch/run-map.ts";
import { runReduce } from "../launch/run-reduce.ts";
import { withBytes } from "../launch/temporary.ts";
import type { Operand } from "../operand.ts";
import { planModes } from "../plan/plan.ts";
import { tiling } from "../plan/tiles.ts";
import { buildRows } from "./build.ts";
import type { RowKernel } from "./spec.ts";

/** Rows of so many elements are shared by units, if there are few. */
const long = 2 ** 17;
const few = 32;
/** An input of so many bytes is not in the cache: its rows are read ahead. */
const large = 2 ** 21;

/** Computes every element of the outputs; the last `axes` axes of all operands are those of a row. */
export function runRows(
  kernel: RowKernel,
  axes: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[] = [],
): void {
  const { shape } = outputs[0] as Operand;
  if (shape.includes(0)) return;
  for (const { storage } of outputs) storage.writable();
  for (const { storage } of inputs) storage.readable();
  const work = workOf(outputs, inputs, shape.length - axes);
  if (isRowByRow(work)) inReach(work, (near) => launchRows(kernel, near, scalars));
  else runSteps(kernel, shape.length - axes, outputs, inputs, scalars);
}

/** The operands over the modes that are kept and those of a row, each list planned. */
function workOf(outputs: readonly Operand[], inputs: readonly Operand[], rank: number): ReduceWork {
  const operands = [...outputs, ...inputs];
  const { shape } = outputs[0] as Operand;
  const zeros = operands.map(() => 0);
  const row = planModes(
    shape.slice(rank),
    zeros,
    operands.map(({ stride }) => stride.slice(rank)),
  );
  const kept = planModes(
    shape.slice(0, rank),
    operands.map(({ storage, dtype, offset }, k) => {
      const start = storage.byteOffset / dtypes[dtype].itemsize + offset;
      return start + (row.starts[k] as number);
    }),
    operands.map(({ stride }) => stride.slice(0, rank)),
  );
  const rows = operands.map(
    ({ storage, dtype }, k): Row => ({
      dtype,
      memory: storage.readable(),
      start: kept.starts[k] as number,
      kept: kept.strides[k] as readonly number[],
      reduced: row.strides[k] as readonly number[],
    }),
  );
  const [results, read] = [rows.slice(0, outputs.length), rows.slice(outputs.length)];
  return { kept: kept.sizes, reduced: row.sizes, outputs: results, inputs: read, held: [], number: null };
}

function isRowByRow({ kept, reduced, outputs, inputs }: ReduceWork): boolean {
  if (product(reduced) >= long && product(kept) < few) return false;
  const read = [outputs[0] as Row, inputs[0] as Row];
  const bytesOf = (stepOf: (row: Row) => number): number =>
    read.reduce((bytes, row) => bytes + Math.min(64, Math.abs(stepOf(row)) * dtypes[row.dtype].itemsize), 0);
  const along = bytesOf((row) => row.reduced[0] ?? 0);
  return kept.every((_, d) => along <= bytesOf((row) => row.kept[d] as number));
}

function launchRows(
  kernel: RowKernel,
  { kept, reduced, outputs, inputs }: ReduceWork,
  scalars: readonly Value[],
): void {
  const call = presentCall();
  const { sizes } = call;
  const all = [...outputs, ...inputs];
  const n = reduced[0] ?? 1;
  const rounds = product(reduced.slice(1));
  const count = product(kept);
  const block = Math.max(1, Math.min(count, Math.floor(tiling.unit / (n * rounds))));
  sizes[0] = count;
  sizes[1] = block;
  sizes[2] = n;
  sizes[3] = rounds;
  let classes = 0;
  let at = 4;
  for (let k = 0; k < all.length; k++) {
    const { memory, start, dtype, reduced: steps } = all[k] as Row;
    call.memories[k] = memory;
    call.addresses[k] = start * dtypes[dtype].itemsize;
    const step = steps[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** k;
    if (kind === 2) sizes[at++] = step;
  }
  for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
  const listOf = (list: readonly number[], first: number, stepsOf: (row: Row) => readonly number[]): number[] =>
    list.flatMap((size, d) => (d < first ? [] : [size, ...all.map((row) => stepsOf(row)[d] as number)]));
  call.modes[0] = listOf(kept, 0, (row) => row.kept);
  call.modes[1] = listOf(reduced, 1, (row) => row.reduced);
  call.units = ceilDiv(count, block);
  call.unitSize = block * n * rounds;
  const isAhead = count * n * rounds * dtypes[(inputs[0] as Row).dtype].itemsize >= large;
  runProgram(kernel, isAhead ? classes + 4 ** all.length : classes, () => buildRows(kernel.spec, classes, isAhead));
}

/** One phase after the other; what they settle is kept in between. */
function runSteps(
  { spec, steps }: RowKernel,
  rank: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[],
): void {
  const { shape } = outputs[0] as Operand;
  const kept = shape.slice(0, rank);
  const types = steps.reductions.flatMap((reduction) => reduction.spec.outputs);
  const room = Math.ceil((product(kept) * 8) / alignment) * alignment;
  let dense = 1;
  const stride = shape.map(() => 0);
  for (let axis = rank - 1; axis >= 0; axis--) {
    stride[axis] = dense;
    dense *= kept[axis] as number;
  }
  withBytes(room * types.length, (memory, byteOffset) => {
    const settled = types.map((dtype, k): Operand => {
      const storage = fixedStorage(memory, byteOffset + k * room);
      return { storage, dtype, offset: 0, shape, stride };
    });
    const read = inputs.slice(0, spec.read);
    let known = 0;
    for (const reduction of steps.reductions) {
      const next = known + reduction.spec.outputs.length;
      const results = settled
        .slice(known, next)
        .map((operand) => ({ ...operand, shape: kept, stride: stride.slice(0, rank) }));
      runReduce(reduction, results, [...read, ...settled.slice(0, known)], scalars);
      known = next;
    }
    runMap(steps.map, [...outputs, ...inputs, ...settled], scalars);
  });
}
