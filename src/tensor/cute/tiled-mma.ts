/**
 * Tiled MMAs: an MMA atom repeated over threads in M, N and K, with an optional permutation of each mode. The slice of a thread partitions
 * A (M,K), B (N,K) and C (M,N) into (values of the atom, rest, rest); the parts of one thread are multiplied with each other.
 * Partitions are views and fragments are registers; `gemm` multiplies them.
 *
 * Tiled copies for a tiled MMA: each thread copies exactly the elements that it multiplies, so threads exchange nothing.
 */

import { checkObject, wrongKind } from "../../base/arguments.ts";
import { IndexError, LayoutError } from "../../base/errors.ts";
import { Printed } from "../../base/printed.ts";
import { complement } from "../../layout/algebra/complement.ts";
import { composition } from "../../layout/algebra/composition.ts";
import { logicalDivide, zippedDivide } from "../../layout/algebra/divide.ts";
import { threadCoord } from "../../layout/algebra/partition.ts";
import { tiledProduct } from "../../layout/algebra/product.ts";
import { rightInverse } from "../../layout/algebra/right-inverse.ts";
import { sliceAndOffset } from "../../layout/algebra/swizzled.ts";
import { _, isUnderscore, type SliceCoord } from "../../layout/coord.ts";
import { formatLayout, formatTuple } from "../../layout/format.ts";
import { type Int, int, mul } from "../../layout/int.ts";
import {
  type AnyLayout,
  concatenate,
  isLayout,
  joinModes,
  type Layout,
  makeLayout,
  modesOf,
  onInner,
  type Tiler,
} from "../../layout/layout.ts";
import { padToRank } from "../../layout/modes.ts";
import { cosize, rank, shapeOf, size, sizeInt } from "../../layout/queries.ts";
import { type IntTuple, isTuple, type Nested } from "../../layout/tuple.ts";
import type { DType } from "../../storage/dtype.ts";
import { moveTo } from "../access/indexing.ts";
import type { Space } from "../identity.ts";
import type { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { type CopyAtom, formatMmaAtom, type MmaAtom, universalFma } from "./atoms.ts";
import { makeFragmentLike } from "./make-like.ts";
import { makeTensor } from "./make-tensor.ts";
import { TiledCopy } from "./tiled-copy.ts";

/** An operand; `modesOfOperand` has its two modes among M, N, K. */
type Operand = "A" | "B" | "C";
const modesOfOperand: Readonly<Record<Operand, readonly [number, number]>> = { A: [0, 2], B: [1, 2], C: [0, 1] };
const atomLayout = (atom: MmaAtom, operand: Operand): Layout =>
  operand === "A" ? atom.layoutA : operand === "B" ? atom.layoutB : atom.layoutC;

/** An MMA atom repeated over threads. */
export class TiledMma extends Printed {
  readonly atom: MmaAtom;
  /** (thread of the atom, M, N, K) to thread index. */
  readonly threadLayoutVMNK: Layout;
  /** The tilers of M, N, K that are applied before the atoms; `_` is the size of all atoms together. */
  readonly permutationMNK: readonly Tiler[];

  constructor(atom: MmaAtom, threadLayoutMNK: Layout, permutationMNK: readonly Tiler[]) {
    super();
    this.atom = atom;
    this.threadLayoutVMNK = tiledProduct(atom.threadId, threadLayoutMNK);
    this.permutationMNK = permutationMNK;
  }

  /** The layout of the threads, so that size(tiledMma) is their number. */
  get layout(): Layout {
    return this.threadLayoutVMNK;
  }

  /** The number of threads. */
  get size(): number {
    return size(this.threadLayoutVMNK);
  }

  /** The shape (M, N, K) that all threads together multiply at once. */
  get tileShape(): IntTuple {
    return [0, 1, 2].map((mode) => this.#tileSize(mode));
  }

  /** Rearranges a layout (M,K,...) to ((thread, (M, K)), (values of the atom, (rests,...))). */
  thrfrgA(layout: AnyLayout): AnyLayout {
    return this.#byThreads(layout, "A");
  }

  /** Rearranges a layout (N,K,...) to ((thread, (N, K)), (values of the atom, (rests,...))). */
  thrfrgB(layout: AnyLayout): AnyLayout {
    return this.#byThreads(layout, "B");
  }

  /** Rearranges a layout (M,N,...) to ((thread, (M, N)), (values of the atom, (rests,...))). */
  thrfrgC(layout: AnyLayout): AnyLayout {
    return this.#byThreads(layout, "C");
  }

  /** Returns the layout from (thread index, value) to 1-D coordinate of A's tile. */
  getLayoutA_TV(): Layout {
    return this.#layoutTV("A");
  }

  /** Returns the layout from (thread index, value) to 1-D coordinate of B's tile. */
  getLayoutB_TV(): Layout {
    return this.#layoutTV("B");
  }

  /** Returns the layout from (thread index, value) to 1-D coordinate of C's tile. */
  getLayoutC_TV(): Layout {
    return this.#layoutTV("C");
  }

  /** Returns the slice of one thread. */
  getSlice(thread: number): ThreadMma {
    const count = cosize(this.threadLayoutVMNK);
    if (!Number.isInteger(thread) || thread < 0 || thread >= count)
      throw new IndexError(`getSlice: there is no thread ${thread}, the tiled MMA has threads 0 to ${count - 1}`);
    return new ThreadMma(this, thread);
  }

  override toString(): string {
    const permutation = this.permutationMNK.map((part) => (isLayout(part) ? formatLayout(part) : String(part ?? _)));
    return [
      "TiledMMA",
      `  ThrLayoutVMNK:  ${formatLayout(this.threadLayoutVMNK)}`,
      `  PermutationMNK: (${permutation.join(",")})`,
      formatMmaAtom(this.atom),
    ].join("\n");
  }

  /** Returns the size of one of M, N, K in the atom. */
  #atomSize(mode: number): Int {
    return sizeInt((this.atom.shapeMNK as readonly IntTuple[])[mode]);
  }

  #permutation(mode: number): Tiler {
    const tiler = this.permutationMNK[mode];
    return tiler === null || isUnderscore(tiler)
      ? mul(this.#atomSize(mode), sizeInt(this.threadLayoutVMNK, mode + 1))
      : tiler;
  }

  #tileSize(mode: number): Int {
    const tile = this.#permutation(mode);
    return isLayout(tile) ? sizeInt(tile) : sizeInt(tile as IntTuple);
  }

  #byThreads(layout: AnyLayout, operand: Operand): AnyLayout {
    if (rank(layout) < 2)
      throw new LayoutError(`thrfrg${operand}: needs a matrix, ${formatLayout(layout)} has rank ${rank(layout)}`);
    const modes = modesOfOperand[operand];
    const tile = (sizeOf: (mode: number) => Int): Tiler => modes.map((mode) => makeLayout(sizeOf(mode)));
    const permuted = logicalDivide(
      layout,
      modes.map((mode) => this.#permutation(mode)),
    );
    const atoms = zippedDivide(
      permuted,
      tile((mode) => this.#atomSize(mode)),
    );
    const threadTile = tile((mode) => sizeInt(this.threadLayoutVMNK, mode + 1));
    return onInner("tiledMma", composition(atoms, [atomLayout(this.atom, operand), _]), (l) => {
      const [threadValues, rests] = modesOf(l) as [Layout, Layout];
      const [threads, values] = modesOf(threadValues) as [Layout, Layout];
      const [groups, left] = modesOf(zippedDivide(rests, threadTile)) as [Layout, Layout];
      return joinModes([joinModes([threads, groups]), joinModes([values, left])]);
    });
  }

  #layoutTV(operand: Operand): Layout {
    const [first, second] = modesOfOperand[operand];
    const vmnk = this.threadLayoutVMNK;
    const tile = this.#byThreads(makeLayout([this.#tileSize(first), this.#tileSize(second)]), operand);
    const indexToThread = composition(
      makeLayout([sizeInt(vmnk), int(1)], [int(1), int(0)]),
      rightInverse(concatenate(vmnk, complement(vmnk))),
    );
    // Threads along the mode that the operand lacks share their part, so that mode has stride 0.
    const shared = (mode: number, other: number, strides: readonly [0 | 1, 0 | 1]): Layout =>
      makeLayout([sizeInt(vmnk, mode), sizeInt(vmnk, other)], [int(strides[0]), int(strides[1])]);
    const along: Readonly<Record<Operand, readonly Tiler[]>> = {
      A: [shared(1, 2, [1, 0]), _],
      B: [shared(1, 2, [0, 1]), _],
      C: size(vmnk, 3) === 1 ? [_, _] : [_, shared(2, 3, [1, 0])],
    };
    const all = composition(tile, [[_, along[operand]], _]);
    return composition(all, [indexToThread, _]) as Layout;
  }
}

