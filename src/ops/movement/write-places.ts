/**
 * Writing to single elements: by one index tensor for each axis, as an assignment to x[i, j], or by indices in row-major order.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { reshape, to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { modeStrides, showShape, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { broadcastInto } from "../../tensor/in-place.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { differingDTypes } from "../dtype-errors.ts";
import { add, mul } from "../elementwise/arithmetic.ts";
import { fresh } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { checkedIndices, checkIndexDType, type IndexRule } from "./index-range.ts";
import { alongRule, flatRule } from "./index-rules.ts";
import { meet, meetFlat } from "./indexed.ts";
import type { IndexTensor } from "./movement-types.ts";
import { indexPutGradient, putGradient } from "./place-gradient.ts";
import { nonzeroColumns } from "./positions.ts";
import type { Writing } from "./writing.ts";

export interface PutOptions extends OutOption {
  /** What is written is added to what is there. */
  readonly accumulate?: boolean | undefined;
}

const axisRule = (axis: number): IndexRule => ({ ...alongRule(axis), negative: true });

const isMask = (t: Tensor): boolean => t.dtype === "bool" || t.dtype === "uint8";

function checkSame(who: string, x: Tensor, values: Tensor): void {
  checkTensor(who, values);
  if (values.dtype !== x.dtype)
    throw differingDTypes(who, "x and values", x.dtype, values.dtype, `Convert it: values.to("${x.dtype}")`);
}

export type PlaceArguments = [indices: readonly (IndexTensor | null)[], values: Tensor, options?: PutOptions];

/** One index tensor for each axis, null where the axis is not indexed; masks become the positions where they are true. */
function listsFor(x: Tensor, indices: readonly (Tensor | null)[]): (Tensor | null)[] {
  const lists = indices.flatMap((index): (Tensor | null)[] =>
    index !== null && isMask(index) ? nonzeroColumns(index) : [index],
  );
  while (lists.length < x.rank) lists.push(null);
  return lists;
}

export const placePutting: Writing<PlaceArguments> = {
  name: "indexPut",
  linear: "0,2",
  gradient: indexPutGradient,
  options: "accumulate",
  check(x, indices, values) {
    checkSame("indexPut", x, values);
    if (!Array.isArray(indices))
      throw new StridewiseError(
        `indexPut: the indices are a list, one tensor or null for each axis, got ${describeValue(indices)}`,
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
            "tensors used as indices must be long, int, byte or bool tensors",
          );
        axis++;
        continue;
      }
      const [mask, sizes] = [sizesOf(index), sizesOf(x)];
      if (mask.some((size, k) => size !== sizes[axis + k]))
        throw new IndexError(
          `indexPut: a mask ${show(mask)} at axis ${axis} does not fit a tensor of shape ${show(sizes)}`,
        );
      axis += index.rank;
    }
    if (axis > x.rank)
      throw new IndexError(`indexPut: too many indices for tensor of dimension ${x.rank} (got ${axis})`);
  },
  write(x, indices, values, options) {
    const sizes = sizesOf(x);
    if (modeStrides(x) === null) {
      const copy = fresh(x.dtype, sizes);
      const write = placePutting.write(copy, indices, values, options);
      return () => {
        copyAll(x, copy, "indexPut");
        write?.();
        copyAll(copy, x, "indexPut");
      };
    }
    const strides = modeStrides(x) as number[];
    const lists = listsFor(x, indices).map((index, axis) =>
      index === null ? null : checkedIndices("indexPut", index, sizes[axis], axisRule(axis)),
    );
    const axes = lists.flatMap((list, axis) => (list === null ? [] : [axis]));
    if (axes.length === 0) throw new IndexError("indexPut: gives no index; use copy_ to write to the whole tensor");
    const common = axes
      .map((axis) => sizesOf(lists[axis] as Tensor))
      .reduce((a, b) => {
        try {
          return broadcastTwo("indexPut", a, b);
        } catch {
          throw new IndexError(
            `indexPut: the indices do not broadcast, they have shapes ${axes.map((axis) => `[${sizesOf(lists[axis] as Tensor).join(", ")}]`).join(", ")}`,
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
    const near = valuesFor(x, values, shape);
    // The offset of each combination of indices, in elements.
    const offsets = axes
      .map((axis) => mul(to(lists[axis] as Tensor, "int64"), BigInt(strides[axis])))
      .reduce((a, b) => add(a, b));
    const asWide = reshape(
      expand(offsets, common),
      around(() => 1, common),
    );
    const farStride = around(
      (axis) => strides[axis],
      common.map(() => 0),
    );
    const length = axes.reduce((sum, axis) => sum + (sizes[axis] - 1) * strides[axis], 1);
    const far = { stride: farStride, step: 1, length };
    return () => meet(options?.accumulate === true ? "add" : "set", x, near, expand(asWide, shape), () => far);
  },
};

/** The values, broadcast to the shape that the indices choose. */
function valuesFor(x: Tensor, values: Tensor, shape: readonly number[]): Tensor {
  try {
    return broadcastInto(fresh(x.dtype, shape), values, "indexPut");
  } catch {
    throw new ShapeError(`indexPut: values ${showShape(values)} do not broadcast to the indexed shape ${show(shape)}`);
  }
}

export type FlatArguments = [index: IndexTensor, source: Tensor, options?: PutOptions];

export const flatPutting: Writing<FlatArguments> = {
  name: "put",
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
  write(x, index, source, options) {
    if (index.size === 0) return null;
    const places = checkedIndices("put", index, x.size, flatRule);
    return () =>
      meetFlat(options?.accumulate === true ? "add" : "set", x, reshape(source, [-1]), reshape(places, [-1]));
  },
};
