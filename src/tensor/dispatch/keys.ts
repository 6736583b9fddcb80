/**
 * Dispatch keys: what may take part in a call of an op. A set of keys is a number with one bit for each; the highest decides.
 *
 * Backends lie lowest, then what sees calls on their way to them: modes, autograd, forward gradients, tracing, autocast, batching.
 * A tensor has its keys in the upper half of its `bits`, except `cpu`, which every tensor without another backend has.
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

/** Where the keys begin in the bits of a tensor. */
export const keyShift = deviceKeys.shift;

/** The place of a key. */
export function keyNumber(key: DispatchKey): number {
  const number = dispatchKeys.indexOf(key);
  if (number < 0)
    throw new StridewiseError(
      `dispatch: there is no key "${String(key)}", the keys are ${dispatchKeys.filter((known) => known !== "webgpu").join(", ")}`,
    );
  return number;
}

/** The set of these keys. */
export function keySet(...keys: readonly DispatchKey[]): KeySet {
  let set = 0;
  for (const key of keys) set |= 1 << keyNumber(key);
  return set;
}

/** The keys of a set, lowest first. */
export const keysIn = (set: KeySet): DispatchKey[] => dispatchKeys.filter((_, number) => set & (1 << number));

/** The set as text. */
export const formatKeySet = (set: KeySet): string => `DispatchKeySet(${keysIn(set).join(", ")})`;

/** The keys that run kernels. */
export const backendKeys: KeySet = 0b111;

/** The keys that a tensor's bits stand for. */
export function keysOfBits(bits: number): KeySet {
  const stored = bits >>> keyShift;
  return stored & backendKeys ? stored : stored | 1;
}
