/**
 * The short way of ops whose work is a few launches: a call like one before, with tensors of the same dtypes, sizes and strides and equal
 * other arguments, runs the same programs over other places. Some calls of an op are remembered here. A tensor given as `out` is
 * one of the places, if nothing else is in its storage.
 * The op promises that its results depend on nothing else, and that launching is all it does.
 */
import {
  canReplay,
  isCurrent,
  type Place,
  type Replay,
  recordLaunches,
  replayLaunches,
} from "../kernel/launch/replay.ts";
import type { DType } from "../storage/dtype.ts";
import { getDefaultDType } from "../storage/promotion.ts";
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { denseLike } from "../tensor/dense.ts";
import { callBits, keyShift } from "../tensor/dispatch/keys.ts";
import { seen } from "../tensor/dispatch/operator.ts";
import { Ended } from "../tensor/ended.ts";
import { flatStrides, heldBit, nestedBit, setModes, sizesOf, spanOf } from "../tensor/geometry.ts";
import { bumpVersion, mayWrite } from "../tensor/operand.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { Tensor } from "../tensor/tensor.ts";

/** A call as far as it decides about its launches. Tensors in it have no memory, only their numbers. */
interface Call {
  readonly defaultDType: DType;
  readonly args: readonly unknown[];
  readonly results: readonly Tensor[];
  /** Which results are row-major, axes of size 1 included. */
  readonly areDense: readonly boolean[];
  readonly isList: boolean;
  readonly replay: Replay;
  wasRepeated: boolean;
}

/** Calls are remembered in so many places, two in each. */
const places = 64;
/** After calls that were remembered in vain, at most so many are not looked at. */
const longest = 255;

export class Repeats {
  readonly #calls: Call[] = [];
  /** Which one of two is written next. */
  #next = 0;
  /** How many of the next calls are not looked at, and how many it were after the last vain one. */
  #wait = 0;
  #pause = 0;

  /** What a call gives that is like one before; undefined if there was none. */
  run(args: readonly unknown[]): unknown {
    const first = placeFor(args);
    for (let at = first; at < first + 2; at++) {
      const call = this.#calls[at];
      if (call === undefined || !areAlike(call.args, args) || !isCurrent(call.replay)) continue;
      if (call.defaultDType !== getDefaultDType()) continue;
      const results = again(call, args);
      if (results === undefined) continue;
      call.wasRepeated = true;
      return results;
    }
    return undefined;
  }

  /** Does the work of a call, and remembers it if it can be repeated. */
  learn(args: readonly unknown[], made: readonly Tensor[], isList: boolean, work: () => void): void {
    const all = made.slice();
    for (const arg of args) if (arg instanceof Tensor) all.push(arg);
    if (this.#wait-- > 0 || !all.every(isPlain) || !args.every(isShallow)) {
      work();
      return;
    }
    const replay = recordLaunches(all.map(placeOf), work);
    this.#next ^= 1;
    const at = placeFor(args) + this.#next;
    const before = this.#calls[at];
    const isVain = replay === null || before?.wasRepeated === false;
    this.#pause = isVain ? Math.min(2 * this.#pause + 1, longest) : 0;
    this.#wait = this.#pause;
    if (replay === null) return;
    this.#calls[at] = outsideScopes(() => ({
      defaultDType: getDefaultDType(),
      args: args.map(copyOf),
      results: made.map((t) => numbersOf(t)),
      areDense: made.map((t) => `${rowMajorStrides(sizesOf(t))}` === `${flatStrides(t)}`),
      isList,
      replay,
      wasRepeated: false,
    }));
  }
}

/** Where calls like this one are remembered: a number that is made of sizes, strides and numbers. */
function placeFor(args: readonly unknown[]): number {
  let sum = 0;
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (arg instanceof Tensor) sum = sum * 31 + arg.size + 3 * arg.s0 + 5 * arg.d0 + 7 * arg.d1;
    else if (typeof arg === "number") sum = sum * 31 + arg;
  }
  return 2 * ((sum | 0) & (places - 1));
}

