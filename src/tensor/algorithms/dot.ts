/**
 * The sums of gemm: sum = sum + a(k) * b(k), one k after the other, rounded to the destination's dtype after each step.
 * Integers wrap exactly. Reals multiply and add in float64 before each rounding, so a float16 product is exact and a
 * float16 or bfloat16 destination rounds once per step, as C++ does with float operands and an accumulator of the
 * destination's type; a float32 destination is a float accumulator. The usual dtypes have a loop of their own.
 */
import { rounder } from "../../kernel/round-value.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import type { Tensor } from "../tensor.ts";
import { type Arithmetic, multiplyAdd } from "./arithmetic.ts";
import { visitInOrder } from "./in-order.ts";

/** All elements of a tensor in the order of 1-D indices. */
export type Elements = Float64Array | Value[];

/** Reads all elements: numbers side by side where the arithmetic is of numbers. */
export function elementsOf(t: Tensor, arithmetic: Arithmetic, who: string): Elements {
  if (arithmetic === "real" || arithmetic === "word") {
    const numbers = new Float64Array(t.size);
    const take = (value: Value, index: number): void => {
      numbers[index] = typeof value === "number" ? value : Number(value);
    };
    visitInOrder(t, take, "bigint", who);
    return numbers;
  }
  const values: Value[] = new Array(t.size);
  const take = (value: Value, index: number): void => {
    values[index] = value;
  };
  visitInOrder(t, take, "bigint", who);
  return values;
}

/** The same elements with k, the slower of two modes (outer, K), as the faster one. */
export function packed(elements: Elements, outer: number, count: number): Elements {
  if (count === 1 || outer === 1) return elements;
  const result = elements instanceof Float64Array ? new Float64Array(elements.length) : new Array(elements.length);
  for (let k = 0; k < count; k++) for (let i = 0; i < outer; i++) result[i * count + k] = elements[k * outer + i];
  return result;
}

/** sum + the products of `count` elements of a and b, from their starts on. */
type Dot = (sum: Value, a: Elements, startA: number, b: Elements, startB: number, count: number) => Value;

type NumberDot = (
  sum: number,
  a: Float64Array,
  startA: number,
  b: Float64Array,
  startB: number,
  count: number,
) => number;

const float64Dot: NumberDot = (start, a, startA, b, startB, count) => {
  let sum = start;
  for (let k = 0; k < count; k++) sum += (a[startA + k] as number) * (b[startB + k] as number);
  return sum;
};

const float32Dot: NumberDot = (start, a, startA, b, startB, count) => {
  let sum = start;
  for (let k = 0; k < count; k++) sum = Math.fround(sum + (a[startA + k] as number) * (b[startB + k] as number));
  return sum;
};

const int32Dot: NumberDot = (start, a, startA, b, startB, count) => {
  let sum = start | 0;
  for (let k = 0; k < count; k++) sum = (sum + Math.imul(a[startA + k] as number, b[startB + k] as number)) | 0;
  return sum;
};

/** The sum in an arithmetic, for a destination of a dtype. */
export function dotOf(arithmetic: Arithmetic, to: DType): Dot {
  if (arithmetic === "word" && (to === "int32" || to === "uint32")) return int32Dot as Dot;
  if (arithmetic === "real" && to === "float32") return float32Dot as Dot;
  if (arithmetic === "real" && to === "float64") return float64Dot as Dot;
  const step = multiplyAdd[arithmetic];
  const rounded = rounder(to);
  return (start, a, startA, b, startB, count) => {
    let sum = rounded(start);
    for (let k = 0; k < count; k++) sum = rounded(step(a[startA + k] as Value, b[startB + k] as Value, sum));
    return sum;
  };
}
