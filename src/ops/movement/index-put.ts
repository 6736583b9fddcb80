/**
 * Writing to single elements: by one index tensor for each axis, as in the assignment x[i, j] = values, or by indices in row-major order.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { _ } from "../../layout/coord.ts";
import { lowerFlat } from "../../tensor/access/by-index.ts";
import { arrange, lowerSelected } from "../../tensor/access/index-lists.ts";
import { alongBounds, checkIndexDType, flatBounds, lowerIndexCheck } from "../../tensor/access/index-range.ts";
import type { Index } from "../../tensor/access/indexing.ts";
import { nonzeroCoordinates } from "../../tensor/access/true-elements.ts";
import { zeros } from "../../tensor/create/create.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { showShape, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { broadcastTo } from "../../tensor/in-place.ts";
import { lowerReshape } from "../../tensor/lowering.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { unbind } from "../../tensor/views/views-parts.ts";
import { differingDTypes } from "../dtype-errors.ts";
import type { Indices } from "../index-arguments.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import { gatherFlat, nonNegativeIndex, sumToValues, zeroAtFlat, zeroOverwritten } from "./gather-scatter.ts";
import type { IndexTensor, Keeps, Writes } from "./movement-types.ts";
import { changedCopy, changeInPlace, type WriteOpDefinition } from "./writing.ts";

interface PutOptions extends OutOption {
  /** Adds the values to the elements of x instead of replacing them. Default: false. */
  readonly accumulate?: boolean | undefined;
}

const isMask = (t: Tensor): boolean => t.dtype === "bool";

/** The shape and dtype of values that need a gradient, else null. */
const likeOf = (call: RecordedCall, values: Tensor) =>
  call.needs(values) ? { shape: sizesOf(values), dtype: values.dtype } : null;

const indexPutGradient: GradientRule = (call) => {
  const [x, indices, values, options] = call.args as [Tensor, readonly (Tensor | null)[], Tensor, PutOptions?];
  const [needsX, isAdded, isInPlace] = [call.needs(x), options?.accumulate === true, call.results[0] === x];
  const shape = sizesOf(x);
  const like = likeOf(call, values);
  const saved = indices.map((index) => (index === null ? null : call.save(index)));
  // For `at`, a 0-d index tensor is an integer.
  const isList = indices.some((index) => index !== null && index.rank > 0);
  const items = (): Index[] =>
    saved.map((index) => {
      const item = index?.() ?? _;
      return isList && item instanceof Tensor && item.rank === 0 ? views.unsqueeze(item, 0) : item;
    });
  return ([g]) => {
    const zero = zeros([], { dtype: g.dtype });
    const write = (t: Tensor, from: Tensor): Tensor =>
      call.again(
        t,
        saved.map((index) => index?.() ?? null),
        from,
      ) as Tensor;
    const read = (t: Tensor): Tensor => views.at(t, items());
    const last = (): Tensor => (isAdded ? read(g) : zeroOverwritten(read(g), shape, write, read));
    return [
      !needsX ? null : isAdded ? g : write(isInPlace ? views.clone(g) : g, zero),
      null,
      like === null ? null : sumToValues(last(), like),
    ];
  };
};

const putGradient: GradientRule = (call) => {
  const [x, index, source, options] = call.args as [Tensor, Tensor, Tensor, PutOptions?];
  const [needsX, isAdded, { size }, saved] = [call.needs(x), options?.accumulate === true, x, call.save(index)];
  const like = likeOf(call, source);
  const indices = (): Tensor => views.reshape(nonNegativeIndex(saved(), size), [-1]);
  const read = (t: Tensor): Tensor => gatherFlat(t, indices());
  const shape = sizesOf(x);
  const last = (g: Tensor): Tensor =>
    isAdded ? read(g) : zeroOverwritten(read(g), shape, (t, from) => call.again(t, indices(), from), read);
  return ([g]) => [
    !needsX ? null : isAdded ? g : zeroAtFlat(g, indices()),
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
    index !== null && isMask(index) ? unbind(nonzeroCoordinates(index, "indexPut", false), 0) : [index],
  );
  while (lists.length < x.rank) lists.push(null);
  return lists;
}

const indexPutting: WriteOpDefinition<IndexPutArguments> = {
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
          checkIndexDType("indexPut", index, ["int64", "int32"], "indices must be integer or bool tensors");
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
    // The number of true elements of a mask is read here, so the program serves this call only.
    if (indices.some((index) => index !== null && isMask(index))) builder.isCacheable = false;
    const sizes = sizesOf(x);
    const lists = listsFor(x, indices);
    lists.forEach((index, axis) => {
      if (index !== null) lowerIndexCheck(builder, "indexPut", index, alongBounds(sizes[axis], axis, true));
    });
    if (lists.every((list) => list === null))
      throw new IndexError("indexPut: all indices are null. Use copy_ to write to the whole tensor");
    const arrangement = arrange("indexPut", sizes, lists);
    if (sizeOf(arrangement.shape) === 0) return null;
    const broadcast = valuesFor(values, arrangement.shape);
    const move = options?.accumulate === true ? "add" : "set";
    return () => lowerSelected(builder, "indexPut", move, x, broadcast, lists, arrangement);
  },
};

/** The values, broadcast to the indexed shape. */
function valuesFor(values: Tensor, shape: readonly number[]): Tensor {
  try {
    return broadcastTo(shape, values, "indexPut");
  } catch {
    throw new ShapeError(`indexPut: values ${showShape(values)} do not broadcast to the indexed shape ${show(shape)}`);
  }
}

type PutArguments = [index: IndexTensor, source: Tensor, options?: PutOptions];

const flatPutting: WriteOpDefinition<PutArguments> = {
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
/** Returns a copy of x with the elements of source written at the given indices into the flattened tensor. */
export const put: Keeps<[index: Indices, source: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changedCopy(flatPutting);
/** Writes values at the elements that one index tensor for each axis addresses; null selects a whole axis. */
export const indexPut_: Writes<[indices: readonly (Indices | null)[], values: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changeInPlace(indexPutting);
/** Writes the elements of source at the given indices into the flattened tensor. */
export const put_: Writes<[index: Indices, source: Tensor, options?: PutOptions]> =
  /* @__PURE__ */ changeInPlace(flatPutting);
