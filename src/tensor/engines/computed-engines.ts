/**
 * The engines that compute their elements.
 *
 * The counting engine: element i is start + i. It has no memory, so a tensor over it shows the offsets of its layout.
 *
 * The coordinate engine: the element at a coordinate is that coordinate, counted from a start. Over an identity layout a tensor
 * shows its own coordinates, and keeps showing those of the whole however it is sliced and tiled: what predicates of ragged
 * tiles compare with the shape.
 *
 * The transform engine: the elements of another engine or tensor, each seen through a function when it is read. Nothing is
 * computed before that and nothing is kept. It cannot be written.
 *
 * The zip engine: several tensors read and written together. Its offset is the 1-D index (the first mode varies fastest) that they
 * have in common, so they may have any layouts and engines as long as they have one shape.
 */
import { checkFunction, checkObject } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { addCoords } from "../../layout/basis.ts";
import { type NumberTuple, numbers } from "../../layout/coord.ts";
import { formatTuple } from "../../layout/format.ts";
import { knownValue } from "../../layout/int.ts";
import { type IntTuple, isTuple } from "../../layout/tuple.ts";
import type { Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { offsetOfIndex, readAt, writeAt } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { bumpVersion, checkWritable } from "../operand.ts";
import { computedEngine, Tensor } from "../tensor.ts";
import { engineOf } from "./storage-engine.ts";

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
    throw new StridewiseError(`counting: the start must be an integer, got ${String(start)}`);
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

/** The elements of another engine, seen through a function. */
export interface TransformEngine<V = unknown> extends Engine<V> {
  readonly kind: "transform";
}

/** An engine whose elements are f of another's; of a tensor, of the elements from its element 0 on. */
export function transformEngine<V, X = Value>(
  source: Engine<X> | Tensor,
  f: (value: X) => V,
  valueType = "float32",
): TransformEngine<V> {
  checkFunction("transformEngine", f);
  checkObject("transformEngine", "a tensor or an engine", source);
  if (source instanceof Tensor) {
    const engine = engineOf(source) as Engine<X>;
    // The tensor itself is asked, so that a disposed one says so.
    return through(engine, (offset) => f(readAt(source, offset) as X), f, valueType);
  }
  return through(source, (offset) => f(source.read(offset)), f, valueType);
}

function through<V, X>(
  source: Engine<X>,
  read: (offset: IntTuple) => V,
  f: (value: X) => V,
  valueType: string,
): TransformEngine<V> {
  return {
    kind: "transform",
    valueType,
    space: source.space,
    read,
    advance: (offset) => transformEngine<V, X>(source.advance(offset), f, valueType),
    describe: () => `transform_iter(${source.describe()})`,
  };
}

/** The elements of several tensors, as lists. */
export interface ZipEngine extends Engine<readonly Value[]> {
  readonly kind: "zip";
  readonly valueType: "tuple";
  readonly tensors: readonly Tensor[];
}

/** The engine whose element i is the list of the tensors' elements i. */
export function zipEngine(tensors: readonly Tensor[], start = 0): ZipEngine {
  const index = (offset: IntTuple): number => start + (knownValue(offset as number) as number);
  return {
    kind: "zip",
    valueType: "tuple",
    space: "none",
    tensors,
    read: (offset) => tensors.map((t) => readAt(t, offsetOfIndex(t, index(offset)))),
    write(offset, values) {
      for (const t of tensors) if (computedEngine(t, "set") === null) checkWritable(t, "set");
      for (const [k, t] of tensors.entries()) {
        writeAt(t, offsetOfIndex(t, index(offset)), values[k]);
        if (t.source instanceof Storage) bumpVersion(t);
      }
    },
    advance: (offset) => zipEngine(tensors, index(offset)),
    describe: () =>
      `zip_iter(${tensors.map((t) => engineOf(t).describe()).join(",")})${start === 0 ? "" : `+${start}`}`,
  };
}
