/**
 * The program cache of an op. A call whose tensors have the same dtypes, sizes and strides as in an earlier call, and whose other arguments
 * are equal, runs the same program over other memory. A tensor passed as `out` is one of its slots.
 *
 * The op promises that a program depends on nothing else. Tensors must be plain: on the processor, with at most five flat modes, without
 * names. Tensors in one storage must start as far apart as in the call for which the program was built. Programs of elementwise ops over
 * dense tensors work for any size. Numbers among the operands of an elementwise op are bound when a program runs.
 */
import { epoch } from "../base/runtime.ts";
import { kernelBackend } from "../kernel/backend.ts";
import { isBound, ProgramBuilder } from "../kernel/program/builder.ts";
import { denseLaunch, stepsFor } from "../kernel/program/lower-dense.ts";
import { mostDense } from "../kernel/program/lower-map.ts";
import type { Binding, DenseLaunch, Program } from "../kernel/program/program.ts";
import { bindingOf, launchDense, runProgram } from "../kernel/program/run-program.ts";
import { areApart } from "../storage/byte-range.ts";
import type { DType, Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { type PlannedCall, seen } from "../tensor/dispatch/operator.ts";
import { spanOf } from "../tensor/geometry.ts";
import {
  bumpVersion,
  denseLike,
  isDenseLike,
  isFlatAndDense,
  mayMeet,
  mayWrite,
  meetingOf,
  newLike,
} from "../tensor/operand.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { callBits, Tensor } from "../tensor/tensor.ts";
import { boundScalars, type Variant } from "./formula-variant.ts";
import { canCache, canKeep, hashOf, keptValue, keyArguments, matches, numbersOf } from "./program-keys.ts";

/** A call whose program is built. */
export interface ProgramCall extends PlannedCall {
  /** The arguments; numbers among the operands of `variant` are bound, not part of the key. */
  readonly args: readonly unknown[];
  /** True if the op returns a list. */
  readonly isList: boolean;
  /** The kernel of an elementwise op, if its operands are the first arguments in their order. */
  readonly variant?: Variant | null;
}

/** The cached program of an elementwise op for dense tensors of any size: one launch, whose numbers are bound. */
interface DenseEntry {
  readonly launch: DenseLaunch;
  readonly epoch: number;
  /** The memory of all tensors. */
  readonly memory: Memory;
  readonly variant: Variant;
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
  /** The kernel of an elementwise op, whose numbers are bound. */
  readonly variant: Variant | null;
}

interface Slot {
  readonly itemsize: number;
  /** Bytes of the tensor's elements before and behind the start of element 0. */
  readonly before: number;
  readonly behind: number;
  /** The first tensor in the same storage: an index of `tensorArgs`, or -1 for `out`; and the bytes from its start to that of this one. */
  readonly shares: number;
  readonly distance: number;
}

/** The maximum number of cached programs of an op, without those for any size. When it is reached, all are dropped. */
const mostEntries = 512;
/** The maximum number of cached programs for any size. */
const mostDenseEntries = 4;
/** Longer programs are not cached: running them takes longer than building them. */
const mostSteps = 64;
/** The slots of the current call. No program calls an op, so one object suffices. */
const binding: Binding = { memories: [], addresses: [0], scalars: [], count: 0 };
const noScalars: readonly Value[] = [];

export class ProgramCache {
  readonly #dense: DenseEntry[] = [];
  /** By the hash of the arguments. */
  readonly #entries = new Map<number, Entry>();
  /** The number of first arguments whose numbers are bound. */
  readonly #operands: number;

  /** `operands` is the number of first arguments that are operands of an elementwise op, whose numbers are bound. */
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

  /** Does the same for an elementwise op over dense tensors, whose operands are the first arguments. Returns null if the call must be dispatched. */
  runDense(args: readonly unknown[], out: Tensor | null): Tensor | readonly Tensor[] | undefined | null {
    next: for (let at = 0; at < this.#dense.length; at++) {
      const entry = this.#dense[at];
      const { kinds, kernel } = entry.variant;
      let first: Tensor | null = null;
      let bits = out === null ? 0 : callBits(out);
      for (let k = 0; k < kinds.length; k++) {
        const arg = args[k];
        if (!(arg instanceof Tensor)) {
          if (typeof arg !== kinds[k]) continue next;
          continue;
        }
        if (arg.type !== kinds[k] || !(first === null ? isFlatAndDense(arg) : isDenseLike(arg, first))) continue next;
        bits |= callBits(arg);
        first ??= arg;
      }
      if (entry.epoch !== epoch.now || first === null || first.size > mostDense) continue;
      if ((bits >>> keyShift) & seen) return null;
      // A kernel that is not compiled may be replaced by steps at first.
      if (entry.launch.kernel.compiled === null && stepsFor(kernel, first.size) !== null) continue;
      if (out !== null && !isDenseOut(out, kernel.spec.outputs, first, args)) continue;
      return runForSize(entry, args, out, first);
    }
    return undefined;
  }

  /** Builds the program of a call, runs it, and caches it if it can be run again. */
  build(call: ProgramCall): void {
    const { results, isList, variant = null } = call;
    const args = keyArguments(call.args);
    const now = epoch.now;
    const { builder, tensors, tensorArgs, isCacheable } = lowerCall(call, args);
    const program = builder.finish();
    runProgram(program, bindingOf(builder));
    if (!isCacheable || !builder.isKept) return;
    if (variant !== null && this.#keepDense(variant, args)) return;
    // A slot of other memory, such as a copy of an operand, belongs to this call alone.
    const isOwn = builder.storages.slice(tensors.length + 1).every((storage) => !isBound(storage));
    const memory = isOwn && program.steps.length <= mostSteps ? commonMemory(tensors) : null;
    if (memory === null || !args.every((arg) => canKeep(arg, true))) return;
    if (this.#entries.size >= mostEntries) this.#entries.clear();
    const hasOut = outOf(args) !== null;
    this.#entries.set(hashOf(args, this.#operands), {
      program,
      epoch: now,
      memory,
      args: outsideScopes(() => args.map(keptValue)),
      tensorArgs,
      slots: tensors.map((_, k) => slotOf(tensors, k, results.length, hasOut)),
      results: outsideScopes(() => results.map(numbersOf)),
      isList,
      variant,
    });
  }

  /** Caches the program for any size, if the operands are dense tensors and numbers and the outputs have their usual dtypes; else returns false. */
  #keepDense(variant: Variant, args: readonly unknown[]): boolean {
    const { kinds, inputs, scalars, kernel, names } = variant;
    const first = args[inputs[0]];
    if (!(first instanceof Tensor) || kinds.length !== names.length || inputs.length + scalars.length !== kinds.length)
      return false;
    if (!isFlatAndDense(first) || !inputs.every((k) => isDenseLike(args[k] as Tensor, first))) return false;
    const entries = this.#dense;
    const memory = (first.source as Storage).readable();
    if (!kernelBackend().reaches(memory)) return false;
    const isKept = (entry: DenseEntry): boolean =>
      entry.variant === variant && entry.memory === memory && entry.epoch === epoch.now;
    if (entries.some(isKept)) return true;
    entries.unshift({ launch: denseLaunch(kernel), epoch: epoch.now, memory, variant });
    if (entries.length > mostDenseEntries) entries.pop();
    return true;
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
  const builder = new ProgramBuilder(scalars);
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

/** True if a dense program can write to `out`. */
function isDenseOut(out: Tensor, dtypes: readonly DType[], like: Tensor, args: readonly unknown[]): boolean {
  return (
    dtypes.length === 1 &&
    out.type === dtypes[0] &&
    isDenseLike(out, like) &&
    mayWrite(out) &&
    args.every((arg) => !(arg instanceof Tensor) || meetingOf(out, arg) !== "across")
  );
}

/** Frees results that were allocated for a program that does not run. */
function disposeResults(results: readonly Tensor[], out: Tensor | null): undefined {
  if (out === null) for (const t of results) t.dispose();
}

/** Runs the program for dense tensors of any size, that of `first`. Returns undefined if a tensor is not in the program's memory. */
function runForSize(
  { launch, memory, variant }: DenseEntry,
  args: readonly unknown[],
  out: Tensor | null,
  first: Tensor,
): Tensor | readonly Tensor[] | undefined {
  const { inputs, itemsizes, scalars, kernel } = variant;
  const { outputs } = kernel.spec;
  const { memories, addresses } = binding;
  const { size } = first;
  const count = outputs.length;
  for (let k = 0; k < inputs.length; k++) {
    const t = args[inputs[k]] as Tensor;
    const itemsize = itemsizes[count + k];
    const at = t.start * itemsize;
    const offset = (t.source as Storage).readOffset(memory, at, at + size * itemsize);
    if (offset < 0) return undefined;
    memories[count + k + 1] = memory;
    addresses[count + k + 1] = offset + at;
  }
  binding.scalars = scalars.length === 0 ? noScalars : boundScalars(variant, args);
  binding.count = size;
  const results: Tensor[] = [];
  try {
    for (let k = 0; k < count; k++) {
      const t = out ?? denseLike(first, outputs[k], itemsizes[k]);
      results.push(t);
      const at = t.start * itemsizes[k];
      const offset = (t.source as Storage).writeOffset(memory, at, at + size * itemsizes[k]);
      if (offset < 0) return disposeResults(results, out);
      memories[k + 1] = memory;
      addresses[k + 1] = offset + at;
    }
    launchDense(launch, binding);
  } catch (error) {
    disposeResults(results, out);
    throw error;
  }
  if (out !== null) bumpVersion(out);
  return count === 1 ? results[0] : results;
}

/** Runs a cached program for tensors of its sizes. Returns undefined if a tensor is not in the program's memory, or shares it otherwise. */
function runForSizes(
  { program, memory, tensorArgs, slots, results: likes, variant, isList }: Entry,
  args: readonly unknown[],
  out: Tensor | null,
): Tensor | readonly Tensor[] | undefined {
  const { memories, addresses } = binding;
  const count = likes.length;
  for (let k = 0; k < tensorArgs.length; k++) {
    const t = args[tensorArgs[k]] as Tensor;
    const { itemsize, before, behind, shares, distance } = slots[count + k];
    const storage = t.source as Storage;
    const at = t.start * itemsize;
    const offset = storage.readOffset(memory, at - before, at + behind);
    if (offset < 0) return undefined;
    memories[count + k + 1] = memory;
    addresses[count + k + 1] = offset + at;
    if (out !== null && (!mayWrite(out) || mayMeet(out, t))) return undefined;
    let first = out !== null && out.source === storage ? -1 : 0;
    while (first >= 0 && (args[tensorArgs[first]] as Tensor).source !== storage) first++;
    const other = first < 0 ? (out as Tensor) : (args[tensorArgs[first]] as Tensor);
    const otherSize = slots[first < 0 ? 0 : count + first].itemsize;
    if (first !== shares || at - other.start * otherSize !== distance) return undefined;
  }
  binding.scalars = variant === null || variant.scalars.length === 0 ? noScalars : boundScalars(variant, args);
  const results: Tensor[] = [];
  try {
    for (let k = 0; k < count; k++) {
      const { itemsize, before, behind } = slots[k];
      const t = out ?? newLike(likes[k], itemsize);
      results.push(t);
      const at = t.start * itemsize;
      const offset = (t.source as Storage).writeOffset(memory, at - before, at + behind);
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
    kernelBackend().reaches(memory) &&
    storages.every((storage) => storage.readable() === memory) &&
    storages.every((a) => storages.every((b) => a === b || areApart(a, b)));
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
    behind: (high + 1 - start) * itemsize,
    shares: first < results ? -1 : first - results,
    distance: start * itemsize - firstStart * firstSize,
  };
}
