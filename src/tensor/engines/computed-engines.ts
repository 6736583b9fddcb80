/**
 * Engines that compute their elements.
 *
 * The counting engine: element i is start + i. It has no memory; the elements of a tensor over it are the offsets of its layout.
 *
 * The coordinate engine: the element at a coordinate is start + that coordinate. Over an identity layout, the elements of a tensor
 * are its coordinates. Slices and tiles keep the coordinates of the whole tensor, which predicates of ragged tiles compare with
 * the shape.
 *
 * The transform engine: applies a function to the elements of another engine or tensor when they are read. Nothing is cached.
 * It is read-only.
 *
 * The zip engine: reads and writes several tensors together. Its offset is the common 1-D index of the tensors (the first mode
 * varies fastest), so they need the same shape but may have any layouts and engines.
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

/** Consecutive integers from `start`. */
export interface CountingEngine extends Engine<number> {
  readonly kind: "counting";
  readonly valueType: "int32";
  readonly space: "none";
  readonly start: number;
}

/** Returns the engine whose element i is start + i. */
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
    `counting: cannot ${who} at the coordinate ${formatTuple(offset)}, offsets must be integers. For coordinate strides use makeCoordTensor(layout)`,
  );
}

/** Coordinates relative to `start`. */
export interface CoordinateEngine extends Engine<NumberTuple> {
  readonly kind: "coordinate";
  readonly valueType: "coord";
  readonly space: "none";
  readonly start: IntTuple;
}

/** Returns the engine whose element at a coordinate is start + coordinate. */
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

/** Returns start + offset. An offset of 0 returns the start unchanged, static integers included. */
const moved = (start: IntTuple, offset: IntTuple): IntTuple => (offset === 0 ? start : addCoords(start, offset));

/** A function of the elements of another engine. */
export interface TransformEngine<V = unknown> extends Engine<V> {
  readonly kind: "transform";
}

/** Returns an engine that applies f to the elements of another engine, or of a tensor from its element 0. */
export function transformEngine<V, X = Value>(
  source: Engine<X> | Tensor,
  f: (value: X) => V,
  valueType = "float32",
): TransformEngine<V> {
  checkFunction("transformEngine", f);
  checkObject("transformEngine", "a tensor or an engine", source);
  if (source instanceof Tensor) {
    const engine = engineOf(source) as Engine<X>;
    // Reads through the tensor, so that a disposed tensor throws.
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

/** Returns the engine whose element i is the list of the tensors' elements i. */
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
