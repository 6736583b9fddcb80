/**
 * The programs of an op's calls. A call like one before, with tensors of the same dtypes, sizes and strides and equal other arguments, runs
 * the same program over other memory. A tensor given as `out` is one of its slots.
 *
 * The op promises that a program depends on nothing else. Tensors must be plain: on the processor, with at most five flat modes, without
 * names. Operands in one storage have the same element 0, and have it again when the program runs again. Of elementwise ops the last program
 * over dense tensors is tried first: it serves any size, and numbers among the operands are bound, not part of the key.
 */
import { kernelBackend } from "../kernel/backend.ts";
import { nativeProduct } from "../kernel/contract/native.ts";
import { ProgramBuilder } from "../kernel/program/builder.ts";
import { bindingOf } from "../kernel/program/execute.ts";
import { programGeneration } from "../kernel/program/kernels.ts";
import { denseLaunch, stepsFor } from "../kernel/program/lower-dense.ts";
import { mostDense } from "../kernel/program/lower-map.ts";
import type { Binding, DenseLaunch, Program } from "../kernel/program/program.ts";
import { launchDense, runProgram } from "../kernel/program/run-program.ts";
import { areApart } from "../storage/byte-range.ts";
import type { DType, Value } from "../storage/dtype.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { callBits, keyShift } from "../tensor/dispatch/keys.ts";
import { seen } from "../tensor/dispatch/operator.ts";
import { Ended } from "../tensor/ended.ts";
import { flatStrides, heldBit, nestedBit, setModes, sizeAt, sizesOf, spanOf, strideAt } from "../tensor/geometry.ts";
import {
  bumpVersion,
  denseLike,
  isDenseLike,
  isFlatAndDense,
  mayMeet,
  mayWrite,
  meetingOf,
} from "../tensor/operand.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { contiguousBits, Tensor } from "../tensor/tensor.ts";
import { scalarValue, type Variant } from "./formula-variant.ts";

/** A program, and what is known of the calls that it serves. */
interface Kept {
  readonly program: Program;
  readonly generation: number;
  readonly defaultDType: DType;
  /** The key of the calls, as `writeKey` writes it. */
  readonly key: Float64Array;
  /** The results, without memory. */
  readonly results: readonly Tensor[];
  readonly isList: boolean;
  /** Of each result and tensor argument: bytes of an element, and of what lies before and behind element 0. */
  readonly slots: readonly SlotRule[];
  wasRepeated: boolean;
}

interface SlotRule {
  readonly itemsize: number;
  readonly before: number;
  readonly behind: number;
}

/** The program of an elementwise op over dense tensors of any size, for operands of these kinds: one launch. */
interface DenseProgram {
  readonly variant: Variant;
  readonly launch: DenseLaunch;
  readonly generation: number;
}

/** Calls are kept in so many sets of two. */
const sets = 64;
/** Programs of more steps are not kept: they take longer than building them. */
const mostSteps = 64;
/** After calls that were kept in vain, at most so many are not looked at. */
const longest = 255;

/** What the slots of the present call are bound to. No program calls an op, so one object serves all. */
const binding: Binding = { memories: [], addresses: [0], scalars: [], count: 0 };

export class ProgramCache {
  #dense: DenseProgram | null = null;
  readonly #kept: Kept[] = [];
  /** Which one of two is replaced next. */
  #next = 0;
  /** How many of the next calls are not looked at, and how many it were after the last vain one. */
  #wait = 0;
  #pause = 0;

  /** What a call gives that is like one before; undefined if there was none. */
  run(args: readonly unknown[]): unknown {
    if (!writeKey(args)) return undefined;
    const first = setOfKey();
    for (let at = first; at < first + 2; at++) {
      const kept = this.#kept[at];
      if (kept === undefined || !isKey(kept.key) || !isCurrent(kept)) continue;
      const results = runKept(kept, args);
      if (results === undefined) continue;
      kept.wasRepeated = true;
      return results;
    }
    return undefined;
  }

