/**
 * The program cache of an op. A call whose tensors have the same dtypes, sizes and strides as in an earlier call, and whose other arguments
 * are equal, runs the same program over other memory. A tensor passed as `out` is one of its slots.
 *
 * Precondition: a program of the op depends on nothing else. Tensors must be plain: on the CPU, with at most five flat modes, without
 * names. Tensors in one storage must start as far apart as in the call for which the program was built. Numbers among the first arguments
 * can be bound when a program runs instead.
 */
import { epoch } from "../base/runtime.ts";
import { backendOf, kernelBackend } from "../kernel/backend.ts";
import { isBoundStorage, ProgramBuilder } from "../kernel/program/builder.ts";
import type { Binding, Program } from "../kernel/program/program.ts";
import { bindingOf, runProgram } from "../kernel/program/run-program.ts";
import { areBytesDisjoint } from "../storage/byte-range.ts";
import type { Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";
import type { PlannedCall } from "./dispatch/operator.ts";
import { spanOf } from "./geometry.ts";
import { bumpVersion, mayOverlap, mayWrite, newLike } from "./operand.ts";
import { canCache, canKeep, hashOf, keyArguments, keyValue, matches, numbersOf } from "./program-keys.ts";
import { outsideScopes } from "./scope.ts";
import { Tensor } from "./tensor.ts";

/** Returns the scalars of a call from its arguments. */
export type Bind = (args: readonly unknown[]) => readonly Value[];

/** A call whose program is built. */
export interface ProgramCall extends PlannedCall {
  /** The arguments. Those that are bound are not part of the key. */
  readonly args: readonly unknown[];
  /** True if the op returns a list. */
  readonly isList: boolean;
  /** Returns the scalars of launches whose scalars are null, from the arguments. Omitted if there are none. */
  readonly bind?: Bind | undefined;
}

/** A cached program, with its cache key. */
interface Entry {
  readonly program: Program;
  readonly epoch: number;
  /** The memory of all slots. */
  readonly memory: Memory;
  /** The arguments, with tensors that have no memory. */
  readonly args: readonly unknown[];
  /** Indices of the arguments that are tensors. */
  readonly tensorArgs: readonly number[];
  /** The slots of the results, then those of the tensor arguments. */
  readonly slots: readonly Slot[];
  /** The results, without memory. */
  readonly results: readonly Tensor[];
  readonly isList: boolean;
  readonly bind: Bind | undefined;
}

interface Slot {
  readonly itemsize: number;
  /** Bytes of the tensor's elements before and after the start of element 0. */
  readonly before: number;
  readonly after: number;
  /** The first tensor in the same storage: an index of `tensorArgs`, or -1 for `out`. */
  readonly shares: number;
  /** Bytes from the start of that tensor to the start of this one. */
  readonly distance: number;
}

/** The maximum number of cached programs. When it is reached, all are dropped. */
const maxEntries = 512;
/** Longer programs are not cached: running them takes longer than building them. */
const maxSteps = 64;
/** The slots of the current call. No program calls an op, so one object suffices. */
const binding: Binding = { memories: [], addresses: [0], scalars: [], count: 0, device: null };
const noScalars: readonly Value[] = [];

export class ProgramCache {
  /** By the hash of the arguments. */
  readonly #entries = new Map<number, Entry>();
  /** The number of first arguments whose numbers are bound. */
  readonly #operands: number;

  /** `operands` is the number of first arguments whose numbers are bound. */
  constructor(operands = 0) {
    this.#operands = operands;
  }

  /** Runs a call whose program is cached, and returns its results, or `out`. Returns undefined if no program is cached. */
  run(args: readonly unknown[], out: Tensor | null): Tensor | readonly Tensor[] | undefined {
    if (this.#entries.size === 0) return undefined;
    const key = keyArguments(args);
    const entry = this.#entries.get(hashOf(key, this.#operands));
    if (entry === undefined || entry.epoch !== epoch.now || !matches(entry.args, key, this.#operands)) return undefined;
    return runForSizes(entry, key, out);
  }

  /** Builds the program of a call, runs it, and caches it if it can be run again, unless `keep` has cached it elsewhere and returns true. */
  build(call: ProgramCall, keep?: (args: readonly unknown[]) => boolean): void {
    const { results, isList, bind } = call;
    const args = keyArguments(call.args);
    const now = epoch.now;
    const { builder, tensors, tensorArgs, isCacheable } = lowerCall(call, args);
    const program = builder.finish();
    runProgram(program, bindingOf(builder));
    if (!isCacheable || !builder.isCacheable || keep?.(args)) return;
    // A slot of other memory, such as a copy of an operand, belongs to this call alone.
    const isOwn = builder.storages.slice(tensors.length + 1).every((storage) => !isBoundStorage(storage));
    const memory = isOwn && program.steps.length <= maxSteps ? commonMemory(tensors) : null;
    if (memory === null || !args.every((arg) => canKeep(arg, true))) return;
    if (this.#entries.size >= maxEntries) this.#entries.clear();
    const hasOut = outOf(args) !== null;
    this.#entries.set(hashOf(args, this.#operands), {
      program,
      epoch: now,
      memory,
      args: outsideScopes(() => args.map(keyValue)),
      tensorArgs,
      slots: tensors.map((_, k) => slotOf(tensors, k, results.length, hasOut)),
      results: outsideScopes(() => results.map(numbersOf)),
      isList,
      bind,
    });
  }
}

/** A lowered call. Its first slots are the results and the tensors among the arguments. */
interface LoweredCall {
  readonly builder: ProgramBuilder;
  /** The results, then the tensors among the arguments. */
  readonly tensors: readonly Tensor[];
  readonly tensorArgs: readonly number[];
  /** True if all tensors are plain; then each slot starts at the first element of its tensor. */
  readonly isCacheable: boolean;
}

/** Lowers a call without running it. */
export function lowerCall({ results, lower, scalars = noScalars }: PlannedCall, args: readonly unknown[]): LoweredCall {
  const tensorArgs: number[] = [];
  const tensors = results.slice();
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (!(arg instanceof Tensor)) continue;
    tensorArgs.push(k);
    tensors.push(arg);
  }
  const owner = tensors.find(({ source }) => source instanceof Storage && !source.isScratch);
  const builder = new ProgramBuilder(
    scalars,
    owner === undefined ? kernelBackend() : backendOf((owner.source as Storage).readable()),
  );
  const isCacheable = tensors.every(canCache);
  for (let k = 0; k < tensors.length; k++) {
    const { source, start, itemsize } = tensors[k];
    if (!(source instanceof Storage)) continue;
    if (k < results.length) source.writable();
    else source.readable();
    builder.addSlot(source, isCacheable ? start * itemsize : 0);
  }
  lower(builder);
  return { builder, tensors, tensorArgs, isCacheable };
}

/** Returns the option `out`, which is in the last argument; null if there is none. */
export function outOf(args: readonly unknown[]): Tensor | null {
  const options = args[args.length - 1];
  if (typeof options !== "object" || options === null || options instanceof Tensor) return null;
  const { out } = options as { readonly out?: unknown };
  return out instanceof Tensor ? out : null;
}

/** Frees results that were allocated for a program that does not run. */
export function disposeResults(results: readonly (Tensor | undefined)[], out: Tensor | null): undefined {
  if (out === null) for (const t of results) t?.dispose();
}

/** Runs a cached program for tensors of its sizes. Returns undefined if a tensor is not in the program's memory, or tensors share storages in a different way. */
function runForSizes(
  { program, memory, tensorArgs, slots, results: likes, bind, isList }: Entry,
  args: readonly unknown[],
  out: Tensor | null,
): Tensor | readonly Tensor[] | undefined {
  const { memories, addresses } = binding;
  const count = likes.length;
  for (let k = 0; k < tensorArgs.length; k++) {
    const t = args[tensorArgs[k]] as Tensor;
    const { itemsize, before, after, shares, distance } = slots[count + k];
    const storage = t.source as Storage;
    const at = t.start * itemsize;
    const offset = storage.readOffset(memory, at - before, at + after);
    if (offset < 0) return undefined;
    memories[count + k + 1] = memory;
    addresses[count + k + 1] = offset + at;
    if (out !== null && (!mayWrite(out) || mayOverlap(out, t))) return undefined;
    let first = out !== null && out.source === storage ? -1 : 0;
    while (first >= 0 && (args[tensorArgs[first]] as Tensor).source !== storage) first++;
    const other = first < 0 ? (out as Tensor) : (args[tensorArgs[first]] as Tensor);
    const otherSize = slots[first < 0 ? 0 : count + first].itemsize;
    if (first !== shares || at - other.start * otherSize !== distance) return undefined;
  }
  binding.scalars = bind === undefined ? noScalars : bind(args);
  const results = new Array<Tensor>(count);
  try {
    for (let k = 0; k < count; k++) {
      const { itemsize, before, after } = slots[k];
      const t = out ?? newLike(likes[k], itemsize);
      results[k] = t;
      const at = t.start * itemsize;
      const offset = (t.source as Storage).writeOffset(memory, at - before, at + after);
      if (offset < 0) return disposeResults(results, out);
      memories[k + 1] = memory;
      addresses[k + 1] = offset + at;
    }
    runProgram(program, binding);
  } catch (error) {
    disposeResults(results, out);
    throw error;
  }
  if (out !== null) bumpVersion(out);
  return isList ? results : results[0];
}

/** Returns the memory that holds all tensors; null if they share none that the backend reaches, or if two storages overlap. */
function commonMemory(tensors: readonly Tensor[]): Memory | null {
  const storages = tensors.map(({ source }) => source as Storage);
  const memory = storages[0].readable();
  const isCommon =
    kernelBackend().canAddress(memory) &&
    storages.every((storage) => storage.readable() === memory) &&
    storages.every((a) => storages.every((b) => a === b || areBytesDisjoint(a, b)));
  return isCommon ? memory : null;
}

function slotOf(tensors: readonly Tensor[], index: number, results: number, hasOut: boolean): Slot {
  const t = tensors[index];
  const { start, itemsize, source } = t;
  const [low, high] = spanOf(t, start);
  const first = tensors.findIndex((other, k) => other.source === source && (k >= results || (hasOut && k === 0)));
  const { start: firstStart, itemsize: firstSize } = tensors[Math.max(first, 0)];
  return {
    itemsize,
    before: (start - low) * itemsize,
    after: (high + 1 - start) * itemsize,
    shares: first < results ? -1 : first - results,
    distance: start * itemsize - firstStart * firstSize,
  };
}
