/**
 * Lowers an elementwise kernel over strided operands: plan, loop nest, kernel, arguments.
 *
 * Operands have one shape; broadcasting is strides of 0. The caller ensures that an output overlaps an input only exactly in place, and that
 * the elements of an output do not overlap. Operands in memory that the backend cannot address are staged piece by piece
 * (`lower-staged.ts`).
 */
import { InternalError } from "../../base/errors.ts";
import { type FlatLayout, simplifyFlat } from "../../layout/flat.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { backendOf } from "../backend.ts";
import type { Kernel } from "../ir/kernel.ts";
import { fixSizes } from "../lower/fix-sizes.ts";
import { buildMap } from "../map/build.ts";
import type { MapKernel } from "../map/map.ts";
import type { ElementStorage, Operand } from "../operand.ts";
import { type LoopNest, loopNestOf, outerModes } from "../plan/loop-nest.ts";
import { splitPlan, type Tiling, tilesOf, tiling } from "../plan/tiles.ts";
import type { ProgramBuilder } from "./builder.ts";
import type { KernelEntry } from "./kernels.ts";
import { lowerCopied } from "./lower-copied.ts";
import { denseClasses, loopNest1d, lowerSteps } from "./lower-dense.ts";
import { lowerStaged, pieceElements, type StagedPlan } from "./lower-staged.ts";
import { execute } from "./run-program.ts";

export interface MapOptions {
  /** True if visiting elements twice has no further effect: axes in which all strides are 0 are dropped. */
  readonly idempotent?: boolean;
}

/** Computes every element of the outputs, which come first among the operands. */
export function runMap(
  kernel: MapKernel,
  operands: readonly Operand[],
  scalars: readonly Value[] = [],
  options: MapOptions = {},
): void {
  const count = kernel.spec.outputs.length;
  execute(operands.slice(0, count), operands.slice(count), (builder) =>
    lowerMap(builder, kernel, operands, scalars, options),
  );
}

/** Adds the steps that compute the outputs, which come first among the operands. Scalars of null are bound when the program runs. */
export function lowerMap(
  builder: ProgramBuilder,
  kernel: MapKernel,
  operands: readonly Operand[],
  scalars: readonly Value[] | null = [],
  options: MapOptions = {},
): void {
  const { shape } = operands[0];
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] === 0) return;
  if (scalars !== null) {
    const count = kernel.spec.outputs.length;
    const own = { outputs: operands.slice(0, count), inputs: operands.slice(count), scalars };
    if (builder.defer({ kind: "map", kernel, idempotent: options.idempotent === true, operands: own })) return;
  }
  const storages: ElementStorage[] = [];
  const itemsizes: number[] = [];
  const starts: number[] = [];
  const strides: (readonly number[])[] = [];
  let isAddressable = true;
  let isStatic = true;
  for (let k = 0; k < operands.length; k++) {
    const { storage, dtype, offset, stride, isStatic: own = false } = operands[k];
    isAddressable = isAddressable && builder.canAddress(storage);
    isStatic = isStatic && own;
    storages.push(storage);
    itemsizes.push(dtypes[dtype].itemsize);
    starts.push(offset);
    strides.push(stride);
  }
  const plan = simplifyFlat(shape, starts, strides, options.idempotent);
  if (isAddressable) lowerPlan(builder, kernel, { plan, storages, itemsizes }, scalars, isStatic);
  // Staging copies whole runs, also elements that the mask excludes.
  else if (kernel.spec.isMasked === true)
    throw new InternalError("a masked kernel needs memory that the backend can address");
  else
    lowerStaged(builder, { plan, storages, itemsizes }, kernel.spec.outputs.length, (piece) =>
      lowerPlan(builder, kernel, piece, scalars),
    );
}

/** Adds the launches of a plan whose operands are all addressable. */
export function lowerPlan(
  builder: ProgramBuilder,
  kernel: MapKernel,
  planned: StagedPlan,
  scalars: readonly Value[] | null,
  isStatic = false,
): void {
  const { plan, storages, itemsizes } = planned;
  const halves = splitPlan(plan);
  if (halves !== undefined) {
    for (const half of halves) lowerPlan(builder, kernel, { ...planned, plan: half }, scalars);
    return;
  }
  const nest = loopNestOf(plan, itemsizes);
  const key = keyOf(nest);
  const isDense = nest.kind === "line" && nest.classes === denseClasses(kernel);
  const buffers = storages.map((storage, k) => ({
    storage,
    start: plan.starts[k],
    itemsize: itemsizes[k],
    isDense,
  }));
  if (!isStatic && builder.mayUseSteps && !kernel.isCompiled(key)) {
    const isDone = isDense
      ? lowerSteps(builder, kernel, plan.sizes[0] ?? 1, buffers, scalars ?? builder.scalars)
      : lowerCopied(builder, kernel, key, planned, scalars, lowerPlan);
    if (isDone) return;
  }
  const { sizes, modes, units, unitSize } = argumentsOf(kernel, plan, nest, itemsizes, builder.tiling);
  const entry = isStatic ? fixedKernel(kernel, nest, sizes) : kernel.entry(key, () => buildMap(kernel.spec, nest));
  builder.launch({ kernel: entry, buffers, sizes, scalars, modes, units, unitSize });
}

