/**
 * Instances of a compiled function: one program for each combination of sizes, strides and dtypes of its tensors and of values of its other
 * arguments. A call finds its instance, binds the slots to the memory of the tensors and runs the program.
 *
 * An instance also has fixed tensors: those that the function captured, and constants. Each call binds them at their current addresses. If the
 * sizes or strides of a fixed tensor have changed, the instance is not used.
 */
import { epoch } from "../../base/runtime.ts";
import { kernelBackend } from "../../kernel/backend.ts";
import { isBoundStorage, ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Binding, Program } from "../../kernel/program/program.ts";
import { bindingOf, runProgram } from "../../kernel/program/run-program.ts";
import { areBytesDisjoint } from "../../storage/byte-range.ts";
import type { Memory } from "../../storage/memory.ts";
import type { Storage } from "../../storage/storage.ts";
import { spanOf } from "../../tensor/geometry.ts";
import { bumpVersion, checkWritable, newLike } from "../../tensor/operand.ts";
import { canCache, hashOf, keyValue, matches, numbersOf } from "../../tensor/program-keys.ts";
import { outsideScopes } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";

/** A tensor of an instance. */
interface Slot {
  readonly itemsize: number;
  /** Bytes of the tensor's elements before and after the start of element 0. */
  readonly before: number;
  readonly after: number;
  readonly isWritten: boolean;
}

/** A call of a graph, ready to be lowered. */
export interface GraphCall {
  /** The key: flags and other arguments, then the tensors among the arguments. */
  readonly key: readonly unknown[];
  readonly tensors: readonly Tensor[];
  /** Captured tensors and constants. */
  readonly fixed: readonly Tensor[];
  /** Fixed tensors that are gradients of other tensors: a call reads the gradient that the other tensor has at that time. */
  readonly gradients?: ReadonlyMap<Tensor, GradientHolder> | undefined;
  readonly results: readonly Tensor[];
  /** The arguments and fixed tensors that the graph writes. */
  readonly written: ReadonlySet<Tensor>;
  lower(builder: ProgramBuilder): void;
}

/** A tensor with a gradient. */
export interface GradientHolder {
  readonly grad: Tensor | null;
}

/** The maximum number of instances of a function. When it is reached, the oldest one is dropped. */
const maxInstances = 256;
const binding: Binding = { memories: [], addresses: [0], scalars: [], count: 0, device: null };

