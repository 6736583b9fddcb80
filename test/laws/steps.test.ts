/**
 * A map that runs on copies of its operands, or in steps, function by function, computes the same bits as its own
 * kernel: random bodies on all dtypes, dense lines of 1 to 67 elements, some operands broadcast, some in-place.
 * LAW_CASES sets the number of cases.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { MapKernel } from "../../src/kernel/map/map.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { copying } from "../../src/kernel/program/lower-copied.ts";
import { type DenseOperand, lowerSteps, stepping } from "../../src/kernel/program/lower-dense.ts";
import { runMap } from "../../src/kernel/program/lower-map.ts";
import { execute } from "../../src/kernel/program/run-program.ts";
import { dtypes } from "../../src/storage/dtype.ts";
import { describeCase, requestedCases } from "../support/kernel-agreement.ts";
import { bytesIn, type KernelCase, kernelCase } from "../support/kernel-cases.ts";
import { differenceOf } from "../support/kernel-difference.ts";
import { randomSpec } from "../support/kernel-specs.ts";
import { type Dice, dice } from "../support/operands.ts";

const cases = Math.ceil((requestedCases ?? 3000) / 2);
const usual = { ...stepping };
const usualCopying = { ...copying };
beforeAll(() => {
  copying.calls = Infinity;
  Object.assign(stepping, { calls: Infinity, total: Infinity, sharing: 0, chunk: 64 });
});
afterAll(() => {
  Object.assign(stepping, usual);
  Object.assign(copying, usualCopying);
});

/** A line in the heap; some inputs that share no memory with an output have stride 0. */
function lineCase(kernel: MapKernel, roll: Dice): KernelCase | undefined {
  const one = kernelCase(kernel.spec, roll, roll(0, 9) === 0 ? roll(68, 500) : roll(1, 67));
  if (one.shape.length !== 1 || one.arenas.some(({ memory }) => memory.kind !== "heap")) return undefined;
  const operands = one.operands.map((operand, k): Operand => {
    const isStill = k > 0 && one.arenaOf[k] !== one.arenaOf[0] && roll(0, 3) === 0;
    return { ...operand, isStatic: false, stride: [isStill ? 0 : 1] };
  });
  return { ...one, operands };
}

function results(one: KernelCase, run: () => void): Uint8Array[] {
  for (const arena of one.arenas) bytesIn(arena).set(arena.initial);
  run();
  return one.arenas.map((arena) => bytesIn(arena).slice());
}

/** Runs a case in steps, if it can. */
function runSteps(kernel: MapKernel, { operands, scalars, shape }: KernelCase): boolean {
  const dense = operands.map(
    ({ storage, dtype, offset, stride }): DenseOperand => ({
      storage,
      start: offset,
      itemsize: dtypes[dtype].itemsize,
      isDense: stride[0] === 1,
    }),
  );
  const outputs = kernel.spec.outputs.length;
  let isDone = false;
  execute(operands.slice(0, outputs), operands.slice(outputs), (builder) => {
    isDone = lowerSteps(builder, kernel, shape[0] as number, dense, scalars);
  });
  return isDone;
}

test(`steps compute the bits of the kernel (${cases} maps)`, { timeout: 3_600_000 }, () => {
  let inSteps = 0;
  for (let number = 0; number < cases; number++) {
    const { spec } = randomSpec(number);
    const kernel = new MapKernel(spec);
    const one = lineCase(kernel, dice(number * 17 + 3));
    if (one === undefined) continue;
    let isDone = false;
    const stepped = results(one, () => {
      isDone = runSteps(kernel, one);
    });
    if (!isDone) continue;
    inSteps++;
    const whole = results(one, () => runMap(kernel, one.operands, one.scalars));
    const difference = differenceOf(one, whole, stepped, [0]);
    if (difference !== undefined) throw new Error(`${number}: ${spec.name}: ${difference}\n${describeCase(one)}`);
  }
  expect(inSteps).toBeGreaterThan(cases / 8);
});

test(`copies of strided operands compute the bits of their kernel (${cases} maps)`, { timeout: 3_600_000 }, () => {
  let byCopies = 0;
  for (let number = 0; number < cases; number++) {
    const { spec } = randomSpec(number);
    if (spec.isMasked) continue;
    const kernel = new MapKernel(spec);
    const roll = dice(number * 23 + 5);
    const plain = (one: KernelCase): KernelCase => ({
      ...one,
      operands: one.operands.map((operand) => ({ ...operand, isStatic: false })),
    });
    const line = plain(kernelCase(spec, roll, 9));
    const plainCase = plain(kernelCase(spec, roll));
    if ([...line.arenas, ...plainCase.arenas].some(({ memory }) => memory.kind !== "heap")) continue;
    // Every second map has a program for dense operands; the others run in steps, if they can.
    stepping.elements = number % 2 === 0 ? 0 : usual.elements;
    results(line, () => runMap(kernel, line.operands, line.scalars));
    stepping.elements = usual.elements;
    const { idempotent } = plainCase;
    const programs = kernel.entries.size;
    const copied = results(plainCase, () => runMap(kernel, plainCase.operands, plainCase.scalars, { idempotent }));
    if (kernel.entries.size === programs) byCopies++;
    copying.elements = stepping.elements = 0;
    const whole = results(plainCase, () => runMap(kernel, plainCase.operands, plainCase.scalars, { idempotent }));
    copying.elements = usualCopying.elements;
    stepping.elements = usual.elements;
    const difference = differenceOf(
      plainCase,
      whole,
      copied,
      spec.outputs.map(() => 0),
    );
    if (difference !== undefined) throw new Error(`${number}: ${spec.name}: ${difference}\n${describeCase(plainCase)}`);
  }
  expect(byCopies).toBeGreaterThan(cases / 8);
});
