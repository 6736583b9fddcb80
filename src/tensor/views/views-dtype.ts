/**
 * Views that read the same bytes as another dtype: view(dtype), viewAsReal, viewAsComplex, real, imag.
 */
import { LayoutError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import { sizesOf, stridesOf } from "../geometry.ts";
import { carryNames } from "../names.ts";
import { storageOf, type Tensor, viewOf } from "../tensor.ts";

/** A view with another dtype: offsets and strides are given in its elements. */
function retyped(t: Tensor, dtype: DType, sizes: readonly number[], strides: readonly number[], start: number): Tensor {
  if (dtype !== t.type) storageOf(t, "view");
  const view = viewOf(t, sizes, strides, start);
  view.type = dtype;
  return view;
}

/**
 * The same bytes read as another dtype. A smaller one makes the last axis longer; a larger one makes it shorter and needs a last
 * stride of 1, and a size, start and other strides that it divides.
 */
export function viewDType(t: Tensor, dtype: DType): Tensor {
  const from = dtypes[t.dtype];
  const to = dtypes[dtype];
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "view");
  if (from.itemsize === to.itemsize) return carryNames(retyped(t, dtype, sizes, strides, t.start), t, (names) => names);
  const refuse = (rule: string): LayoutError =>
    new LayoutError(`view: ${rule} to view ${from.torchName} as ${to.torchName} (different element sizes)`);
  const last = sizes.length - 1;
  if (last < 0)
    throw new LayoutError(
      `view: self.dim() cannot be 0 to view ${from.torchName} as ${to.torchName} (different element sizes)`,
    );
  if (strides[last] !== 1)
    throw new LayoutError(
      `view: self.stride(-1) must be 1 to view ${from.torchName} as ${to.torchName} (different element sizes), but got ${strides[last]}`,
    );
  if (from.itemsize > to.itemsize) {
    const ratio = from.itemsize / to.itemsize;
    sizes[last] = (sizes[last] as number) * ratio;
    const wider = strides.map((stride, i) => (i === last ? 1 : stride * ratio));
    return carryNames(retyped(t, dtype, sizes, wider, t.start * ratio), t, (names) => names);
  }
  const ratio = to.itemsize / from.itemsize;
  if (storageOf(t, "view").byteOffset % to.itemsize !== 0)
    throw refuse(`the memory must start at a multiple of ${to.itemsize} bytes`);
  if ((sizes[last] as number) % ratio !== 0) throw refuse(`self.size(-1) must be divisible by ${ratio}`);
  if (t.start % ratio !== 0) throw refuse(`self.storage_offset() must be divisible by ${ratio}`);
  for (let i = 0; i < last; i++)
    if ((strides[i] as number) % ratio !== 0) throw refuse(`self.stride(${i}) must be divisible by ${ratio}`);
  sizes[last] = (sizes[last] as number) / ratio;
  const narrower = strides.map((stride, i) => (i === last ? 1 : stride / ratio));
  return carryNames(retyped(t, dtype, sizes, narrower, t.start / ratio), t, (names) => names);
}

const partOf: Readonly<Partial<Record<DType, DType>>> = { complex64: "float32", complex128: "float64" };
const wholeOf: Readonly<Partial<Record<DType, DType>>> = { float32: "complex64", float64: "complex128" };

/** A complex tensor as a real one with a last axis of 2: real and imaginary parts. */
export function viewAsReal(t: Tensor): Tensor {
  const dtype = partOf[t.dtype];
  if (dtype === undefined)
    throw new DTypeError(`viewAsReal: view_as_real is only supported for complex tensors, got ${t.dtype}`);
  const strides = stridesOf(t, "viewAsReal").map((stride) => stride * 2);
  const view = retyped(t, dtype, [...sizesOf(t), 2], [...strides, 1], t.start * 2);
  return carryNames(view, t, (names) => [...names, null]);
}

/** A real tensor with a last axis of 2 as a complex one. */
export function viewAsComplex(t: Tensor): Tensor {
  const dtype = wholeOf[t.dtype];
  if (dtype === undefined)
    throw new DTypeError(
      `viewAsComplex: view_as_complex is only supported for float32 and float64 tensors, got ${t.dtype}`,
    );
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "viewAsComplex");
  if (sizes.at(-1) !== 2)
    throw new LayoutError(`viewAsComplex: Tensor must have a last dimension of size 2, got [${sizes.join(", ")}]`);
  if (strides.at(-1) !== 1)
    throw new LayoutError(`viewAsComplex: Tensor must have a last dimension with stride 1, got ${strides.at(-1)}`);
  sizes.pop();
  strides.pop();
  const odd = strides.findIndex((stride) => stride % 2 !== 0);
  if (odd >= 0)
    throw new LayoutError(
      `viewAsComplex: Tensor must have a stride divisible by 2 for all but last dimension, got ${strides[odd]} at ${odd}`,
    );
  if (t.start % 2 !== 0)
    throw new LayoutError(`viewAsComplex: Tensor must have a storage_offset divisible by 2, got ${t.start}`);
  if (storageOf(t, "viewAsComplex").byteOffset % dtypes[dtype].itemsize !== 0)
    throw new LayoutError(
      `viewAsComplex: the memory must start at a multiple of the ${dtypes[dtype].itemsize} bytes of ${dtype}; clone() it first`,
    );
  const view = retyped(
    t,
    dtype,
    sizes,
    strides.map((stride) => stride / 2),
    t.start / 2,
  );
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
  const strides = stridesOf(t, which).map((stride) => stride * 2);
  const view = retyped(t, dtype, sizesOf(t), strides, t.start * 2 + (which === "imag" ? 1 : 0));
  return carryNames(view, t, (names) => names);
}
