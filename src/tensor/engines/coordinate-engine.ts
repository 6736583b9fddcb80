/**
 * The coordinate engine: the element at a coordinate is that coordinate, counted from a start. Over an identity layout a tensor
 * shows its own coordinates, and keeps showing those of the whole however it is sliced and tiled: what predicates of ragged
 * tiles compare with the shape.
 */
import { addCoords } from "../../layout/basis.ts";
import { type NumberTuple, numbers } from "../../layout/coord.ts";
import { formatTuple } from "../../layout/format.ts";
import { type IntTuple, isTuple } from "../../layout/tuple.ts";
import type { Engine } from "../engine.ts";

/** Coordinates from a start on. */
export interface CoordinateEngine extends Engine<NumberTuple> {
  readonly kind: "coordinate";
  readonly valueType: "coord";
  readonly space: "none";
  readonly start: IntTuple;
}

/** The engine whose element at a coordinate is start + coordinate. */
export function coordinates(start: IntTuple): CoordinateEngine {
  return {
    kind: "coordinate",
    valueType: "coord",
    space: "none",
    start,
    read: (offset) => numbers(moved(start, offset)),
    advance: (offset) => coordinates(moved(start, offset)),
    describe: () => `ArithTuple${isTuple(start) ? formatTuple(start) : `(${formatTuple(start)})`}`,
  };
}

/** 0 leaves the start as it is, static integers included. */
const moved = (start: IntTuple, offset: IntTuple): IntTuple => (offset === 0 ? start : addCoords(start, offset));
