/**
 * Predicates of the algorithms: which elements are touched. A bool tensor on any engine, or a function of the 1-D index.
 * A tensor has as many elements as the destination, or as many modes, of which some have size 1 and hold for all of theirs.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { isNonzero } from "../../kernel/element.ts";
import type { Coord } from "../../layout/coord.ts";
import { idx2crd, numbers } from "../../layout/coord.ts";
import { formatLayout } from "../../layout/format.ts";
import { shapeOf } from "../../layout/queries.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import { sizesOf } from "../geometry.ts";
import { Tensor } from "../tensor.ts";
import { describeGiven, numberType } from "./destination.ts";
import { undisturbedReader } from "./in-order.ts";

/**
 * A bool tensor (numbers count as true if they are not 0), or a function of the 1-D index and the coordinate, nested as the
 * destination's shape. A function of one parameter is given the index alone, which is quicker.
 */
export type Predicate = Tensor | ((index: number, coord: Coord) => boolean);

/** The predicate as a function of the destination's 1-D index. */
export function predicateOf(predicate: Predicate, destination: Tensor, who: string): (index: number) => boolean {
  if (!(predicate instanceof Tensor)) {
    if (typeof predicate !== "function")
      throw new StridewiseError(
        `${who}: the predicate is a bool tensor or a function of the index, got ${describeGiven(predicate)}`,
      );
    if (predicate.length < 2) return predicate as (index: number) => boolean;
    const shape = shapeOf(destination.layout) as IntTuple;
    return (index) => predicate(index, numbers(idx2crd(index, shape)) as Coord);
  }
  numberType(predicate, who);
  const read = undisturbedReader(predicate, destination, who, "bigint");
  const place = placeIn(predicate, destination, who);
  return place === null ? (index) => isNonzero(read(index)) : (index) => isNonzero(read(place(index)));
}

/** From an index of the destination to one of the predicate; null if they are the same. */
function placeIn(predicate: Tensor, destination: Tensor, who: string): ((index: number) => number) | null {
  if (predicate.size === destination.size) return null;
  const sizes = sizesOf(destination);
  const given = sizesOf(predicate);
  if (given.length !== sizes.length || given.some((size, mode) => size !== 1 && size !== sizes[mode]))
    throw new ShapeError(
      `${who}: the predicate ${formatLayout(predicate.layout)} has ${predicate.size} elements and the destination ${formatLayout(destination.layout)} has ${destination.size}. ` +
        `Give one for each element, or a mode of size 1 where one stands for all`,
    );
  return (index) => {
    let rest = index;
    let place = 0;
    let step = 1;
    for (let mode = 0; mode < sizes.length; mode++) {
      const size = sizes[mode] as number;
      if (given[mode] !== 1) {
        place += (rest % size) * step;
        step *= size;
      }
      rest = Math.floor(rest / size);
    }
    return place;
  };
}
