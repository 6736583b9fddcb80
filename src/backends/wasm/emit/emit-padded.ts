/**
 * A vector loop whose body is long, written once: the rounds that are left at the end become a whole vector. If there was one before, the
 * last vector begins that much earlier, and some elements are computed twice; unless an output lies on an input, which has changed.
 * Else they are filled up: their elements are copied to the thread's scratch bytes, the pointers moved there for one more round, and what
 * it stored is copied back. Lanes that belong to no element compute with whatever lies there, which nobody sees.
 *
 *   loop
 *     if fewer rounds are left than there are lanes: go back, or copy and move the pointers
 *     loop: the body, as long as there are whole vectors
 *     if elements were copied: copy back
 *     again, if rounds are left
 *
 * A vector loop that only copies adjacent elements is one `memory.copy`: the engine's own is faster on long rows, since it need not
 * read the lines of cache that it fills. Short rows stay a loop, which begins sooner.
 */
import type { LoopStatement } from "../../../kernel/ir/kernel.ts";
import { advancePointers } from "./accesses.ts";
import { type Emission, innermost, lastStart, type Pointer } from "./emission.ts";

/** How a pointer is used in the loop. */
interface Use {
  isLoaded: boolean;
  isStored: boolean;
}

/** The pointers of the innermost loop, if all of its accesses are neighbours that a vector holds; undefined else. */
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

/** All rounds of the loop from the local `index` to the local `end`, at least one; `writeBody` writes the body for `lanes` rounds. */
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
  builder.into(innermost(e).before.code, () => {
    for (const cleared of [left, isAgain]) {
      builder.op("i32.const", 0);
      builder.set(cleared);
    }
  });
  const padded = [...pointers].map(([pointer, use]) => ({
    ...pointer,
    ...use,
    place: scratchPlace(e),
    before: local("back"),
  }));
  const pushIsBehind = (): void => {
    builder.get(index);
    builder.get(last);
    builder.op("i32.gt_s");
  };
  builder.op("loop");
  pushIsBehind();
  builder.titled("the last rounds", "if");
  builder.get(end);
  builder.get(index);
  builder.op("i32.sub");
  builder.set(left);
  builder.get(isAgain);
  pushIsApart(e, padded);
  builder.op("i32.and");
  builder.op("if");
  builder.get(left);
  builder.op("i32.const", lanes);
  builder.op("i32.sub");
  builder.set(left);
  for (const { local, bytes } of [{ local: index, bytes: 1 }, ...padded]) {
    builder.get(left);
    builder.op("i32.const", bytes);
    builder.op("i32.mul");
    builder.get(local);
    builder.op("i32.add");
    builder.set(local);
  }
  builder.op("i32.const", 0);
  builder.set(left);
  builder.op("else");
  for (const { local, bytes, isLoaded, place, before } of padded) {
    if (isLoaded) copyElements(e, left, bytes, local, place);
    builder.get(local);
    builder.set(before);
    builder.get(place);
    builder.set(local);
  }
  builder.op("end");
  builder.op("end");
  builder.titled(`${title}, ${lanes} at a time`, "loop");
  writeBody();
  advancePointers(e, lanes);
  builder.get(index);
  builder.op("i32.const", lanes);
  builder.op("i32.add");
  builder.set(index);
  pushIsBehind();
  builder.op("i32.eqz");
  builder.op("br_if", 0);
  builder.op("end");
  builder.op("i32.const", 1);
  builder.set(isAgain);
  builder.get(left);
  builder.op("if");
  for (const { bytes, isStored, place, before } of padded) if (isStored) copyElements(e, left, bytes, place, before);
  builder.op("end");
  builder.get(index);
  builder.get(end);
  builder.op("i32.lt_s");
  builder.op("br_if", 0);
  builder.op("end");
}

/** Pushes whether no pointer is stored to where another one is loaded from, or is itself. */
function pushIsApart({ builder }: Emission, pointers: readonly (Pointer & Use)[]): void {
  const [stored, loaded] = [pointers.filter(({ isStored }) => isStored), pointers.filter(({ isLoaded }) => isLoaded)];
  builder.op("i32.const", 1);
  for (const { local } of stored)
    for (const other of loaded) {
      builder.get(local);
      builder.get(other.local);
      builder.op("i32.ne");
      builder.op("i32.and");
    }
}

/** A local with the address of 16 scratch bytes. */
function scratchPlace(e: Emission): number {
  const { builder } = e;
  const at = e.scratchBytes;
  e.scratchBytes += 16;
  const push = (): void => {
    builder.op("global.get", 0);
    builder.op("i32.const", at);
    builder.op("i32.add");
  };
  return builder.hoist("i32", `scratch ${at}`, push, "aside");
}

const loads = { 1: "i32.load8_u", 2: "i32.load16_u", 4: "i32.load", 8: "i64.load" } as const;
const stores = { 1: "i32.store8", 2: "i32.store16", 4: "i32.store", 8: "i64.store" } as const;

/** Copies as many elements as the local `count` says, at least one. */
function copyElements({ builder }: Emission, count: number, bytes: number, from: number, to: number): void {
  const size = bytes as keyof typeof loads;
  const align = 31 - Math.clz32(bytes);
  const at = builder.local("i32");
  builder.get(count);
  builder.op("i32.const", align);
  builder.op("i32.shl");
  builder.set(at);
  builder.op("loop");
  builder.get(at);
  builder.op("i32.const", bytes);
  builder.op("i32.sub");
  builder.set(at);
  builder.get(to);
  builder.get(at);
  builder.op("i32.add");
  builder.get(from);
  builder.get(at);
  builder.op("i32.add");
  builder.op(loads[size], align, 0);
  builder.op(stores[size], align, 0);
  builder.get(at);
  builder.op("br_if", 0);
  builder.op("end");
}

/** Rows from this many bytes on are copied as a block. */
const worthBytes = 512;

/** Writes the copy of all rounds from `index` to `end` at once, after which `index` is `end`; nothing if the loop is not such a copy. */
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
  builder.get(end);
  builder.get(index);
  builder.op("i32.sub");
  builder.op("i32.const", Math.log2(bytes));
  builder.op("i32.shl");
  builder.tee(length);
  builder.op("i32.const", worthBytes);
  builder.op("i32.ge_u");
  builder.titled("a long row", "if");
  builder.get(to.pointer.local);
  builder.get(from.pointer.local);
  builder.get(length);
  builder.op("memory.copy");
  builder.get(end);
  builder.set(index);
  builder.op("end");
}
