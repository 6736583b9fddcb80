/**
 * Keys of cached programs: the dtypes, sizes and strides of tensors, and the values of other arguments. The tensors of a list are
 * arguments of their own, after the length of the list.
 */
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "./contiguity.ts";
import { keyShift } from "./dispatch/keys.ts";
import { seen } from "./dispatch/operator.ts";
import { DisposedSource } from "./disposed.ts";
import { flatStrides, isNumbers, setModes, sizesOf } from "./geometry.ts";
import { callBits, contiguousBits, Tensor } from "./tensor.ts";

/** Returns the arguments of a call with the tensors of lists as arguments of their own. */
export function keyArguments(args: readonly unknown[]): readonly unknown[] {
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (!(arg instanceof Tensor) && Array.isArray(arg) && arg[0] instanceof Tensor)
      return args.flatMap((each) =>
        Array.isArray(each) && each[0] instanceof Tensor ? [each.length, ...each] : [each],
      );
  }
  return args;
}

/** True if a program with this key serves a call with such arguments. Numbers among the first `operands` arguments are bound. */
export function matches(key: readonly unknown[], args: readonly unknown[], operands: number): boolean {
  if (args.length !== key.length) return false;
  for (let k = 0; k < key.length; k++) {
    const [expected, arg] = [key[k], args[k]];
    if (k < operands && typeof expected === "number" && typeof arg === "number") continue;
    if (!isSame(expected, arg)) return false;
  }
  return true;
}

/** True for the same value, or tensors that a program does not distinguish. */
function isSame(expected: unknown, value: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return Object.is(expected, value);
  if (expected instanceof Tensor) return value instanceof Tensor && isLike(value, expected);
  if (typeof value !== "object" || value === null) return false;
  // Ops also read options that are not enumerable.
  const names = Object.getOwnPropertyNames(value);
  return (
    names.length === Object.getOwnPropertyNames(expected).length &&
    Object.getPrototypeOf(value) === Object.getPrototypeOf(expected) &&
    names.every((name) => isSame((expected as Options)[name], (value as Options)[name]))
  );
}

type Options = Readonly<Record<string, unknown>>;

/** True for a plain tensor with the dtype, sizes and strides of another. */
const isLike = (t: Tensor, like: Tensor): boolean =>
  t.type === like.type &&
  t.rank === like.rank &&
  t.s0 === like.s0 &&
  t.d0 === like.d0 &&
  t.s1 === like.s1 &&
  t.d1 === like.d1 &&
  t.s2 === like.s2 &&
  t.d2 === like.d2 &&
  t.s3 === like.s3 &&
  t.d3 === like.d3 &&
  t.s4 === like.s4 &&
  t.d4 === like.d4 &&
  canCache(t);

/** True for values that can be part of a key: plain tensors, primitives, and lists and objects of them. Of the tensors in objects, only `out` is a slot. */
export function canKeep(value: unknown, isSlot: boolean): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "symbol";
  if (value instanceof Tensor) return isSlot;
  const { prototype } = Array.isArray(value) ? Array : Object;
  return (
    Object.getPrototypeOf(value) === prototype &&
    Object.getOwnPropertyNames(value).every((name) => canKeep((value as Options)[name], name === "out"))
  );
}

/** Returns a value as part of a key: tensors without memory. */
export function keyValue(value: unknown): unknown {
  if (value instanceof Tensor) return numbersOf(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(keyValue);
  const names = Object.getOwnPropertyNames(value);
  return Object.fromEntries(names.map((name) => [name, keyValue((value as Options)[name])]));
}

/** Returns a hash of the dtypes, sizes and strides of tensors and of other arguments that are not bound. */
export function hashOf(args: readonly unknown[], operands: number): number {
  let hash = args.length;
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (k >= operands || typeof arg !== "number") hash = hashValue(hash, arg);
  }
  return hash;
}

function hashValue(hash: number, value: unknown): number {
  if (value instanceof Tensor) {
    const { size, s0, s1, d0, d1, d2 } = value;
    // Coordinates have no dtype. They match no key.
    const type = value.type ?? "coord";
    const geometry = size + 31 * s0 + 1009 * s1 + 97 * d0 + 8191 * d1 + 83 * d2;
    return mixed(hash, geometry + (type.length << 16) + (type.charCodeAt(type.length - 1) << 20));
  }
  if (typeof value === "number") return mixed(hash, value);
  if (typeof value === "boolean") return mixed(hash, Number(value));
  if (typeof value === "string") return mixed(hash, (value.length << 8) + value.charCodeAt(0));
  if (typeof value !== "object" || value === null) return hash;
  let inner = mixed(hash, Array.isArray(value) ? value.length : 0);
  if (Array.isArray(value)) for (let k = 0; k < value.length; k++) inner = hashValue(inner, value[k]);
  else for (const name in value) inner = hashValue(hashValue(inner, name), (value as Options)[name]);
  return inner;
}

const mixed = (hash: number, by: number): number => Math.imul((hash << 5) ^ (hash >>> 7) ^ by, 0x9e3779b1);

/** True for a tensor with up to five modes, all numbers, on the CPU, with elements and without names. */
export const canCache = (t: Tensor): boolean =>
  ((callBits(t) >>> keyShift) & seen) === 0 &&
  isNumbers(t) &&
  (t.extras === null || t.extras.names === null) &&
  t.rank <= 5 &&
  t.size > 0 &&
  t.source instanceof Storage;

/** Returns a tensor with the sizes and strides of another, without memory. */
export function numbersOf(t: Tensor): Tensor {
  const strides = flatStrides(t);
  // Row-major, axes of size 1 included.
  const bits = `${rowMajorStrides(sizesOf(t))}` === `${strides}` ? contiguousBits : 0;
  const like = new Tensor(new DisposedSource("never in memory"), t.type, 0, bits, t.rank, t.size, null, null, null);
  return setModes(like, sizesOf(t), strides);
}