/** Returns the kernel with constant sizes, for static integers. */
const fixedKernel = (kernel: MapKernel, nest: LoopNest, sizes: readonly number[]): KernelEntry =>
  kernel.entry(`${keyOf(nest)} ${sizes.join(" ")}`, () => fixSizes(buildMap(kernel.spec, nest), sizes));

/** The maximum number of elements of a dense launch; larger plans are split. */
export const maxDense = 2 ** 30;

/** The maximum number of elements of one launch of a kernel that numbers its elements: each part of a split or staged launch counts from 0. */
export function maxNumbered(storage: Storage): number {
  const memory = storage.writable();
  return backendOf(memory).canAddress(memory) ? maxDense / 2 : pieceElements;
}

/** Returns the kernel that `runMap` uses for these operands. */
export function kernelFor(kernel: MapKernel, operands: readonly Operand[]): Kernel {
  const { shape } = operands[0];
  if (shape.includes(0)) return buildMap(kernel.spec, loopNest1d(denseClasses(kernel)));
  const starts = operands.map(() => 0);
  const plan = simplifyFlat(
    shape,
    starts,
    operands.map(({ stride }) => stride),
  );
  const itemsizes = operands.map(({ dtype }) => dtypes[dtype].itemsize);
  const nest = loopNestOf(plan, itemsizes);
  const built = buildMap(kernel.spec, nest);
  if (!operands.every(({ isStatic }) => isStatic === true)) return built;
  return fixSizes(built, argumentsOf(kernel, plan, nest, itemsizes).sizes);
}

/** The key of a kernel in the table of its spec. */
const keyOf = ({ kind, classes }: LoopNest): number => classes * 2 + (kind === "plane" ? 1 : 0);

/** The numbers of a launch. */
interface Arguments {
  readonly sizes: readonly number[];
  readonly modes: readonly (readonly number[])[];
  readonly units: number;
  readonly unitSize: number;
}

const argumentsOf = (
  kernel: MapKernel,
  plan: FlatLayout,
  nest: LoopNest,
  itemsizes: readonly number[],
  by: Tiling = tiling,
): Arguments =>
  nest.kind === "line"
    ? arguments1d(plan, nest, unitElements1d(kernel, itemsizes, by))
    : arguments2d(plan, nest, itemsizes, by);

const strideOf = (plan: FlatLayout, operand: number, mode: number): number => plan.strides[operand][mode];

/** Elements of one unit of a line. */
const unitElements1d = ({ spec }: MapKernel, itemsizes: readonly number[], by: Tiling): number =>
  spec.isCopy === true ? by.copyBytes / itemsizes[0] : by.unit;

const noModes: readonly (readonly number[])[] = [];

/** The arguments of a line, in the order of `../map/build.ts`. */
function arguments1d(plan: FlatLayout, { classes }: LoopNest, unit: number): Arguments {
  const n = plan.sizes.length === 0 ? 1 : plan.sizes[0];
  const sizes = [n, unit];
  pushSteps(sizes, plan, classes);
  return { sizes, modes: noModes, units: Math.ceil(n / unit), unitSize: Math.min(n, unit) };
}

/** The same for a plane. */
function arguments2d(plan: FlatLayout, nest: LoopNest, itemsizes: readonly number[], by: Tiling): Arguments {
  const { n, m, tileN, tileM, tilesN, tilesM, units, unitElements } = tilesOf(plan, nest, itemsizes, by);
  const sizes = [n, m, tileN, tileM, tilesN, tilesN * tilesM, units];
  for (let k = 0; k < plan.strides.length; k++) sizes.push(strideOf(plan, k, nest.second));
  pushSteps(sizes, plan, nest.classes);
  return { sizes, modes: [outerModes(plan, nest)], units, unitSize: unitElements };
}

/** The steps along the innermost mode that are arguments. */
function pushSteps(sizes: number[], plan: FlatLayout, classes: number): void {
  for (let k = 0; k < plan.strides.length; k++) if (((classes >> (2 * k)) & 3) === 2) sizes.push(strideOf(plan, k, 0));
}
