/**
 * Tensor: an engine and a layout. This file has the class with its fields and properties; the other files of this folder add methods to
 * it when the library starts (`../boot.ts`).
 * Sizes and strides of up to five flat modes are fields of the object, so a view costs one small object of one hidden class.
 * A layout with static integers, nested modes or a swizzle is held as well (`form`), and the fields mirror it.
 */
/// <reference lib="esnext.disposable" preserve="true" />

import { ShapeError, type StridewiseError } from "../base/errors.ts";
import { type AnyLayout, type Layout, makeLayout } from "../layout/layout.ts";
import { cpu, type Device } from "../storage/device.ts";
import { type DType, DTypeError, dtypes } from "../storage/dtype.ts";
import { Storage, StorageError } from "../storage/storage.ts";
import type { VersionCounter } from "../storage/version.ts";
import { isContiguousIn, isDense, type MemoryFormat, type Overlap, selfOverlap } from "./contiguity.ts";
import { keySet, keyShift } from "./dispatch/keys.ts";
import { DisposedError, DisposedSource, disposedBy } from "./disposed.ts";
import type { Engine } from "./engine.ts";
import {
  checkRank,
  flatStrides,
  heldBit,
  isContiguousNested,
  isRowMajorTensor,
  joinModes,
  leafNumbers,
  longForm,
  nestedBit,
  setModes,
  showShape,
  sizeOf,
  sizesOf,
  spanOf,
  stridesOf,
  topLevel,
} from "./geometry.ts";
import { type Ownership, ownershipIn, type Space, spaceIn, viewBits } from "./identity.ts";
import { enterScope, type Scoped } from "./scope.ts";
import type { Shape } from "./types/types.ts";

export { identityBits, identityMask, type Ownership } from "./identity.ts";

/** Properties that few tensors have, created when first needed. */
export interface Extras {
  names: readonly (string | null)[] | null;
  label: string | null;
}

type Source = Storage | Engine | DisposedSource;
// Above the bits of `identity.ts` and `geometry.ts`: cached properties of the layout.
const contiguousKnown = 1 << 6;
const contiguous = 1 << 7;
/** The bits of a tensor that is known to be contiguous. */
export const contiguousBits = contiguousKnown | contiguous;
const denseKnown = 1 << 8;
const dense = 1 << 9;

// The class and its methods (added by other files) are one type.
export class Tensor<S extends Shape = Shape, D extends DType = DType, P extends Space = Space> implements Scoped {
  /** @internal */ declare source: Source;
  /** @internal Null where the elements are not numbers. */ declare type: DType | null;
  /** @internal In elements, from the start of the storage or of the engine. */ declare start: number;
  /** @internal */ declare bits: number;
  /** The number of modes (axes, dimensions). */
  declare readonly rank: number;
  /** The number of elements. */
  declare readonly size: number;
  /** @internal */ declare s0: number;
  /** @internal */ declare s1: number;
  /** @internal */ declare s2: number;
  /** @internal */ declare s3: number;
  /** @internal */ declare s4: number;
  /** @internal */ declare d0: number;
  /** @internal */ declare d1: number;
  /** @internal */ declare d2: number;
  /** @internal */ declare d3: number;
  /** @internal */ declare d4: number;
  /** @internal The layout: passed at creation, or created when first needed. */ declare form: AnyLayout | null;
  /** @internal Null until first needed: then the counter of the storage. */ declare counter: VersionCounter | null;
  /** @internal The root of which this is a view. */ declare root: Tensor | null;
  /** @internal */ declare extras: Extras | null;
  /** @internal The autograd metadata, created when first needed. */ declare history: object | null;

  /** @internal Use `viewOf`, `tensorOver` and `layoutTensor`. The caller sets the sizes and strides. */
  constructor(
    source: Source,
    type: DType | null,
    start: number,
    bits: number,
    rank: number,
    size: number,
    form: AnyLayout | null,
    counter: VersionCounter | null,
    root: Tensor | null,
  ) {
    this.source = source;
    this.type = type;
    this.start = start;
    this.bits = source instanceof Storage ? bits | source.keys : bits;
    this.rank = rank;
    this.size = size;
    this.s0 = 0;
    this.s1 = 0;
    this.s2 = 0;
    this.s3 = 0;
    this.s4 = 0;
    this.d0 = 0;
    this.d1 = 0;
    this.d2 = 0;
    this.d3 = 0;
    this.d4 = 0;
    this.form = form;
    this.counter = counter;
    this.root = root;
    this.extras = null;
    this.history = null;
    enterScope(this);
  }

  /** The number of axes; same as `rank`. */
  get ndim(): number {
    return this.rank;
  }

  /** Returns the number of axes; same as `rank`. */
  dim(): number {
    return this.rank;
  }

  /** Returns the number of elements; same as `size`. */
  numel(): number {
    return this.size;
  }

  /** The sizes of the top-level modes. */
  get shape(): S {
    return sizesOf(this) as readonly number[] as S;
  }

  /** The stride of each axis, in elements. */
  get stride(): readonly number[] {
    return stridesOf(this, "stride");
  }

