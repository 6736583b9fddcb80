/**
 * Writing to single elements: by one index tensor for each axis, as in the assignment x[i, j] = values, or by indices in row-major order.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { _ } from "../../layout/coord.ts";
import type { Index } from "../../tensor/access/indexing.ts";
import { zeros } from "../../tensor/create/create.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { flatStrides, showShape, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { broadcastInto } from "../../tensor/in-place.ts";
import { lowerFillAll, lowerReshape, lowerTo, scratchTensor } from "../../tensor/lowering.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import { differingDTypes } from "../dtype-errors.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import type { Indices } from "../index-arguments.ts";
import { fresh, lowerOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import { alongBounds, checkIndexDType, flatBounds, lowerIndexCheck } from "./index-range.ts";
import { lowerByIndex, lowerFlat } from "./indexed.ts";
import type { IndexTensor, Keeps, Writes } from "./movement-types.ts";
import { nonzeroColumns } from "./positions.ts";
import { clearedFlat, collectFlat, fromStart, lasting, valuesBack } from "./spread.ts";
import { changedCopy, changeInPlace, type Writing } from "./writing.ts";

interface PutOptions extends OutOption {
  /** Adds the values to the elements of x instead of replacing them. Default: false. */
  readonly accumulate?: boolean | undefined;
}

const isMask = (t: Tensor): boolean => t.dtype === "bool" || t.dtype === "uint8";

/** The shape and dtype of values that need a gradient, else null. */
const likeOf = (call: RecordedCall, values: Tensor) =>
  call.needs(values) ? { shape: sizesOf(values), dtype: values.dtype } : null;

const indexPutGradient: GradientRule = (call) => {
  const [x, indices, values, options] = call.args as [Tensor, readonly (Tensor | null)[], Tensor, PutOptions?];
  const [needsX, isAdded, isInPlace] = [call.needs(x), options?.accumulate === true, call.results[0] === x];
  const shape = sizesOf(x);
  const like = likeOf(call, values);
  const kept = indices.map((index) => (index === null ? null : call.save(index)));
  // For `at`, an index tensor without axes is an integer.
  const isList = indices.some((index) => index !== null && index.rank > 0);
  const items = (): Index[] =>
    kept.map((index) => {
      const item = index?.() ?? _;
      return isList && item instanceof Tensor && item.rank === 0 ? views.unsqueeze(item, 0) : item;
    });
  return ([g]) => {
    const zero = zeros([], { dtype: g.dtype });
    const write = (t: Tensor, from: Tensor): Tensor =>
      call.again(
        t,
        kept.map((index) => index?.() ?? null),
        from,
      ) as Tensor;
    const read = (t: Tensor): Tensor => views.at(t, items());
    const last = (): Tensor => (isAdded ? read(g) : lasting(read(g), shape, write, read));
    return [
      !needsX ? null : isAdded ? g : write(isInPlace ? views.clone(g) : g, zero),
      null,
      like === null ? null : valuesBack(last(), like),
    ];
  };
};

const putGradient: GradientRule = (call) => {
  const [x, index, source, options] = call.args as [Tensor, Tensor, Tensor, PutOptions?];
  const [needsX, isAdded, { size }, kept] = [call.needs(x), options?.accumulate === true, x, call.save(index)];
  const like = likeOf(call, source);
  const indices = (): Tensor => views.reshape(fromStart(kept(), size), [-1]);
  const read = (t: Tensor): Tensor => collectFlat(t, indices());
  const shape = sizesOf(x);
  const last = (g: Tensor): Tensor =>
    isAdded ? read(g) : lasting(read(g), shape, (t, from) => call.again(t, indices(), from), read);
  return ([g]) => [
    !needsX ? null : isAdded ? g : clearedFlat(g, indices()),
    null,
    like === null ? null : views.reshape(last(g), like.shape),
  ];
};

function checkSame(who: string, x: Tensor, values: Tensor): void {
  checkTensor(who, values);
  if (values.dtype !== x.dtype)
    throw differingDTypes(who, "x and values", x.dtype, values.dtype, `Convert it: values.to("${x.dtype}")`);
}

type IndexPutArguments = [indices: readonly (IndexTensor | null)[], values: Tensor, options?: PutOptions];

/** One index tensor for each axis, null where the axis is not indexed; masks become the indices of their true elements. */
function listsFor(x: Tensor, indices: readonly (Tensor | null)[]): (Tensor | null)[] {
  const lists = indices.flatMap((index): (Tensor | null)[] =>
    index !== null && isMask(index) ? nonzeroColumns(index) : [index],
  );
  while (lists.length < x.rank) lists.push(null);
  return lists;
}

interface AddOffset extends OpFunction {
  (offset: Tensor, index: Tensor, size: bigint, stride: bigint, options: { out: Tensor }): Tensor;
}
/** The offset plus the stride times the index; a negative index counts from the end. */
const addOffset: AddOffset = /* @__PURE__ */ map(
  "indexPut.offset(offset, index, size, stride)",
  "offset + stride * (index < 0 ? index + size : index)",
);

