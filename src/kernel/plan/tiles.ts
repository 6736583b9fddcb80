/**
 * Splits work over a flat layout into calls whose offsets fit in 32 bits, and each call into units, the iterations of a kernel's parallel loop.
 * A unit is one tile of the innermost and the second mode. If all operands are contiguous, a tile is a few long rows. If one is transposed, it
 * is many rows of a cache line each: the lines that its first row loads serve its other rows. They are few, because lines whose addresses
 * differ by a power of two compete for few slots of the cache.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import { extentOf, type FlatLayout, sliceMode } from "../../layout/flat.ts";
import type { LoopNest } from "./loop-nest.ts";

/** The sizes of tiles, chosen by measurement. */
export const tiling = {
  /** Elements of one unit. */
  unit: 16384,
  /** Bytes of one unit of a plain copy: larger ones bypass the caches. */
  copyBytes: 2 ** 25,
  /** The largest number of elements, and of bytes of the largest element type, along the innermost mode of a transposing tile. */
  across: 16,
  acrossBytes: 64,
  /** Bytes along its second mode. */
  alongBytes: 1024,
} as const;

/** The sizes of tiles; backends may have their own. */
export type Tiling = { readonly [K in keyof typeof tiling]: number };

/** Unit u is tile (u mod tilesN, floor(u / tilesN) mod tilesM) of plane floor(u / (tilesN * tilesM)); the last tiles may be smaller. */
export interface Tiles {
  /** The sizes of the innermost and the second mode. */
  readonly n: number;
  readonly m: number;
  readonly tileN: number;
  readonly tileM: number;
  readonly tilesN: number;
  readonly tilesM: number;
  readonly units: number;
  /** The largest number of elements of a unit. */
  readonly unitElements: number;
}

/**
 * Returns the tiles of a layout in its loop nest. Layouts that `splitPlan` leaves whole have less than 2^31 units.
 *
 * Postconditions: every (i, j, plane) is in exactly one unit, and no unit is empty.
 */
export function tilesOf(
  { sizes }: FlatLayout,
  nest: LoopNest,
  itemsizes: readonly number[],
  by: Tiling = tiling,
): Tiles {
  const n = sizes.length === 0 ? 1 : sizes[0];
  const m = nest.kind === "line" ? 1 : sizes[nest.second];
  let area: number = by.unit;
  let across = area;
  if (nest.isTransposing) {
    const itemsize = Math.max(...itemsizes);
    across = Math.min(by.across, by.acrossBytes / itemsize);
    area = across * (by.alongBytes / itemsize);
  }
  let tileN = Math.min(n, across);
  const tileM = Math.min(m, Math.floor(area / tileN));
  // A short second mode allows longer rows.
  tileN = Math.min(n, Math.floor(area / tileM));
  const tilesN = ceilDiv(n, tileN);
  const tilesM = ceilDiv(m, tileM);
  const outerCount = product(sizes) / (n * m);
  return { n, m, tileN, tileM, tilesN, tilesM, units: tilesN * tilesM * outerCount, unitElements: tileN * tileM };
}

// Half of the range of 31 bits, because loop bounds such as "start of the tile + tile" exceed the size.
const limit = 2 ** 30;

/** Returns two halves of a layout, cut in its outermost mode, or undefined if one kernel call can count its elements and offsets in 32 bits. */
export function splitPlan(plan: FlatLayout): readonly [FlatLayout, FlatLayout] | undefined {
  const { sizes, strides } = plan;
  // Not `product`, which throws past 2^53.
  const count = sizes.reduce((all, size) => all * size, 1);
  if (count <= limit && strides.every((operandStrides) => extentOf(sizes, operandStrides) <= limit)) return undefined;
  const last = sizes.length - 1;
  const half = Math.floor(sizes[last] / 2);
  return [sliceMode(plan, last, 0, half), sliceMode(plan, last, half, sizes[last] - half)];
}
