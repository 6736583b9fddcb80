/**
 * The geometry of a tensor: sizes and strides of its modes, read from the fields of the tensor or from its layout.
 * A mode is flat (one size, one stride) or nested; a nested mode whose leaves coalesce still has one stride.
 * Nothing here accesses storage.
 */
import { LayoutError, ShapeError } from "../base/errors.ts";
import { listOf } from "../base/list-of.ts";
import { show } from "../base/show.ts";
import { coalesce } from "../layout/algebra/coalesce.ts";
import { type FlatLayout, flatLayout, reachOf } from "../layout/flat.ts";
import { formatLayout } from "../layout/format.ts";
import { isInt, knownValue } from "../layout/int.ts";
import { type AnyLayout, joinModes as join, type Layout, makeLayout } from "../layout/layout.ts";
import { isStatic, modeOf, rank, size } from "../layout/queries.ts";
import { leaves, type Nested } from "../layout/tuple.ts";
import { isContiguousIn, type MemoryFormat } from "./contiguity.ts";

/** The fields that hold the geometry. */
export interface Geometry {
  readonly rank: number;
  readonly bits: number;
  readonly form: AnyLayout | null;
  readonly s0: number;
  readonly s1: number;
  readonly s2: number;
  readonly s3: number;
  readonly s4: number;
  readonly d0: number;
  readonly d1: number;
  readonly d2: number;
  readonly d3: number;
  readonly d4: number;
}

/** Set if `form` holds more than the fields can: static integers, nesting, a swizzle, coordinates as strides. */
export const heldBit = 1 << 4;
/** Set if a mode has no single number as its stride. */
export const nestedBit = 1 << 5;

/** True if every mode has one size and one stride. */
export const isFlat = (t: Pick<Geometry, "bits">): boolean => (t.bits & nestedBit) === 0;

/** True if `form` holds more than the fields can. */
export const isHeld = (t: Pick<Geometry, "bits">): boolean => (t.bits & heldBit) !== 0;

/** True if the fields describe the layout completely: no static integers, no nested mode, no swizzle. */
export const isNumbers = (t: Pick<Geometry, "bits">): boolean => (t.bits & (heldBit | nestedBit)) === 0;

/** True if the layout is composed: a swizzle, or another function, over strides. */
export const isComposedTensor = (t: Pick<Geometry, "bits" | "form">): boolean =>
  !isFlat(t) && "inner" in (t.form as AnyLayout);

/** Returns the sizes of the top-level modes, in a new array. */
export function sizesOf(t: Geometry): number[] {
  switch (t.rank) {
    case 0:
      return [];
    case 1:
      return [t.s0];
    case 2:
      return [t.s0, t.s1];
    case 3:
      return [t.s0, t.s1, t.s2];
    case 4:
      return [t.s0, t.s1, t.s2, t.s3];
    case 5:
      return [t.s0, t.s1, t.s2, t.s3, t.s4];
    default:
      return topLevel(t.form as AnyLayout).sizes;
  }
}

/** Formats the shape of a tensor for error messages. */
export const showShape = (t: Geometry): string => show(sizesOf(t));

/** True if and only if the top-level modes have these sizes. */
export function hasSizes(t: Geometry, sizes: readonly number[]): boolean {
  const { rank } = t;
  if (rank !== sizes.length) return false;
  if (rank > 5) return sizesOf(t).every((size, mode) => size === sizes[mode]);
  if (rank > 0 && t.s0 !== sizes[0]) return false;
  if (rank > 1 && t.s1 !== sizes[1]) return false;
  if (rank > 2 && t.s2 !== sizes[2]) return false;
  if (rank > 3 && t.s3 !== sizes[3]) return false;
  return rank < 5 || t.s4 === sizes[4];
}

/** Returns the strides of a tensor with flat modes, in a new array. The strides of nested modes are meaningless. */
export function flatStrides(t: Geometry): number[] {
  switch (t.rank) {
    case 0:
      return [];
    case 1:
      return [t.d0];
    case 2:
      return [t.d0, t.d1];
    case 3:
      return [t.d0, t.d1, t.d2];
    case 4:
      return [t.d0, t.d1, t.d2, t.d3];
    case 5:
      return [t.d0, t.d1, t.d2, t.d3, t.d4];
    default: {
      const { sizes, strides } = topLevel(t.form as AnyLayout);
      return strides ?? sizes;
    }
  }
}

