/**
 * Algorithms with predicates. A predicate selects elements: a bool tensor on any engine, or a function of the 1-D index.
 * A tensor has the size of the destination, or the same number of modes, where modes of size 1 are broadcast.
 *
 * copyIf copies element i of the source to element i of the destination if the predicate holds, for example for ragged tiles.
 *
 * Postcondition: destination(i) = source(i) for every index i with predicate(i). Other elements are neither read nor written, so
 * layouts may reach past the memory there.
 *
 * axpby sets y = alpha * x + beta * y, everywhere or where a predicate holds.
 *
 * Postcondition: y(i) becomes alpha * x(i) + beta * y(i), by the arithmetic of `arithmetic.ts`, rounded once. With beta = 0, y is not
 * read, so its old elements (NaN, uninitialized memory) do not matter. Where the predicate does not hold, nothing is read or written.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { isNonzero, rounder } from "../../kernel/element.ts";
import { type Coord, idx2crd, numbers } from "../../layout/coord.ts";
import { formatLayout } from "../../layout/format.ts";
import { shapeOf } from "../../layout/queries.ts";
import type { Value } from "../../storage/dtype.ts";
import { indexReader } from "../elements.ts";
import { sizesOf } from "../geometry.ts";
import { checkNoSelfOverlap } from "../operand.ts";
import { computedEngine, Tensor } from "../tensor.ts";
import {
  type Arithmetic,
  arithmeticKernel,
  arithmeticOf,
  multiply,
  multiplyAdd,
  runInOrder,
  runWhere,
} from "./arithmetic.ts";
import {
  checkDestination,
  checkElements,
  checkSameSize,
  describeArgument,
  elementWriter,
  noteWrite,
  numberType,
} from "./destination.ts";
import { mapInOrder, undisturbedReader, visitWhere } from "./in-order.ts";

/**
 * A bool tensor (nonzero numbers are true), or a function of the 1-D index and the coordinate, nested like the destination's
 * shape. A function of one parameter receives only the index, which is faster.
 */
export type Predicate = Tensor | ((index: number, coord: Coord) => boolean);

/** Converts the predicate to a function of the destination's 1-D index. */
function predicateOf(predicate: Predicate, destination: Tensor, who: string): (index: number) => boolean {
  if (!(predicate instanceof Tensor)) {
    if (typeof predicate !== "function")
      throw new StridewiseError(
        `${who}: the predicate must be a bool tensor or a function of the index, got ${describeArgument(predicate)}`,
      );
    if (predicate.length < 2) return predicate as (index: number) => boolean;
    const shape = shapeOf(destination.layout);
    return (index) => predicate(index, numbers(idx2crd(index, shape)));
  }
  numberType(predicate, who);
  const read = undisturbedReader(predicate, destination, who, "bigint");
  const toIndex = indexIn(predicate, destination, who);
  return toIndex === null ? (index) => isNonzero(read(index)) : (index) => isNonzero(read(toIndex(index)));
}

/** Returns the function from an index of the destination to one of the predicate, or null if they are the same. */
function indexIn(predicate: Tensor, destination: Tensor, who: string): ((index: number) => number) | null {
  if (predicate.size === destination.size) return null;
  const sizes = sizesOf(destination);
  const own = sizesOf(predicate);
  if (own.length !== sizes.length || own.some((size, mode) => size !== 1 && size !== sizes[mode]))
    throw new ShapeError(
      `${who}: the predicate ${formatLayout(predicate.layout)} has ${predicate.size} elements and the destination ${formatLayout(destination.layout)} has ${destination.size}. ` +
        `Pass one for each element, or modes of size 1 to broadcast`,
    );
  return (index) => {
    let rest = index;
    let at = 0;
    let step = 1;
    for (let mode = 0; mode < sizes.length; mode++) {
      const size = sizes[mode];
      if (own[mode] !== 1) {
        at += (rest % size) * step;
        step *= size;
      }
      rest = Math.floor(rest / size);
    }
    return at;
  };
}

/** Copies the elements for which the predicate holds. */
export function copyIf(predicate: Predicate, source: Tensor, destination: Tensor): void {
  const who = "copyIf";
  checkDestination(destination, who);
  checkSameSize(who, source, destination);
  checkElements(who, source, destination);
  checkNoSelfOverlap(destination, who);
  if (predicate instanceof Tensor && copyOnKernel(predicate, source, destination, who)) {
    noteWrite(destination);
    return;
  }
  const holds = predicateOf(predicate, destination, who);
  const write = elementWriter(destination, who);
  const isStored = computedEngine(destination, who) === null;
  visitWhere(holds, source, destination, who, isStored ? "bigint" : "number", write);
  noteWrite(destination);
}

function copyOnKernel(predicate: Tensor, source: Tensor, destination: Tensor, who: string): boolean {
  if (source.type === null || destination.type === null || predicate.type === null) return false;
  const kernel = arithmeticKernel("copy", "real", destination.type, [source.type], 0, predicate.type);
  return destination.size > 0 && runWhere(kernel, destination, [source], predicate, [], who);
}

/** Sets y to alpha * x + beta * y. */
export function axpby(alpha: Value, x: Tensor, beta: Value, y: Tensor, predicate?: Predicate): void {
  const who = "axpby";
  checkDestination(y, who);
  checkSameSize(who, x, y);
  const to = numberType(y, who);
  const from = numberType(x, who);
  checkNoSelfOverlap(y, who);
  const arithmetic = arithmeticOf(who, to, [from], [alpha, beta]);
  const times = multiply[arithmetic];
  const plus = multiplyAdd[arithmetic];
  const rounded = rounder(to);
  const isZero = !isNonzero(beta);
  const scaled = (a: Value): Value => rounded(times(alpha, a));
  const both = (a: Value, b: Value): Value => rounded(plus(alpha, a, times(beta, b)));
  if (axpbyOnKernel(alpha, x, beta, y, arithmetic, isZero, predicate)) {
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

function axpbyOnKernel(
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
