/**
 * Tiled copies that follow a tiled MMA: each thread copies just what it multiplies, so that a copy into registers needs no exchange.
 */
import { shapeOf } from "../../layout/queries.ts";
import type { Tiler } from "../../layout/tiler.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { CopyAtom } from "./copy-atom.ts";
import { TiledCopy } from "./tiled-copy.ts";
import type { TiledMma } from "./tiled-mma.ts";

const tile = (mma: TiledMma, first: number, second: number): readonly Tiler[] => {
  const shape = shapeOf(mma.tileShape) as readonly IntTuple[];
  return [shape[first] as Tiler, shape[second] as Tiler];
};

/** A tiled copy in which each thread has the elements of A that it multiplies. */
export const makeTiledCopyA = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, mma.getLayoutA_TV(), tile(mma, 0, 2));
/** A tiled copy in which each thread has the elements of B that it multiplies. */
export const makeTiledCopyB = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, mma.getLayoutB_TV(), tile(mma, 1, 2));
/** A tiled copy in which each thread has the elements of C that it adds to. */
export const makeTiledCopyC = (atom: CopyAtom, mma: TiledMma): TiledCopy =>
  new TiledCopy(atom, mma.getLayoutC_TV(), tile(mma, 0, 1));
