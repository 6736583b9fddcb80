/**
 * The defining properties of divides and products, by brute force, and the gathered forms of their by-mode results.
 */
import { existsOver, fill } from "./existence.ts";
import {
  hasSameValues,
  isCompatible,
  isTuple,
  joined,
  modeOf,
  modesOf,
  type PlainLayout,
  type PlainTiler,
  rankOf,
  sizeOf,
  valueAt,
  valuesOf,
} from "./plain.ts";
import { asLayout, isByMode, isByModeResult, range, sameLayout } from "./properties.ts";

/** (tile, rest) of one layout by one tile: R(i, j) = A(T(i) + t(j)), where the t place copies of the tile up to N >= size(A). */
function isDividedBy(a: PlainLayout, tile: PlainLayout, r: PlainLayout): boolean {
  if (rankOf(r) !== 2 || !isTuple(r.shape)) return false;
  const [inner, outer] = [modeOf(r, 0), modeOf(r, 1)];
  const copies = sizeOf(outer.shape);
  const first = fill(tile, 1)?.full[0];
  const filling = first && fill(tile, first.length * Math.ceil(copies / first.copies));
  const reached = filling?.full.find((f) => f.copies === copies);
  if (!filling || !reached || reached.length < sizeOf(a.shape) || !isCompatible(tile.shape, inner.shape)) return false;
  return range(sizeOf(tile.shape)).every((i) =>
    range(copies).every(
      (j) => valueAt(inner, i) + valueAt(outer, j) === valueAt(a, valueAt(tile, i) + (filling.starts[j] as number)),
    ),
  );
}

/** logicalDivide: A o (T, complement of T), mode by mode for a tuple of tiles. */
export function isLogicalDivide(a: PlainLayout, b: PlainTiler, r: PlainLayout): boolean {
  if (b === null) return sameLayout(a, r);
  if (isByMode(b)) return isByModeResult(a, b.tile, r, isLogicalDivide);
  return isDividedBy(a, asLayout(b), r);
}

/** The tile has a complement and A can be read through the two, for some number of copies that reaches size(A). */
export function logicalDivideExists(a: PlainLayout, b: PlainTiler): boolean {
  if (b === null) return true;
  if (isByMode(b))
    return b.tile.length <= rankOf(a) && b.tile.every((part, i) => logicalDivideExists(modeOf(a, i), part));
  const tile = asLayout(b);
  const total = sizeOf(a.shape);
  const filling = fill(tile, total);
  const reached = filling?.full.at(-1);
  if (!filling || !reached) return false;
  const inner = sizeOf(tile.shape);
  const at = (i: number): number =>
    valueAt(a, valueAt(tile, i % inner) + (filling.starts[Math.floor(i / inner)] as number));
  return existsOver([tile.shape, reached.copies], at);
}

/** R(i, j) = A(i) + t(B(j)), where the t place copies of A side by side; mode 0 is A itself. */
function isMultipliedBy(a: PlainLayout, copies: PlainLayout, r: PlainLayout): boolean {
  if (rankOf(r) !== 2 || !isTuple(r.shape)) return false;
  const [inner, outer] = [modeOf(r, 0), modeOf(r, 1)];
  const starts = startsFor(a, copies);
  if (!starts || !isCompatible(a.shape, inner.shape) || !hasSameValues(a, inner)) return false;
  return isCompatible(copies.shape, outer.shape) && valuesOf(copies).every((k, j) => valueAt(outer, j) === starts[k]);
}

function startsFor(a: PlainLayout, copies: PlainLayout): readonly number[] | undefined {
  const last = Math.max(...valuesOf(copies));
  const first = fill(a, 1)?.full[0];
  return first && fill(a, first.length * (Math.floor(last / first.copies) + 1))?.starts;
}

/** logicalProduct: (A, complement of A read through B), mode by mode for a tuple of layouts. */
export function isLogicalProduct(a: PlainLayout, b: PlainTiler, r: PlainLayout): boolean {
  if (b === null) return sameLayout(a, r);
  if (isByMode(b)) return isByModeResult(a, b.tile, r, isLogicalProduct);
  return isMultipliedBy(a, asLayout(b), r);
}

