/**
 * How a plan is cut into units, the rounds of a kernel's parallel loop: each unit is one tile of the innermost and the second mode.
 * Where operands run along their memory, a tile is some long rows; where one is transposed, it is many rows of a cache line each: the
 * lines that its first row brings serve its other rows, and they are few, because lines whose addresses differ by a power of two share
 * a few places of the cache. Sizes of a plan that `splitPlan` leaves whole give units below 2^31.
 */
import { ceilDiv, product } from "../../base/ints.ts";
import type { FlatLayout } from "../../layout/flat.ts";
import type { Form } from "./form.ts";

/** What the cuts are made by; found by measurement. */
export const tiling = {
  /** Elements of one unit. */
  unit: 16384,
  /** Bytes of one unit of a plain copy: from about here on the processor's caches are passed by. */
  copyBytes: 2 ** 25,
  /** Elements along the innermost mode of a transposing tile, at most, and bytes there, by the operand with the largest elements. */
  across: 16,
  acrossBytes: 64,
  /** Bytes along its second mode. */
  alongBytes: 1024,
} as const;

/** Unit u is tile (u mod tilesN, floor(u / tilesN) mod tilesM) of plane floor(u / (tilesN * tilesM)); tiles at the end are cut off. */
export interface Tiles {
  /** Sizes of the innermost and the second mode. */
  readonly n: number;
  readonly m: number;
  readonly tileN: number;
  readonly tileM: number;
  readonly tilesN: number;
  readonly tilesM: number;
  readonly units: number;
  /** The most elements of a unit. */
  readonly unitElements: number;
}

/**
 * The tiles of a plan in its form.
 *
 * Promises: every (i, j, plane) is in exactly one unit, and no unit is empty.
 */
export function tilesOf({ sizes }: FlatLayout, form: Form, itemsizes: readonly number[]): Tiles {
  const n = sizes.length === 0 ? 1 : sizes[0];
  const m = form.kind === "line" ? 1 : sizes[form.second];
  let area: number = tiling.unit;
  let across = area;
  if (form.transposing) {
    const itemsize = Math.max(...itemsizes);
    across = Math.min(tiling.across, tiling.acrossBytes / itemsize);
    area = across * (tiling.alongBytes / itemsize);
  }
  let tileN = Math.min(n, across);
  const tileM = Math.min(m, Math.floor(area / tileN));
  // A second mode that is short leaves room for longer rows.
  tileN = Math.min(n, Math.floor(area / tileM));
  const tilesN = ceilDiv(n, tileN);
  const tilesM = ceilDiv(m, tileM);
  const planes = product(sizes) / (n * m);
  return { n, m, tileN, tileM, tilesN, tilesM, units: tilesN * tilesM * planes, unitElements: tileN * tileM };
}
