/**
 * Tiled copies: a copy atom repeated over threads and values. A TV layout maps each value of each thread to an element of a tile. The slice
 * of a thread partitions source and destination so that the two parts correspond, and retiles fragments of other partitions.
 * Partitions are views; `copy` moves the elements.
 */

import { checkObject } from "../../base/arguments.ts";
import { IndexError, LayoutError, ShapeError } from "../../base/errors.ts";
import { Printed } from "../../base/printed.ts";
import { coalesce } from "../../layout/algebra/coalesce.ts";
import { composition } from "../../layout/algebra/composition.ts";
import { withShape, zippedDivide } from "../../layout/algebra/divide.ts";
import { logicalProduct, rakedProduct } from "../../layout/algebra/product.ts";
import { upcast } from "../../layout/algebra/recast.ts";
import { rightInverse } from "../../layout/algebra/right-inverse.ts";
import { sliceAndOffset } from "../../layout/algebra/swizzled.ts";
import { _, type SliceCoord } from "../../layout/coord.ts";
import { formatLayout, formatTuple } from "../../layout/format.ts";
import { int, mul, valueOf } from "../../layout/int.ts";
import { type AnyLayout, isLayout, type Layout, makeLayout, type Tiler } from "../../layout/layout.ts";
import { prepend, zip } from "../../layout/modes.ts";
import { modeOf, rank, shapeOf, size, sizeInt } from "../../layout/queries.ts";
import { type IntTuple, isTuple, productEach } from "../../layout/tuple.ts";
import type { DType } from "../../storage/dtype.ts";
import { moveTo } from "../access/indexing.ts";
import type { Space } from "../identity.ts";
import type { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { type CopyAtom, formatCopyAtom, universalCopy } from "./atoms.ts";
import { withLayout } from "./tensor-modes.ts";

/** A copy atom repeated over threads and values. */
export class TiledCopy extends Printed {
  readonly atom: CopyAtom;
  /** The tile that all threads together copy at once, one size or layout for each mode. */
  readonly tilerMN: readonly Tiler[];
  /** (thread, value) to 1-D coordinate in the tile. */
  readonly layoutTV: Layout;

  constructor(atom: CopyAtom, layoutTV: Layout, tilerMN: readonly Tiler[]) {
    super();
    for (const [mode, what] of ["threads", "values"].entries()) {
      const [ours, atoms] = [size(layoutTV, mode), size(atom.layoutRef, mode)];
      if (ours % atoms !== 0)
        throw new LayoutError(
          `makeTiledCopy: ${formatLayout(layoutTV)} has ${ours} ${what}, which must be a multiple of the ${atoms} ${what} of the copy atom`,
        );
    }
    this.atom = atom;
    this.layoutTV = layoutTV;
    this.tilerMN = tilerMN;
  }

  /** The layout of the threads, so that size(tiledCopy) is their number. */
  get layout(): Layout {
    return modeOf(this.layoutTV, 0);
  }

  /** The number of threads. */
  get size(): number {
    return size(this.layoutTV, 0);
  }

  /** Rearranges a source layout (M,N,...) to (thread, (values of the atom, atoms), (rests,...)). */
  tidfrgS(layout: AnyLayout): AnyLayout {
    return this.#byThreads(this.#tiled(layout), this.atom.layoutSrc);
  }

  /** Rearranges a destination layout (M,N,...) to (thread, (values of the atom, atoms), (rests,...)). */
  tidfrgD(layout: AnyLayout): AnyLayout {
    return this.#byThreads(this.#tiled(layout), this.atom.layoutDst);
  }

  /** Returns the layout from (thread, value) to 1-D coordinate in the tile of the source. */
  getLayoutS_TV(): Layout {
    return this.#layoutTV(this.atom.layoutSrc);
  }

  /** Returns the layout from (thread, value) to 1-D coordinate in the tile of the destination. */
  getLayoutD_TV(): Layout {
    return this.#layoutTV(this.atom.layoutDst);
  }

  /** Returns the slice of one thread. */
  getSlice(thread: number): ThreadCopy {
    if (!Number.isInteger(thread) || thread < 0 || thread >= this.size)
      throw new IndexError(`getSlice: there is no thread ${thread}, the tiled copy has threads 0 to ${this.size - 1}`);
    return new ThreadCopy(this, thread);
  }

  /** Regroups the values of a fragment (V,M,N,...) to (values of the atom, atoms) for this copy. */
  retile(layout: AnyLayout): AnyLayout {
    const tile = shapeOf(makeLayout(this.#tileShape));
    const modes = 1 + rank(tile);
    if (rank(layout) < modes)
      throw new ShapeError(
        `retile: a fragment has one mode of values and one for each mode of the tile, ${modes} in total, but ${formatLayout(layout)} has ${rank(layout)}. Pass the whole fragment of a partition`,
      );
    const values = sizeInt(shapeOf(layout, 0));
    const inTile = upcast(
      withShape(rightInverse(this.layoutTV), tile),
      valueOf(mul(sizeInt(this.layoutTV, 0), values)),
    );
    const order = zippedDivide(
      logicalProduct(makeLayout(values), rightInverse(inTile)),
      makeLayout(sizeInt(this.atom.layoutRef, 1)),
    );
    const tiler = prepend(productEach(shapeOf(inTile)), values);
    const tiled = composition(zippedDivide(layout, tiler), [order, _]);
    const first: SliceCoord[] = [int(0), ...new Array<SliceCoord>(rank(layout) - 1).fill(_)];
    return sliceAndOffset([_, first] as SliceCoord, tiled)[0];
  }

  override toString(): string {
    return [
      "TiledCopy",
      `  Tiler_MN:       ${formatTuple(this.tilerMN)}`,
      `  TiledLayout_TV: ${formatLayout(this.layoutTV)}`,
      formatCopyAtom(this.atom),
    ].join("\n");
  }

  get #tileShape(): IntTuple {
    return this.tilerMN.map((part) => (isLayout(part) ? part.shape : part)) as IntTuple;
  }

  #tiled(layout: AnyLayout): AnyLayout {
    if (rank(layout) < this.tilerMN.length)
      throw new ShapeError(
        `tiled copy: the tile ${formatTuple(this.tilerMN)} has rank ${this.tilerMN.length}, but ${formatLayout(layout)} has rank ${rank(layout)}`,
      );
    return zippedDivide(layout, this.tilerMN);
  }

  #layoutTV(own: Layout): Layout {
    const tile = makeLayout([this.#tileShape, int(1)]);
    return sliceAndOffset([_, _, int(0)] as SliceCoord, this.#byThreads(tile, own))[0] as Layout;
  }

  /** Rearranges ((tile,...),(rest,...)) to (thread, (values of the atom, atoms), (rest,...)); `own` is the atom's order on this side. */
  #byThreads(tiled: AnyLayout, own: Layout): AnyLayout {
    const { layoutRef } = this.atom;
    const toOwn = composition(rightInverse(layoutRef), own);
    const atoms = zippedDivide(this.layoutTV, [sizeInt(layoutRef, 0), sizeInt(layoutRef, 1)]);
    const ordered = zip(composition(atoms, [toOwn, _]));
    const threadValues = coalesce(ordered, [1, [1, 1]]);
    return sliceAndOffset([[_, _], _] as SliceCoord, composition(tiled, [threadValues, _]))[0];
  }
}

/** One thread of a tiled copy. */
export class ThreadCopy {
  readonly copy: TiledCopy;
  readonly thread: number;

  constructor(copy: TiledCopy, thread: number) {
    this.copy = copy;
    this.thread = thread;
  }

  /** Returns the part of a source that this thread reads: ((values of the atom, atoms), rest, rest, ...). */
  partitionS<D extends DType, P extends Space>(source: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return this.#part(source, this.copy.tidfrgS(source.layout));
  }

  /** Returns the part of a destination that this thread writes. */
  partitionD<D extends DType, P extends Space>(destination: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return this.#part(destination, this.copy.tidfrgD(destination.layout));
  }

  /** Regroups a fragment of this thread as the source of this copy. */
  retileS<D extends DType, P extends Space>(fragment: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return withLayout(fragment, this.copy.retile(fragment.layout));
  }

  /** Regroups a fragment of this thread as the destination of this copy. */
  retileD<D extends DType, P extends Space>(fragment: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return withLayout(fragment, this.copy.retile(fragment.layout));
  }

  #part<D extends DType, P extends Space>(t: Tensor<Shape, D, P>, byThreads: AnyLayout): Tensor<Shape, D, P> {
    const rests = (shapeOf(byThreads) as readonly IntTuple[])[2];
    const all: SliceCoord = isTuple(rests) ? new Array<SliceCoord>(rests.length).fill(_) : _;
    const [layout, offset] = sliceAndOffset([this.thread, _, all] as SliceCoord, byThreads);
    return moveTo(t, layout, offset) as Tensor<Shape, D, P>;
  }
}

/**
 * Creates a tiled copy from layouts of threads and values, (m, n) to thread and (m, n) to value: each thread has a block of values,
 * and the blocks are arranged like the threads. Without an atom, each value is copied separately.
 */
export function makeTiledCopy(atom: CopyAtom, threads: Layout, values?: Layout): TiledCopy;
/** Creates a tiled copy from a TV layout, (thread, value) to 1-D coordinate in the tile, and the tile. */
export function makeTiledCopy(atom: CopyAtom, layoutTV: Layout, tilerMN: readonly Tiler[]): TiledCopy;
export function makeTiledCopy(threads: Layout, values?: Layout): TiledCopy;
export function makeTiledCopy(layoutTV: Layout, tilerMN: readonly Tiler[]): TiledCopy;
export function makeTiledCopy(
  first: CopyAtom | Layout,
  second?: Layout | readonly Tiler[],
  third?: Layout | readonly Tiler[],
): TiledCopy {
  checkObject("makeTiledCopy", "a copy atom or a layout", first);
  if ("layoutRef" in first) return tiledCopy(first, second as Layout, third);
  return tiledCopy(universalCopy(), first, second);
}

function tiledCopy(atom: CopyAtom, layout: Layout, other: Layout | readonly Tiler[] = makeLayout(int(1))): TiledCopy {
  if (!isLayout(other)) return new TiledCopy(atom, layout, other);
  const inTile = rakedProduct(layout, other);
  const layoutTV = withShape(rightInverse(inTile), [sizeInt(layout), sizeInt(other)]);
  return new TiledCopy(atom, layoutTV, productEach(inTile.shape) as readonly Tiler[]);
}
