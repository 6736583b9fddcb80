/**
 * Running an elementwise kernel over strided operands: plan, form, program, arguments, call.
 *
 * Operands have one shape; broadcasting is strides of 0. An output may lie exactly on an input, not across one, and its
 * elements have different places; both are the caller's to see to. Operands in memory that the backend does not reach are
 * staged, piece by piece (`stage.ts`).
 */
import { InternalError } from "../../base/errors.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { Storage } from "../../storage/storage.ts";
import { type KernelCall, type KernelProgram, kernelBackend } from "../backend.ts";
import type { Kernel } from "../ir/kernel.ts";
import { fixSizes } from "../lower/fix-sizes.ts";
import { buildMap } from "../map/build.ts";
import type { MapKernel } from "../map/map.ts";
import type { Operand } from "../operand.ts";
import { type Form, formOf, walkedModes } from "../plan/form.ts";
import { type Plan, planModes } from "../plan/plan.ts";
import { splitPlan } from "../plan/split.ts";
import { tilesOf, tiling } from "../plan/tiles.ts";
import { presentCall } from "./call.ts";
import { runProgram } from "./programs.ts";
import { launchProgram } from "./recording.ts";
import { type Runs, runCopied } from "./run-copied.ts";
import { runSteps } from "./run-steps.ts";
import { pieceElements, runStaged } from "./stage.ts";

export interface RunOptions {
  /** Visiting the same elements twice is as good as once: axes in which no operand moves are dropped. */
  readonly idempotent?: boolean;
}

/** Computes every element of the outputs, which come first among the operands. */
export function runMap(
  kernel: MapKernel,
  operands: readonly Operand[],
  scalars: readonly Value[] = [],
  options: RunOptions = {},
): void {
  const { shape } = operands[0] as Operand;
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] === 0) return;
  // All are made ready first: that may move or grow the memory. Then places are asked for.
  const outputs = kernel.spec.outputs.length;
  for (let k = 0; k < operands.length; k++) {
    const { storage } = operands[k] as Operand;
    if (k < outputs) storage.writable();
    else storage.readable();
  }
  const memories: Memory[] = [];
  const itemsizes: number[] = [];
  const starts: number[] = [];
  const strides: (readonly number[])[] = [];
  let isReached = true;
  let isStatic = true;
  const backend = kernelBackend();
  for (let k = 0; k < operands.length; k++) {
    const { storage, dtype, offset, stride } = operands[k] as Operand;
    const memory = storage.readable();
    const { itemsize } = dtypes[dtype];
    isReached = isReached && backend.reaches(memory);
    isStatic = isStatic && (operands[k] as Operand).isStatic === true;
    memories.push(memory);
    itemsizes.push(itemsize);
    starts.push(storage.byteOffset / itemsize + offset);
    strides.push(stride);
  }
  const plan = planModes(shape, starts, strides, options.idempotent);
  // Staging moves whole stretches, also what a mask leaves alone.
  if (!isReached && kernel.spec.isMasked === true)
    throw new InternalError("a masked kernel needs memory that the backend reaches");
  if (isReached) runPlan(kernel, plan, memories, itemsizes, scalars, isStatic);
  else runStaged(plan, memories, itemsizes, outputs, (piece, near) => runPlan(kernel, piece, near, itemsizes, scalars));
}

/** Runs a plan whose operands are all in reach. */
function runPlan(
  kernel: MapKernel,
  plan: Plan,
  memories: readonly Memory[],
  itemsizes: readonly number[],
  scalars: readonly Value[],
  isStatic = false,
): void {
  const halves = splitPlan(plan);
  if (halves !== undefined) {
    runPlan(kernel, halves[0], memories, itemsizes, scalars);
    runPlan(kernel, halves[1], memories, itemsizes, scalars);
    return;
  }
  const form = formOf(plan, itemsizes);
  const call = presentCall();
  for (let k = 0; k < memories.length; k++) {
    call.memories[k] = memories[k] as Memory;
    call.addresses[k] = (plan.starts[k] as number) * (itemsizes[k] as number);
  }
  setScalars(scalars);
  const sizes =
    form.kind === "line" ? setLine(plan, form, lineUnit(kernel, itemsizes)) : setPlane(plan, form, itemsizes);
  const key = keyOf(form);
  if (isStatic) runFixed(kernel, form, call, sizes);
  else if (kernel.kept.has(key) || !runCopied(kernel, key, plan, memories, itemsizes, runs))
    runProgram(kernel, key, () => buildMap(kernel.spec, form));
}

const runs: Runs = {
  dense: (kernel, count, classes) => runDense(kernel, count, classes),
  plan: (kernel, plan, memories, itemsizes) => runPlan(kernel, plan, memories, itemsizes, []),
};