  /** Builds the program of a call over its results and tensor arguments, runs it, and keeps it if it can be run again. */
  build(
    args: readonly unknown[],
    results: readonly Tensor[],
    isList: boolean,
    lower: (builder: ProgramBuilder) => void,
  ): void {
    const tensors = results.slice();
    for (const arg of args) if (arg instanceof Tensor) tensors.push(arg);
    const builder = new ProgramBuilder();
    const isWatched = this.#wait-- <= 0 && tensors.every(isPlain);
    for (let k = 0; k < tensors.length; k++) {
      const { source, start, itemsize } = tensors[k] as Tensor;
      if (!(source instanceof Storage)) continue;
      if (k < results.length) source.writable();
      else source.readable();
      builder.addSlot(source, isWatched ? start * itemsize : 0);
    }
    const generation = programGeneration();
    lower(builder);
    const program = builder.finish();
    runProgram(program, bindingOf(builder));
    if (!isWatched) return;
    const isShort = builder.isKept && program.steps.length <= mostSteps;
    const key = isShort && canKeep(tensors) && writeKey(args) ? keyNumbers.slice(0, keyLength) : null;
    this.#next ^= 1;
    const at = setOfKey() + this.#next;
    const isVain = key === null || this.#kept[at]?.wasRepeated === false;
    this.#pause = isVain ? Math.min(2 * this.#pause + 1, longest) : 0;
    this.#wait = this.#pause;
    if (key === null) return;
    const [wasRepeated, defaultDType] = [false, getDefaultDType()];
    const likes = outsideScopes(() => results.map((t) => numbersOf(t)));
    this.#kept[at] = {
      program,
      generation,
      defaultDType,
      key,
      results: likes,
      isList,
      slots: tensors.map(slotRule),
      wasRepeated,
    };
  }

  /** Keeps the program of an elementwise op over dense tensors: of one or two operands, of which the first is a tensor. */
  keepDense(variant: Variant): void {
    const { kinds, inputs, kernel } = variant;
    if (kinds.length > 2 || inputs[0] !== 0 || kernel.spec.outputs.length !== 1) return;
    if (inputs.length + variant.scalars.length !== kinds.length) return;
    if (this.#dense?.variant === variant && this.#dense.generation === programGeneration()) return;
    this.#dense = { variant, launch: denseLaunch(kernel), generation: programGeneration() };
  }

  /** The result of an elementwise op for a tensor and perhaps another or a number, into `out` if that is given; null if it must be built. */
  runDense(x: Tensor, other: unknown, out: Tensor | null): Tensor | null {
    const dense = this.#dense;
    if (dense === null || dense.generation !== programGeneration()) return null;
    const { variant, launch } = dense;
    const { kinds, itemsizes, kernel } = variant;
    if (x.type !== kinds[0] || variant.defaultDType !== getDefaultDType()) return null;
    const y = other instanceof Tensor ? other : null;
    let bits = callBits(x);
    if (y !== null) bits |= callBits(y);
    if (out !== null) bits |= callBits(out);
    if ((bits >>> keyShift) & seen || !isFlatAndDense(x) || x.size > mostDense) return null;
    if (y !== null ? y.type !== kinds[1] || !isDenseLike(y, x) : kinds.length === 2 && typeof other !== kinds[1])
      return null;
    // A kernel that is new may be done in steps first.
    if (launch.kernel.compiled === null && stepsFor(kernel, x.size) !== null) return null;
    const dtype = kernel.spec.outputs[0] as DType;
    if (out !== null) {
      if (out.type !== dtype || !isDenseLike(out, x) || !mayWrite(out)) return null;
      // A lazy copy gets bytes of its own before operands are looked up.
      (out.source as Storage).writable();
      if (meetingOf(out, x) === "across" || (y !== null && meetingOf(out, y) === "across")) return null;
    }
    // Operands out of reach are found before a result is allocated.
    const { memories, addresses } = binding;
    const backend = kernelBackend();
    memories[2] = (x.source as Storage).readable();
    if (!backend.reaches(memories[2])) return null;
    if (y !== null) {
      memories[3] = (y.source as Storage).readable();
      if (!backend.reaches(memories[3])) return null;
    }
    binding.scalars = y === null && kinds.length === 2 ? [numberOf(variant, other as Value)] : none;
    const result = out ?? denseLike(x, dtype, itemsizes[0] as number);
    const storage = result.source as Storage;
    memories[1] = storage.writable();
    if (!backend.reaches(memories[1])) {
      if (out === null) result.endWith("out of reach");
      return null;
    }
    // Addresses are asked for when all are ready.
    addresses[1] = storage.byteOffset + result.start * (itemsizes[0] as number);
    addresses[2] = (x.source as Storage).byteOffset + x.start * (itemsizes[1] as number);
    if (y !== null) addresses[3] = (y.source as Storage).byteOffset + y.start * (itemsizes[2] as number);
    binding.count = x.size;
    launchDense(launch, binding);
    if (out !== null) bumpVersion(out);
    return result;
  }
}