/** One thread of a tiled MMA. */
export class ThreadMma {
  readonly mma: TiledMma;
  readonly thread: number;
  /** The coordinate of this thread: thread of the atom, M, N, K. */
  readonly coordVMNK: readonly IntTuple[];

  constructor(mma: TiledMma, thread: number) {
    this.mma = mma;
    this.thread = thread;
    this.coordVMNK = threadCoord(mma.threadLayoutVMNK, thread) as readonly IntTuple[];
  }

  /** Returns the part of A that this thread multiplies: (values of the atom, rest of M, rest of K). */
  partitionA<D extends DType, P extends Space>(a: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return this.#part(a, "A");
  }

  /** Returns the part of B that this thread multiplies: (values of the atom, rest of N, rest of K). */
  partitionB<D extends DType, P extends Space>(b: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return this.#part(b, "B");
  }

  /** Returns the part of C that this thread adds to: (values of the atom, rest of M, rest of N). */
  partitionC<D extends DType, P extends Space>(c: Tensor<Shape, D, P>): Tensor<Shape, D, P> {
    return this.#part(c, "C");
  }

  /** Allocates registers for this thread's part of A. */
  partitionFragmentA(a: Tensor): Tensor<Shape, DType, "rmem"> {
    return makeFragmentLike(this.partitionA(a), this.mma.atom.dtypes?.a ?? a.dtype);
  }

