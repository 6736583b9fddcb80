/**
 * makeTensor creates a tensor from an engine and a layout, as in CuTe. A dtype creates an owning tensor in registers; a pointer creates a
 * view of memory. The layout is a layout, a shape, a shape with strides, or a shape with an order; the default order is column-major.
 *
 * Postconditions: no element is outside the memory. The smallest and largest offset of the layout are checked.
 */
import { LayoutError } from "../../base/errors.ts";
import { isBasis, type StrideTuple } from "../../layout/basis.ts";
import { formatLayout } from "../../layout/format.ts";
import { type Int, knownValue } from "../../layout/int.ts";
import { type AnyLayout, isComposed, isLayout, type Major, makeLayout } from "../../layout/layout.ts";
import { isStatic, offsetAt, size } from "../../layout/queries.ts";
import { type IntTuple, isTuple, leaves, type Nested } from "../../layout/tuple.ts";
import type { Checked, NestingFault } from "../../layout/types/faults.ts";
import { checkDType, type DType, dtypeOfArray, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { Storage, StorageError } from "../../storage/storage.ts";
import type { Engine } from "../engine.ts";
import {
  asPointer,
  type DTypeBehind,
  type PointerLike,
  type SpaceBehind,
  type TaggedPointer,
} from "../engines/pointers.ts";
import { StorageEngine } from "../engines/storage-engine.ts";
import type { Space } from "../identity.ts";
import { installOtherText } from "../print/print.ts";
import { computedEngine, heldView, identityBits, identityMask, layoutTensor, Tensor } from "../tensor.ts";
import type { TopSizes } from "../types/shape-layouts.ts";

/** Creates an owning tensor in registers from a dtype and a static layout. */
export function makeTensor<D extends DType, const L extends AnyLayout | IntTuple>(
  dtype: D,
  layoutOrShape: L,
): Tensor<TopSizes<L>, D, "rmem">;
export function makeTensor<D extends DType, const S extends IntTuple, const T extends Major | StrideTuple>(
  dtype: D,
  shape: S,
  stride: Checked<T, NestingFault<S, T>>,
): Tensor<TopSizes<S>, D, "rmem">;
/** Creates a view of memory, or a tensor over an engine. */
export function makeTensor<const X extends PointerLike, const L extends AnyLayout | IntTuple>(
  pointer: X,
  layoutOrShape: L,
): Tensor<TopSizes<L>, DTypeBehind<X>, SpaceBehind<X>>;
export function makeTensor<const X extends PointerLike, const S extends IntTuple, const T extends Major | StrideTuple>(
  pointer: X,
  shape: S,
  stride: Checked<T, NestingFault<S, T>>,
): Tensor<TopSizes<S>, DTypeBehind<X>, SpaceBehind<X>>;
export function makeTensor(
  where: DType | PointerLike,
  layoutOrShape: AnyLayout | IntTuple,
  stride?: Major | StrideTuple,
): Tensor {
  const layout = layoutFrom(layoutOrShape, stride);
  if (typeof where === "string") return owning(where, layout);
  return over(asPointer("makeTensor", where), layout);
}

function layoutFrom(layoutOrShape: AnyLayout | IntTuple, stride: Major | StrideTuple | undefined): AnyLayout {
  if (layoutOrShape instanceof Tensor) return layoutOrShape.layout;
  if (!isLayout(layoutOrShape) && !isComposed(layoutOrShape))
    return makeLayout(layoutOrShape, (stride ?? "left") as never);
  if (stride === undefined) return layoutOrShape;
  throw new LayoutError(
    `makeTensor: the layout ${formatLayout(layoutOrShape)} already has strides; pass the shape and ${String(stride)}, or only the layout`,
  );
}

/** Creates a tensor over a computed engine; the dtype is null if its elements are not numbers. */
export function computedTensor(engine: Engine, dtype: DType | null, layout: AnyLayout, bits: number): Tensor {
  if (dtype === null) installOtherText();
  return layoutTensor(engine, dtype, 0, layout, bits);
}

/** Creates a tensor that owns its elements, initialized to 0. */
function owning(name: string, layout: AnyLayout): Tensor {
  const dtype = checkDType("makeTensor", name);
  if (!isStatic(layout)) throw dynamicLayout(layout);
  const { low, high } = reachOf("makeTensor", layout);
  const storage = Storage.allocate((high - low + 1) * dtypes[dtype].itemsize, { zeroed: true });
  return layoutTensor(storage, dtype, -low, layout, identityBits("owning", "rmem"));
}

function dynamicLayout(layout: AnyLayout): LayoutError {
  const { shape, stride } = isComposed(layout) ? layout.inner : layout;
  const inShape = dynamicLeaf(shape, []);
  const leaf = inShape ?? dynamicLeaf(stride, []);
  const what = leaf === undefined ? "its offset" : `the ${inShape ? "size" : "stride"} of mode ${leaf.path}`;
  const value = leaf?.value ?? (isComposed(layout) ? layout.offset : "");
  return new LayoutError(
    `makeTensor: an owning tensor is in registers, which CuTe allocates at compile time, so its layout must be static; ${what} of ${formatLayout(layout)} is dynamic, ${value}. Write int(${value}) to make it static, or pass memory: makeTensor(new Float32Array(n), ...)`,
  );
}

function dynamicLeaf(t: Nested<unknown>, path: readonly number[]): { path: string; value: unknown } | undefined {
  if (!isTuple(t))
    return isStatic(t as never) || (isBasis(t) && isStatic(t.value as never))
      ? undefined
      : { path: path.join(",") || "0", value: t };
  for (const [i, mode] of t.entries()) {
    const leaf = dynamicLeaf(mode, [...path, i]);
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}

/** Creates a tensor over the target of a pointer. */
function over(pointer: TaggedPointer, layout: AnyLayout): Tensor {
  const { target, dtype, space, isConst } = pointer;
  if (target instanceof Tensor) return overTensor(target, layout, space, isConst);
  if (target instanceof StorageEngine) return overEngine(target as StorageEngine, layout, space, isConst);
  if (!isBuffer(target) && dtypeOfArray(target) === undefined) {
    const engine = target as Engine;
    return computedTensor(engine, dtype, layout, identityBits(isConst ? "const" : "view", space));
  }
  return overMemory(target as TypedArray | ArrayBufferLike, dtype as DType, layout, space, isConst);
}

/** Creates a tensor over the memory of an engine. */
function overEngine(engine: StorageEngine, layout: AnyLayout, space: Space, isConst: boolean): Tensor {
  const { storage, offset, dtype } = engine;
  checkInside(layout, offset, storage.nbytes / dtypes[dtype].itemsize, dtype);
  const kind = isConst || engine.kind === "const" ? "const" : "view";
  return layoutTensor(storage.retain(), dtype, offset, layout, identityBits(kind, space));
}

/** Creates a view of a tensor under a different layout, starting at its element 0. */
function overTensor(t: Tensor, layout: AnyLayout, space: Space, isConst: boolean): Tensor {
  if (computedEngine(t, "makeTensor") === null) checkInside(layout, t.start, t.storage.nbytes / t.itemsize, t.dtype);
  const view = heldView(t, layout, t.start);
  view.bits = (view.bits & ~identityMask) | identityBits(isConst ? "const" : "view", space);
  return view;
}

function overMemory(
  memory: TypedArray | ArrayBufferLike,
  dtype: DType,
  layout: AnyLayout,
  space: Space,
  isConst: boolean,
): Tensor {
  const { itemsize } = dtypes[dtype];
  const isView = ArrayBuffer.isView(memory);
  checkInside(layout, 0, Math.floor(memory.byteLength / itemsize), dtype);
  const storage = Storage.fromBuffer(
    isView ? memory.buffer : memory,
    isView ? memory.byteOffset : 0,
    memory.byteLength,
  );
  return layoutTensor(storage, dtype, 0, layout, identityBits(isConst ? "const" : "view", space));
}

/** Throws if a layout reaches outside the memory. */
function checkInside(layout: AnyLayout, start: number, count: number, dtype: DType): void {
  const { low, high } = reachOf("makeTensor", layout);
  if (high < low || (start + low >= 0 && start + high < count)) return;
  const from = start === 0 ? "" : ` from element ${start}`;
  const advice =
    start + low < 0
      ? `Begin ${-(start + low)} elements later: makeTensor(makeTensor(memory, n).at(i), layout)`
      : `Pass a smaller layout or more memory: ${start + high + 1} elements`;
  throw new StorageError(
    `makeTensor: ${formatLayout(layout)}${from} reaches offsets ${low} to ${high}, but the memory has ${count} elements of ${dtype}, ${-start} to ${count - start - 1}. ${advice}`,
  );
}

/** The smallest and largest offset; high < low if the layout has no coordinates. */
export interface Reach {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the reach of a layout whose offsets are numbers.
 *
 * Postconditions: low <= offsetAt(layout, i) <= high for every 0 <= i < size(layout), and both are attained.
 */
function reachOf(who: string, layout: AnyLayout): Reach {
  if ("inner" in layout) return reachByOffsets(layout);
  const sizes = leaves(layout.shape);
  const strides = leaves(layout.stride);
  let low = 0;
  let high = 0;
  let isEmpty = false;
  for (let i = 0; i < sizes.length; i++) {
    const stride = strides[i];
    if (isBasis(stride))
      throw new LayoutError(
        `${who}: the strides of ${formatLayout(layout)} are coordinates, but memory needs numbers. Use makeCoordTensor(layout)`,
      );
    const extent = knownValue(sizes[i]);
    const step = knownValue(stride as Int);
    if (extent === undefined || step === undefined)
      throw new LayoutError(
        `${who}: ${formatLayout(layout)} has the symbol ${extent === undefined ? sizes[i] : stride}, but memory needs numbers. Substitute numbers first`,
      );
    if (extent === 0) isEmpty = true;
    else if (step > 0) high += (extent - 1) * step;
    else low += (extent - 1) * step;
  }
  return isEmpty ? { low: 0, high: -1 } : { low, high };
}

/** Returns the reach of a swizzled layout by listing its offsets. */
function reachByOffsets(layout: AnyLayout): Reach {
  const count = size(layout as never);
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < count; i++) {
    const offset = offsetAt(layout, i);
    if (offset < low) low = offset;
    if (offset > high) high = offset;
  }
  return count === 0 ? { low: 0, high: -1 } : { low, high };
}