function again({ results, areDense, replay, isList }: Call, args: readonly unknown[]): unknown {
  const count = results.length;
  const placed = results.slice();
  const out = outOf(args[args.length - 1]);
  for (let k = 0; k < args.length; k++) if (args[k] instanceof Tensor) placed.push(args[k] as Tensor);
  if (out !== null) {
    if (!isPlain(out) || !mayWrite(out)) return undefined;
    placed[0] = out;
  }
  if (!canReplay(replay, placed, out === null ? count : 0)) return undefined;
  for (let k = 0; out === null && k < count; k++) {
    const like = results[k] as Tensor;
    const [dtype, itemsize] = [like.type as DType, replay.itemsizes[k] as number];
    placed[k] = areDense[k]
      ? denseLike(like, dtype, itemsize)
      : numbersOf(like, Storage.allocate(like.size * itemsize));
  }
  if (!replayLaunches(replay, placed, count)) {
    for (let k = 0; out === null && k < count; k++) placed[k]?.dispose();
    return undefined;
  }
  if (out !== null) bumpVersion(out);
  return isList ? placed.slice(0, count) : placed[0];
}

/** True for a tensor with up to five modes, all numbers, on the processor, with elements and without names. */
const isPlain = (t: Tensor): boolean =>
  (((callBits(t) >>> keyShift) & seen) | (t.bits & (heldBit | nestedBit))) === 0 &&
  t.extras === null &&
  t.rank <= 5 &&
  t.size > 0 &&
  t.source instanceof Storage;

const placeOf = (t: Tensor): Place => {
  const [low, high] = spanOf(t, t.start);
  return { storage: t.source as Storage, itemsize: t.itemsize, start: t.start, low, high };
};

/** A tensor with the numbers of another, without memory unless it is given. */
function numbersOf(t: Tensor, source: Tensor["source"] = new Ended("never in memory")): Tensor {
  const like = new Tensor(source, t.type, 0, 0, t.rank, t.size, null, null, null);
  return setModes(like, sizesOf(t), flatStrides(t));
}

type Entries = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Entries => typeof value === "object" && value !== null;

/** The tensor for the result among options. */
const outOf = (options: unknown): Tensor | null =>
  isObject(options) && options["out"] instanceof Tensor ? options["out"] : null;

/** True of an argument that can be copied and compared: no entries but its own, and no objects in it but `out`. */
const isShallow = (arg: unknown): boolean =>
  !isObject(arg) ||
  arg instanceof Tensor ||
  (haveSameEntries(copyOf(arg) as Entries, arg) &&
    !Object.values(arg).some((one) => one !== outOf(arg) && isObject(one)));

/** An argument without the memory of tensors. */
function copyOf(arg: unknown): unknown {
  if (arg instanceof Tensor) return numbersOf(arg);
  if (Array.isArray(arg)) return arg.slice();
  const out = outOf(arg);
  return isObject(arg) ? { ...arg, ...(out && { out: numbersOf(out) }) } : arg;
}

function areAlike(before: readonly unknown[], args: readonly unknown[]): boolean {
  if (before.length !== args.length) return false;
  for (let k = 0; k < args.length; k++) {
    const [old, arg] = [before[k], args[k]];
    if (arg instanceof Tensor) {
      if (!(old instanceof Tensor) || !hasNumbersOf(old, arg) || !isPlain(arg)) return false;
    } else if (isObject(arg)) {
      if (!isObject(old) || !haveSameEntries(old, arg)) return false;
    } else if (!Object.is(old, arg)) return false;
  }
  return true;
}

/** True of two arrays, or two plain objects, with the same entries, hidden ones included. */
function haveSameEntries(old: Entries, arg: Entries): boolean {
  const names = Object.getOwnPropertyNames(arg);
  if (Object.getPrototypeOf(old) !== Object.getPrototypeOf(arg)) return false;
  if (names.length !== Object.getOwnPropertyNames(old).length) return false;
  for (const name of names) {
    const [a, b] = [old[name], arg[name]];
    if (!(a instanceof Tensor && b instanceof Tensor ? hasNumbersOf(a, b) : Object.is(a, b) && name in old))
      return false;
  }
  return true;
}

const hasNumbersOf = (a: Tensor, b: Tensor): boolean =>
  a.type === b.type &&
  a.rank === b.rank &&
  a.s0 === b.s0 &&
  a.d0 === b.d0 &&
  a.s1 === b.s1 &&
  a.d1 === b.d1 &&
  a.s2 === b.s2 &&
  a.d2 === b.d2 &&
  a.s3 === b.s3 &&
  a.d3 === b.d3 &&
  a.s4 === b.s4 &&
  a.d4 === b.d4;
