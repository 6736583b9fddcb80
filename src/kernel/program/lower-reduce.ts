/**
 * Lowers a reduction over strided operands: chooses the direction of vectors, and whether it runs in parts or in phases.
 *
 * The inputs have the axes of the outputs first, then those that are reduced; broadcasting is strides of 0. The caller ensures that outputs
 * overlap neither the inputs nor each other, and that the elements of an output do not overlap. All decisions depend on sizes and strides
 * alone, and are made before work is split or staged, so neither threads nor splits nor staging change the bits of a result.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { alignment } from "../../storage/memory.ts";
import type { Operand } from "../operand.ts";
import { acrossWidth } from "../reduce/build-across.ts";
import { lanesOf } from "../reduce/order.ts";
import { needsMemory, type ReduceKernel, segmentLength } from "../reduce/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { type Direction, launchReduce } from "./launch-reduce.ts";
import { lowerInHeapParts, type ReduceWork, type Row, withRows, workOf } from "./reduce-work.ts";
import { execute } from "./run-program.ts";

/** The thresholds between algorithms, from measurements. Only tests change them. */
export const reducing = {
  /** Outputs of up to this many elements each are computed across, whatever the strides are. */
  short: 24,
  /** The minimum number of adjacent outputs to compute across. */
  minAdjacent: 8,
  /** Elements of a part along, and of one across. */
  partAlong: 2 ** 16,
  partAcross: 2 ** 18,
  /** Across, the work is split into parts while there are fewer units than this. */
  units: 32,
  /** Fewer adjacent outputs than `wide` are extended by joining several rows, if there are at least `wideFrom` elements. */
  wide: 128,
  wideFrom: 65536,
};

/** Computes every element of the outputs from the elements of the inputs that are reduced to it; the identity if there are none. */
export function runReduce(
  kernel: ReduceKernel,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[] = [],
): void {
  execute(outputs, inputs, (builder) => lowerReduce(builder, kernel, outputs, inputs, scalars));
}

/** Adds the steps of such a reduction. */
export function lowerReduce(
  builder: ProgramBuilder,
  kernel: ReduceKernel,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars: readonly Value[] = [],
): void {
  if (outputs[0].shape.includes(0)) return;
  if (builder.defer({ kind: "reduce", kernel, operands: { outputs, inputs, scalars } })) return;
  const { held, isNumbered } = kernel.spec;
  reduceWork(builder, kernel, workOf(outputs, inputs, held?.length ?? 0, isNumbered === true), scalars);
}

function reduceWork(builder: ProgramBuilder, kernel: ReduceKernel, work: ReduceWork, scalars: readonly Value[]): void {
  const direction =
    builder.backend.unitBytes === undefined || needsMemory(kernel.spec) ? directionOf(kernel, work) : -1;
  const parts = partsOf(kernel, work, direction);
  if (parts === null)
    lowerInHeapParts(builder, work, (inHeap) => launchReduce(builder, kernel, inHeap, direction, scalars));
  else if (kernel.spec.before === undefined) lowerPartialReductions(builder, kernel, work, parts, scalars);
  else lowerPhases(builder, kernel, work, scalars);
}

/** Returns a text that is equal for reductions that combine the terms of an output in the same order. */
export function reduceOrder(kernel: ReduceKernel, outputs: readonly Operand[], inputs: readonly Operand[]): string {
  const { inputs: types, scalars, held = [], before = [], isNumbered } = kernel.spec;
  const work = workOf(outputs, inputs, held.length, isNumbered === true);
  const direction = directionOf(kernel, work);
  const parts = partsOf(kernel, work, direction);
  const lanes = direction >= 0 ? "across" : lanesOf(types, types.length, scalars, held, [...before, kernel.spec]);
  return `${lanes}, ${work.reduced}, ${parts === null ? "whole" : Object.values(parts)}`;
}

/** Returns the bytes of memory that a step loads, at most a cache line. */
function stepBytes(rows: readonly Row[], stepOf: (row: Row) => number): number {
  let bytes = 0;
  for (const row of rows) bytes += Math.min(64, Math.abs(stepOf(row)) * dtypes[row.dtype].itemsize);
  return bytes;
}

function directionOf({ spec }: ReduceKernel, { kept, reduced, inputs }: ReduceWork): Direction {
  let mode = 0;
  let across = Number.POSITIVE_INFINITY;
  for (let d = 0; d < kept.length; d++) {
    const bytes = stepBytes(inputs, (row) => row.kept[d]);
    if (bytes >= across) continue;
    across = bytes;
    mode = d;
  }
  if (needsMemory(spec)) return mode;
  if (kept.length === 0 || kept[mode] < reducing.minAdjacent) return -1;
  if (product(reduced) <= reducing.short) return mode;
  return across < stepBytes(inputs, (row) => row.reduced[0] ?? 0) ? mode : -1;
}

/** A reduced mode in `count` parts of `size` elements: adjacent ones, or every count-th one. */
interface Parts {
  readonly mode: number;
  readonly size: number;
  readonly count: number;
  /**
   * The kept mode that the reduced mode continues: it is extended by the parts, which are then every count-th element. -1 if the parts are a
   * separate mode.
   */
  readonly continued: number;
}

