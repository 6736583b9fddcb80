/**
 * The programs that exist: one for each spec and form that was used, at most 2,048 of them.
 * A program is found by its spec's own table, before anything is emitted. Past the limit those that were not used since the last
 * look are given up. Another backend, or other options, ends all of them.
 */
import { type KernelProgram, kernelBackend, onBackendChange } from "../backend.ts";
import type { Kernel } from "../ir/kernel.ts";
import { launchProgram } from "./recording.ts";

/** How many programs there may be. */
export const mostPrograms = 2048;

/** What a program depends on beside its table: a small number, or a text where static sizes are part of it. */
export type ProgramKey = number | string;

/** Whoever keeps programs: a table from a small key, and the one used last. */
export class ProgramTable {
  lastKey: ProgramKey = -1;
  lastProgram: KernelProgram | null = null;
  readonly kept = new Map<ProgramKey, Entry>();
}

interface Entry {
  readonly table: ProgramTable;
  readonly key: ProgramKey;
  readonly program: KernelProgram;
  used: boolean;
}

export interface KernelStatistics {
  /** Programs that can be called now. */
  readonly programs: number;
  /** Programs made since the start. */
  readonly compiled: number;
  /** Programs given up because there were too many. */
  readonly evicted: number;
  /** Milliseconds spent making them. */
  readonly milliseconds: number;
}

let live: Entry[] = [];
let endings = 0;
let compiled = 0;
let evicted = 0;
let milliseconds = 0;
let listens = false;

/** Runs the program of a table under this key with the present call; it is made of the kernel if there is none yet. */
export function runProgram(table: ProgramTable, key: ProgramKey, make: () => Kernel): void {
  if (table.lastKey !== key) find(table, key, make);
  launchProgram(table.lastProgram as KernelProgram);
}

function find(table: ProgramTable, key: ProgramKey, make: () => Kernel): void {
  let entry = table.kept.get(key);
  if (entry === undefined) {
    entry = { table, key, program: compile(make), used: true };
    table.kept.set(key, entry);
    live.push(entry);
    if (live.length > mostPrograms) evict();
  }
  entry.used = true;
  table.lastKey = key;
  table.lastProgram = entry.program;
}

function compile(make: () => Kernel): KernelProgram {
  if (!listens) {
    listens = true;
    onBackendChange(forgetAll);
  }
  const start = performance.now();
  const program = kernelBackend().compile(make());
  milliseconds += performance.now() - start;
  compiled++;
  return program;
}

/** Gives up what was not used since the last time, at least a quarter. */
function evict(): void {
  const newest = live[live.length - 1] as Entry;
  let excess = live.length >> 2;
  const stays: Entry[] = [];
  const drop = (entry: Entry): void => {
    excess--;
    evicted++;
    end(entry);
  };
  for (const entry of live) {
    if (excess > 0 && !entry.used) drop(entry);
    else stays.push(entry);
  }
  live = [];
  for (const entry of stays) {
    if (excess > 0 && entry !== newest) drop(entry);
    else live.push(entry);
    entry.used = false;
  }
}

/** How often a program was given up so far. */
export const programsEnded = (): number => endings;

function end({ table, key, program }: Entry): void {
  table.kept.delete(key);
  if (table.lastKey === key) {
    table.lastKey = -1;
    table.lastProgram = null;
  }
  endings++;
  program.release();
}

/** Gives up all programs; they are made anew when they are needed. */
function forgetAll(): void {
  for (const entry of live) end(entry);
  live = [];
}

/** How many programs there are and what making them cost. */
export function kernelStatistics(): KernelStatistics {
  return { programs: live.length, compiled, evicted, milliseconds };
}
