/**
 * Elements added to a tensor, put in between, or taken away, along an axis or in row-major order; differences of neighbours with ends
 * added; and tensors joined in the places that nested lists give them. As in NumPy; functions only, all made of other ops.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { DTypeError, isComplexDType, isIntegerDType } from "../../storage/dtype.ts";
import { canCast, promoteTypes } from "../../storage/promotion.ts";
import { item } from "../../tensor/access/access.ts";
import { type Axis, properAxisOf } from "../../tensor/axes.ts";
import { zerosBeside } from "../../tensor/create/create-ops.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { sub } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { type Places, placesOf } from "../integer-places.ts";
import { compositeOp, fresh, tensorsIn } from "../op.ts";
import type { DTypeOf, OpOperand } from "../op-types.ts";
import { positionDType } from "../positions.ts";
import { raised } from "../raised.ts";
import { expand, movedim, narrow, reshape, select, to } from "../views.ts";
import { indexSelect } from "./gather.ts";
import { cat } from "./join.ts";
import type { MovesFunction } from "./movement-types.ts";
import { nonzero } from "./nonzero.ts";
import { integersOf } from "./positions.ts";

const flat = (t: Tensor): Tensor => reshape(t, [t.size]);

interface Plus extends OpFunction {
  (x: Tensor, values: OpOperand): Tensor;
}
const plus: Plus = /* @__PURE__ */ map("plus(x, values)", "x + values", null);

/** A number as a list beside x, in the dtype that both have together. */
const tensorOf = (x: Tensor, values: OpOperand): Tensor =>
  values instanceof Tensor ? values : plus(zerosBeside(x, [1], x.dtype), values);

/** Refuses values of a kind of numbers that a tensor does not hold, and for integers those that could wrap around. */
function checkHeld(who: string, x: Tensor, { dtype }: Tensor): void {
  const isExact = isIntegerDType(x.dtype);
  if (isExact ? promoteTypes(dtype, x.dtype) !== x.dtype : !canCast(dtype, x.dtype))
    throw new DTypeError(`${who}: values fit the dtype of x, ${x.dtype}, got ${dtype}. Convert x: to('${dtype}')`);
}

/** The tensor and the position of the axis; without one, all elements as a list. */
const along = (who: string, x: Tensor, axis: Axis | null | undefined): [x: Tensor, at: number] =>
  axis == null ? [flat(x), 0] : [x, properAxisOf(who, x, axis)];

/** The rows of an axis with these indices. */
const rowsAt = (x: Tensor, axis: number, rows: Int32Array): Tensor =>
  indexSelect(
    x,
    axis,
    x.device.type === "meta" ? fresh(positionDType, [rows.length], x) : integersOf(rows, [rows.length]),
  );

/** The type of append. */
export interface Append extends OpFunction {
  <X extends Tensor, V extends OpOperand>(x: X, values: V, axis?: Axis | null): Tensor<Shape, DTypeOf<X, V>, "none">;
}
/** The tensor with values joined behind it along an axis; if no axis is given, all elements of both as a list. */
export const append: Append = /* @__PURE__ */ compositeOp(
  "append(x: Tensor, values: any, ...)",
  (x: Tensor, values: OpOperand, axis?: Axis | null) => {
    const added = tensorOf(x, values);
    return axis == null ? cat([flat(x), flat(added)]) : cat([x, added], axis);
  },
  "movement",
);

/** The tensor with values put before the given places of an axis, or of all elements as a list if no axis is given. */
export const insert: MovesFunction<[where: Places, values: OpOperand, axis?: Axis | null]> =
  /* @__PURE__ */ compositeOp(
    "insert(x: Tensor, where: ints, values: any, ...)",
    (x: Tensor, where: Places, values: OpOperand, axis?: Axis | null) => {
      const [source, at] = along("insert", x, axis);
      const sizes = sizesOf(source);
      const n = sizeAt(source, at);
      const places = placesOf("insert", where, n, n);
      const taken = tensorOf(x, values);
      if (isComplexDType(taken.dtype)) checkHeld("insert", x, taken);
      const given = raised(to(taken, x.dtype), source.rank);
      // One place that is no list takes each value as a row, as in NumPy.
      const rows = Array.isArray(where) ? given : movedim(given, 0, at);
      const [first = 0] = places;
      const isOne = places.length === 1;
      const added = expand(rows, sizes.with(at, isOne ? sizeAt(rows, at) : places.length));
      if (isOne) return cat([narrow(source, at, 0, first), added, narrow(source, at, first, n - first)], at);
      return rowsAt(cat([source, added], at), at, mergedOrder(n, places));
    },
    "movement",
  );