  /** Allocates registers for this thread's part of B. */
  partitionFragmentB(b: Tensor): Tensor<Shape, DType, "rmem"> {
    return makeFragmentLike(this.partitionB(b), this.mma.atom.dtypes?.b ?? b.dtype);
  }

  /** Allocates accumulators for this thread's part of C; their layout is compact, whatever the layout of C. */
  partitionFragmentC(c: Tensor): Tensor<Shape, DType, "rmem"> {
    return makeTensor(this.mma.atom.dtypes?.c ?? c.dtype, shapeOf(this.partitionC(c).layout));
  }

  #part<D extends DType, P extends Space>(t: Tensor<Shape, D, P>, operand: Operand): Tensor<Shape, D, P> {
    const { mma, coordVMNK } = this;
    const byThreads =
      operand === "A" ? mma.thrfrgA(t.layout) : operand === "B" ? mma.thrfrgB(t.layout) : mma.thrfrgC(t.layout);
    const [first, second] = modesOfOperand[operand];
    const coord = [coordVMNK[0], [coordVMNK[first + 1], coordVMNK[second + 1]]];
    const rests = shapeOf(byThreads as Layout, 1, 1);
    const all: SliceCoord = isTuple(rests) ? new Array<SliceCoord>(rests.length).fill(_) : _;
    const [layout, offset] = sliceAndOffset([coord, [_, all]] as SliceCoord, byThreads);
    return moveTo(t as Tensor, layout, offset) as Tensor<Shape, D, P>;
  }
}

/** Creates a tiled MMA: an atom repeated over threads by a layout (M,N,K) to thread group, with a tiler for each of M, N, K. */
export function makeTiledMma(
  atom: MmaAtom = universalFma(),
  threadLayoutMNK: Layout = makeLayout([int(1), int(1), int(1)]),
  permutationMNK: readonly Tiler[] = [],
): TiledMma {
  checkObject("makeTiledMma", "an atom, universalFma(...)", atom);
  if (rank(threadLayoutMNK) > 3 || permutationMNK.length > 3)
    throw new LayoutError(
      `makeTiledMma: threads and permutation take one mode for each of M, N, K, got ${formatLayout(threadLayoutMNK)} and ${formatTuple(permutationMNK as Nested<unknown>)}`,
    );
  const permutation = [0, 1, 2].map((mode): Tiler => permutationMNK[mode] ?? _);
  return new TiledMma(atom, padToRank(threadLayoutMNK, 3), permutation);
}

const tile = (mma: TiledMma, first: number, second: number): readonly Tiler[] => {
  const shape = shapeOf(mma.tileShape) as readonly IntTuple[];
  return [shape[first] as Tiler, shape[second] as Tiler];
};

/** Throws unless `mma` is a tiled product. */
function checked(who: string, mma: TiledMma): TiledMma {
  if (!(mma instanceof TiledMma)) throw wrongKind(who, "a copy atom and a tiled product, makeTiledMma(...)", mma);
  return mma;
}

/** Creates a tiled copy in which each thread copies the elements of A that it multiplies. */
export const makeTiledCopyA = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyA", mma).getLayoutA_TV(), tile(mma, 0, 2));
/** Creates a tiled copy in which each thread copies the elements of B that it multiplies. */
export const makeTiledCopyB = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyB", mma).getLayoutB_TV(), tile(mma, 1, 2));
/** Creates a tiled copy in which each thread copies the elements of C that it adds to. */
export const makeTiledCopyC = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyC", mma).getLayoutC_TV(), tile(mma, 0, 1));
