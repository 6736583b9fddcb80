/**
 * Kernels that fusion creates, cached by the kernels that they combine. Equal combinations share one kernel, so they are compiled once.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { runtime } from "../../base/runtime.ts";
import type { MapKernel } from "../../kernel/map/map.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";

/** Fused kernels by key, and numbers of kernels to form keys. */
const fused = /* @__PURE__ */ runtime.own("graph/fuse/fused-kernels", {
  kernels: new Map<string, MapKernel | ReduceKernel | RowKernel>(),
  numbers: new WeakMap<object, number>(),
  count: 0,
});
const maxKernels = 512;

/** A number for a kernel, to form keys. */
export const numberOf = (kernel: object): number => getOrCompute(fused.numbers, kernel, () => ++fused.count);

export function fusedKernel<K extends MapKernel | ReduceKernel | RowKernel>(key: string, create: () => K): K {
  const { kernels } = fused;
  if (kernels.size >= maxKernels && !kernels.has(key)) kernels.clear();
  return getOrCompute(kernels, key, create) as K;
}

/** Returns the name of a kernel that combines two. */
export const nameOf = (first: string, second: string): string =>
  `${first}_${second.replace(/^[a-z]+\d+_/, "")}`.slice(0, 60);
