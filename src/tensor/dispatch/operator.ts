/**
 * Dispatch: every op is an Operator, and every call of it goes through `call`.
 *
 * The keys of a call are the keys of its tensors and the included keys, without the excluded ones. The highest key that the operator
 * handles selects the implementation: the operator's kernel for the key; otherwise its composite, an implementation by other ops; otherwise the key's
 * fallback. A key with none of them, or with `fallthrough`, is skipped. A kernel can pass the call to lower keys with `callBelow`.
 */
import { StridewiseError } from "../../base/errors.ts";
import { foreign } from "../../base/foreign.ts";
import { runtime } from "../../base/runtime.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Value } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { maxAxes, tooDeep } from "../geometry.ts";
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

/** A call that computes a formula. Only ops know the type of the formula. */
export interface FormulaCall {
  readonly formula: object;
  /** The operands in the formula's order. */
  readonly operands: readonly unknown[];
  /** Formulas of gradients, by operand, that replace the derived ones: over the operands, the gradient g and the result y. */
  readonly gradients: Readonly<Record<string, string>>;
}

/** Returns a storage with this number of bytes. */
export type Allocate = (bytes: number) => Storage;

/** The work of a call that is not done yet. */
export interface PlannedCall {
  /** The results: allocated, or passed as `out`; their elements are not computed. */
  readonly results: readonly Tensor[];
  /** The results as the op returns them, in a list or a record; if omitted, the first one. */
  readonly value?: unknown;
  /** The numbers among the operands, for launches whose scalars are null. */
  readonly scalars?: readonly Value[];
  /** True if the steps are a TypeScript function over the tensors of this call. */
  readonly isHost?: boolean;
  /** Adds the steps that compute the results to a program. */
  readonly lower: (builder: ProgramBuilder) => void;
  /** Completes the call after the program: counts writes, and names axes. */
  readonly finish?: () => void;
}

/** A function that computes an op: it takes the arguments and returns the results. */
export type OpKernel = (...args: never[]) => unknown;

/** A kernel that makes an op skip a key, even if the op is composite or the key has a fallback. */
export const fallthrough: OpKernel = () => null;

/** A function that handles a key for all ops without a kernel for it. */
export type Fallback = (op: Operator, keys: KeySet, args: Arguments) => unknown;

/** Thrown if an op has no kernel for the keys of a call, or a key is misused. */
export class DispatchError extends StridewiseError {
  override readonly name = "DispatchError";
}

const fallbacks: (Fallback | null)[] = dispatchKeys.map(() => null);
/** The state of all fallbacks. */
const registry = /* @__PURE__ */ runtime.own("tensor/dispatch/operator", {
  /** Changes with every fallback: the tables of operators are then out of date. */
  version: 0,
  /** The keys whose fallback takes precedence over composites. */
  aboveComposites: 0 as KeySet,
});

/**
 * Sets the fallback of a key; null removes it. It receives composite ops themselves if `isAbove` is true, otherwise the ops that they
 * call.
 */
export function setFallback(key: DispatchKey, fallback: Fallback | null, isAbove = false): void {
  const number = keyNumber("setFallback", key);
  fallbacks[number] = fallback;
  registry.aboveComposites = (registry.aboveComposites & ~(1 << number)) | (Number(isAbove) << number);
  registry.version++;
}

/** Keys that are added to, or removed from, the keys of tensors. */
export interface KeyGuard {
  readonly include?: KeySet;
  readonly exclude?: KeySet;
  /** Keys that are no longer excluded. */
  readonly allow?: KeySet;
}

/** The keys of all guards. A variable, because every dispatched call reads it. */
let included: KeySet = 0;
/** A variable, because every dispatched call reads it. */
let excluded: KeySet = 0;
/** Not 0 if calls must go through dispatch even if their tensors have no keys. A variable, because every call of an op reads it as an import. */
export let guarded: KeySet = 0;
/** The keys that are not excluded. A variable, because every call of an op reads it as an import. */
export let seen: KeySet = -1;

/** The number of user-defined kernels for ops of the library, which may keep tensors. A variable, because every backward pass reads it as an import. */
export let userKernels = 0;

/** Counts a user-defined kernel that was added, 1, or removed, -1. */
export function countUserKernel(by: 1 | -1): void {
  userKernels += by;
}

/** True if and only if one of the keys is excluded. */
export const isExcluded = (keys: KeySet): boolean => (excluded & keys) !== 0;

