/**
 * The one door: every op is an Operator, and every call of it goes through `call`.
 *
 * The keys of a call are those of its tensors and those included, without those excluded. Its highest key that means something to the
 * operator picks what runs: the operator's own kernel for the key; else its composite, an implementation by other ops; else the
 * key's fallback. A key with none of them, or with `fallthrough`, is passed over. Who runs may hand on to the keys below it: `callBelow`.
 */
import { StridewiseError } from "../../base/errors.ts";
import { foreign } from "../../base/foreign.ts";
import { mostAxes, tooDeep } from "../geometry.ts";
import { callBits, Tensor } from "../tensor.ts";
import type { OpFacts } from "./facts.ts";
import type { GradientRule } from "./gradient.ts";
import {
  backendKeys,
  type DispatchKey,
  dispatchKeys,
  formatKeySet,
  type KeySet,
  keyNumber,
  keysOfBits,
} from "./keys.ts";

/** The closed list of families. */
export type Family = "elementwise" | "reduce" | "movement" | "contract" | "routine" | "composite";

export type Arguments = readonly unknown[];

/** A call that computes a formula; what a formula is, the ops know. */
export interface FormulaCall {
  readonly formula: object;
  /** The operands in the formula's order. */
  readonly given: readonly unknown[];
  /** Formulas of gradients, by operand, that replace the derived ones: over the operands, the gradient g and the result y. */
  readonly gradients: Readonly<Record<string, string>>;
}

/** What computes an op: takes its arguments, gives its results. */
export type OpKernel = (...args: never[]) => unknown;

/** A kernel to register that stands for none: with it an op passes a key over, whatever it is made of and whatever serves the key. */
export const fallthrough: OpKernel = () => null;

/** What serves a key for all ops that have no kernel of their own for it. */
export type Fallback = (op: Operator, keys: KeySet, args: Arguments) => unknown;

/** An op has no kernel for the keys of a call, or a key is used wrongly. */
export class DispatchError extends StridewiseError {
  override readonly name = "DispatchError";
}

const fallbacks: (Fallback | null)[] = dispatchKeys.map(() => null);
/** What serves keys beside the kernels of ops. */
const registry = {
  /** Changes whenever a fallback does: what operators have worked out before is then out of date. */
  version: 0,
  /** The keys whose fallback comes before what ops are made of. */
  aboveComposites: 0 as KeySet,
};

/**
 * Says what serves a key where ops have no kernel for it; null for nothing. It sees ops that are made of others, too, if `isAbove` is
 * true, and else what they are made of.
 */
export function setFallback(key: DispatchKey, fallback: Fallback | null, isAbove = false): void {
  const number = keyNumber(key);
  fallbacks[number] = fallback;
  registry.aboveComposites = (registry.aboveComposites & ~(1 << number)) | (Number(isAbove) << number);
  registry.version++;
}

/** The keys added to and taken from those of tensors. */
export interface KeyGuard {
  readonly include?: KeySet;
  readonly exclude?: KeySet;
  /** Excluded no longer. */
  readonly allow?: KeySet;
}

let included: KeySet = 0;
let excluded: KeySet = 0;
/** Not 0 if calls go the long way even with tensors that have no keys: something is included, or a backend excluded. */
export let guarded: KeySet = 0;
/** The keys that are not excluded: of a tensor's keys, these count. */
export let seen: KeySet = -1;

/** How many kernels of users serve ops of the library: they may keep every tensor that they see or make. */
export let userKernels = 0;

/** Notes that a user has added such a kernel, 1, or taken it back, -1. */
export function countUserKernel(by: 1 | -1): void {
  userKernels += by;
}

/** True if and only if a key is taken from all calls. */
export const isExcluded = (keys: KeySet): boolean => (excluded & keys) !== 0;

/** Runs `fn` with keys included in, or excluded from, all calls; what is excluded, here or around it, is not seen even if it is included. */
export function withKeys<T>({ include = 0, exclude = 0, allow = 0 }: KeyGuard, fn: () => T): T {
  const before = (included << 16) | excluded;
  restoreKeys(((included | include) << 16) | (excluded & ~allow) | exclude);
  try {
    return fn();
  } finally {
    restoreKeys(before);
  }
}

/** Excludes keys from all calls, until `restoreKeys` is called with the result. Faster than `withKeys`, for use in every call. */
export function excludeKeys(keys: KeySet): number {
  const before = (included << 16) | excluded;
  restoreKeys(before | keys);
  return before;
}

/** Sets the included keys (upper 16 bits) and the excluded keys (lower 16 bits). */
export function restoreKeys(guard: number): void {
  included = guard >>> 16;
  excluded = guard & 0xffff;
  guarded = (included & ~excluded) | (excluded & backendKeys);
  seen = ~excluded;
}

