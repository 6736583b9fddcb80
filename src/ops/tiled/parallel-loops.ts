/**
 * parallelLoops: work on every region of a tensor; a region is the elements of the axes after `lastDim`.
 *
 * A function of this program runs on the calling thread, since a function cannot be sent to another one. A formula over the element x (in place)
 * and a reduction (one number for each region) are kernels and run in parallel, and so does a function of a module, which workers import.
 * The number of threads is that of `configure({ threads })`, or less by the option `threads`.
 */
import { StridewiseError } from "../../base/errors.ts";
import { withThreads } from "../../kernel/backend.ts";
import type { Reduction } from "../../kernel/reduce/reductions.ts";
import type { DType, TypedArray } from "../../storage/dtype.ts";
import { type Axis, properAxisOf } from "../../tensor/axes.ts";
import { bumpVersion } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { WindowFor } from "../../tensor/types/shape-arrays.ts";
import { parseFormula } from "../formula/parse.ts";
import { elementwise } from "../user-kernel.ts";
import { checkLoopOptions, currentWindow, openWindow } from "./element-window.ts";
import { type ModuleFunction, moduleRegions } from "./module-regions.ts";
import { checkOperands, type RegionReduction, reduceRegions } from "./reduce-regions.ts";
import { eachRegion, type RegionList, regionsOf } from "./regions.ts";

/**
 * One region: `data` is the tensor's storage, valid during the call; the region's elements start at `data[position]` and are contiguous; the
 * next region along axis `lastDim` is `stride` elements further; `restShape` is the shape of the region.
 */
export type RegionBody<D extends DType = DType> = (
  data: WindowFor<D>,
  position: number,
  stride: number,
  restShape: readonly number[],
) => void;

/** A formula over the element x, computed in place. */
export interface RegionMap {
  readonly map: string;
}

export interface RegionOptions {
  /** False if the function only reads: const views are then allowed, and the version does not change. The default is true. */
  readonly write?: boolean | undefined;
  /** The largest number of threads, including the calling one. A function of this program always runs on the calling thread. */
  readonly threads?: number | undefined;
}

export type { ModuleFunction, Reduction, RegionReduction };

type Body = (data: TypedArray, position: number, stride: number, restShape: readonly number[]) => void;
/** The work on the regions. */
export type RegionWork = Body | string | RegionMap | RegionReduction | ModuleFunction;

const who = "parallelLoops";

/** Does the work on every region; see `TiledTensor.parallelLoops`. */
export function parallelLoops(
  t: Tensor,
  lastDim: Axis,
  work: RegionWork,
  options: RegionOptions = {},
): undefined | Tensor | Promise<void> {
  checkLoopOptions(who, options, ["write", "threads"]);
  const threads = checkThreads(options.threads);
  if (typeof work === "function") return callRegions(t, lastDim, work, options.write ?? true);
  const axis = properAxisOf(who, t, lastDim);
  if (isRecord(work) && "module" in work) {
    const regionsIn = (parts: number): RegionList => regionsOf(t, who, axis, parts);
    return moduleRegions(t, who, work, regionsIn, { threads, write: options.write ?? true });
  }
  return withThreads(threads, () => runKernel(t, axis, work));
}

/** Runs the forms that are kernels. */
function runKernel(t: Tensor, axis: number, work: Exclude<RegionWork, Body | ModuleFunction>): Tensor {
  if (isRecord(work) && "reduce" in work) return reduceRegions(t, who, axis, work);
  const formula = isRecord(work) && "map" in work ? work.map : work;
  if (typeof formula !== "string")
    throw new StridewiseError(
      `${who}: expects a function, a formula, { map }, { reduce } or { module, export }, got ${String(work)}`,
    );
  checkOperands(who, formula, parseFormula(formula).operands);
  elementwise(formula)({ x: t }, { out: t });
  return t;
}

const isRecord = (work: RegionWork): work is Exclude<RegionWork, Body | string> =>
  typeof work === "object" && work !== null;

function checkThreads(threads: number | undefined): number | undefined {
  if (threads === undefined || (Number.isInteger(threads) && threads >= 1)) return threads;
  throw new StridewiseError(`${who}: threads must be an integer of at least 1, got ${threads}`);
}

function callRegions(t: Tensor, lastDim: Axis, body: Body, write: boolean): undefined {
  const window = openWindow(t, who, write);
  const regions = regionsOf(t, who, lastDim, window.info.parts);
  const { stride } = regions;
  try {
    // A new shape for each call, because the function may change it.
    eachRegion(regions, (position) => body(currentWindow(window), position, stride, regions.restShape.slice()));
  } finally {
    if (write) bumpVersion(t);
  }
}