/** A has a complement and its copies can be read through B. */
export function logicalProductExists(a: PlainLayout, b: PlainTiler): boolean {
  if (b === null) return true;
  if (isByMode(b))
    return b.tile.length <= rankOf(a) && b.tile.every((part, i) => logicalProductExists(modeOf(a, i), part));
  const copies = asLayout(b);
  const starts = startsFor(a, copies);
  return starts !== undefined && existsOver(copies.shape, (j) => starts[valueAt(copies, j)] as number);
}

/** Which way the (tile, rest) pairs of a divide or product are gathered. */
export type Gathering = "zipped" | "tiled" | "flat";

/**
 * The by-mode results of `a` whose gathered form is `r`, as far as the form tells: the split of flat modes is tried
 * everywhere, and a mode that the tiler leaves alone (`_`) may be gathered to either side.
 */
export function scattered(form: Gathering, a: PlainLayout, b: PlainTiler, r: PlainLayout): PlainLayout[] {
  const modes = range(rankOf(r)).map((i) => modeOf(r, i));
  const zipped: (readonly [PlainLayout, PlainLayout])[] = [];
  const sides = (part: readonly PlainLayout[]): PlainLayout[] =>
    part.length === 1 ? [joined(part), part[0] as PlainLayout] : [joined(part)];
  if (form === "zipped" && modes.length === 2) zipped.push([modes[0] as PlainLayout, modes[1] as PlainLayout]);
  if (form === "tiled") for (const rest of sides(modes.slice(1))) zipped.push([modes[0] as PlainLayout, rest]);
  if (form === "flat")
    for (let k = 1; k < modes.length; k++)
      for (const tile of sides(modes.slice(0, k))) for (const rest of sides(modes.slice(k))) zipped.push([tile, rest]);
  return zipped.map(([tile, rest]) => unzipped(a, b, tile, rest)).filter((l) => l !== undefined);
}

function unzipped(a: PlainLayout, b: PlainTiler, tile: PlainLayout, rest: PlainLayout): PlainLayout | undefined {
  const isUnit = (l: PlainLayout): boolean => sizeOf(l.shape) === 1;
  if (b === null) return (sameLayout(a, rest) && isUnit(tile)) || (sameLayout(a, tile) && isUnit(rest)) ? a : undefined;
  if (!isByMode(b)) return joined([tile, rest]);
  if (!isTuple(tile.shape) || rankOf(tile) !== b.tile.length) return undefined;
  if (!isTuple(rest.shape) || rankOf(rest) !== rankOf(a)) return undefined;
  const pairs = range(rankOf(rest)).map((i) => {
    const part = b.tile[i];
    return part === undefined ? modeOf(rest, i) : unzipped(modeOf(a, i), part, modeOf(tile, i), modeOf(rest, i));
  });
  return pairs.every((pair) => pair !== undefined) ? joined(pairs) : undefined;
}

/** Mode i is (block i, copies i), or (copies i, block i): the logical product of the two padded to one rank, regrouped. */
export function isPairedProduct(a: PlainLayout, b: PlainLayout, r: PlainLayout, blocksFirst: boolean): boolean {
  const rank = Math.max(rankOf(a), rankOf(b));
  const pad = (l: PlainLayout): PlainLayout => ({
    shape: [...modesOf(l.shape), ...new Array<number>(rank - rankOf(l)).fill(1)],
    stride: [...modesOf(l.stride), ...new Array<number>(rank - rankOf(l)).fill(0)],
  });
  if (rankOf(r) !== rank || !range(rank).every((i) => rankOf(modeOf(r, i)) === 2)) return false;
  const side = (k: number): PlainLayout => joined(range(rank).map((i) => modeOf(modeOf(r, i), k)));
  return isMultipliedBy(pad(a), pad(b), joined(blocksFirst ? [side(0), side(1)] : [side(1), side(0)]));
}
