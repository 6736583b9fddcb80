/**
 * rawView: the memory of a tensor as a typed array, without a copy. Writes on either side are visible on the other, and do not change the
 * version. float16 and bfloat16 are Uint16Array (their bits), complex numbers pairs of floats.
 * Growth of an unshared heap detaches every typed array over it, so the view is an object that returns a new one. While the view
 * or one of its arrays is held, garbage collection does not free the memory; dispose() of the tensor does.
 */
import { StridewiseError, WriteError } from "../../base/errors.ts";
import { dtypes, type TypedArray } from "../../storage/dtype.ts";
import { StorageError } from "../../storage/storage.ts";
import { keySet, keyShift } from "../dispatch/keys.ts";
import { isComposedTensor, showShape, spanOf } from "../geometry.ts";
import { describeBriefly, storageOf, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";

/** A view of the memory of a tensor, for as long as the tensor lives. */
export interface RawView<A extends TypedArray = TypedArray> {
  /** The typed array over the elements. A new one after growth of the heap; throws after dispose() of the tensor. */
  readonly array: A;
  /** True if and only if a typed array returned earlier is still the memory of the tensor. */
  isCurrent(window: TypedArray): boolean;
}

export interface RawViewOptions {
  /** "row-major" (the default): throws for elements in a different order; "memory": any dense order, by the strides. */
  readonly order?: "row-major" | "memory" | undefined;
}

/** Keeps the view, and through it the tensor, alive as long as one of its typed arrays. */
const keepers: WeakMap<TypedArray, RawView> = /* @__PURE__ */ new WeakMap();

/** The memory of a contiguous tensor. */
export function rawView(t: Tensor, options: RawViewOptions = {}): RawView {
  const storage = wholeMemory(t, "rawView");
  checkOrder(t, options?.order ?? "row-major");
  if (t.ownership === "const")
    throw new WriteError(`rawView: ${describeBriefly(t)} is a const view. Take a copy: toTypedArray()`);
  if ((t.bits >>> keyShift) & keySet("autograd"))
    throw new WriteError(
      `rawView: Can't call rawView() on Tensor that requires grad. Use tensor.detach().rawView() instead.`,
    );
  storage.takeRawWindow();
  const { array, itemsize, parts } = dtypes[t.dtype];
  let cached: TypedArray | null = null;
  const isCurrent = (window: TypedArray): boolean =>
    !t.isDisposed && t.source === storage && window === cached && (window.buffer.byteLength > 0 || t.size === 0);
  const view: RawView = {
    get array() {
      if (cached !== null && isCurrent(cached)) return cached;
      if (storageOf(t, "rawView") !== storage)
        throw new StridewiseError(
          "rawView: the storage of the tensor was replaced by set_ or data. Call rawView() again",
        );
      const whole = storage.writable().array(array);
      const lowest = t.size === 0 ? t.start : spanOf(t, t.start)[0];
      const first = (storage.byteOffset / itemsize + lowest) * parts;
      cached = whole.subarray(first, first + t.size * parts);
      keepers.set(cached, view);
      return cached;
    },
    isCurrent,
  };
  return view;
}

function checkOrder(t: Tensor, order: "row-major" | "memory"): void {
  if (order === "memory" ? t.isNonOverlappingAndDense : t.isContiguous()) return;
  const strides = isComposedTensor(t) ? "a swizzle" : `strides [${stridesText(t)}]`;
  throw new StorageError(
    `rawView: the elements of shape ${showShape(t)} with ${strides} are not contiguous in ` +
      (order === "memory" || !t.isNonOverlappingAndDense
        ? "memory. Take a copy: toTypedArray(), or contiguous() first"
        : 'row-major order. Take a copy: toTypedArray(), or the order of memory: rawView({ order: "memory" })'),
  );
}

const stridesText = (t: Tensor): string => {
  const { stride } = t.layout as { readonly stride: unknown };
  return Array.isArray(stride) ? stride.join(", ") : String(stride);
};
