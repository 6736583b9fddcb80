/**
 * gemm in the five rank forms of CuTe: adds the products of A and B, summed over K, to C.
 *
 *   (V) x (V) => (V)             D(v) = A(v) B(v) + C(v)
 *   (M) x (N) => (M,N)           D(m,n) = A(m) B(n) + C(m,n)
 *   (M,K) x (N,K) => (M,N)       D(m,n) = sum over k of A(m,k) B(n,k), + C(m,n)
 *   (V,M) x (V,N) => (V,M,N)     and (V,M,K) x (V,N,K) => (V,M,N): the same for every v
 *
 * Inputs are read before the first write. Tensors with storage and strides are multiplied by kernels (`outer-products.ts`), all
 * others element by element, with the same rounding.
 *
 * Sums are computed as sum = sum + a(k) * b(k), in the order of k, rounded to the destination's dtype after each step.
 * Integers wrap exactly. Reals multiply and add in float64 before each rounding, so a float16 product is exact and a
 * float16 or bfloat16 destination rounds once per step, as C++ does with float operands and an accumulator of the
 * destination's type; a float32 destination is a float accumulator. The common dtypes have specialized loops.
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { rounder } from "../../kernel/element.ts";
import { formatLayout } from "../../layout/format.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { sizesOf } from "../geometry.ts";
import { checkNoSelfOverlap, checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import { type Arithmetic, arithmeticOf, multiplyAdd } from "./arithmetic.ts";
import { checkDestination, noteWrite, numberType } from "./destination.ts";
import { mapInOrder, visitInOrder } from "./in-order.ts";
import { addProducts, type Sizes } from "./outer-products.ts";

/** Adds the products of A and B to C. */
export function gemm(a: Tensor, b: Tensor, c: Tensor): void;
/** Sets D to the products of A and B plus C; C is unchanged. */
export function gemm(d: Tensor, a: Tensor, b: Tensor, c: Tensor): void;
export function gemm(first: Tensor, second: Tensor, third: Tensor, fourth?: Tensor): void {
  if (fourth === undefined) multiplyInto(third, first, second, third);
  else multiplyInto(first, second, third, fourth);
}

function multiplyInto(d: Tensor, a: Tensor, b: Tensor, c: Tensor): void {
  for (const t of [a, b, c, d]) checkTensor("gemm", t);
  const sizes = sizesFor(a, b, c, d);
  const to = numberType(d, "gemm");
  const inputs = [numberType(a, "gemm"), numberType(b, "gemm"), numberType(c, "gemm")];
  checkDestination(d, "gemm");
  checkNoSelfOverlap(d, "gemm");
  const arithmetic = arithmeticOf("gemm", to, inputs);
  if (addProducts(sizes, a, b, c, d, arithmetic)) {
    noteWrite(d);
    return;
  }
  const sums = elementsOf(c, arithmetic, "gemm");
  accumulate(sizes, elementsOf(a, arithmetic, "gemm"), elementsOf(b, arithmetic, "gemm"), sums, dotOf(arithmetic, to));
  let next = 0;
  mapInOrder(d, [], () => sums[next++] as number, "number", "gemm");
  noteWrite(d);
}

function accumulate(
  { v, m, n, k }: Sizes,
  a: Elements,
  b: Elements,
  sums: Elements,
  dot: ReturnType<typeof dotOf>,
): void {
  const [packedA, packedB] = [packed(a, v * m, k), packed(b, v * n, k)];
  for (let j = 0; j < n; j++)
    for (let i = 0; i < m; i++)
      for (let value = 0; value < v; value++) {
        const at = value + v * (i + m * j);
        sums[at] = dot(sums[at] as never, packedA, k * (value + v * i), packedB, k * (value + v * j), k) as never;
      }
}

