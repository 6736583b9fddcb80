/**
 * Lowers a scan over strided operands of one shape along their last axis.
 * The caller ensures that outputs overlap neither the input nor each other, and that the elements of an output do not overlap. Each row is
 * scanned by one unit, so threads, splits and staging do not change its bits.
 */

import { ceilDiv, product } from "../../base/ints.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Operand } from "../operand.ts";
import { buildScan, buildScanAcross, scanWidth } from "../scan/build.ts";
import { makeScan, type Scan } from "../scan/scans.ts";
import { needsMemory, type ScanKernel } from "../scan/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { buffersOf, lowerInHeapParts, type ReduceWork, type Row } from "./reduce-work.ts";

/** The thresholds between algorithms, from measurements. Only tests change them. */
export const scanning = {
  /** The number of rows that are scanned together along the axis, because each step waits for the previous one. */
  together: 4,
  /** The minimum number of rows to scan across. */
  minAcross: 8,
  /** Across, the number of units, and the minimum number of rows of each. */
  unitsAcross: 8,
  narrowest: 128,
};

const kernels = /* @__PURE__ */ new Map<string, ScanKernel>();

function scanKernel(scan: Scan, input: DType, outputs: readonly DType[]): ScanKernel {
  const key = `${scan} ${input} ${outputs.join(" ")}`;
  return getOrCompute(kernels, key, () => makeScan(scan, scan, input, outputs));
}

/**
 * Adds the steps that compute every element of the outputs from the elements of the input up to it along the last axis. The optional second
 * output of cummax and cummin is the index of the extreme. A recurrence has factors of the input's dtype.
 */
export function lowerScan(
  builder: ProgramBuilder,
  scan: Scan,
  outputs: readonly Operand[],
  input: Operand,
  ...factors: readonly Operand[]
): void {
  const { shape } = input;
  const kernel = scanKernel(
    scan,
    input.dtype,
    outputs.map(({ dtype }) => dtype),
  );
  if (shape.includes(0)) return;
  const work = workOf(outputs, input, factors);
  const mode = acrossMode(builder, kernel, work);
  lowerInHeapParts(builder, work, (inHeap) => {
    if (mode < 0) scanAlong(builder, kernel, inHeap);
    else scanAcross(builder, kernel, inHeap, mode);
  });
}

/** Returns the operands over the kept modes, simplified, and the mode that is scanned. */
function workOf(outputs: readonly Operand[], input: Operand, factors: readonly Operand[]): ReduceWork {
  const operands = [...outputs, input, ...factors];
  const last = input.shape.length - 1;
  const { sizes, strides, starts } = simplifyFlat(
    input.shape.slice(0, last),
    operands.map(({ offset }) => offset),
    operands.map(({ stride }) => stride.slice(0, last)),
  );
  const rows = operands.map(
    ({ storage, dtype, stride }, k): Row => ({
      dtype,
      storage,
      start: starts[k],
      kept: strides[k],
      reduced: [stride[last]],
    }),
  );
  const reduced = [input.shape[last]];
  return {
    kept: sizes,
    reduced,
    outputs: rows.slice(0, outputs.length),
    inputs: rows.slice(outputs.length),
    held: [],
    number: null,
  };
}

/** Returns the mode across which rows are scanned; -1 if they are scanned along. */
function acrossMode(builder: ProgramBuilder, { spec }: ScanKernel, { kept, inputs }: ReduceWork): number {
  const { kept: steps, reduced } = inputs[0];
  let mode = 0;
  for (let d = 1; d < kept.length; d++) if (Math.abs(steps[d]) < Math.abs(steps[mode])) mode = d;
  if (needsMemory(spec)) return mode;
  if (builder.backend.unitBytes !== undefined) return -1;
  const isCloser = Math.abs(steps[mode] ?? 0) < Math.abs(reduced[0]);
  return isCloser && (kept[mode] ?? 0) >= scanning.minAcross ? mode : -1;
}

/** Returns the modes that are walked: all but one. */
function modesOf({ kept }: ReduceWork, rows: readonly Row[], mode: number): number[] {
  const list: number[] = [];
  for (let d = 0; d < kept.length; d++) if (d !== mode) list.push(kept[d], ...rows.map((row) => row.kept[d]));
  return list;
}

/** Returns two bits for each row by its step; steps that are arguments are added to the sizes. */
function pushSteps(rows: readonly Row[], stepOf: (row: Row) => number, sizes: number[]): number {
  let classes = 0;
  rows.forEach((row, k) => {
    const step = stepOf(row);
    classes += (step === 1 ? 1 : 2) * 4 ** k;
    if (step !== 1) sizes.push(step);
  });
  return classes;
}

function scanAlong(builder: ProgramBuilder, kernel: ScanKernel, work: ReduceWork): void {
  const rows = [...work.outputs, ...work.inputs];
  const n = work.reduced[0];
  const count = product(work.kept);
  const side = count < scanning.together ? 1 : scanning.together;
  const groups = ceilDiv(count, side);
  const block = Math.max(1, Math.min(groups, Math.floor(builder.tiling.unit / (n * side))));
  const sizes = [n, groups, block, count - 1];
  const classes = pushSteps(rows, ({ reduced }) => reduced[0], sizes);
  builder.launch({
    kernel: kernel.entry(4 * classes + (side === 1 ? 1 : 2), () => buildScan(kernel.spec, classes, side)),
    buffers: buffersOf(rows),
    sizes,
    modes: [modesOf(work, rows, -1)],
    units: ceilDiv(groups, block),
    unitSize: block * n * side,
  });
}

function scanAcross(builder: ProgramBuilder, kernel: ScanKernel, work: ReduceWork, mode: number): void {
  const rows = [...work.outputs, ...work.inputs];
  const n = work.reduced[0];
  const across = work.kept[mode] ?? 1;
  const blocks = Math.max(
    ceilDiv(across, scanWidth(kernel.spec)),
    Math.min(scanning.unitsAcross, Math.floor(across / scanning.narrowest)),
  );
  const wide = Math.min(across, ceilDiv(ceilDiv(across, blocks), 16) * 16);
  const units = blocks * (product(work.kept) / across);
  const sizes = [n, across, wide, blocks, units, ...rows.map(({ reduced }) => reduced[0])];
  const classes = pushSteps(rows, ({ kept }) => kept[mode] ?? 1, sizes);
  builder.launch({
    kernel: kernel.entry(4 * classes, () => buildScanAcross(kernel.spec, classes)),
    buffers: buffersOf(rows),
    sizes,
    modes: [modesOf(work, rows, mode)],
    units,
    unitSize: wide * n,
  });
}
