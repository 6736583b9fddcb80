/**
 * Launches of reduction kernels over operands that are all addressable. Sizes have the order in which `../reduce/build.ts` and
 * `../reduce/build-across.ts` list them.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import type { Value } from "../../storage/dtype.ts";
import { buildReduce } from "../reduce/build.ts";
import { acrossWidth, buildAcross } from "../reduce/build-across.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { buffersOf, type ReduceWork } from "./reduce-work.ts";

/** The direction of vectors: along the innermost reduced mode (-1), or across the outputs of this kept mode. */
export type Direction = number;

/** Adds one launch. */
export function launchReduce(
  builder: ProgramBuilder,
  kernel: ReduceKernel,
  work: ReduceWork,
  direction: Direction,
  scalars: readonly Value[],
): void {
  if (direction < 0) launchAlong(builder, kernel, work, scalars);
  else launchAcross(builder, kernel, work, direction, scalars);
}

function launchAlong(builder: ProgramBuilder, kernel: ReduceKernel, work: ReduceWork, scalars: readonly Value[]): void {
  const n = work.reduced[0] ?? 1;
  const rounds = product(work.reduced.slice(1));
  const count = product(work.kept);
  const block = Math.max(1, Math.min(count, Math.floor(builder.tiling.unit / Math.max(1, n * rounds))));
  const sizes = [count, block, n, rounds];
  let classes = 0;
  for (let k = 0; k < work.inputs.length; k++) {
    const step = work.inputs[k].reduced[0] ?? 0;
    const kind = step === 0 || step === 1 ? step : 2;
    classes += kind * 4 ** k;
    if (kind === 2) sizes.push(step);
  }
  pushNumber(work, sizes);
  builder.launch({
    kernel: kernel.entry(2 * classes, () => buildReduce(kernel.spec, classes)),
    buffers: buffersOf([...work.outputs, ...work.inputs, ...work.held]),
    sizes,
    scalars,
    modes: modesOf(work, -1),
    units: Math.ceil(count / block),
    unitSize: block * n * rounds,
  });
}

function launchAcross(
  builder: ProgramBuilder,
  kernel: ReduceKernel,
  work: ReduceWork,
  mode: number,
  scalars: readonly Value[],
): void {
  const n = work.kept[mode] ?? 1;
  const blocks = ceilDiv(n, acrossWidth(kernel.spec));
  const wide = Math.min(n, ceilDiv(ceilDiv(n, blocks), 16) * 16);
  const m = work.reduced[0] ?? 1;
  const rounds = product(work.reduced.slice(1));
  const units = blocks * (product(work.kept) / n);
  const sizes = [n, wide, blocks, units, m, rounds];
  for (const { reduced } of work.inputs) sizes.push(reduced[0] ?? 0);
  let classes = 0;
  let operand = 0;
  for (const rows of [work.outputs, work.inputs, work.held])
    for (const { kept } of rows) {
      const step = kept[mode] ?? 1;
      const kind = step === 0 || step === 1 ? step : 2;
      classes += kind * 4 ** operand++;
      if (kind === 2) sizes.push(step);
    }
  pushNumber(work, sizes);
  const numberStep = work.number?.kept[mode] ?? 0;
  if (numberStep !== 0) {
    classes += 2 * 4 ** operand;
    sizes.push(numberStep);
  }
  builder.launch({
    kernel: kernel.entry(2 * classes + 1, () => buildAcross(kernel.spec, classes)),
    buffers: buffersOf([...work.outputs, ...work.inputs, ...work.held]),
    sizes,
    scalars,
    modes: modesOf(work, mode),
    units,
    unitSize: wide * Math.max(1, m * rounds),
  });
}

function pushNumber({ number }: ReduceWork, sizes: number[]): void {
  if (number !== null) sizes.push(number.start, number.reduced[0] ?? 0);
}

/** Returns the modes that are walked: all kept modes but one, and all reduced modes but the first. */
function modesOf({ kept, reduced, outputs, inputs, held, number }: ReduceWork, mode: number): readonly number[][] {
  const numbers = number === null ? [] : [number];
  const all = [...outputs, ...inputs, ...held, ...numbers];
  const keptRows: number[] = [];
  for (let d = 0; d < kept.length; d++) {
    if (d === mode) continue;
    keptRows.push(kept[d]);
    for (const row of all) keptRows.push(row.kept[d]);
  }
  const reducedRows: number[] = [];
  const moving = [...inputs, ...numbers];
  for (let d = 1; d < reduced.length; d++) {
    reducedRows.push(reduced[d]);
    for (const row of moving) reducedRows.push(row.reduced[d]);
  }
  return [keptRows, reducedRows];
}
