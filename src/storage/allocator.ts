/**
 * Which allocator serves which device. A device type has one; a new one takes its place unless it has a lower priority.
 * The processor's allocator is made at first use; `setAllocator("cpu", ...)` puts one's own before it.
 */

import { StorageError } from "../base/errors.ts";
import type { Allocator } from "./allocation.ts";
import { cpuAllocator } from "./cpu-allocator.ts";
import { metaAllocator } from "./meta-allocator.ts";

export { type Allocator, cloneData, copyData, rawAllocate, rawDeallocate } from "./allocation.ts";

interface Entry {
  readonly allocator: Allocator;
  readonly priority: number;
}

const entries = new Map<string, Entry>();

/** The user's allocator for "cpu", if there is one: the one entry that is asked for at every allocation. */
export let ownCpuAllocator: Allocator | null = null;

/** Makes an allocator serve a device type; ignored if the one that does has a higher priority (0 unless said). */
export function setAllocator(deviceType: string, allocator: Allocator, priority = 0): void {
  if (priority < (entries.get(deviceType)?.priority ?? 0)) return;
  entries.set(deviceType, { allocator, priority });
  if (deviceType === "cpu") ownCpuAllocator = allocator === cpuAllocator() ? null : allocator;
}

/** The allocator that serves a device type. */
export function getAllocator(deviceType: string): Allocator {
  const entry = entries.get(deviceType);
  if (entry !== undefined) return entry.allocator;
  if (deviceType === "cpu") return cpuAllocator();
  if (deviceType === "meta") return metaAllocator;
  throw new StorageError(
    `getAllocator: no allocator serves device "${deviceType}". Known: ${[...new Set(["cpu", "meta", ...entries.keys()])].join(", ")}; ` +
      "register yours with setAllocator.",
  );
}
