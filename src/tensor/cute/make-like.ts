/**
 * Tensors derived from others: new memory with the shape and mode order of another tensor, compact register fragments, and tensors without
 * memory: coordinates, transformed elements, and zipped tensors.
 */
import { ShapeError } from "../../base/errors.ts";
import { formatLayout } from "../../layout/format.ts";
import {
  type AnyLayout,
  checkLayout,
  isComposed,
  type Layout,
  makeFragmentLike as likeFragment,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
} from "../../layout/layout.ts";
import { coprofile, shapeOf } from "../../layout/queries.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { coordinates, transformEngine, zipEngine } from "../engines/computed-engines.ts";
import { sizesOf } from "../geometry.ts";
import { checkTensor } from "../operand.ts";
import { identityBits, Tensor } from "../tensor.ts";
import type { TopSizes } from "../types/shape-layouts.ts";
import type { Shape } from "../types/types.ts";
import { computedTensor, makeTensor } from "./make-tensor.ts";

/** Returns the layout without its swizzle; it has the same shape and order of modes. */
const plain = (layout: AnyLayout): Layout => (isComposed(layout) ? layout.inner : layout);

/** Returns a new compact register tensor with the shape of another, its modes in the order of the other's strides. */
export function makeTensorLike<S extends Shape, D extends DType, E extends DType = D>(
  source: Tensor<S, D>,
  dtype?: E,
): Tensor<S, E, "rmem"> {
  checkTensor("makeTensorLike", source);
  return makeTensor(dtype ?? source.dtype, makeLayoutLike(plain(source.layout))) as Tensor as Tensor<S, E, "rmem">;
}

export function makeFragmentLike<S extends Shape, D extends DType, E extends DType = D>(
  source: Tensor<S, D>,
  dtype?: E,
): Tensor<S, E, "rmem">;
/** Returns a register tensor for a copy of another: mode 0 is compact and column-major, the rest follows the order of the strides. For a layout, returns a layout. */
export function makeFragmentLike(layout: AnyLayout): Layout;
export function makeFragmentLike(source: Tensor | AnyLayout, dtype?: DType): Tensor | Layout {
  if (!(source instanceof Tensor)) return likeFragment(plain(source));
  return makeTensor(dtype ?? source.dtype, likeFragment(plain(source.layout)));
}

/** Returns the tensor of its own coordinates: element c is c. */
export function makeIdentityTensor<const S extends IntTuple>(shape: S): Tensor<TopSizes<S>, DType> {
  return makeCoordTensor(makeIdentityLayout(shape)) as Tensor as Tensor<TopSizes<S>, DType>;
}

/** Returns the tensor of the coordinates that a layout with coordinate strides maps to. */
export function makeCoordTensor<const L extends Layout>(layout: L): Tensor<TopSizes<L>, DType> {
  checkLayout("makeCoordTensor", layout);
  const tensor = computedTensor(coordinates(coprofile(layout)), null, layout, identityBits("view", "none"));
  return tensor as Tensor<TopSizes<L>, DType>;
}

/** Returns a view of a tensor that applies a function to each element when it is read; the layout and the space stay. */
export function makeTransformTensor<S extends Shape, D extends DType, E extends DType>(
  source: Tensor<S, D>,
  f: (value: Value) => Value,
  dtype: E,
): Tensor<S, E> {
  checkTensor("makeTransformTensor", source);
  return makeTensor(transformEngine(source, f, dtype), source.layout) as Tensor<S, E>;
}

/** Returns a tensor whose element i is the list of the elements i of several tensors of one shape. */
export function makeZipTensor<S extends Shape>(first: Tensor<S>, ...others: readonly Tensor[]): Tensor<S> {
  const tensors = [first, ...others] as readonly Tensor[];
  for (const t of tensors) checkTensor("makeZipTensor", t);
  const sizes = sizesOf(first);
  for (const other of others)
    if (other.rank !== first.rank || sizesOf(other).some((size, mode) => size !== sizes[mode]))
      throw new ShapeError(
        `makeZipTensor: shapes must be equal, got ${formatLayout(first.layout)} and ${formatLayout(other.layout)}`,
      );
  const shape = shapeOf(first.layout);
  return makeTensor(zipEngine(tensors), makeLayout(shape)) as Tensor<S>;
}
