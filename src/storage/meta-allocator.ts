/**
 * The allocator of the meta device: sizes without bytes.
 */
import type { Allocator } from "./allocation.ts";
import { DataPtr } from "./data-ptr.ts";
import { meta } from "./device.ts";

/** Allocates nothing, of any size. */
export const metaAllocator: Allocator = {
  device: meta,
  allocate: () => new DataPtr(null, null, null, meta),
  clone: () => new DataPtr(null, null, null, meta),
};
