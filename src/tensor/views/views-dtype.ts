/**
 * Views that read the same bytes as a different dtype: view(dtype), viewAsReal, viewAsComplex, real, imag.
 */

import { LayoutError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import { sizesOf, stridesOf } from "../geometry.ts";
import { carryNames } from "../names.ts";
import { storageOf, type Tensor, viewOf } from "../tensor.ts";

const refused = (who: string, t: Tensor, dtype: DType, rule: string, got = ""): LayoutError =>
  new LayoutError(`${who}: ${rule} to view ${t.dtype} as ${dtype}${got}`);

/**
 * The view as a different dtype. Strides and the start are counted in elements of the tensor, and must be whole numbers of the new ones;
 * the strides in `inside` are of axes inside an old element, or across the new ones, and are counted in those.
 */
function retyped(
  who: string,
  t: Tensor,
  dtype: DType,
  sizes: readonly number[],
  strides: readonly number[],
  inside: readonly number[] = [],
): Tensor {
  const { itemsize } = dtypes[dtype];
  // A power of two, so products are exact.
  const ratio = t.itemsize / itemsize;
  const inNew = (count: number, axis?: number): number => {
    if (Number.isInteger(count * ratio)) return count * ratio;
    const what = axis === undefined ? "storage offset" : `stride of axis ${axis}`;
    throw refused(who, t, dtype, `the ${what} must be divisible by ${1 / ratio}`);
  };
  if (dtype !== t.type && storageOf(t, who).byteOffset % itemsize !== 0)
    throw new LayoutError(
      `${who}: the memory must start at a multiple of the ${itemsize} bytes of ${dtype}; clone() it first`,
    );
  const start = inNew(t.start);
  const view = viewOf(t, sizes, [...strides.map((step, axis) => inNew(step, axis)), ...inside], start);
  view.type = dtype;
  return view;
}

/**
 * The same bytes read as a different dtype. A smaller one makes the last axis longer; a larger one makes it shorter and needs a last
 * stride of 1, and a size, start and other strides that it divides.
 */
export function viewDType(t: Tensor, dtype: DType): Tensor {
  const ratio = t.itemsize / dtypes[dtype].itemsize;
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "view");
  if (ratio === 1) return carryNames(retyped("view", t, dtype, sizes, strides), t);
  const last = sizes.length - 1;
  const size = sizes[last] * ratio;
  if (last < 0) throw refused("view", t, dtype, "there must be at least one axis");
  if (strides[last] !== 1) throw refused("view", t, dtype, "the last stride must be 1", `, got ${strides[last]}`);
  if (!Number.isInteger(size)) throw refused("view", t, dtype, `the last size must be divisible by ${1 / ratio}`);
  return carryNames(retyped("view", t, dtype, sizes.with(last, size), strides.slice(0, -1), [1]), t);
}

const partOf: Readonly<Partial<Record<DType, DType>>> = { complex64: "float32", complex128: "float64" };
const wholeOf: Readonly<Partial<Record<DType, DType>>> = { float32: "complex64", float64: "complex128" };

/** A complex tensor as a real one with a last axis of 2: real and imaginary parts. */
export function viewAsReal(t: Tensor): Tensor {
  const dtype = partOf[t.dtype];
  if (dtype === undefined) throw new DTypeError(`viewAsReal: needs a complex tensor, got ${t.dtype}`);
  const view = retyped("viewAsReal", t, dtype, [...sizesOf(t), 2], stridesOf(t, "viewAsReal"), [1]);
  return carryNames(view, t, (names) => [...names, null]);
}

/** A real tensor with a last axis of 2 as a complex one. */
export function viewAsComplex(t: Tensor): Tensor {
  const dtype = wholeOf[t.dtype];
  if (dtype === undefined) throw new DTypeError(`viewAsComplex: needs a float32 or float64 tensor, got ${t.dtype}`);
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "viewAsComplex");
  if (sizes.at(-1) !== 2) throw new LayoutError(`viewAsComplex: the last axis must have size 2, got ${show(sizes)}`);
  if (strides.at(-1) !== 1)
    throw new LayoutError(`viewAsComplex: the last axis must have stride 1, got ${strides.at(-1)}`);
  const view = retyped("viewAsComplex", t, dtype, sizes.slice(0, -1), strides.slice(0, -1));
  return carryNames(view, t, (names) => names.slice(0, -1));
}

/** The real or imaginary parts, as a view; the real part of a real tensor is itself. */
export function partView(t: Tensor, which: "real" | "imag"): Tensor {
  const dtype = partOf[t.dtype];
  if (dtype === undefined) {
    if (which === "real") return t;
    throw new DTypeError(
      `imag: only complex tensors have imaginary parts, got ${t.dtype}. Convert with to("complex64")`,
    );
  }
  const view = retyped(which, t, dtype, sizesOf(t), stridesOf(t, which));
  if (which === "imag") view.start++;
  return carryNames(view, t);
}