/** The order of n old rows and the new ones behind them in which each new one is before its place, those of one place in their own order. */
function mergedOrder(n: number, places: readonly number[]): Int32Array {
  const order = new Int32Array(n + places.length);
  const byPlace = places.map((_, k) => k).sort((a, b) => places[a] - places[b]);
  let [at, old] = [0, 0];
  for (const k of byPlace) {
    while (old < places[k]) order[at++] = old++;
    order[at++] = n + k;
  }
  while (old < n) order[at++] = old++;
  return order;
}

/** The tensor without the given places of an axis, or of all elements as a list if no axis is given; NumPy's delete. */
export const deleteAt: MovesFunction<[where: Places, axis?: Axis | null]> = /* @__PURE__ */ compositeOp(
  "deleteAt(x: Tensor, where: ints, ...)",
  (x: Tensor, where: Places, axis?: Axis | null) => {
    const [source, at] = along("deleteAt", x, axis);
    const n = sizeAt(source, at);
    const places = placesOf("deleteAt", where, n, n - 1);
    const [first = 0] = places;
    if (places.length === 1)
      return cat([narrow(source, at, 0, first), narrow(source, at, first + 1, n - 1 - first)], at);
    const gone = new Set(places);
    const rows = new Int32Array(n).map((_, row) => row);
    return rowsAt(
      source,
      at,
      rows.filter((row) => !gone.has(row)),
    );
  },
  "movement",
);

/** The part of a list from its first element that is not 0 to the last one, or with "f" cut in front only, with "b" behind; a view. */
export const trimZeros: MovesFunction<[trim?: "fb" | "f" | "b"]> = /* @__PURE__ */ compositeOp(
  "trimZeros(x: Tensor, ...)",
  (x: Tensor, trim = "fb") => {
    if (x.rank !== 1 || !/^(fb?|b)$/.test(trim))
      throw new ShapeError(
        `trimZeros: takes a tensor with one axis, and "fb", "f" or "b", got ${describeValue([x, trim])}`,
      );
    const found = flat(nonzero(x));
    if (found.size === 0) return narrow(x, 0, 0, 0);
    const place = (k: number): number => item(select(found, 0, k)) as number;
    const start = trim === "b" ? 0 : place(0);
    return narrow(x, 0, start, (trim === "f" ? x.size : place(-1) + 1) - start);
  },
  "movement",
);

/** What stands at the ends of differences. */
export interface Ediff1dOptions {
  /** Joined before them. */
  readonly toBegin?: OpOperand | undefined;
  /** Joined behind them. */
  readonly toEnd?: OpOperand | undefined;
}
/** The differences of neighbours among all elements as a list, with others before and behind them. */
export const ediff1d: MovesFunction<[options?: Ediff1dOptions]> = /* @__PURE__ */ compositeOp(
  "ediff1d(x: Tensor; toBegin, toEnd)",
  (x: Tensor, { toBegin, toEnd }: Ediff1dOptions = {}) => {
    const list = flat(x);
    const count = Math.max(x.size - 1, 0);
    const differences = sub(narrow(list, 0, x.size - count, count), narrow(list, 0, 0, count));
    const end = (given: OpOperand | undefined): Tensor[] => {
      if (given === undefined) return [];
      const t = tensorOf(x, given);
      checkHeld("ediff1d", x, t);
      return [flat(to(t, x.dtype))];
    };
    return cat([...end(toBegin), differences, ...end(toEnd)]);
  },
  "movement",
);

/** Lists of tensors, and lists of such lists. */
export type Blocks = readonly (Tensor | Blocks)[];
/** The type of block. */
export interface BlockOf extends OpFunction {
  (blocks: Blocks): Tensor;
}
const depthOf = (part: unknown): number => (Array.isArray(part) ? 1 + depthOf(part[0]) : 0);

/** The tensors of nested lists as one: each innermost list joined along the last axis, those lists along the one before it, and so on. */
export const block: BlockOf = /* @__PURE__ */ compositeOp(
  "block(blocks: any, ...)",
  (blocks: Blocks) => {
    const depth = depthOf(blocks);
    const rank = Math.max(depth, ...tensorsIn([blocks]).map((t) => t.rank));
    const join = (part: unknown, left: number): Tensor => {
      if (left === 0 && depth > 0 && part instanceof Tensor) return raised(part, rank);
      if (left > 0 && Array.isArray(part) && part.length > 0)
        return cat(
          part.map((one) => join(one, left - 1)),
          -left,
        );
      throw new StridewiseError(
        `block: takes lists of tensors, nested equally deep and none empty, block([[a, b], [c]]), got ${describeValue(part)}`,
      );
    };
    return join(blocks, depth);
  },
  "movement",
);
