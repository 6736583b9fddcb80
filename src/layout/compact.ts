/**
 * Strides that leave no gap: column-major, row-major, or in a given order of modes.
 * As in CuTe, a static size of 1 gets the static stride 0; a dynamic 1 gets the running product.
 */
import { type Int, int, isOne, isStaticInt, mul, valueOf } from "./int.ts";
import { differingRanks, type IntTuple, isTuple, leaves, type Nested, product, productLike } from "./tuple.ts";

type Modes = readonly IntTuple[];

function compact(shape: IntTuple, start: Int, rightToLeft: boolean): [stride: IntTuple, next: Int] {
  if (!isTuple(shape)) {
    const isStaticOne = isStaticInt(shape) && isOne(shape);
    return isStaticOne ? [int(0), start] : [start, mul(start, shape as Int)];
  }
  const stride = new Array<IntTuple>(shape.length);
  let running = start;
  for (let step = 0; step < shape.length; step++) {
    const i = rightToLeft ? shape.length - 1 - step : step;
    [stride[i], running] = compact((shape as Modes)[i] as IntTuple, running, rightToLeft) as [IntTuple, Int];
  }
  return [stride, running];
}

/** Strides with the leftmost mode fastest, starting from `start`. A tuple of starts applies to the modes one by one. */
export function compactColMajor(shape: IntTuple, start: IntTuple = int(1)): IntTuple {
  return eachStart(shape, start, false);
}

/** Strides with the rightmost mode fastest, starting from `start`. */
export function compactRowMajor(shape: IntTuple, start: IntTuple = int(1)): IntTuple {
  return eachStart(shape, start, true);
}

function eachStart(shape: IntTuple, start: IntTuple, rightToLeft: boolean): IntTuple {
  if (!isTuple(start)) return compact(shape, start as Int, rightToLeft)[0];
  if (!isTuple(shape) || shape.length !== start.length) throw differingRanks("compact strides", shape, start);
  return (shape as Modes).map((mode, i) => eachStart(mode, (start as Modes)[i] as IntTuple, rightToLeft));
}

/**
 * Strides in the order of the numbers in `order`: the mode with the smallest number is fastest. Static numbers come first,
 * dynamic ones after them from left to right, as in CuTe; an order with no static number is read by its values.
 * Equal numbers count from left to right, so the result is always compact.
 */
export function compactOrder(shape: IntTuple, order: IntTuple): IntTuple {
  const flatOrder = leaves<Int>(order as Nested<Int>);
  const flatShape = leaves<Int>(productLike(shape, order) as Nested<Int>);
  const byValue = !flatOrder.some(isStaticInt);
  const ranks = flatOrder.map((o) => (byValue || isStaticInt(o) ? valueOf(o) : Infinity));
  let leaf = 0;
  const strideFor = (s: IntTuple, o: IntTuple): IntTuple => {
    if (isTuple(o)) return (o as Modes).map((mode, i) => strideFor((s as Modes)[i] as IntTuple, mode));
    const here = leaf++;
    const mine = ranks[here] as number;
    const before = (other: number, i: number): boolean => other < mine || (other === mine && i < here);
    return compactColMajor(s, product(flatShape.filter((_size, i) => before(ranks[i] as number, i))));
  };
  return strideFor(shape, order);
}

/** The running product of the sizes, size-1 modes included: (3,2,4) gives (1,3,6). */
export function prefixProduct(shape: IntTuple, start: Int = int(1)): IntTuple {
  let running = start;
  const walk = (s: IntTuple): IntTuple => {
    if (isTuple(s)) return (s as Modes).map(walk);
    const here = running;
    running = mul(running, s as Int);
    return here;
  };
  return walk(shape);
}
