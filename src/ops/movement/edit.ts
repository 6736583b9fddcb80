/**
 * NumPy's functions that append, insert and delete elements along an axis or in row-major order, differences of adjacent elements, and
 * blocks from nested lists. They are not methods, and all are composed of other ops.
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
import { onDeviceOf } from "../composite/tensors-like.ts";
import { sub } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { type IndexArgument, indexDType, normalizeIndices } from "../indices.ts";
import { compositeOp, tensorsIn } from "../op.ts";
import type { DTypeOf, ElementOperand } from "../op-types.ts";
import { indexTensor } from "../routine/dense-elements.ts";
import { expand, movedim, narrow, raiseRank, reshape, select, to } from "../views.ts";
import { indexSelect } from "./gather.ts";
import { cat } from "./join.ts";
import type { MovesFunction } from "./movement-types.ts";
import { nonzero } from "./nonzero.ts";

const flat = (t: Tensor): Tensor => reshape(t, [t.size]);

interface Plus extends OpFunction {
  (x: Tensor, values: ElementOperand): Tensor;
}
const plus: Plus = /* @__PURE__ */ map("plus(x, values)", "x + values", null);

/** Values as a tensor: a number becomes a tensor of shape [1], nested arrays one of their shape, in the common dtype of x and the number. */
const tensorOf = (x: Tensor, values: ElementOperand): Tensor =>
  values instanceof Tensor ? values : plus(zerosBeside(x, [1], x.dtype), values);

/** Throws if x cannot hold values of this dtype; an integer tensor holds only those that cannot wrap around. */
function checkHeld(who: string, x: Tensor, { dtype }: Tensor): void {
  const isExact = isIntegerDType(x.dtype);
  if (isExact ? promoteTypes(dtype, x.dtype) !== x.dtype : !canCast(dtype, x.dtype))
    throw new DTypeError(`${who}: values must fit the dtype of x, ${x.dtype}, got ${dtype}. Convert x: to("${dtype}")`);
}

/** The tensor and its axis as an index; without an axis, the flattened tensor. */
const along = (who: string, x: Tensor, axis: Axis | null | undefined): [x: Tensor, at: number] =>
  axis == null ? [flat(x), 0] : [x, properAxisOf(who, x, axis)];

/** Selects rows of an axis. */
const rowsAt = (x: Tensor, axis: number, rows: Int32Array): Tensor =>
  indexSelect(
    x,
    axis,
    onDeviceOf(x, indexDType, [rows.length], () => indexTensor(rows, [rows.length])),
  );

/** The type of append. */
export interface Append extends OpFunction {
  <X extends Tensor, const V extends ElementOperand>(x: X, values: V, axis?: Axis | null): Tensor<Shape, DTypeOf<X, V>>;
}
/** Appends values to the end of a tensor along an axis; without an axis, both are flattened first. */
export const append: Append = /* @__PURE__ */ compositeOp(
  "append(x: Tensor, values: any, ...)",
  (x: Tensor, values: ElementOperand, axis?: Axis | null) => {
    const added = tensorOf(x, values);
    return axis == null ? cat([flat(x), flat(added)]) : cat([x, added], axis);
  },
  "movement",
);

/** Inserts values before the given indices along an axis; without an axis, the tensor is flattened first. */
export const insert: MovesFunction<[indices: IndexArgument, values: ElementOperand, axis?: Axis | null]> =
  /* @__PURE__ */ compositeOp(
    "insert(x: Tensor, indices: ints, values: any, ...)",
    (x: Tensor, index: IndexArgument, values: ElementOperand, axis?: Axis | null) => {
      const [source, at] = along("insert", x, axis);
      const sizes = sizesOf(source);
      const n = sizeAt(source, at);
      const indices = normalizeIndices("insert", index, n, n);
      const inserted = tensorOf(x, values);
      if (isComplexDType(inserted.dtype)) checkHeld("insert", x, inserted);
      const own = raiseRank(to(inserted, x.dtype), source.rank);
      // At a single index that is not in a list, each value is a row, as in NumPy.
      const rows = Array.isArray(index) ? own : movedim(own, 0, at);
      const [first = 0] = indices;
      const isOne = indices.length === 1;
      const added = expand(rows, sizes.with(at, isOne ? sizeAt(rows, at) : indices.length));
      if (isOne) return cat([narrow(source, at, 0, first), added, narrow(source, at, first, n - first)], at);
      return rowsAt(cat([source, added], at), at, mergedOrder(n, indices));
    },
    "movement",
  );