const none: readonly Value[] = [];

/** The number of a call as its kernel takes it; refuses one that the dtype cannot hold. */
function numberOf({ who, scalars, names }: Variant, value: Value): Value {
  const { dtype } = scalars[0] as { readonly dtype: DType };
  return scalarValue(who, names[1] as string, value, dtype);
}

const isCurrent = ({ generation, defaultDType }: Kept): boolean =>
  generation === programGeneration() && nativeProduct === null && defaultDType === getDefaultDType();

/** The key of the present call: all that its program depends on, as numbers. */
const keyNumbers = new Float64Array(256);
let keyLength = 0;
/** The texts in keys, by their numbers there. */
const texts = /* @__PURE__ */ new Map<unknown, number>();

function numberOfText(text: unknown): number {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, texts.size);
  return texts.size - 1;
}

/** Writes the key of a call; false if it has none: a tensor that is not plain, or an argument that is neither a number, a text nor a list of such. */
function writeKey(args: readonly unknown[]): boolean {
  keyLength = 0;
  const out = outOf(args[args.length - 1]);
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (!writeValue(arg)) return false;
    if (!(arg instanceof Tensor)) continue;
    // The first tensor in the same storage, and how far apart they start.
    for (let j = out === null ? 0 : -1; j <= k; j++) {
      const other = j < 0 ? out : args[j];
      if (!(other instanceof Tensor) || other.source !== arg.source) continue;
      keyNumbers[keyLength++] = j;
      keyNumbers[keyLength++] = arg.start * arg.itemsize - other.start * other.itemsize;
      break;
    }
  }
  return keyLength < keyNumbers.length;
}

function writeValue(value: unknown): boolean {
  if (keyLength > 200) return false;
  if (value instanceof Tensor) {
    if (!isPlain(value)) return false;
    const { rank } = value;
    keyNumbers[keyLength++] = numberOfText(value.type);
    keyNumbers[keyLength++] = rank;
    for (let axis = 0; axis < rank; axis++) {
      keyNumbers[keyLength++] = sizeAt(value, axis);
      keyNumbers[keyLength++] = strideAt(value, axis);
    }
    return true;
  }
  if (typeof value === "number") {
    keyNumbers[keyLength++] = -1;
    keyNumbers[keyLength++] = value;
    return true;
  }
  if (Array.isArray(value)) {
    keyNumbers[keyLength++] = -2;
    keyNumbers[keyLength++] = value.length;
    // Of the tensors in lists and options only `out` is a slot.
    return value.every((item) => !(item instanceof Tensor) && writeValue(item));
  }
  if (typeof value === "object" && value !== null) {
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    const names = Object.getOwnPropertyNames(value);
    keyNumbers[keyLength++] = -3;
    keyNumbers[keyLength++] = names.length;
    return names.every((name) => {
      const item = (value as Readonly<Record<string, unknown>>)[name];
      keyNumbers[keyLength++] = numberOfText(name);
      return (name === "out" || !(item instanceof Tensor)) && writeValue(item);
    });
  }
  keyNumbers[keyLength++] = -4;
  keyNumbers[keyLength++] = numberOfText(value);
  return value == null || typeof value === "string" || typeof value === "boolean";
}

/** True if and only if the present key is this one. */
function isKey(key: Float64Array): boolean {
  if (key.length !== keyLength) return false;
  for (let k = 0; k < keyLength; k++) if (!Object.is(key[k], keyNumbers[k])) return false;
  return true;
}

/** In which set the present call is kept. */
function setOfKey(): number {
  let sum = 0;
  for (let k = 0; k < keyLength; k++) sum = (Math.imul(sum, 31) + (keyNumbers[k] as number)) | 0;
  return 2 * ((sum ^ (sum >>> 6)) & (sets - 1));
}

/** True if the bytes of the slots say whose they are, and the backend reaches them. */
function canKeep(tensors: readonly Tensor[]): boolean {
  const storages = tensors.map(({ source }) => source as Storage);
  return (
    nativeProduct === null &&
    storages.every((storage) => kernelBackend().reaches(storage.readable())) &&
    storages.every((a) => storages.every((b) => a === b || areApart(a, b)))
  );
}