  /** Elements from the start of the storage to element 0. */
  get storageOffset(): number {
    return this.start;
  }

  get dtype(): D {
    if (this.type === null)
      throw new DTypeError(
        `dtype: the elements of this tensor are computed by a ${engineKind(this)} engine and are not numbers; see engine.valueType`,
      );
    return this.type as D;
  }

  get device(): Device {
    return this.source instanceof Storage ? this.source.device : cpu;
  }

  /** Bytes of one element. */
  get itemsize(): number {
    return dtypes[this.dtype].itemsize;
  }

  /** Bytes of all elements. */
  get nbytes(): number {
    return this.size * this.itemsize;
  }

  /** The storage format of the elements, always "strided". */
  get format(): "strided" {
    return "strided";
  }

  get space(): P {
    return spaceIn(this.bits) as P;
  }

  /** owning, view or const; tensors over computed engines are views. */
  get ownership(): Ownership {
    return ownershipIn(this.bits);
  }

  /** The function from coordinates to offsets. */
  get layout(): AnyLayout {
    this.form ??= this.rank === 1 ? makeLayout(this.s0, this.d0) : makeLayout(sizesOf(this), flatStrides(this));
    return this.form;
  }

  /** The storage, shared by all views. */
  get storage(): Storage {
    return this.source instanceof Storage ? this.source : storageOf(this, "storage");
  }

  /** The number of in-place operations on the storage, by any view of it. */
  get version(): number {
    return counterOf(this).value;
  }

  /** The tensor of which this is a view (never itself a view), or null. */
  get base(): Tensor | null {
    return this.root;
  }

  get isView(): boolean {
    return this.root !== null;
  }

  /** The names of the axes, or null. */
  get names(): readonly (string | null)[] | null {
    return this.extras === null ? null : this.extras.names;
  }

  /** A name for error messages and pictures. */
  get label(): string | null {
    return this.extras === null ? null : this.extras.label;
  }
  set label(label: string | null) {
    extrasOf(this).label = label;
  }

  /** True if and only if the tensor is contiguous in memory in the order of the format; axes of size 1 do not count. */
  isContiguous(format: MemoryFormat = "contiguous"): boolean {
    if (this.bits & nestedBit) return isContiguousNested(this, format);
    if (format !== "contiguous") return isContiguousIn(format, sizesOf(this), flatStrides(this));
    if ((this.bits & contiguousKnown) === 0) {
      const answer = isRowMajorTensor(this, this.size);
      this.bits |= contiguousKnown | (answer ? contiguous : 0);
    }
    return (this.bits & contiguous) !== 0;
  }

  /** True if and only if the elements fill a range of memory without gaps or overlap, in any order of the axes. */
  get isNonOverlappingAndDense(): boolean {
    if ((this.bits & denseKnown) === 0) {
      const answer = isDense(...leafNumbers(this));
      this.bits |= denseKnown | (answer ? dense : 0);
    }
    return (this.bits & dense) !== 0;
  }

  /** Whether two elements share an address. */
  get overlap(): Overlap {
    return this.isNonOverlappingAndDense ? "no" : selfOverlap(...leafNumbers(this));
  }

  get isDisposed(): boolean {
    return this.source instanceof DisposedSource;
  }

  /** Disposes this tensor. Its storage is freed when no other tensor shares it. A second call does nothing. */
  dispose(): void {
    if (!(this.source instanceof DisposedSource)) this.end(disposedBy(this.dispose));
  }

  [Symbol.dispose](): void {
    if (!(this.source instanceof DisposedSource)) this.end(disposedBy(this[Symbol.dispose]));
  }

  /** Disposes this tensor; later errors state the reason. */
  endWith(reason: string | DisposedSource): void {
    if (!(this.source instanceof DisposedSource))
      this.end(reason instanceof DisposedSource ? reason : new DisposedSource(reason));
  }

  private end(ended: DisposedSource): void {
    const source = this.source;
    this.source = ended;
    if (source instanceof Storage) source.release();
  }
}

/** The error of a tensor whose memory is gone, or that never had any. */
function noStorage(t: Tensor, who: string): StridewiseError {
  const source = t.source;
  if (source instanceof DisposedSource)
    return new DisposedError(`${who}: ${describeBriefly(t)} ${source}; it cannot be used anymore`);
  const remedy =
    t.type === null
      ? " and are not numbers. Pass a tensor of numbers"
      : ". Copy it to memory first: copy(source, destination)";
  return new StorageError(
    `${who}: ${describeBriefly(t)} has no storage; its elements are computed by a ${engineKind(t)} engine${remedy}`,
  );
}

/** Returns the storage of a tensor. Throws if it has none. */
export function storageOf(t: Tensor, who: string): Storage {
  const source = t.source;
  if (!(source instanceof Storage)) throw noStorage(t, who);
  if (source.hasShrunk && t.size > 0 && (spanOf(t, t.start)[1] + 1) * t.itemsize > source.nbytes)
    throw new StorageError(
      `${who}: ${describeBriefly(t)} reaches past its storage of ${source.nbytes} bytes; grow it with storage.resize(...)`,
    );
  return source;
}