/** The order of n old rows and the new rows after them, with each new row before its index; rows of one index keep their order. */
function mergedOrder(n: number, indices: readonly number[]): Int32Array {
  const order = new Int32Array(n + indices.length);
  const sorted = indices.map((_, k) => k).sort((a, b) => indices[a] - indices[b]);
  let [at, old] = [0, 0];
  for (const k of sorted) {
    while (old < indices[k]) order[at++] = old++;
    order[at++] = n + k;
  }
  while (old < n) order[at++] = old++;
  return order;
}

/** Deletes the given indices along an axis, as NumPy's `delete` does; without an axis, the tensor is flattened first. */
export const deleteAt: MovesFunction<[indices: IndexArgument, axis?: Axis | null]> = /* @__PURE__ */ compositeOp(
  "deleteAt(x: Tensor, indices: ints, ...)",
  (x: Tensor, index: IndexArgument, axis?: Axis | null) => {
    const [source, at] = along("deleteAt", x, axis);
    const n = sizeAt(source, at);
    const indices = normalizeIndices("deleteAt", index, n, n - 1);
    const [first = 0] = indices;
    if (indices.length === 1)
      return cat([narrow(source, at, 0, first), narrow(source, at, first + 1, n - 1 - first)], at);
    const deleted = new Set(indices);
    const rows = new Int32Array(n).map((_, row) => row);
    return rowsAt(
      source,
      at,
      rows.filter((row) => !deleted.has(row)),
    );
  },
  "movement",
);

/** Trims leading and trailing zeros of a one-dimensional tensor, or with "f" or "b" only those at the front or the back. The result is a view. */
export const trimZeros: MovesFunction<[trim?: "fb" | "f" | "b"]> = /* @__PURE__ */ compositeOp(
  "trimZeros(x: Tensor, ...)",
  (x: Tensor, trim = "fb") => {
    if (x.rank !== 1 || !/^(fb?|b)$/.test(trim))
      throw new ShapeError(
        `trimZeros: expected a tensor with one axis, and "fb", "f" or "b", got ${describeValue([x, trim])}`,
      );
    const indices = flat(nonzero(x));
    if (indices.size === 0) return narrow(x, 0, 0, 0);
    const index = (k: number): number => item(select(indices, 0, k)) as number;
    const start = trim === "b" ? 0 : index(0);
    return narrow(x, 0, start, (trim === "f" ? x.size : index(-1) + 1) - start);
  },
  "movement",
);

/** Values around the differences. */
export interface Ediff1dOptions {
  /** Values before the differences. */
  readonly toBegin?: ElementOperand | undefined;
  /** Values after the differences. */
  readonly toEnd?: ElementOperand | undefined;
}
/** Returns the differences of adjacent elements of the flattened tensor, optionally with values before and after them. */
export const ediff1d: MovesFunction<[options?: Ediff1dOptions]> = /* @__PURE__ */ compositeOp(
  "ediff1d(x: Tensor; toBegin, toEnd)",
  (x: Tensor, { toBegin, toEnd }: Ediff1dOptions = {}) => {
    const list = flat(x);
    const count = Math.max(x.size - 1, 0);
    const differences = sub(narrow(list, 0, x.size - count, count), narrow(list, 0, 0, count));
    const end = (values: ElementOperand | undefined): Tensor[] => {
      if (values === undefined) return [];
      const t = tensorOf(x, values);
      checkHeld("ediff1d", x, t);
      return [flat(to(t, x.dtype))];
    };
    return cat([...end(toBegin), differences, ...end(toEnd)]);
  },
  "movement",
);

/** Nested lists of tensors. */
export type Blocks = readonly (Tensor | Blocks)[];
/** The type of block. */
export interface BlockOf extends OpFunction {
  (blocks: Blocks): Tensor;
}
const depthOf = (part: unknown): number => (Array.isArray(part) ? 1 + depthOf(part[0]) : 0);

/** Assembles a tensor from nested lists of blocks: the innermost lists are joined along the last axis, the next along the one before. */
export const block: BlockOf = /* @__PURE__ */ compositeOp(
  "block(blocks: any, ...)",
  (blocks: Blocks) => {
    const depth = depthOf(blocks);
    const rank = Math.max(depth, ...tensorsIn([blocks]).map((t) => t.rank));
    const join = (part: unknown, left: number): Tensor => {
      if (left === 0 && depth > 0 && part instanceof Tensor) return raiseRank(part, rank);
      if (left > 0 && Array.isArray(part) && part.length > 0)
        return cat(
          part.map((one) => join(one, left - 1)),
          -left,
        );
      throw new StridewiseError(
        `block: expected non-empty lists of tensors, nested equally deep, block([[a, b], [c]]), got ${describeValue(part)}`,
      );
    };
    return join(blocks, depth);
  },
  "movement",
);
