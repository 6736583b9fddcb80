/**
 * Tiled copies that follow a tiled MMA: each thread copies just what it multiplies, so that a copy into registers needs no exchange.
 */
import { wrongKind } from "../../base/arguments.ts";
import { shapeOf } from "../../layout/queries.ts";
import type { Tiler } from "../../layout/tiler.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { CopyAtom } from "./copy-atom.ts";
import { TiledCopy } from "./tiled-copy.ts";
import { TiledMma } from "./tiled-mma.ts";

const tile = (mma: TiledMma, first: number, second: number): readonly Tiler[] => {
  const shape = shapeOf(mma.tileShape) as readonly IntTuple[];
  return [shape[first] as Tiler, shape[second] as Tiler];
};

/** Throws unless `mma` is a tiled product. */
function checked(who: string, mma: TiledMma): TiledMma {
  if (!(mma instanceof TiledMma)) throw wrongKind(who, "a copy atom and a tiled product, makeTiledMma(...)", mma);
  return mma;
}

/** A tiled copy in which each thread has the elements of A that it multiplies. */
export const makeTiledCopyA = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyA", mma).getLayoutA_TV(), tile(mma, 0, 2));
/** A tiled copy in which each thread has the elements of B that it multiplies. */
export const makeTiledCopyB = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyB", mma).getLayoutB_TV(), tile(mma, 1, 2));
/** A tiled copy in which each thread has the elements of C that it adds to. */
export const makeTiledCopyC = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, checked("makeTiledCopyC", mma).getLayoutC_TV(), tile(mma, 0, 1));