/** One program with its slots. */
export class Instance<D> {
  declare readonly data: D;
  declare readonly program: Program;
  readonly key: readonly unknown[];
  readonly #epoch: number;
  readonly #memory: Memory | null;
  readonly #tensors: readonly Slot[];
  /** For each tensor, the index of the first one in the same storage. */
  readonly #sharing: readonly number[];
  readonly #distances: readonly number[];
  readonly #fixed: readonly {
    readonly tensor: Tensor;
    readonly like: Tensor;
    readonly source: unknown;
    readonly slot: Slot;
    readonly holder: GradientHolder | null;
  }[];
  readonly #results: readonly { readonly like: Tensor; readonly slot: Slot }[];

  constructor(call: GraphCall, program: Program, memory: Memory | null, data: D) {
    this.data = data;
    this.program = program;
    this.#epoch = epoch.now;
    this.#memory = memory;
    const slot = (t: Tensor): Slot => slotOf(t, call.written.has(t));
    this.key = outsideScopes(() => call.key.map(keyValue));
    this.#tensors = call.tensors.map(slot);
    this.#sharing = sharingOf(call.tensors);
    this.#distances = distancesOf(call.tensors, this.#sharing);
    this.#fixed = outsideScopes(() =>
      call.fixed.map((tensor) => ({
        tensor,
        like: numbersOf(tensor),
        source: tensor.source,
        slot: slot(tensor),
        holder: call.gradients?.get(tensor) ?? null,
      })),
    );
    this.#results = outsideScopes(() => call.results.map((t) => ({ like: numbersOf(t), slot: slotOf(t, true) })));
  }

  /** Binds the slots of arguments, captured tensors and constants. Returns false if they do not fit. */
  bind(tensors: readonly Tensor[]): boolean {
    const memory = this.#memory;
    if (memory === null || this.#epoch !== epoch.now) return false;
    let at = this.#results.length;
    for (let k = 0; k < tensors.length; k++) {
      const t = tensors[k];
      const first = this.#sharing[k];
      if (first === k) {
        for (let j = 0; j < k; j++) if (tensors[j].source === t.source) return false;
        for (let j = 0; j < this.#fixed.length; j++) if (this.#fixed[j].source === t.source) return false;
      } else if (tensors[first].source !== t.source || distanceOf(t, tensors[first]) !== this.#distances[k])
        return false;
      if (!bind(memory, t, this.#tensors[k], ++at)) return false;
    }
    for (let k = 0; k < this.#fixed.length; k++) {
      const { tensor, like, source, slot, holder } = this.#fixed[k];
      if (holder !== null) {
        const { grad } = holder;
        if (grad === null || !canCache(grad) || !matches([like], [grad], 0)) return false;
        for (let j = 0; j < tensors.length; j++) if (tensors[j].source === grad.source) return false;
        if (!bind(memory, grad, slot, ++at)) return false;
      } else if (tensor.source !== source || !bind(memory, tensor, slot, ++at)) return false;
    }
    return true;
  }

  /** Runs the program over bound tensors, and returns its results. Returns null if there is no memory for them. */
  run(tensors: readonly Tensor[]): readonly Tensor[] | null {
    const memory = this.#memory as Memory;
    const results: Tensor[] = [];
    try {
      for (let k = 0; k < this.#results.length; k++) {
        const { like, slot } = this.#results[k];
        const t = newLike(like, slot.itemsize);
        results.push(t);
        if (!bind(memory, t, slot, k + 1)) {
          for (const each of results) each.dispose();
          return null;
        }
      }
      runProgram(this.program, binding);
    } catch (error) {
      for (const each of results) each.dispose();
      throw error;
    }
    for (let k = 0; k < tensors.length; k++) if (this.#tensors[k].isWritten) bumpVersion(tensors[k]);
    for (let k = 0; k < this.#fixed.length; k++) {
      const { tensor, slot, holder } = this.#fixed[k];
      if (slot.isWritten) bumpVersion(holder?.grad ?? tensor);
    }
    return results;
  }
}

/** Binds a slot to the memory of a tensor. Returns false if the tensor is in a different memory. */
function bind(memory: Memory, t: Tensor, slot: Slot, index: number): boolean {
  const { memories, addresses } = binding;
  const { itemsize, before, after, isWritten } = slot;
  const storage = t.source as Storage;
  const at = t.start * itemsize;
  if (isWritten) checkWritable(t, "compile");
  const offset = isWritten
    ? storage.writeOffset(memory, at - before, at + after)
    : storage.readOffset(memory, at - before, at + after);
  if (offset < 0) return false;
  memories[index] = memory;
  addresses[index] = offset + at;
  return true;
}

function slotOf(t: Tensor, isWritten: boolean): Slot {
  const { start, itemsize } = t;
  const [low, high] = spanOf(t, start);
  return { itemsize, before: (start - low) * itemsize, after: (high + 1 - start) * itemsize, isWritten };
}

const sharingOf = (tensors: readonly Tensor[]): number[] =>
  tensors.map((t) => tensors.findIndex((other) => other.source === t.source));

const distanceOf = (a: Tensor, b: Tensor): number => a.start * a.itemsize - b.start * b.itemsize;

const distancesOf = (tensors: readonly Tensor[], sharing: readonly number[]): number[] =>
  tensors.map((t, k) => distanceOf(t, tensors[sharing[k]]));

/** The instances of one compiled function. `isValid` returns true if the values that an instance depends on have not changed. */
export class Instances<D> {
  readonly #byHash = new Map<number, Instance<D>[]>();
  readonly #isValid: (data: D) => boolean;
  #count = 0;

  constructor(isValid: (data: D) => boolean) {
    this.#isValid = isValid;
  }

  get all(): readonly Instance<D>[] {
    return [...this.#byHash.values()].flat();
  }

  /** Returns the instance for a key; undefined if there is none. */
  find(key: readonly unknown[]): Instance<D> | undefined {
    const list = this.#byHash.get(hashOf(key, 0));
    if (list === undefined) return undefined;
    for (let k = 0; k < list.length; k++)
      if (matches(list[k].key, key, 0) && this.#isValid(list[k].data)) return list[k];
    return undefined;
  }

  /** Adds an instance without a program. */
  add(key: readonly unknown[], data: D): void {
    const empty = { key, tensors: [], fixed: [], results: [], written: new Set<Tensor>(), lower: () => undefined };
    this.#keep(new Instance(empty, { steps: [], workspace: 0 }, null, data), key);
  }

  /** Lowers a call, runs it, and keeps the program if it can be run again. `dataOf` is called after the graph is lowered. */
  build(call: GraphCall, dataOf: () => D): D {
    const { tensors, fixed, results, written } = call;
    const builder = new ProgramBuilder();
    builder.mayUseSteps = false;
    const all = [...results, ...tensors, ...fixed];
    const isCacheable = all.every(canCache);
    all.forEach((t, k) => {
      const storage = t.source as Storage;
      if (k < results.length || written.has(t)) storage.writable();
      else storage.readable();
      builder.addSlot(storage, isCacheable ? t.start * t.itemsize : 0);
    });
    call.lower(builder);
    const program = builder.finish();
    runProgram(program, bindingOf(builder));
    const data = dataOf();
    const isOwn = builder.storages.slice(all.length + 1).every((storage) => !isBoundStorage(storage));
    const memory = isOwn && isCacheable && builder.isCacheable ? commonMemory(all) : null;
    if (memory !== null) this.#keep(new Instance(call, program, memory, data), call.key);
    return data;
  }

  /** Adds an instance, and removes one with the same key that is no longer valid. */
  #keep(instance: Instance<D>, key: readonly unknown[]): void {
    const hash = hashOf(key, 0);
    const list = this.#byHash.get(hash) ?? [];
    const others = list.filter((each) => !(matches(each.key, key, 0) && this.#isValid(each.data)));
    this.#count += 1 + others.length - list.length;
    // Deleted first, so that the map stays ordered from the oldest to the newest.
    this.#byHash.delete(hash);
    this.#byHash.set(hash, [...others, instance]);
    while (this.#count > maxInstances) {
      const [[oldest, old]] = this.#byHash;
      this.#byHash.delete(oldest);
      this.#count -= old.length;
    }
  }
}

/** Returns the memory of all tensors. Null if they are in different memories, if the backend cannot address it, or if two storages overlap. */
function commonMemory(tensors: readonly Tensor[]): Memory | null {
  const storages = [...new Set(tensors.map(({ source }) => source as Storage))];
  const memory = storages[0]?.readable();
  if (memory === undefined || !kernelBackend().canAddress(memory)) return null;
  const isCommon =
    storages.every((storage) => storage.readable() === memory) &&
    storages.every((a, k) => storages.every((b, j) => j <= k || areBytesDisjoint(a, b)));
  return isCommon ? memory : null;
}
