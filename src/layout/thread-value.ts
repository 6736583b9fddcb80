/**
 * Thread-value partition: a layout read through a TV layout, which maps (thread, value) to a 1-D coordinate of it; then one
 * thread's values.
 *
 * Promise: threadValuePartition(A, TV, t) = (L, o) with o + L(v) = A(TV(t, v)) for every value v.
 */
import { composition } from "./composition.ts";
import { _, type SliceCoord } from "./coord.ts";
import type { AnyLayout, Layout } from "./layout.ts";
import type { Partition } from "./partition.ts";
import { sliceAndOffset } from "./swizzled.ts";

/** What one thread gets of a layout by a TV layout: its values, in the shape and order that the TV layout gives them. */
export function threadValuePartition<L extends AnyLayout>(
  layout: L,
  threadValues: Layout,
  thread: SliceCoord,
): Partition<L> {
  const read = composition(layout as AnyLayout, threadValues);
  return sliceAndOffset([thread, _] as never, read) as Partition as Partition<L>;
}
