/**
 * A vector loop that only copies elements in a row, as one `memory.copy`: the engine's own is faster on long rows, since it need not
 * read the lines of cache that it fills. Short rows stay a loop, which begins sooner.
 */
import type { LoopStatement } from "../../../kernel/ir/kernel.ts";
import { type Emission, innermost } from "./emission.ts";

/** Rows from this many bytes on are copied as a block. */
const worthBytes = 512;

/** Writes the copy of all rounds from `index` to `end` at once, after which `index` is `end`; nothing if the loop is no such copy. */
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