/** The keys of the tensors among arguments, in lists and records too; refuses symbols, which JavaScript does not even print. */
function keysOfArguments(who: string, args: Arguments, depth = 0): KeySet {
  if (depth > mostAxes) throw new StridewiseError(tooDeep(who));
  let keys = 0;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg instanceof Tensor) keys |= keysOfBits(callBits(arg));
    else if (typeof arg === "symbol") throw new StridewiseError(`${who}: takes no symbols, got ${String(arg)}`);
    else if (typeof arg !== "object" || arg === null) continue;
    else if (Array.isArray(arg)) keys |= keysOfArguments(who, arg, depth + 1);
    else if (Object.getPrototypeOf(arg) === Object.prototype)
      keys |= keysOfArguments(who, Object.values(arg), depth + 1);
    else if (foreign(arg)) throw new StridewiseError(`${who}: got ${foreign(arg)}`);
  }
  return keys;
}

/** The keys of a tensor. */
export const keysOf = (t: Tensor): KeySet => keysOfBits(t.bits);

interface Entry {
  readonly kernel: OpKernel | null;
  readonly fallback: Fallback | null;
}

export class Operator {
  declare readonly name: string;
  declare readonly family: Family;
  /** What its definition states for autograd, forward mode and vmap. */
  declare readonly facts: OpFacts;
  /** True of ops that make tensors from none, or may: they run on the processor unless an argument or a guard says something else. */
  declare makes: boolean;
  /** True if and only if it writes to its first argument, as its name says: `add_`. */
  declare readonly isInPlace: boolean;
  /** How gradients pass through it; null if it is made of others, or none pass. */
  gradient: GradientRule | null = null;
  /** Of an op that computes a formula: the formula of a call with these arguments, from which its gradient follows. */
  body: ((args: Arguments) => FormulaCall) | null = null;
  readonly #kernels = new Map<DispatchKey | "composite", OpKernel>();
  #entries: (Entry | null)[] = [];
  #mask: KeySet = 0;
  #version = -1;

  constructor(name: string, family: Family, facts: OpFacts = {}, makes = false) {
    this.name = name;
    this.family = family;
    this.facts = facts;
    this.makes = makes;
    this.isInPlace = typeof name === "string" && name.endsWith("_");
  }

  /** The kernel for a key, or null. */
  kernelFor(key: DispatchKey | "composite"): OpKernel | null {
    return this.#kernels.get(key) ?? null;
  }

  /** Sets the kernel for a key, or removes it. */
  setKernel(key: DispatchKey | "composite", kernel: OpKernel | null): void {
    if (key !== "composite") keyNumber(key);
    if (kernel === null) this.#kernels.delete(key);
    else this.#kernels.set(key, kernel);
    this.#version = -1;
    this.isPlain = this.#usual !== null && (this.#kernels.get("cpu") ?? this.#kernels.get("composite")) === this.#usual;
  }

  /** True if and only if nothing but the usual kernel serves tensors of the processor. */
  isPlain = false;
  #usual: OpKernel | null = null;

  /** Notes the kernel that the library itself brings for the processor, or for every key. */
  setUsual(kernel: OpKernel, key: "cpu" | "composite" = "cpu"): void {
    this.#usual = kernel;
    this.setKernel(key, kernel);
  }

  #refresh(): void {
    this.#version = registry.version;
    const composite = this.#kernels.get("composite") ?? null;
    this.#mask = 0;
    this.#entries = dispatchKeys.map((key, number) => {
      const kernel = this.#kernels.get(key) ?? (registry.aboveComposites & (1 << number) ? null : composite);
      const fallback = kernel === null ? fallbacks[number] : null;
      if ((kernel ?? fallback ?? fallthrough) === fallthrough) return null;
      this.#mask |= 1 << number;
      return { kernel, fallback };
    });
  }

  /** Calls the op with these arguments. */
  call(args: Arguments): unknown {
    return this.callWith((keysOfArguments(this.name, args) | included | Number(this.makes)) & ~excluded, args);
  }

  /** Calls what the highest of these keys stands for. */
  callWith(keys: KeySet, args: Arguments): unknown {
    if (this.#version !== registry.version) this.#refresh();
    const known = keys & this.#mask;
    if (known === 0) throw this.#noKernel(keys);
    const { kernel, fallback } = this.#entries[31 - Math.clz32(known)] as Entry;
    return kernel === null ? (fallback as Fallback)(this, keys, args) : kernel(...(args as never[]));
  }

  /** Calls what the keys below one stand for. */
  callBelow(key: DispatchKey, keys: KeySet, args: Arguments): unknown {
    return this.callWith(keys & ((1 << keyNumber(key)) - 1), args);
  }

  #noKernel(keys: KeySet): DispatchError {
    const has = [...this.#kernels.keys()].join(", ") || "none";
    return new DispatchError(
      keys === 0 && excluded & backendKeys
        ? `${this.name}: the keys ${formatKeySet(excluded)} are excluded, and no other is left. Call it outside of withKeys({ exclude })`
        : keys === 0
          ? `${this.name}: no argument is a tensor, so there is no backend to run it. Give a tensor: tensor(...)`
          : `${this.name}: no kernel for the keys ${formatKeySet(keys)}; it has kernels for ${has}. Register one: library(...).register`,
    );
  }
}
