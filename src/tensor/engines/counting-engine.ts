/**
 * The counting engine: element i is start + i. It has no memory, so a tensor over it shows the offsets of its layout.
 */
import { StridewiseError } from "../../base/errors.ts";
import { formatTuple } from "../../layout/format.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { Engine } from "../engine.ts";

/** The integers from a start on. */
export interface CountingEngine extends Engine<number> {
  readonly kind: "counting";
  readonly valueType: "int32";
  readonly space: "none";
  readonly start: number;
}

/** The engine whose element i is start + i. */
export function counting(start = 0): CountingEngine {
  if (!Number.isSafeInteger(start))
    throw new StridewiseError(`counting: the start is an integer, got ${String(start)}`);
  return {
    kind: "counting",
    valueType: "int32",
    space: "none",
    start,
    read: (offset) => start + number("read", offset),
    advance: (offset) => counting(start + number("advance", offset)),
    describe: () => `counting_iter(${start})`,
  };
}

function number(who: string, offset: IntTuple): number {
  if (typeof offset === "number") return offset;
  throw new StridewiseError(
    `counting: cannot ${who} at the coordinate ${formatTuple(offset)}, a counting engine takes integers. For layouts with coordinates as strides use makeCoordTensor(layout)`,
  );
}
