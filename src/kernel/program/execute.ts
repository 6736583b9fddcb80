/** Work that is lowered and run at once: its operands are made ready, then the program is built, bound and run. */
import type { Memory } from "../../storage/memory.ts";
import type { ElementStorage } from "../operand.ts";
import { ProgramBuilder } from "./builder.ts";
import type { Binding } from "./program.ts";
import { runProgram } from "./run-program.ts";
import { isBound } from "./slots.ts";

interface Stored {
  readonly storage: ElementStorage;
}

/** Runs what `lower` adds to a program over operands that are written and others that are read. */
export function execute(
  written: readonly Stored[],
  read: readonly Stored[],
  lower: (builder: ProgramBuilder) => void,
): void {
  // All are made ready first: that may move or grow the memory.
  for (let k = 0; k < written.length; k++) written[k].storage.writable();
  for (let k = 0; k < read.length; k++) read[k].storage.readable();
  const builder = new ProgramBuilder();
  lower(builder);
  runProgram(builder.finish(), bindingOf(builder));
}

/** The storages of a program that was just built, as what its slots are bound to. */
export function bindingOf({ storages, origins, scalars }: ProgramBuilder): Binding {
  const memories: Memory[] = [];
  const addresses: number[] = [0];
  for (let slot = 1; slot < storages.length; slot++) {
    const storage = storages[slot];
    if (!isBound(storage)) continue;
    memories[slot] = storage.readable();
    addresses[slot] = storage.byteOffset + origins[slot];
  }
  return { memories, addresses, scalars, count: 0 };
}
