/**
 * Little work of a map over strided operands, done by the program that it has for dense ones, or in steps if it has none: inputs that do
 * not lie densely are copied first. Making another program takes longer than that, and the kernels that copy serve all maps. A map that is
 * called so again and again gets a program for these operands.
 */
import { remember } from "../../base/remember.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import { kernelBackend } from "../backend.ts";
import { bitTypes, copyKernel } from "../map/copy-kernel.ts";
import type { MapKernel } from "../map/map.ts";
import { type Plan, planModes } from "../plan/plan.ts";
import { presentCall } from "./call.ts";
import type { ProgramKey } from "./programs.ts";
import { spoilRecording } from "./recording.ts";
import { stepsFor } from "./run-steps.ts";
import { ifRoom } from "./temporary.ts";

/** The most elements of a call, and how often a map is done so for one form of operands. */
export const copying = { elements: 4096, calls: 16 };

/** How often maps were done so, by the form of their operands. */
const done = new WeakMap<MapKernel, Map<ProgramKey, number>>();

/** The runs of `run-map.ts`. */
export interface Runs {
  readonly dense: (kernel: MapKernel, count: number, classes: number) => void;
  readonly plan: (kernel: MapKernel, plan: Plan, memories: readonly Memory[], itemsizes: readonly number[]) => void;
}

/** The classes of operands that are all dense. */
const denseClasses = ({ operands }: MapKernel): number => (4 ** operands - 1) / 3;

/**
 * Runs a plan for which there is no program, if that is better done by copies; the scalars of the call are set. False, and nothing is
 * done, if a program is to be made.
 */
export function runCopied(
  kernel: MapKernel,
  key: ProgramKey,
  plan: Plan,
  memories: readonly Memory[],
  itemsizes: readonly number[],
  runs: Runs,
): boolean {
  const { spec } = kernel;
  if (spec.isCopy === true || spec.isMasked === true || kernelBackend().stepsFirst !== true) return false;
  const dense: number[] = [];
  let count = 1;
  for (const size of plan.sizes) {
    dense.push(count);
    count *= size;
  }
  const isReady = kernel.kept.has(2 * denseClasses(kernel))
    ? count <= copying.elements
    : stepsFor(kernel, count) !== null;
  if (!isReady || !isSeldom(kernel, key)) return false;
  const isDense = plan.strides.map((strides) => strides.every((stride, d) => stride === dense[d]));
  // An output that lies otherwise may share places within itself; then the order counts.
  const outputs = spec.outputs.length;
  if (isDense.some((is, k) => !is && (k < outputs || bitTypes[itemsizes[k] as number] === undefined))) return false;
  spoilRecording();
  return ifRoom(16 * count * isDense.length, (near, at) => {
    const call = presentCall();
    const starts = plan.starts.slice();
    for (let k = outputs; k < isDense.length; k++) {
      if (isDense[k]) continue;
      const size = itemsizes[k] as number;
      const bits = bitTypes[size] as DType;
      const from = starts[k] as number;
      const to = (at + 16 * count * k) / size;
      starts[k] = to;
      const copied = planModes(plan.sizes, [to, from], [dense, plan.strides[k] as readonly number[]]);
      runs.plan(copyKernel(bits, bits), copied, [near, memories[k] as Memory], [size, size]);
    }
    for (let k = 0; k < isDense.length; k++) {
      call.memories[k] = isDense[k] ? (memories[k] as Memory) : near;
      call.addresses[k] = (starts[k] as number) * (itemsizes[k] as number);
    }
    runs.dense(kernel, count, denseClasses(kernel));
  });
}

/** Counts the call, and says whether there have been few. */
function isSeldom(kernel: MapKernel, key: ProgramKey): boolean {
  const counts = remember(done, kernel, () => new Map<ProgramKey, number>());
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count <= copying.calls;
}