function slotRule(t: Tensor): SlotRule {
  const { start, itemsize } = t;
  const [low, high] = spanOf(t, start);
  return { itemsize, before: (start - low) * itemsize, behind: (high + 1 - start) * itemsize };
}

function runKept({ program, results, slots, isList }: Kept, args: readonly unknown[]): unknown {
  const count = results.length;
  const tensors = results.slice();
  const out = outOf(args[args.length - 1]);
  for (let k = 0; k < args.length; k++) if (args[k] instanceof Tensor) tensors.push(args[k] as Tensor);
  if (out !== null) {
    if (!isPlain(out) || !mayWrite(out)) return undefined;
    (out.source as Storage).writable();
    tensors[0] = out;
  }
  if (!canBind(slots, tensors, out === null ? count : 0)) return undefined;
  for (let k = 0; out === null && k < count; k++) {
    const like = results[k] as Tensor;
    const { itemsize } = slots[k] as SlotRule;
    tensors[k] =
      like.bits & contiguousBits
        ? denseLike(like, like.type as DType, itemsize)
        : numbersOf(like, Storage.allocate(like.size * itemsize));
  }
  if (!bind(tensors, slots, count)) {
    for (let k = 0; out === null && k < count; k++) tensors[k]?.dispose();
    return undefined;
  }
  binding.scalars = none;
  try {
    runProgram(program, binding);
  } catch (error) {
    for (let k = 0; out === null && k < count; k++) tensors[k]?.dispose();
    throw error;
  }
  if (out !== null) bumpVersion(out);
  return isList ? tensors.slice(0, count) : tensors[0];
}

/** True if and only if the tensors behind the first `fresh`, which are still to be made, lie where the program can use them. */
function canBind(slots: readonly SlotRule[], tensors: readonly Tensor[], fresh: number): boolean {
  const backend = kernelBackend();
  try {
    for (let k = fresh; k < tensors.length; k++) {
      const { itemsize, before, behind } = slots[k] as SlotRule;
      const { source, start } = tensors[k] as Tensor;
      const storage = source as Storage;
      const at = start * itemsize;
      if (at < before || at + behind > storage.nbytes || !backend.reaches(storage.readable())) return false;
      if (fresh === 0 && k > 0 && mayMeet(tensors[0] as Tensor, tensors[k] as Tensor)) return false;
    }
    return true;
  } catch {
    // What cannot be read any more is refused elsewhere.
    return false;
  }
}

/** Binds the slots, results first; false if a result is out of reach. */
function bind(tensors: readonly Tensor[], slots: readonly SlotRule[], results: number): boolean {
  const { memories, addresses } = binding;
  const backend = kernelBackend();
  for (let k = 0; k < results; k++)
    if (!backend.reaches(((tensors[k] as Tensor).source as Storage).writable())) return false;
  for (let k = 0; k < tensors.length; k++) {
    const { source, start } = tensors[k] as Tensor;
    const storage = source as Storage;
    memories[k + 1] = storage.readable();
    addresses[k + 1] = storage.byteOffset + start * (slots[k] as SlotRule).itemsize;
  }
  return true;
}

/** True for a tensor with up to five modes, all numbers, on the processor, with elements and without names. */
const isPlain = (t: Tensor): boolean =>
  (((callBits(t) >>> keyShift) & seen) | (t.bits & (heldBit | nestedBit))) === 0 &&
  t.extras === null &&
  t.rank <= 5 &&
  t.size > 0 &&
  t.source instanceof Storage;

/** A tensor with the numbers of another, without memory unless it is given. */
function numbersOf(t: Tensor, source: Tensor["source"] = new Ended("never in memory")): Tensor {
  const like = new Tensor(source, t.type, 0, 0, t.rank, t.size, null, null, null);
  setModes(like, sizesOf(t), flatStrides(t));
  // Row-major, axes of size 1 included: a result like it needs no list of strides.
  if (`${rowMajorStrides(sizesOf(t))}` === `${flatStrides(t)}`) like.bits |= contiguousBits;
  return like;
}

/** The tensor for the result among options. */
function outOf(options: unknown): Tensor | null {
  if (typeof options !== "object" || options === null) return null;
  const { out } = options as { readonly out?: unknown };
  return out instanceof Tensor ? out : null;
}