const indexPutting: Writing<IndexPutArguments> = {
  name: "indexPut",
  parameters: "indices: Index[], ",
  linear: "0,2",
  gradient: indexPutGradient,
  options: "accumulate",
  check(x, indices, values) {
    checkSame("indexPut", x, values);
    if (!Array.isArray(indices))
      throw new StridewiseError(
        `indexPut: indices must be an array with a tensor or null for each axis, got ${describeValue(indices)}`,
      );
    let axis = 0;
    for (const index of indices) {
      if (index !== null) checkTensor("indexPut", index);
      if (index === null || !isMask(index)) {
        if (index !== null)
          checkIndexDType(
            "indexPut",
            index,
            ["int64", "int32", "int16", "int8"],
            "indices must be integer, uint8 or bool tensors",
          );
        axis++;
        continue;
      }
      const [mask, sizes] = [sizesOf(index), sizesOf(x)];
      if (mask.some((size, k) => size !== sizes[axis + k]))
        throw new IndexError(
          `indexPut: a mask of shape ${show(mask)} at axis ${axis} does not fit a tensor of shape ${show(sizes)}`,
        );
      axis += index.rank;
    }
    if (axis > x.rank) throw new IndexError(`indexPut: too many indices, got ${axis} for ${x.rank} axes`);
  },
  write(builder, x, indices, values, options) {
    const sizes = sizesOf(x);
    const strides = flatStrides(x);
    // The number of true elements of a mask is read here, so the program serves this call only.
    if (indices.some((index) => index !== null && isMask(index))) builder.isKept = false;
    const lists = listsFor(x, indices);
    lists.forEach((index, axis) => {
      if (index !== null) lowerIndexCheck(builder, "indexPut", index, alongBounds(sizes[axis], axis, true));
    });
    const axes = lists.flatMap((list, axis) => (list === null ? [] : [axis]));
    if (axes.length === 0)
      throw new IndexError("indexPut: all indices are null. Use copy_ to write to the whole tensor");
    const common = axes
      .map((axis) => sizesOf(lists[axis] as Tensor))
      .reduce((a, b) => {
        try {
          return broadcastTwo("indexPut", a, b);
        } catch {
          throw new IndexError(
            `indexPut: the indices do not broadcast, got shapes ${axes.map((axis) => showShape(lists[axis] as Tensor)).join(", ")}`,
          );
        }
      });
    const first = axes[0];
    const rest = sizes.map((_, axis) => axis).filter((axis) => lists[axis] === null);
    const before = axes.every((axis, k) => axis === first + k) ? first : 0;
    const around = <T>(of: (axis: number) => T, middle: readonly T[]): T[] => [
      ...rest.slice(0, before).map(of),
      ...middle,
      ...rest.slice(before).map(of),
    ];
    const shape = around((axis) => sizes[axis], common);
    if (sizeOf(shape) === 0) return null;
    const broadcast = valuesFor(x, values, shape);
    // The offset of each combination of indices, in elements.
    const offsets = scratchTensor(builder, "int64", common);
    lowerFillAll(builder, offsets, 0n, "indexPut");
    for (const axis of axes)
      lowerOp(
        builder,
        addOffset,
        offsets,
        lowerTo(builder, lists[axis] as Tensor, "int64", "indexPut"),
        BigInt(sizes[axis]),
        BigInt(strides[axis]),
        { out: offsets },
      );
    const asWide = view(
      offsets,
      around(() => 1, common),
    );
    const stride = around(
      (axis) => strides[axis],
      common.map(() => 0),
    );
    const length = axes.reduce((sum, axis) => sum + (sizes[axis] - 1) * strides[axis], 1);
    const move = options?.accumulate === true ? "add" : "set";
    return () => lowerByIndex(builder, move, x, broadcast, expand(asWide, shape), () => ({ stride, step: 1, length }));
  },
};

/** The values, broadcast to the indexed shape. */
function valuesFor(x: Tensor, values: Tensor, shape: readonly number[]): Tensor {
  try {
    return broadcastInto(fresh(x.dtype, shape), values, "indexPut");
  } catch {
    throw new ShapeError(`indexPut: values ${showShape(values)} do not broadcast to the indexed shape ${show(shape)}`);
  }
}

type PutArguments = [index: IndexTensor, source: Tensor, options?: PutOptions];

const flatPutting: Writing<PutArguments> = {
  name: "put",
  parameters: "index: Index, ",
  linear: "0,2",
  gradient: putGradient,
  options: "accumulate",
  check(x, index, source) {
    checkSame("put", x, source);
    checkTensor("put", index);
    checkIndexDType("put", index);
    if (index.size !== source.size)
      throw new ShapeError(
        `put: source and index must have the same number of elements, got ${source.size} and ${index.size}`,
      );
  },
  write(builder, x, index, source, options) {
    if (index.size === 0) return null;
    lowerIndexCheck(builder, "put", index, flatBounds(x.size));
    const row = (t: Tensor): Tensor => lowerReshape(builder, t, [-1], "put");
    return () => lowerFlat(builder, options?.accumulate === true ? "add" : "set", x, row(source), row(index));
  },
};

/** Returns a copy of x with values written at the elements that one index tensor for each axis addresses; null selects a whole axis. */
export const indexPut: Keeps<[indices: readonly (Indices | null)[], values: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changedCopy(indexPutting);
/** Returns a copy of x with the elements of source written at the given indices in row-major order. */
export const put: Keeps<[index: Indices, source: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changedCopy(flatPutting);
/** Writes values at the elements that one index tensor for each axis addresses; null selects a whole axis. */
export const indexPut_: Writes<[indices: readonly (Indices | null)[], values: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changeInPlace(indexPutting);
/** Writes the elements of source at the given indices in row-major order. */
export const put_: Writes<[index: Indices, source: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changeInPlace(flatPutting);
