/**
 * Computes little work of a map over strided operands with its kernel for dense ones, or in steps if it has none: strided inputs are
 * copied first. Compiling another kernel takes longer than that, and all maps share the kernels that copy. A map that is called repeatedly
 * gets a kernel for these operands.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import type { Value } from "../../storage/dtype.ts";
import { bitTypes, copyKernel } from "../map/copy-kernel.ts";
import type { MapKernel } from "../map/map.ts";
import type { ProgramBuilder } from "./builder.ts";
import type { KernelKey } from "./kernels.ts";
import { type DenseOperand, denseClasses, lowerDenseMap, stepsFor } from "./lower-dense.ts";
import type { StagedPlan } from "./lower-staged.ts";

/** The maximum number of elements of a call, and of calls of a map for one form of operands. */
export const copying = { elements: 4096, calls: 16 };

/** The number of such calls of each map, by the form of its operands. */
const done = new WeakMap<MapKernel, Map<KernelKey, number>>();

/** `lowerPlan` of `lower-map.ts`. */
type LowerPlan = (builder: ProgramBuilder, kernel: MapKernel, planned: StagedPlan, scalars: readonly Value[]) => void;

/** Adds the steps of a plan without a compiled kernel, if copies are faster than compiling it. Otherwise adds nothing and returns false. */
export function lowerCopied(
  builder: ProgramBuilder,
  kernel: MapKernel,
  key: KernelKey,
  { plan, storages, itemsizes }: StagedPlan,
  scalars: readonly Value[] | null,
  lowerPlan: LowerPlan,
): boolean {
  const { spec } = kernel;
  if (spec.isCopy === true || spec.isMasked === true || builder.backend.stepsFirst !== true) return false;
  const dense: number[] = [];
  let count = 1;
  for (const size of plan.sizes) {
    dense.push(count);
    count *= size;
  }
  const isReady = kernel.isCompiled(2 * denseClasses(kernel))
    ? count <= copying.elements
    : stepsFor(kernel, count, builder.backend) !== null;
  if (!isReady || !isSeldom(kernel, key)) return false;
  const isDense = plan.strides.map((strides) => strides.every((stride, d) => stride === dense[d]));
  // The elements of a strided output may overlap; then the order of writes matters.
  const outputs = spec.outputs.length;
  if (isDense.some((is, k) => !is && (k < outputs || bitTypes[itemsizes[k]] === undefined))) return false;
  builder.isCacheable = false;
  builder.workspace(16 * count * isDense.length, (workspace, at) => {
    const operands = storages.map((storage, k): DenseOperand => {
      const itemsize = itemsizes[k];
      const start = plan.starts[k];
      if (isDense[k]) return { storage, start, itemsize, isDense: true };
      const bits = bitTypes[itemsize];
      const to = (at + 16 * count * k) / itemsize;
      const copied = simplifyFlat(plan.sizes, [to, start], [dense, plan.strides[k]]);
      const planned = { plan: copied, storages: [workspace, storage], itemsizes: [itemsize, itemsize] };
      lowerPlan(builder, copyKernel(bits, bits), planned, []);
      return { storage: workspace, start: to, itemsize, isDense: true };
    });
    lowerDenseMap(builder, kernel, count, operands, scalars);
  });
  return true;
}

/** Counts the call; true while there have been few. */
function isSeldom(kernel: MapKernel, key: KernelKey): boolean {
  const counts = getOrCompute(done, kernel, () => new Map<KernelKey, number>());
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count <= copying.calls;
}
