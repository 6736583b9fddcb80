/**
 * An engine turns an offset into an element; a tensor is an engine and a layout.
 * Three kinds have storage (owning, view, const), three compute their elements (counting, coordinate, transform), and users may define others:
 * every algorithm of `algorithms/` needs only this interface.
 */
import type { IntTuple } from "../layout/tuple.ts";
import type { Space } from "./identity.ts";

/** A random-access sequence of elements. Offsets are integers, or coordinates where the strides are coordinates. */
export interface Engine<V = unknown> {
  /** "owning", "view" and "const" have storage; "counting", "coordinate", "transform" and user-defined kinds do not. */
  readonly kind: string;
  /** The dtype of the elements, or another word for elements that are not numbers: "coord". */
  readonly valueType: string;
  readonly space: Space;
  read(offset: IntTuple): V;
  /** Absent: the elements cannot be written. */
  write?(offset: IntTuple, value: V): void;
  /** The engine whose offset 0 is this one's `offset`. */
  advance(offset: IntTuple): Engine<V>;
  /** The text of the engine, which is printed before the layout: `counting_iter(0)`. */
  describe(): string;
}

export const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Engine).read === "function" &&
  typeof (value as Engine).advance === "function";