/** Returns the sizes of the product; throws if two of them differ. */
function sizesFor(a: Tensor, b: Tensor, c: Tensor, d: Tensor): Sizes {
  const [sizesA, sizesB, sizesC, sizesD] = [sizesOf(a), sizesOf(b), sizesOf(c), sizesOf(d)];
  if (sizesC.length !== sizesD.length || sizesC.some((size, mode) => size !== sizesD[mode]))
    throw new ShapeError(`gemm: C and D must have the same shape, got ${show(sizesC)} and ${show(sizesD)}`);
  const form = `${a.rank} ${b.rank} ${c.rank}`;
  if (form === "1 1 1") {
    const [v] = sizesA as [number];
    agree("V of A and B", v, sizesB[0], a, b, c);
    agree("V of A and C", v, sizesC[0], a, b, c);
    return { v, m: 1, n: 1, k: 1 };
  }
  const isKnown = form === "1 1 2" || form === "2 2 2" || form === "2 2 3" || form === "3 3 3";
  if (!isKnown)
    throw new ShapeError(
      `gemm: A, B and C have ${a.rank}, ${b.rank} and ${c.rank} modes, ${shapesOf(a, b, c)}. The forms are (V)x(V)=>(V), (M)x(N)=>(M,N), (M,K)x(N,K)=>(M,N), (V,M)x(V,N)=>(V,M,N), (V,M,K)x(V,N,K)=>(V,M,N)`,
    );
  const hasV = c.rank === 3;
  const hasK = a.rank === (hasV ? 3 : 2);
  const at = hasV ? 1 : 0;
  const v = hasV ? sizesA[0] : 1;
  const m = sizesA[at];
  const n = sizesB[at];
  const k = hasK ? sizesA[at + 1] : 1;
  if (hasV) {
    agree("V of A and B", v, sizesB[0], a, b, c);
    agree("V of A and C", v, sizesC[0], a, b, c);
  }
  if (hasK) agree("K of A and B", k, sizesB[at + 1], a, b, c);
  agree("M of A and C", m, sizesC[at], a, b, c);
  agree("N of B and C", n, sizesC[at + 1], a, b, c);
  return { v, m, n, k };
}

function agree(what: string, one: number, other: number | undefined, a: Tensor, b: Tensor, c: Tensor): void {
  if (one === other) return;
  throw new ShapeError(
    `gemm: ${what} differ, ${shapesOf(a, b, c)} needs ${one} = ${other}. B is (N,K): transpose it if it is (K,N)`,
  );
}

const shapesOf = (a: Tensor, b: Tensor, c: Tensor): string =>
  `${formatLayout(a.layout)} x ${formatLayout(b.layout)} => ${formatLayout(c.layout)}`;

/** All elements of a tensor in the order of 1-D indices. */
type Elements = Float64Array | Value[];

/** Reads all elements, into a typed array if the arithmetic uses numbers. */
function elementsOf(t: Tensor, arithmetic: Arithmetic, who: string): Elements {
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

/** Transposes elements (outer, K) to (K, outer), so that k is the fastest mode. */
function packed(elements: Elements, outer: number, count: number): Elements {
  if (count === 1 || outer === 1) return elements;
  const result = elements instanceof Float64Array ? new Float64Array(elements.length) : new Array(elements.length);
  for (let k = 0; k < count; k++) for (let i = 0; i < outer; i++) result[i * count + k] = elements[k * outer + i];
  return result;
}

/** Returns sum + the products of `count` elements of a and b from their starts. */
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
  for (let k = 0; k < count; k++) sum += a[startA + k] * b[startB + k];
  return sum;
};

const float32Dot: NumberDot = (start, a, startA, b, startB, count) => {
  let sum = start;
  for (let k = 0; k < count; k++) sum = Math.fround(sum + a[startA + k] * b[startB + k]);
  return sum;
};

const int32Dot: NumberDot = (start, a, startA, b, startB, count) => {
  let sum = start | 0;
  for (let k = 0; k < count; k++) sum = (sum + Math.imul(a[startA + k], b[startB + k])) | 0;
  return sum;
};

/** Returns the loop of an arithmetic and a destination dtype. */
function dotOf(arithmetic: Arithmetic, to: DType): Dot {
  if (arithmetic === "word" && (to === "int32" || to === "uint32")) return int32Dot as Dot;
  if (arithmetic === "real" && to === "float32") return float32Dot as Dot;
  if (arithmetic === "real" && to === "float64") return float64Dot as Dot;
  const step = multiplyAdd[arithmetic];
  const rounded = rounder(to);
  return (start, a, startA, b, startB, count) => {
    let sum = rounded(start);
    for (let k = 0; k < count; k++) sum = rounded(step(a[startA + k], b[startB + k], sum));
    return sum;
  };
}
