/**
 * A vector loop with a long body that is emitted once: the remaining iterations become a whole vector. If there was a vector before, the
 * last one begins earlier and some elements are computed twice, unless an output overlaps an input, which has changed by then.
 * Otherwise it is padded: the elements are copied to the thread's scratch bytes, the pointers moved there for one more iteration, and
 * its results copied back. Lanes without an element compute with undefined values, which are not copied.
 *
 *   loop
 *     if fewer iterations are left than there are lanes: go back, or copy and move the pointers
 *     loop: the body, while there are whole vectors
 *     if elements were copied: copy back
 *     again, if iterations are left
 *
 * A vector loop that only copies adjacent elements is one `memory.copy`: the engine's is faster on long rows, since it need not read
 * the cache lines that it fills. Short rows stay a loop, which starts sooner.
 */
import type { LoopStatement } from "../../../kernel/ir/kernel.ts";
import { advancePointers } from "./accesses.ts";
import { type Emission, innermost, lastStart, type Pointer, scratchLocal } from "./emission.ts";
import { logarithm } from "./memory-ops.ts";
import { set, tee } from "./representation.ts";

/** The accesses through a pointer in the loop. */
interface Use {
  isLoaded: boolean;
  isStored: boolean;
}

/** The pointers of the innermost loop if all of its accesses are adjacent, else undefined. */
export function paddable(e: Emission): ReadonlyMap<Pointer, Use> | undefined {
  const uses = new Map<Pointer, Use>();
  for (const [accessing, { pointer, offset }] of innermost(e).accesses) {
    if (pointer.step !== pointer.bytes || offset !== 0) return undefined;
    const use = uses.get(pointer) ?? { isLoaded: false, isStored: false };
    if (accessing.kind === "load") use.isLoaded = true;
    else use.isStored = true;
    uses.set(pointer, use);
  }
  return uses;
}

/** Emits all iterations from the local `index` to the local `end`, at least one; `writeBody` emits the body for `lanes` of them. */
export function emitPadded(
  e: Emission,
  index: number,
  end: number,
  lanes: number,
  pointers: ReadonlyMap<Pointer, Use>,
  title: string,
  writeBody: () => void,
): void {
  const { builder } = e;
  const local = (name: string): number => builder.local("i32", name);
  const last = lastStart(e, end, lanes);
  const [left, isAgain] = [local("left"), local("is_again")];
  builder.into(innermost(e).before.code, () =>
    builder.emit(["i32.const", 0], set(left), ["i32.const", 0], set(isAgain)),
  );
  const padded = [...pointers].map(([pointer, use]) => ({
    ...pointer,
    ...use,
    scratch: scratchLocal(e, 16, "aside"),
    before: local("back"),
  }));
  const isPastLast = [index, last, "i32.gt_s"] as const;
  builder.emit("loop", ...isPastLast);
  builder.titled("the last iterations", "if");
  builder.emit(end, index, "i32.sub", set(left), isAgain);
  pushIsApart(e, padded);
  builder.emit("i32.and", "if", left, ["i32.const", lanes], "i32.sub", set(left));
  for (const { local, bytes } of [{ local: index, bytes: 1 }, ...padded])
    builder.emit(left, ["i32.const", bytes], "i32.mul", local, "i32.add", set(local));
  builder.emit(["i32.const", 0], set(left), "else");
  for (const { local, bytes, isLoaded, scratch, before } of padded) {
    if (isLoaded) copyElements(e, left, bytes, local, scratch);
    builder.emit(local, set(before), scratch, set(local));
  }
  builder.emit("end", "end");
  builder.titled(`${title}, ${lanes} at a time`, "loop");
  writeBody();
  advancePointers(e, lanes);
  builder.emit(index, ["i32.const", lanes], "i32.add", set(index));
  builder.emit(...isPastLast, "i32.eqz", ["br_if", 0], "end");
  builder.emit(["i32.const", 1], set(isAgain), left, "if");
  for (const { bytes, isStored, scratch, before } of padded)
    if (isStored) copyElements(e, left, bytes, scratch, before);
  builder.emit("end", index, end, "i32.lt_s", ["br_if", 0], "end");
}

/** Pushes whether no pointer that is stored to equals one that is loaded from. */
function pushIsApart({ builder }: Emission, pointers: readonly (Pointer & Use)[]): void {
  builder.op("i32.const", 1);
  for (const stored of pointers.filter(({ isStored }) => isStored))
    for (const loaded of pointers.filter(({ isLoaded }) => isLoaded))
      builder.emit(stored.local, loaded.local, "i32.ne", "i32.and");
}

const loads = { 1: "i32.load8_u", 2: "i32.load16_u", 4: "i32.load", 8: "i64.load" } as const;
const stores = { 1: "i32.store8", 2: "i32.store16", 4: "i32.store", 8: "i64.store" } as const;

/** Copies as many elements as the local `count` says, at least one. */
function copyElements({ builder }: Emission, count: number, bytes: number, from: number, to: number): void {
  const size = bytes as keyof typeof loads;
  const align = logarithm(bytes);
  const at = builder.local("i32");
  builder.emit(count, ["i32.const", align], "i32.shl", set(at), "loop");
  builder.emit(at, ["i32.const", bytes], "i32.sub", set(at));
  builder.emit(to, at, "i32.add", from, at, "i32.add", [loads[size], align, 0], [stores[size], align, 0]);
  builder.emit(at, ["br_if", 0], "end");
}

/** The smallest row in bytes that is copied as a block. */
const blockCopyBytes = 512;

/** Emits a copy of all elements from `index` to `end`, after which `index` is `end`; emits nothing if the loop is not such a copy. */
export function emitBlockCopy(e: Emission, loop: LoopStatement, index: number, end: number): void {
  const { builder } = e;
  const [store] = loop.body;
  if (loop.body.length !== 1 || store?.kind !== "store" || store.mask !== undefined) return;
  const { value } = store;
  if (value.kind !== "load" || value.mask !== undefined) return;
  const { accesses } = innermost(e);
  const [to, from] = [accesses.get(store), accesses.get(value)];
  if (to === undefined || from === undefined) return;
  const { bytes } = to.pointer;
  if (from.pointer.bytes !== bytes || to.pointer.step !== bytes || from.pointer.step !== bytes) return;
  if (to.offset !== 0 || from.offset !== 0) return;
  const length = builder.local("i32", "length");
  builder.emit(end, index, "i32.sub", ["i32.const", logarithm(bytes)], "i32.shl", tee(length));
  builder.emit(["i32.const", blockCopyBytes], "i32.ge_u");
  builder.titled("a long row", "if");
  builder.emit(to.pointer.local, from.pointer.local, length, "memory.copy");
  builder.emit(end, set(index), "end");
}
