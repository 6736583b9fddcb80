/**
 * One element: `get` and `set` by as many integers as there are axes, or by one coordinate (nested as the layout is, or flat). Negative
 * integers count from the end of their axis. One integer for several axes throws: row-major views and layouts would count it
 * differently. `getColMajor` and `setColMajor` count as layouts do, the first mode fastest: CuTe's 1-D coordinate.
 */

import { IndexError, namedAccess } from "../../base/errors.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { Coord } from "../../layout/coord.ts";
import { formatTuple } from "../../layout/format.ts";
import { isStaticInt, type Static } from "../../layout/int.ts";
import type { Layout } from "../../layout/layout.ts";
import { coordAt, offsetAt, shapeOf, size } from "../../layout/queries.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { describeValue } from "../describe-value.ts";
import { hasCoordOffsets, offsetOfIndex, readAt, type ScalarLike, scalarOf, writeAt } from "../elements.ts";
import { isHeld, showShape, sizeAt, strideAt } from "../geometry.ts";
import { bumpVersion, checkTensor, checkWritable } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { indexIn } from "../views/views-parts.ts";

/** A coordinate: integers, nested as the layout is. */
export type GivenCoord = number | Static | readonly GivenCoord[];

/** An index within a mode of this shape; the coordinate with all its integers non-negative, or an error that names the axis. */
function within(who: string, coord: GivenCoord, shape: IntTuple, axis: string): Coord {
  if (isStaticInt(coord)) return within(who, coord.value, shape, axis);
  if (typeof coord === "number") return indexIn(who, coord, size(shape), axis || "0");
  if (!Array.isArray(coord))
    throw new IndexError(
      `${who}: ${describeValue(coord)} is not an index; use integers, or arrays of them for nested modes`,
    );
  if (!Array.isArray(shape) || shape.length !== coord.length)
    throw new IndexError(
      `${who}: the coordinate ${formatTuple(coord as never)} does not fit ${axis ? `axis ${axis} of ` : ""}shape ${formatTuple(shape)}`,
    );
  return coord.map((part, i) => within(who, part, shape[i] as IntTuple, axis ? `${axis}.${i}` : `${i}`));
}

/** The offset of one element from element 0, for any form of coordinate. */
export function offsetFor(t: Tensor, who: string, coords: readonly GivenCoord[]): IntTuple {
  const { rank } = t;
  if (!isHeld(t) && coords.length === rank) {
    let offset = 0;
    let axis = 0;
    for (; axis < rank; axis++) {
      const index = coords[axis];
      if (typeof index !== "number") break;
      offset += indexIn(who, index, sizeAt(t, axis), axis) * strideAt(t, axis);
    }
    if (axis === rank) return offset;
  }
  const coord = coords.length === 1 && rank !== 1 ? coords[0] : coords;
  if (rank > 1 && !Array.isArray(coord)) throw oneForMany(t, who, coord);
  if (Array.isArray(coord) && coord.length !== rank) throw wrongCount(t, who, coord.length);
  const shape = shapeOf(t.layout);
  const checked =
    rank === 1 && !Array.isArray(shape)
      ? within(who, unwrapped(coord as readonly GivenCoord[]), shape, "0")
      : within(who, rank === 1 && !Array.isArray(coord) ? [coord] : coord, shape, "");
  return hasCoordOffsets(t) ? coordAt(t.layout as Layout, checked) : offsetAt(t.layout, checked);
}

/** A flat mode takes `5`, `[5]`. */
function unwrapped(coord: readonly GivenCoord[]): GivenCoord {
  let inner: GivenCoord = coord;
  while (Array.isArray(inner) && inner.length === 1) inner = inner[0] as GivenCoord;
  return inner;
}

function wrongCount(t: Tensor, who: string, count: number): IndexError {
  return new IndexError(
    `${who}: ${count} indices for ${t.rank} axes; the shape is ${showShape(t)}. Pass one index per axis, or one coordinate`,
  );
}

function oneForMany(t: Tensor, who: string, index: unknown): IndexError {
  const call = who === "set" ? `(${String(index)}, value)` : `(${String(index)})`;
  const other =
    who === "dataPtr"
      ? ""
      : `. For a flat index use view(-1).${who}${call} (row-major) or ${who}ColMajor${call} (column-major)`;
  return new IndexError(
    `${who}: 1 index for ${t.rank} axes; the shape is ${showShape(t)}. Pass one index per axis${other}`,
  );
}

/** The offset of the element with a 1-D index: the first mode varies fastest, as in CuTe. */
export function colMajorOffset(t: Tensor, who: string, at: number | Static): IntTuple {
  const index = isStaticInt(at) ? at.value : at;
  if (Number.isInteger(index) && index >= -t.size && index < t.size)
    return offsetOfIndex(t, index < 0 ? index + t.size : index);
  throw new IndexError(`${who}: index ${String(index)} is out of range for ${t.size} elements`);
}

/** The element at a coordinate. */
export function get(t: Tensor, coords: readonly GivenCoord[]): Value {
  return namedAccess("get", () => readAt(t, offsetFor(t, "get", coords)));
}

/** Stores the element at an offset: a value that the dtype holds, or the element of a tensor that has just one. */
export function store(t: Tensor, who: string, offset: IntTuple, value: ScalarLike): void {
  if (computedEngine(t, who) === null) checkWritable(t, who);
  const scalar = scalarOf(who, value);
  namedAccess(who, () => writeAt(t, offset, t.type === null ? scalar : exactValue(who, scalar, t.type), who));
  if (t.source instanceof Storage) bumpVersion(t);
}

/** Stores an element at a coordinate. */
export function set(t: Tensor, coords: readonly GivenCoord[], value: ScalarLike): void {
  store(t, "set", offsetFor(t, "set", coords), value);
}

/** storage + (offset + dot(index, stride)) * itemsize: the address of an element. */
export function dataPtr(t: Tensor, index?: readonly (number | Static)[]): number {
  checkTensor("dataPtr", t);
  const offset = index == null ? 0 : (offsetFor(t, "dataPtr", index) as number);
  const { storage } = t;
  // Throws if the buffer was transferred.
  if (t.device.type === "cpu") storage.readable().array("f64");
  return storage.address + (t.start + offset) * t.itemsize;
}

/** Throws unless the tensor has one element. */
export function checkOne(who: string, t: Tensor): void {
  if (t.size !== 1)
    throw new IndexError(
      `${who}: a tensor with ${t.size} elements cannot be converted to a scalar; its shape is ${showShape(t)}. Use toArray(), or get(...) for one element`,
    );
}

/** The one element of a tensor of size 1, whatever its rank. */
export function item(t: Tensor): Value {
  checkOne("item", t);
  return namedAccess("item", () => readAt(t, offsetFor(t, "item", new Array<number>(t.rank).fill(0))));
}
