/**
 * axpby: y = alpha * x + beta * y, everywhere or where a predicate holds.
 *
 * Promise: y(i) becomes alpha * x(i) + beta * y(i), by the arithmetic of `arithmetic.ts`, rounded once. With beta = 0, y is not
 * read, so what was there (NaN, unset memory) does not matter. Where the predicate does not hold nothing is read or written.
 */

import { isNonzero } from "../../kernel/element.ts";
import { rounder } from "../../kernel/round-value.ts";
import type { Value } from "../../storage/dtype.ts";
import { indexReader } from "../elements.ts";
import { checkNoOverlap } from "../operand.ts";
import { computedEngine, Tensor } from "../tensor.ts";
import { type Arithmetic, arithmeticOf, multiply, multiplyAdd } from "./arithmetic.ts";
import { arithmeticKernel, runInOrder, runWhere } from "./arithmetic-kernels.ts";
import { checkDestination, checkSameSize, elementWriter, noteWrite, numberType } from "./destination.ts";
import { mapInOrder, visitWhere } from "./in-order.ts";
import { type Predicate, predicateOf } from "./predicate.ts";

/** Sets y to alpha * x + beta * y. */
export function axpby(alpha: Value, x: Tensor, beta: Value, y: Tensor, predicate?: Predicate): void {
  const who = "axpby";
  checkDestination(y, who);
  checkSameSize(who, x, y);
  const to = numberType(y, who);
  const from = numberType(x, who);
  checkNoOverlap(y, who);
  const arithmetic = arithmeticOf(who, to, [from], [alpha, beta]);
  const times = multiply[arithmetic];
  const plus = multiplyAdd[arithmetic];
  const rounded = rounder(to);
  const isZero = !isNonzero(beta);
  const scaled = (a: Value): Value => rounded(times(alpha, a));
  const both = (a: Value, b: Value): Value => rounded(plus(alpha, a, times(beta, b)));
  if (onKernel(alpha, x, beta, y, arithmetic, isZero, predicate)) {
    noteWrite(y);
    return;
  }
  if (predicate === undefined) {
    if (isZero) mapInOrder(y, [x], scaled, "bigint", who);
    else mapInOrder(y, [x, y], both, "bigint", who);
  } else {
    const holds = predicateOf(predicate, y, who);
    const read = indexReader(y, who, "bigint");
    const write = elementWriter(y, who);
    visitWhere(holds, x, y, who, "bigint", (i, a) => write(i, isZero ? scaled(a) : both(a, read(i))));
  }
  noteWrite(y);
}

function onKernel(
  alpha: Value,
  x: Tensor,
  beta: Value,
  y: Tensor,
  arithmetic: Arithmetic,
  isZero: boolean,
  predicate: Predicate | undefined,
): boolean {
  if (computedEngine(y, "axpby") !== null || y.size === 0) return false;
  const sources = isZero ? [x] : [x, y];
  const scalars = isZero ? [alpha] : [alpha, beta];
  const mask = predicate instanceof Tensor ? (predicate.type ?? undefined) : undefined;
  const dtypes = sources.map(({ dtype }) => dtype);
  const name = isZero ? "scale" : "axpby";
  const kernel = arithmeticKernel(name, arithmetic, y.dtype, dtypes, scalars.length, mask);
  if (predicate === undefined) return runInOrder(kernel, y, sources, scalars, "axpby");
  return mask !== undefined && runWhere(kernel, y, sources, predicate as Tensor, scalars, "axpby");
}