/** Runs the kernel that the first `count` sizes are part of: what static integers ask for. */
function runFixed(kernel: MapKernel, form: Form, call: KernelCall, count: number): void {
  let key = `${keyOf(form)}`;
  for (let i = 0; i < count; i++) key += ` ${call.sizes[i]}`;
  runProgram(kernel, key, () => fixSizes(buildMap(kernel.spec, form), call.sizes));
}

/**
 * Computes `count` elements, 1 to `mostDense`. By `classes`, two bits for each operand, its elements follow each other in memory (1), or it
 * is one element for all (0). Who calls has set the memories, the addresses and the scalars of the call, and knows that the backend
 * reaches all of them.
 */
export function runDense(kernel: MapKernel, count: number, classes: number): void {
  const call = presentCall();
  call.sizes[0] = count;
  call.sizes[1] = tiling.unit;
  call.units = count <= tiling.unit ? 1 : Math.ceil(count / tiling.unit);
  call.unitSize = Math.min(count, tiling.unit);
  const key = 2 * classes;
  if (kernel.lastKey === key) launchProgram(kernel.lastProgram as KernelProgram);
  else if (kernel.kept.has(key) || !runSteps(kernel, count, classes, runDense))
    runProgram(kernel, key, () => buildMap(kernel.spec, lineOf(classes)));
}

const lineOf = (classes: number): Form => ({ kind: "line", classes, second: 0, transposing: false });

/** The most elements of a dense run; a plan of more is split. */
export const mostDense = 2 ** 30;

/** The most elements that one run numbers through, in a line in this storage: each part of a split or staged run counts from 0. */
export const mostNumbered = (storage: Storage): number =>
  kernelBackend().reaches(storage.writable()) ? mostDense / 2 : pieceElements;

/** The kernel that `runMap` runs, or would run, over these operands. */
export function kernelFor(kernel: MapKernel, operands: readonly Operand[]): Kernel {
  const { shape } = operands[0] as Operand;
  if (shape.includes(0)) return buildMap(kernel.spec, lineOf((4 ** kernel.operands - 1) / 3));
  const starts = operands.map(() => 0);
  const plan = planModes(
    shape,
    starts,
    operands.map(({ stride }) => stride),
  );
  const itemsizes = operands.map(({ dtype }) => dtypes[dtype].itemsize);
  const form = formOf(plan, itemsizes);
  const built = buildMap(kernel.spec, form);
  if (!operands.every(({ isStatic }) => isStatic === true)) return built;
  if (form.kind === "line") setLine(plan, form, lineUnit(kernel, itemsizes));
  else setPlane(plan, form, itemsizes);
  return fixSizes(built, presentCall().sizes);
}

/** What the program depends on: the cache key, together with the spec. */
const keyOf = ({ kind, classes }: Form): number => classes * 2 + (kind === "plane" ? 1 : 0);

/** Sets the scalars of the call. */
function setScalars(scalars: readonly Value[]): void {
  const call = presentCall();
  for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
}

const strideOf = (plan: Plan, operand: number, mode: number): number =>
  (plan.strides[operand] as readonly number[])[mode] as number;

/** Elements of one unit of a line. */
const lineUnit = ({ spec }: MapKernel, itemsizes: readonly number[]): number =>
  spec.isCopy === true ? tiling.copyBytes / (itemsizes[0] as number) : tiling.unit;

/** Sets the arguments of a line, in the order of `../map/build.ts`, and gives the number of sizes among them. */
function setLine(plan: Plan, { classes }: Form, unit: number): number {
  const call = presentCall();
  const { sizes } = call;
  const n = plan.sizes.length === 0 ? 1 : (plan.sizes[0] as number);
  sizes[0] = n;
  sizes[1] = unit;
  let at = 2;
  for (let k = 0; k < plan.strides.length; k++)
    if (((classes >> (2 * k)) & 3) === 2) sizes[at++] = strideOf(plan, k, 0);
  call.units = Math.ceil(n / unit);
  call.unitSize = Math.min(n, unit);
  return at;
}

/** The same for a plane. */
function setPlane(plan: Plan, form: Form, itemsizes: readonly number[]): number {
  const call = presentCall();
  const { sizes } = call;
  const { n, m, tileN, tileM, tilesN, tilesM, units, unitElements } = tilesOf(plan, form, itemsizes);
  sizes[0] = n;
  sizes[1] = m;
  sizes[2] = tileN;
  sizes[3] = tileM;
  sizes[4] = tilesN;
  sizes[5] = tilesN * tilesM;
  sizes[6] = units;
  let at = 7;
  for (let k = 0; k < plan.strides.length; k++) sizes[at++] = strideOf(plan, k, form.second);
  for (let k = 0; k < plan.strides.length; k++)
    if (((form.classes >> (2 * k)) & 3) === 2) sizes[at++] = strideOf(plan, k, 0);
  call.modes[0] = walkedModes(plan, form);
  call.units = units;
  call.unitSize = unitElements;
  return at;
}
