/**
 * One call of a reducing kernel over operands that are all in reach: its sizes in the order in which `../reduce/build.ts` and
 * `../reduce/build-across.ts` list them, its program, its units.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import type { KernelCall } from "../backend.ts";
import { tiling } from "../plan/tiles.ts";
import { buildReduce } from "../reduce/build.ts";
import { acrossWidth, buildAcross } from "../reduce/build-across.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import { presentCall } from "./call.ts";
import { runProgram } from "./programs.ts";
import type { ReduceWork, Row } from "./reduce-work.ts";

/** Where vectors go: along the innermost reduced mode (-1), or across the outputs of this mode that stays. */
export type Direction = number;

/** Runs one call. */
export function launchReduce(
  kernel: ReduceKernel,
  work: ReduceWork,
  direction: Direction,
  scalars: readonly Value[],
): void {
  const call = presentCall();
  let buffers = 0;
  for (const rows of [work.outputs, work.inputs, work.held])
    for (const { memory, start, dtype } of rows) {
      call.memories[buffers] = memory;
      call.addresses[buffers++] = start * dtypes[dtype].itemsize;
    }
  for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
  if (direction < 0) launchAlong(kernel, work, call);
  else launchAcross(kernel, work, direction, call);
}

function launchAlong(kernel: ReduceKernel, work: ReduceWork, call: KernelCall): void {
  const { sizes } = call;
  const n = work.reduced[0] ?? 1;
  const rounds = product(work.reduced.slice(1));
  const count = product(work.kept);
  const block = Math.max(1, Math.min(count, Math.floor(tiling.unit / Math.max(1, n * rounds))));
  sizes[0] = count;
  sizes[1] = block;
  sizes[2] = n;
  sizes[3] = rounds;
  let classes = 0;
  let at = 4;
  for (let k = 0; k < work.inputs.length; k++) {
    const step = (work.inputs[k] as Row).reduced[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** k;
    if (kind === 2) sizes[at++] = step;
  }
  setNumber(work, sizes, at);
  setModes(work, -1, call);
  call.units = Math.ceil(count / block);
  call.unitSize = block * n * rounds;
  runProgram(kernel, 2 * classes, () => buildReduce(kernel.spec, classes));
}

function launchAcross(kernel: ReduceKernel, work: ReduceWork, mode: number, call: KernelCall): void {
  const { sizes } = call;
  const n = work.kept[mode] ?? 1;
  const blocks = ceilDiv(n, acrossWidth(kernel.spec));
  const wide = Math.min(n, ceilDiv(ceilDiv(n, blocks), 16) * 16);
  const m = work.reduced[0] ?? 1;
  const rounds = product(work.reduced.slice(1));
  const units = blocks * (product(work.kept) / n);
  sizes[0] = n;
  sizes[1] = wide;
  sizes[2] = blocks;
  sizes[3] = units;
  sizes[4] = m;
  sizes[5] = rounds;
  let at = 6;
  for (const { reduced } of work.inputs) sizes[at++] = reduced[0] ?? 0;
  let classes = 0;
  let operand = 0;
  for (const rows of [work.outputs, work.inputs, work.held])
    for (const { kept } of rows) {
      const step = kept[mode] ?? 1;
      const kind = step === 0 || step === 1 ? step : 2;
      classes += kind * 4 ** operand++;
      if (kind === 2) sizes[at++] = step;
    }
  setNumber(work, sizes, at);
  const numberStep = work.number?.kept[mode] ?? 0;
  if (numberStep !== 0) {
    classes += 2 * 4 ** operand;
    sizes[at + 2] = numberStep;
  }
  setModes(work, mode, call);
  call.units = units;
  call.unitSize = wide * Math.max(1, m * rounds);
  runProgram(kernel, 2 * classes + 1, () => buildAcross(kernel.spec, classes));
}

function setNumber({ number }: ReduceWork, sizes: number[], at: number): void {
  if (number === null) return;
  sizes[at] = number.start;
  sizes[at + 1] = number.reduced[0] ?? 0;
}

/** The modes that are walked: all that stay but one, and all that are reduced but the first. */
function setModes({ kept, reduced, outputs, inputs, held, number }: ReduceWork, mode: number, call: KernelCall): void {
  const numbers = number === null ? [] : [number];
  const all = [...outputs, ...inputs, ...held, ...numbers];
  const keptRows: number[] = [];
  for (let d = 0; d < kept.length; d++) {
    if (d === mode) continue;
    keptRows.push(kept[d] as number);
    for (const row of all) keptRows.push(row.kept[d] as number);
  }
  const reducedRows: number[] = [];
  const moving = [...inputs, ...numbers];
  for (let d = 1; d < reduced.length; d++) {
    reducedRows.push(reduced[d] as number);
    for (const row of moving) reducedRows.push(row.reduced[d] as number);
  }
  call.modes[0] = keptRows;
  call.modes[1] = reducedRows;
}
