/**
 * Dispatch keys. A set of keys is a number with one bit for each key; the highest key handles a call.
 *
 * Backends have the lowest keys. Above them are the layers that intercept calls: modes, autograd, forward mode, tracing, autocast, vmap.
 * A tensor stores its keys in the upper half of its `bits`, except `cpu`, the key of every tensor without another backend.
 */
import { StridewiseError } from "../../base/errors.ts";
import { deviceKeys } from "../../storage/device.ts";

/** The keys, lowest first. */
export const dispatchKeys = [
  "cpu",
  "meta",
  "webgpu",
  "mode",
  "inPlaceOrView",
  "autograd",
  "forward",
  "tracer",
  "autocast",
  "batched",
  "function",
] as const;

export type DispatchKey = (typeof dispatchKeys)[number];

/** A set of dispatch keys, one bit for each. */
export type KeySet = number;

/** The lowest bit of the keys in the bits of a tensor. */
export const keyShift = deviceKeys.shift;

/** Returns the bit number of a key, for the function `who`. */
export function keyNumber(who: string, key: DispatchKey): number {
  const number = dispatchKeys.indexOf(key);
  if (number < 0)
    throw new StridewiseError(
      `${who}: unknown key "${String(key)}"; the keys are ${dispatchKeys.filter((known) => known !== "webgpu").join(", ")}`,
    );
  return number;
}

/** Returns the set of these keys. */
export function keySet(...keys: readonly DispatchKey[]): KeySet {
  let set = 0;
  for (const key of keys) set |= 1 << keyNumber("keySet", key);
  return set;
}

/** Returns the keys in a set, lowest first. */
export const keysIn = (set: KeySet): DispatchKey[] => dispatchKeys.filter((_, number) => set & (1 << number));

/** Formats a set of keys. */
export const formatKeySet = (set: KeySet): string => `DispatchKeySet(${keysIn(set).join(", ")})`;

/** The keys of the backends. */
export const backendKeys: KeySet = 0b111;

/** Returns the keys in the bits of a tensor. */
export function keysOfBits(bits: number): KeySet {
  const stored = bits >>> keyShift;
  return stored & backendKeys ? stored : stored | 1;
}