function partsOf({ spec }: ReduceKernel, work: ReduceWork, direction: Direction): Parts | null {
  const { kept, reduced } = work;
  const elements = product(reduced);
  const continued = continuedMode(work);
  if (continued >= 0) {
    const count = ceilDiv(reducing.wide, kept[continued]);
    return { mode: 0, size: Math.floor(reduced[0] / count), count, continued };
  }
  let target = reducing.partAlong;
  if (direction >= 0) {
    const n = kept[direction] ?? 1;
    const blocks = ceilDiv(n, acrossWidth(spec));
    if (blocks * (product(kept) / n) >= reducing.units) return null;
    target = Math.ceil(reducing.partAcross / ceilDiv(n, blocks));
  }
  if (elements < 2 * target) return null;
  const mode = reduced.indexOf(Math.max(...reduced));
  const length = reduced[mode];
  let size = Math.max(1, Math.floor(target / (elements / length)));
  // Parts of one element each are pointless.
  if (size * elements === length) return null;
  if (size > segmentLength) size -= size % segmentLength;
  return { mode, size, count: Math.floor(length / size), continued: -1 };
}

/**
 * Returns a narrow kept mode that the innermost reduced mode continues in every input, so that both are one run of memory; -1 if there is
 * none, or little to reduce.
 */
function continuedMode({ kept, reduced, inputs, held, number }: ReduceWork): number {
  const m = reduced[0] ?? 1;
  if (number !== null || held.length > 0) return -1;
  return kept.findIndex((n, d) => {
    if (n * 4 > reducing.wide || m * n < reducing.wideFrom) return false;
    return inputs.every((row) => row.kept[d] !== 0 && row.reduced[0] === n * row.kept[d]);
  });
}

/** Calls `use` with rows in the workspace, one of each dtype, over all kept modes and `slots` rounds of them, and with the step of a slot. */
function withRowsOf(
  builder: ProgramBuilder,
  types: readonly DType[],
  kept: readonly number[],
  slots: number,
  continued: number,
  use: (rows: readonly Row[], slotStep: number) => void,
): void {
  const order = kept.map((_, d) => d);
  if (continued >= 0) order.unshift(...order.splice(continued, 1));
  const strides = kept.map(() => 0);
  let count = 1;
  let slotStep = 0;
  for (const d of order) {
    strides[d] = count;
    count *= kept[d];
    if (d === continued) {
      slotStep = count;
      count *= slots;
    }
  }
  if (continued < 0) {
    slotStep = count;
    count *= slots;
  }
  const lengths = types.map((dtype) => Math.ceil((count * dtypes[dtype].itemsize) / alignment) * alignment);
  const bytes = lengths.reduce((sum, length) => sum + length, 0);
  builder.workspace(bytes, (storage, byteOffset) => {
    let at = byteOffset;
    const rows = types.map((dtype, k): Row => {
      const start = at / dtypes[dtype].itemsize;
      at += lengths[k];
      return { dtype, storage, start, kept: strides, reduced: [] };
    });
    use(rows, slotStep);
  });
}

/** Adds the totals of parts, then the outputs from them. */
function lowerPartialReductions(
  builder: ProgramBuilder,
  kernel: ReduceKernel,
  work: ReduceWork,
  parts: Parts,
  scalars: readonly Value[],
): void {
  const { mode, size, count, continued } = parts;
  const length = work.reduced[mode];
  const rest = length - size * count;
  const slots = rest > 0 ? count + 1 : count;
  const totals = kernel.spec.accumulators.map(({ total }) => total);
  withRowsOf(builder, totals, work.kept, slots, continued, (temporary, slotStep) => {
    const none = work.reduced.map(() => 0);
    const outputs = temporary.map((row): Row => ({ ...row, reduced: none }));
    const whole: ReduceWork = { ...work, outputs };
    const innerStep = continued < 0 ? 1 : count;
    const inParts = (row: Row, isOutput: boolean): Row => {
      const step = row.reduced[mode];
      const kept = continued < 0 ? [...row.kept, isOutput ? slotStep : size * step] : row.kept;
      return { ...row, kept, reduced: row.reduced.with(mode, innerStep * step) };
    };
    const main = withRows(whole, (row) => inParts(row, outputs.includes(row)));
    const keptSizes = continued < 0 ? [...work.kept, count] : work.kept.with(continued, work.kept[continued] * count);
    reduceWork(builder, kernel.part, { ...main, kept: keptSizes, reduced: work.reduced.with(mode, size) }, scalars);
    if (rest > 0) {
      const last = withRows(whole, (row) => {
        const step = outputs.includes(row) ? slotStep * count : size * count * row.reduced[mode];
        return { ...row, start: row.start + step };
      });
      reduceWork(builder, kernel.part, { ...last, reduced: work.reduced.with(mode, rest) }, scalars);
    }
    const oneMode = (row: Row, step: number): Row => ({ ...row, reduced: [step] });
    reduceWork(
      builder,
      kernel.join,
      {
        kept: work.kept,
        reduced: [slots],
        outputs: work.outputs.map((row) => oneMode(row, 0)),
        inputs: temporary.map((row) => oneMode(row, slotStep)),
        held: work.held.map((row) => oneMode(row, 0)),
        number: null,
      },
      scalars,
    );
  });
}

/** Adds one phase after the other; intermediate values are in the workspace. */
function lowerPhases(
  builder: ProgramBuilder,
  kernel: ReduceKernel,
  work: ReduceWork,
  scalars: readonly Value[],
  from = 0,
): void {
  const phase = kernel.phases[from];
  if (from === kernel.phases.length - 1) {
    reduceWork(builder, phase, work, scalars);
    return;
  }
  withRowsOf(builder, phase.spec.outputs, work.kept, 1, -1, (temporary) => {
    const none = work.reduced.map(() => 0);
    const phaseResults = temporary.map((row): Row => ({ ...row, reduced: none }));
    reduceWork(builder, phase, { ...work, outputs: phaseResults }, scalars);
    lowerPhases(builder, kernel, { ...work, held: [...work.held, ...phaseResults] }, scalars, from + 1);
  });
}