export function sizeAt(t: Geometry, axis: number): number {
  if (t.rank <= 5) return axis === 0 ? t.s0 : axis === 1 ? t.s1 : axis === 2 ? t.s2 : axis === 3 ? t.s3 : t.s4;
  return sizesOf(t)[axis];
}

export function strideAt(t: Geometry, axis: number): number {
  if (t.rank <= 5) return axis === 0 ? t.d0 : axis === 1 ? t.d1 : axis === 2 ? t.d2 : axis === 3 ? t.d3 : t.d4;
  return flatStrides(t)[axis];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Sets the size and the stride of one of the first five modes. */
export function setMode(t: Writable<Geometry>, axis: number, size: number, stride: number): void {
  switch (axis) {
    case 0:
      t.s0 = size;
      t.d0 = stride;
      return;
    case 1:
      t.s1 = size;
      t.d1 = stride;
      return;
    case 2:
      t.s2 = size;
      t.d2 = stride;
      return;
    case 3:
      t.s3 = size;
      t.d3 = stride;
      return;
    default:
      t.s4 = size;
      t.d4 = stride;
  }
}

/** Sets the sizes and strides of up to five modes of a new tensor. */
export function setModes<T extends Writable<Geometry>>(t: T, sizes: readonly number[], strides: readonly number[]): T {
  const count = sizes.length;
  if (count > 5 || count === 0) return t;
  t.s0 = sizes[0];
  t.d0 = strides[0];
  if (count === 1) return t;
  t.s1 = sizes[1];
  t.d1 = strides[1];
  for (let i = 2; i < count; i++) setMode(t, i, sizes[i], strides[i]);
  return t;
}

/** Returns the layout of more than five flat modes; null for fewer, which fit in the fields. */
export function longForm(sizes: readonly number[], strides: readonly number[]): AnyLayout | null {
  if (sizes.length <= 5) return null;
  checkRank(sizes.length);
  return makeLayout(sizes as number[], strides as number[]);
}

/** The largest rank of a tensor, as in NumPy. */
export const maxAxes = 64;

/** The message for arrays with more axes than that. */
export const tooDeep = (who: string): string =>
  `${who}: arrays are nested more than ${maxAxes} deep, or contain themselves`;

/** Throws if a rank is larger than that. */
export function checkRank(rank: number, who = "tensor"): void {
  if (rank > maxAxes) throw new ShapeError(`${who}: a tensor has at most ${maxAxes} axes, got ${rank}`);
}

/** Returns the number of elements of a shape. Throws above 2^53. */
export function sizeOf(sizes: readonly number[]): number {
  let size = 1;
  for (let i = 0; i < sizes.length; i++) size *= sizes[i];
  if (size <= Number.MAX_SAFE_INTEGER) return size;
  if (sizes.includes(0)) return 0;
  throw new ShapeError(`tensor: the shape ${show(sizes)} has more than 2^53 elements`);
}

/** Returns the layout without its swizzle. */
const plainPart = (layout: AnyLayout): Layout => ("inner" in layout ? layout.inner : layout);

/** Returns the sizes of the top-level modes, and their strides if each is one number. */
export function topLevel(layout: AnyLayout): { readonly sizes: number[]; readonly strides: number[] | null } {
  const { shape, stride } = plainPart(layout);
  if (!Array.isArray(shape)) {
    const flat = "inner" in layout ? undefined : knownStride(stride);
    return { sizes: [size(layout)], strides: flat === undefined ? null : [flat] };
  }
  const sizes: number[] = [];
  let strides: number[] | null = "inner" in layout ? null : [];
  for (let mode = 0; mode < shape.length; mode++) {
    sizes.push(size(shape[mode]));
    const flat = knownStride((stride as readonly unknown[])[mode]);
    if (flat === undefined) strides = null;
    else strides?.push(flat);
  }
  return { sizes, strides };
}

/** Returns a leaf as a number; undefined for a tuple, a symbol or a coordinate. */
const knownStride = (leaf: unknown): number | undefined => (isInt(leaf) ? knownValue(leaf) : undefined);

/** Returns the sizes and strides of all leaves. A swizzle only permutes addresses, so it is ignored. */
export function leafNumbers(t: Geometry): [sizes: number[], strides: number[]] {
  if ((t.bits & nestedBit) === 0) return [sizesOf(t), flatStrides(t)];
  const layout = plainPart(t.form as AnyLayout);
  const numbers = (tuple: unknown): number[] =>
    leaves(tuple as Nested<unknown>).map((leaf) => knownStride(leaf) ?? NaN);
  return [numbers(layout.shape), numbers(layout.stride)];
}

/** Returns the lowest and highest offset of the elements of a tensor that is not empty. */
export function spanOf(t: Geometry, start: number): readonly [low: number, high: number] {
  const [sizes, strides] = leafNumbers(t);
  return reachOf(sizes, strides, start);
}

/** Returns the layout of each top-level mode; null if the fields describe the layout completely. */
export function formsOf(t: Geometry, who: string): Layout[] | null {
  if ((t.bits & heldBit) === 0) return null;
  const layout = t.form as AnyLayout;
  if ("inner" in layout)
    throw new LayoutError(
      `${who}: the layout ${formatLayout(layout)} is swizzled and its modes have no strides. Use at(...), or copy it: clone("contiguous")`,
    );
  return listOf(rank(layout), (mode) => (Array.isArray(layout.shape) ? (modeOf(layout, mode) as Layout) : layout));
}

/** Returns the flat layout of a tensor: its leaves, the fastest first, without a swizzle. */
export function flatLayoutOf(t: Geometry & { readonly start: number }): FlatLayout {
  const [sizes, strides] = leafNumbers(t);
  return flatLayout(sizes, strides, t.start);
}

/** True if and only if all sizes and strides are static integers, which kernels compile in. */
export const isStaticTensor = (t: Geometry): boolean => (t.bits & heldBit) !== 0 && isStatic(t.form as AnyLayout);

/** Returns the sizes and strides of all leaves in row-major order (the last varies fastest); null if a stride is not a number. */
export function rowMajorLeaves(t: Geometry): [sizes: number[], strides: number[]] | null {
  if ((t.bits & nestedBit) === 0) return [sizesOf(t), flatStrides(t)];
  if ("inner" in (t.form as AnyLayout)) return null;
  const sizes: number[] = [];
  const strides: number[] = [];
  for (const mode of formsOf(t, "view") as Layout[]) {
    const steps = leaves(mode.stride as Nested<unknown>).map(knownStride);
    const counts = leaves(mode.shape as Nested<unknown>).map(knownStride);
    for (let leaf = steps.length - 1; leaf >= 0; leaf--) {
      const step = steps[leaf];
      if (step === undefined) return null;
      sizes.push(counts[leaf] as number);
      strides.push(step);
    }
  }
  return [sizes, strides];
}

/** Returns the stride of each mode, after coalescing nested modes; null if a mode has no single stride. */
export function modeStrides(t: Geometry): number[] | null {
  if ((t.bits & nestedBit) === 0) return flatStrides(t);
  if ("inner" in (t.form as AnyLayout)) return null;
  const strides: number[] = [];
  for (const mode of formsOf(t, "stride") as Layout[]) {
    const stride = knownStride(coalesce(mode).stride);
    if (stride === undefined) return null;
    strides.push(stride);
  }
  return strides;
}

/** Returns the stride of each mode. Throws if a mode has no single stride. */
export function stridesOf(t: Geometry, who: string): number[] {
  const strides = modeStrides(t);
  if (strides !== null) return strides;
  const forms = formsOf(t, who) as Layout[];
  const mode = forms.findIndex((form) => knownStride(coalesce(form).stride) === undefined);
  throw new LayoutError(
    `${who}: mode ${mode} is ${formatLayout(forms[mode])} and has no single stride. Slice it with at(...), or copy it: clone("contiguous")`,
  );
}

/** True if and only if a tensor with flat modes is contiguous in row-major order. */
export function isRowMajorTensor(t: Geometry, size: number): boolean {
  if (size === 0) return true;
  let expected = 1;
  for (let axis = t.rank - 1; axis >= 0; axis--) {
    const count = sizeAt(t, axis);
    if (count === 1) continue;
    if (strideAt(t, axis) !== expected) return false;
    expected *= count;
  }
  return true;
}

export function isContiguousNested(t: Geometry, format: MemoryFormat): boolean {
  const strides = modeStrides(t);
  return strides !== null && isContiguousIn(format, sizesOf(t), strides);
}

/** Joins modes into one layout: their own layouts, or dynamic sizes and strides where `forms` has null. */
export function joinModes(
  sizes: readonly number[],
  strides: readonly number[],
  forms: readonly (Layout | null)[],
): Layout {
  if (forms.length === 0) return makeLayout([], []) as Layout;
  return join(forms.map((form, i) => form ?? (makeLayout(sizes[i], strides[i]) as Layout)));
}
