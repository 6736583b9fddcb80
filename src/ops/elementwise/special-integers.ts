/**
 * Greatest common divisors and least common multiples of 64-bit elements, by Euclid's algorithm. Elements that fit into 32 bits are
 * numbers on the way, longer ones bigints. Multiples wrap around, as products of integers do.
 */

import { type DType, isIntegerDType } from "../../storage/dtype.ts";
import { resultType } from "../../storage/promotion.ts";
import { to } from "../../tensor/clone.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { fresh } from "../op.ts";
import { checkTensors, denseIn, type Operand, shapeTogether, windowOf } from "./special-numbers.ts";

/** The common dtype of both. */
const commonOf = (x: Operand, other: Operand): DType =>
  resultType(
    ...([x, other] as readonly Tensor[]).map(
      ({ dtype, rank }) => ({ dtype, bucket: rank === 0 ? "zeroDim" : "tensor" }) as const,
    ),
  );

/** Refuses all but tensors that are integers together. */
export function checkIntegers(name: string, x: Operand, other: Operand): void {
  checkTensors(name, x, other);
  const common = commonOf(x, other);
  if (!isIntegerDType(common)) throw notImplemented(name, common, "int64", ", it takes integers");
}

function divisorOf(a: number, b: number): number {
  let [p, q] = [Math.abs(a), Math.abs(b)];
  while (q !== 0) {
    const rest = p % q;
    p = q;
    q = rest;
  }
  return p;
}

function longDivisorOf(a: bigint, b: bigint): bigint {
  let [p, q] = [a, b];
  while (q !== 0n) [p, q] = [q, p % q];
  return p < 0n ? -p : p;
}

/** The number as two words. */
function writeNumber(words: Int32Array, i: number, value: number): void {
  words[2 * i] = value;
  words[2 * i + 1] = Math.floor(value / 2 ** 32);
}

function writeLong(words: Int32Array, i: number, value: bigint): void {
  words[2 * i] = Number(BigInt.asIntN(32, value));
  words[2 * i + 1] = Number(BigInt.asIntN(32, value >> 32n));
}

function readLong(words: Int32Array, i: number, isUnsigned: boolean): bigint {
  const upper = words[2 * i + 1] as number;
  return (BigInt(isUnsigned ? upper >>> 0 : upper) << 32n) | BigInt((words[2 * i] as number) >>> 0);
}

/** True if the element fits into its lower word. */
const isShort = (words: Int32Array, i: number): boolean => words[2 * i + 1] === (words[2 * i] as number) >> 31;

/** The divisors, or with `isMultiple` the multiples, of the elements of both, broadcast, as int64 or uint64. */
export function overIntegers(name: string, x: Operand, other: Operand, isMultiple: boolean): Tensor {
  const common = commonOf(x, other);
  const isUnsigned = common === "uint64";
  const dtype = isUnsigned ? "uint64" : "int64";
  const shape = shapeTogether(name, x, other);
  const result = fresh(dtype, shape);
  // A tensor without axes may be wider than both are together.
  const dense = [x, other].map((one) => denseIn(name, dtype, to(one as Tensor, common), shape) as Tensor);
  const words = windowOf(result, "i32", true);
  const [a, b] = dense.map((t) => windowOf(t, "i32")) as [Int32Array, Int32Array];
  const stepA = a.length === 2 ? 0 : 1;
  const stepB = b.length === 2 ? 0 : 1;
  for (let i = 0; i < result.size; i++) {
    const [j, k] = [i * stepA, i * stepB];
    const [p, q] = [a[2 * j] as number, b[2 * k] as number];
    if (isShort(a, j) && isShort(b, k) && (!isUnsigned || (p | q) >= 0)) {
      const divisor = divisorOf(p, q);
      const value = isMultiple && divisor !== 0 ? Math.abs((p / divisor) * q) : divisor;
      if (value <= Number.MAX_SAFE_INTEGER) {
        writeNumber(words, i, value);
        continue;
      }
    }
    const [m, n] = [readLong(a, j, isUnsigned), readLong(b, k, isUnsigned)];
    const divisor = longDivisorOf(m, n);
    const value = isMultiple && divisor !== 0n ? (m / divisor) * n : divisor;
    writeLong(words, i, value < 0n ? -value : value);
  }
  return result;
}