/** Returns the engine that computes the elements; null if they are in a storage. */
export function computedEngine(t: Tensor, who: string): Engine | null {
  const source = t.source;
  if (source instanceof Storage) return null;
  if (source instanceof DisposedSource) throw noStorage(t, who);
  return source;
}

export function counterOf(t: Tensor): VersionCounter {
  if (t.counter === null) {
    if (!(t.source instanceof Storage)) throw noStorage(t, "version");
    t.counter = t.source.version;
  }
  return t.counter;
}

const engineKind = (t: Tensor): string =>
  t.source instanceof Storage || t.source instanceof DisposedSource ? t.ownership : t.source.kind;

export function extrasOf(t: Tensor): Extras {
  t.extras ??= { names: null, label: null };
  return t.extras;
}

/** Returns the description of a tensor in messages: its label, dtype and shape. */
export function describeBriefly(t: Tensor): string {
  return `tensor ${t.label === null ? "" : `'${t.label}' `}(${t.type ?? "coord"} ${showShape(t)})`;
}

/** Returns the source of a tensor, with one more reference to its storage. */
function shared(t: Tensor): Source {
  const source = t.source;
  if (source instanceof Storage) source.retain();
  else if (source instanceof DisposedSource) throw noStorage(t, "view");
  return source;
}

/** A tensor over its own new storage, or over memory that someone else owns. Takes over the caller's reference to the storage. */
export function tensorOver(
  storage: Storage,
  dtype: DType,
  start: number,
  sizes: readonly number[],
  strides: readonly number[],
  bits: number = 0,
): Tensor {
  const form = longForm(sizes, strides);
  const t = new Tensor(storage, dtype, start, bits, sizes.length, sizeOf(sizes), form, null, null);
  return setModes(t, sizes, strides);
}

/** A tensor with a layout that is kept as it is: over a storage (whose reference it takes over) or an engine. */
export function layoutTensor(
  source: Storage | Engine,
  dtype: DType | null,
  start: number,
  layout: AnyLayout,
  bits: number,
): Tensor {
  return fromLayout(source, dtype, start, bits, layout, null, null);
}

function fromLayout(
  source: Source,
  dtype: DType | null,
  start: number,
  bits: number,
  layout: AnyLayout,
  counter: VersionCounter | null,
  root: Tensor | null,
): Tensor {
  const { sizes, strides } = topLevel(layout);
  checkRank(sizes.length);
  const kind = strides === null ? heldBit | nestedBit : heldBit;
  const t = new Tensor(source, dtype, start, bits | kind, sizes.length, sizeOf(sizes), layout, counter, root);
  return setModes(t, sizes, strides ?? sizes);
}

/**
 * A view with flat modes: sizes, strides and the absolute start, in elements. Shares storage, version and space.
 * `forms` gives, for a tensor that holds its layout, the layout of each mode (null where sizes and strides describe the mode).
 */
export function viewOf(
  t: Tensor,
  sizes: readonly number[],
  strides: readonly number[],
  start: number,
  forms: readonly (Layout | null)[] | null = null,
): Tensor {
  if (forms !== null) return heldView(t, joinModes(sizes, strides, forms), start);
  const form = longForm(sizes, strides);
  const view = bareView(t, start, sizes.length, sizeOf(sizes));
  view.form = form;
  return setModes(view, sizes, strides);
}

/** A view with at most five flat modes, whose numbers the caller sets at once. */
export function bareView(t: Tensor, start: number, rank: number, size: number): Tensor {
  if (size > Number.MAX_SAFE_INTEGER) throw new ShapeError("tensor: a view has at most 2^53 elements");
  return new Tensor(shared(t), t.type, start, viewBits(t.bits), rank, size, null, t.counter, t.root ?? t);
}

/** A view with a layout that is kept as it is, starting at `start`. */
export function heldView(t: Tensor, layout: AnyLayout, start: number): Tensor {
  return fromLayout(shared(t), t.type, start, viewBits(t.bits), layout, t.counter, t.root ?? t);
}

/** A new view of the same elements, without the names. */
export function sameView(t: Tensor): Tensor {
  if (t.bits & heldBit) return heldView(t, t.layout, t.start);
  return viewOf(t, sizesOf(t), flatStrides(t), t.start);
}

/** Returns a view of a tensor over a computed engine, with the engine advanced. */
export function advancedView(t: Tensor, layout: AnyLayout, engine: Engine): Tensor {
  return fromLayout(engine, t.type, 0, viewBits(t.bits), layout, null, t.root ?? t);
}

const autogradBit = /* @__PURE__ */ keySet("autograd") << keyShift;

/** Returns the bits of a tensor, with autograd's key if its root has it: the root may have received it after the view was created. */
export const callBits = (t: { readonly bits: number; readonly root: { readonly bits: number } | null }): number =>
  t.root === null ? t.bits : t.bits | (t.root.bits & autogradBit);
