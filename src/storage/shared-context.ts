/**
 * A context that several DataPtrs own together: the last one to go frees what they share.
 *
 * The deleter says how they share. With `releaseShare` all see each other's writes: their storages are aliases. With
 * `releaseLazyCopy` they are copies that have not been made yet: whoever writes first makes its own (copy-on-write).
 */
import { DataPtr, type Deleter } from "./data-ptr.ts";

/** What is shared, and by how many. */
export class SharedContext {
  declare readonly pointer: DataPtr;
  count = 0;

  constructor(pointer: DataPtr) {
    this.pointer = pointer;
  }
}

function leaveContext(context: SharedContext): void {
  if (--context.count === 0) context.pointer.clear();
}

/** The deleter of aliases. */
export const releaseShare = (context: SharedContext): void => leaveContext(context);

/** The deleter of copies that are not made yet. */
export const releaseLazyCopy = (context: SharedContext): void => leaveContext(context);

/** One more DataPtr that owns the context. */
export function joinContext(context: SharedContext, deleter: Deleter): DataPtr {
  context.count++;
  const { data, device } = context.pointer;
  return new DataPtr(data, context, deleter, device);
}