/** Runs `fn` with keys included in, or excluded from, all calls. Exclusion wins over inclusion, at every nesting level. */
export function withKeys<T>({ include = 0, exclude = 0, allow = 0 }: KeyGuard, fn: () => T): T {
  const before = (included << 16) | excluded;
  restoreKeys(((included | include) << 16) | (excluded & ~allow) | exclude);
  try {
    return fn();
  } finally {
    restoreKeys(before);
  }
}

/** Excludes keys from all calls until `restoreKeys` is called with the returned value. Faster than `withKeys`. */
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

/** Returns the keys of the tensors among the arguments, including those in lists and objects. Throws if an argument is a symbol. */
function keysOfArguments(who: string, args: Arguments, depth = 0): KeySet {
  if (depth > maxAxes) throw new StridewiseError(tooDeep(who));
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

/** Returns the keys of a tensor. */
export const keysOf = (t: Tensor): KeySet => keysOfBits(t.bits);

interface Entry {
  readonly kernel: OpKernel | null;
  readonly fallback: Fallback | null;
}

export class Operator {
  declare readonly name: string;
  declare readonly family: Family;
  /** Facts that autograd, forward mode and vmap use. */
  declare readonly facts: OpFacts;
  /** True for ops that create tensors: they run on the CPU unless an argument or a guard selects another backend. */
  declare makes: boolean;
  /** True if and only if the op writes to its first argument: `add_`. */
  declare readonly isInPlace: boolean;
  /** The gradient rule; null for composite ops, and for ops without a gradient. */
  gradient: GradientRule | null = null;
  /** For an op that computes a formula: returns the formula of a call, from which its gradient is derived. */
  body: ((args: Arguments) => FormulaCall) | null = null;
  /** The same as `body`, including ops whose gradients are not derived from their formula. */
  formula: ((args: Arguments) => FormulaCall) | null = null;
  /**
   * Plans a call on the CPU without running it, with results in storages from `allocate`; null for views, composite ops, and ops whose
   * shapes depend on values. Returns null if this call is a view.
   */
  plan: ((args: Arguments, allocate?: Allocate) => PlannedCall | null) | null = null;
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

  /** Returns the kernel for a key, or null. */
  kernelFor(key: DispatchKey | "composite"): OpKernel | null {
    return this.#kernels.get(key) ?? null;
  }

  /** Sets the kernel for a key, or removes it. */
  setKernel(key: DispatchKey | "composite", kernel: OpKernel | null): void {
    if (key !== "composite") keyNumber("register", key);
    if (kernel === null) this.#kernels.delete(key);
    else this.#kernels.set(key, kernel);
    this.#version = -1;
    this.hasBuiltInKernel =
      this.#usual !== null && (this.#kernels.get("cpu") ?? this.#kernels.get("composite")) === this.#usual;
  }

  /** True if and only if tensors on the CPU are handled by the built-in kernel. */
  hasBuiltInKernel = false;
  #usual: OpKernel | null = null;

  /** Sets the built-in kernel for the CPU, or for every key. */
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

  /** Calls the handler of the highest of these keys. */
  callWith(keys: KeySet, args: Arguments): unknown {
    if (this.#version !== registry.version) this.#refresh();
    const known = keys & this.#mask;
    if (known === 0) throw this.#noKernel(keys);
    const { kernel, fallback } = this.#entries[31 - Math.clz32(known)] as Entry;
    return kernel === null ? (fallback as Fallback)(this, keys, args) : kernel(...(args as never[]));
  }

  /** Calls the handler of the highest key below this one. */
  callBelow(key: DispatchKey, keys: KeySet, args: Arguments): unknown {
    return this.callWith(keys & ((1 << keyNumber("callBelow", key)) - 1), args);
  }

  #noKernel(keys: KeySet): DispatchError {
    const has = [...this.#kernels.keys()].join(", ") || "none";
    return new DispatchError(
      keys === 0 && excluded & backendKeys
        ? `${this.name}: the keys ${formatKeySet(excluded)} are excluded, and no other remains. Call it outside of withKeys({ exclude })`
        : keys === 0
          ? `${this.name}: no argument is a tensor. Create one: tensor(...)`
          : `${this.name}: no kernel for the keys ${formatKeySet(keys)}; registered: ${has}. Register one: library(...).register`,
    );
  }
}

/** The operators that the program contains, in the order of their definitions. */
const defined: Operator[] = [];

/** Creates the operator of an op of the library. */
export function defineOperator(name: string, family: Family, facts?: OpFacts, makes?: boolean): Operator {
  const operator = new Operator(name, family, facts, makes);
  defined.push(operator);
  return operator;
}

/** Returns the operators of the library that the program contains. */
export const definedOperators = (): readonly Operator[] => defined;
