/**
 * The defining property of each operation of the algebra, checked by brute force on plain numbers. Each function answers
 * whether `r` is a right answer; the `...Exists` ones whether there is any. Nothing here calls the library.
 */
import { existsOver, fill, filteredValues } from "./existence.ts";
import {
  coordOf,
  depthOf,
  hasSameValues,
  isCompatible,
  isTuple,
  joined,
  leavesOf,
  modeOf,
  modesOf,
  offsetOf,
  type PlainLayout,
  type PlainTiler,
  rankOf,
  sizeOf,
  type Tuple,
  valueAt,
  valuesOf,
} from "./plain.ts";

const isByMode = (tiler: PlainTiler): tiler is { readonly tile: readonly PlainTiler[] } =>
  typeof tiler === "object" && tiler !== null && "tile" in tiler;
const asLayout = (tiler: PlainLayout | number): PlainLayout =>
  typeof tiler === "number" ? { shape: tiler, stride: 1 } : tiler;
const sameTuple = (a: Tuple, b: Tuple): boolean => JSON.stringify(a) === JSON.stringify(b);
const sameLayout = (a: PlainLayout, b: PlainLayout): boolean =>
  sameTuple(a.shape, b.shape) && sameTuple(a.stride, b.stride);
const range = (n: number): number[] => Array.from({ length: n }, (_unused, i) => i);

/** R(c) = A(B(c)) for every coordinate c of B, compatible with B; mode by mode, modes past the tiler stay. */
export function isComposition(a: PlainLayout, b: PlainTiler, r: PlainLayout): boolean {
  if (b === null) return sameLayout(a, r);
  if (isByMode(b)) return isByModeResult(a, b.tile, r, (mode, part, result) => isComposition(mode, part, result));
  const through = asLayout(b);
  return (
    isCompatible(through.shape, r.shape) &&
    range(sizeOf(through.shape)).every((i) => valueAt(r, i) === valueAt(a, valueAt(through, i)))
  );
}

/** Some layout compatible with B equals A after B. */
export function compositionExists(a: PlainLayout, b: PlainTiler): boolean {
  if (b === null) return true;
  if (isByMode(b))
    return b.tile.length <= rankOf(a) && b.tile.every((part, i) => compositionExists(modeOf(a, i), part));
  const through = asLayout(b);
  return existsOver(through.shape, (i) => valueAt(a, valueAt(through, i)));
}

function isByModeResult(
  a: PlainLayout,
  tile: readonly PlainTiler[],
  r: PlainLayout,
  holds: (mode: PlainLayout, part: PlainTiler, result: PlainLayout) => boolean,
): boolean {
  if (tile.length > rankOf(a) || rankOf(r) !== rankOf(a) || !isTuple(r.shape)) return false;
  return range(rankOf(a)).every((i) => {
    const part = tile[i];
    return part === undefined ? sameLayout(modeOf(a, i), modeOf(r, i)) : holds(modeOf(a, i), part, modeOf(r, i));
  });
}

/** The copies that fill up to the target: the last mode of a tuple target rounds up on its own, as ceilDiv does. */
function copiesFor(target: Tuple, filled: number): number {
  if (!isTuple(target)) return Math.ceil(target / filled);
  let rest = filled;
  let copies = 1;
  for (const mode of target) {
    copies *= copiesFor(mode, rest);
    rest = Math.ceil(rest / sizeOf(mode));
  }
  return copies;
}

/** F = filter(L) and R fill [0, N) together, N >= M as small as it can be, and R is increasing. */
export function isComplement(l: PlainLayout, target: Tuple, r: PlainLayout): boolean {
  const set = filteredValues(l);
  const values = valuesOf(r);
  const filling = fill(set, set.length * values.length);
  if (!filling || !values.every((x, j) => x === filling.starts[j])) return false;
  const reached = filling.full.find(({ copies }) => copies === values.length);
  const least = filling.full.find(({ length }) => length >= sizeOf(target));
  const first = filling.full[0] as { length: number; copies: number };
  return (
    reached !== undefined && (reached === least || values.length === first.copies * copiesFor(target, first.length))
  );
}

/** Some layout fills an interval together with L. */
export const complementExists = (l: PlainLayout, target: Tuple): boolean =>
  fill(filteredValues(l), sizeOf(target)) !== undefined;

/** L(R(i)) = i for every i, and R reaches at least as far as `atLeast`. */
export const isRightInverse = (l: PlainLayout, r: PlainLayout, atLeast = 1): boolean =>
  sizeOf(r.shape) >= atLeast && range(sizeOf(r.shape)).every((i) => valueAt(l, valueAt(r, i)) === i);

/** L(R(L(i))) = L(i) for every i. */
export const isLeftInverse = (l: PlainLayout, r: PlainLayout): boolean =>
  valuesOf(l).every((x) => valueAt(l, valueAt(r, x)) === x);

/** The same values at every index, flat; at the leaves of a profile if one is given, the nesting of which stays. */
export function isCoalesced(l: PlainLayout, r: PlainLayout, profile?: Tuple): boolean {
  if (profile === undefined || !isTuple(profile)) return depthOf(r.shape) <= 1 && hasSameValues(l, r);
  if (profile.length > rankOf(l) || rankOf(r) !== rankOf(l)) return false;
  return range(rankOf(l)).every((i) => {
    const part = profile[i];
    return part === undefined ? sameLayout(modeOf(l, i), modeOf(r, i)) : isCoalesced(modeOf(l, i), modeOf(r, i), part);
  });
}

/** The same values as L without its stride-0 modes, in their order, and no mode of stride 0 or size 1 is left. */
export function isFiltered(l: PlainLayout, r: PlainLayout, profile?: Tuple): boolean {
  if (profile !== undefined && isTuple(profile))
    return (
      profile.length <= rankOf(l) &&
      rankOf(r) === rankOf(l) &&
      range(rankOf(l)).every((i) =>
        profile[i] === undefined
          ? sameLayout(modeOf(l, i), modeOf(r, i))
          : isFiltered(modeOf(l, i), modeOf(r, i), profile[i]),
      )
    );
  const values = filteredValues(l);
  const sizes = leavesOf(r.shape);
  const strides = leavesOf(r.stride);
  const isBare = sizes.length === 1 && sizes[0] === 1;
  return (
    JSON.stringify(values) === JSON.stringify(valuesOf(r)) &&
    (isBare || (sizes.every((s) => s !== 1) && strides.every((d) => d !== 0)))
  );
}

/** (tile, rest) of one layout by one tile: R(i, j) = A(T(i) + t(j)), where the t fill [0, N) with the tile, N >= size(A). */
function isDividedBy(a: PlainLayout, tile: PlainLayout, r: PlainLayout): boolean {
  if (rankOf(r) !== 2 || !isTuple(r.shape)) return false;
  const [inner, outer] = [modeOf(r, 0), modeOf(r, 1)];
  const copies = sizeOf(outer.shape);
  const set = filteredValues(tile);
  const filling = fill(set, set.length * copies);
  if (!filling || set.length * copies < sizeOf(a.shape)) return false;
  if (!filling.full.some((f) => f.copies === copies) || !isCompatible(tile.shape, inner.shape)) return false;
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
  const filling = fill(filteredValues(tile), total);
  const reached = filling?.full.at(-1);
  if (!filling || !reached) return false;
  const inner = sizeOf(tile.shape);
  const at = (i: number): number =>
    valueAt(a, valueAt(tile, i % inner) + (filling.starts[Math.floor(i / inner)] as number));
  return existsOver([tile.shape, reached.copies], at);
}

/** R(i, j) = A(i) + t(B(j)), where the t fill intervals with the offsets of A; mode 0 is A itself. */
function isMultipliedBy(a: PlainLayout, copies: PlainLayout, r: PlainLayout): boolean {
  if (rankOf(r) !== 2 || !isTuple(r.shape)) return false;
  const [inner, outer] = [modeOf(r, 0), modeOf(r, 1)];
  const starts = startsFor(a, copies);
  if (!starts || !isCompatible(a.shape, inner.shape) || !hasSameValues(a, inner)) return false;
  return isCompatible(copies.shape, outer.shape) && valuesOf(copies).every((k, j) => valueAt(outer, j) === starts[k]);
}

function startsFor(a: PlainLayout, copies: PlainLayout): readonly number[] | undefined {
  const set = filteredValues(a);
  const last = Math.max(...valuesOf(copies));
  return fill(set, set.length * (last + 1))?.starts;
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

/** a(R(i)) = b(R(i)) = i for every i. */
export const isCommonLayout = (a: PlainLayout, b: PlainLayout, r: PlainLayout): boolean =>
  isRightInverse(a, r) && isRightInverse(b, r);

/** The offsets 0 to n - 1 belong to the same coordinates in both. */
export function isCommonVector(a: PlainLayout, b: PlainLayout, n: number): boolean {
  const other = valuesOf(b);
  const common = new Set(valuesOf(a).filter((x, i) => x === other[i]));
  return n >= 1 && range(n).every((x) => common.has(x));
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

/** A block repeated over a target shape: as many elements mode by mode, and the copies fill intervals with the block. */
export function isTiledToShape(block: PlainLayout, target: Tuple, r: PlainLayout): boolean {
  if (!isTuple(target) || rankOf(r) !== target.length) return sizeOf(target) === sizeOf(r.shape);
  return target.every((mode, i) => sizeOf(mode) === sizeOf(modesOf(r.shape)[i] as Tuple)) && sizeOf(block.shape) > 0;
}

/** The coordinate has the nesting of the shape and counts up to the index. */
export function isCoordOf(index: Tuple, shape: Tuple, crd: Tuple): boolean {
  if (isTuple(index))
    return (
      isTuple(shape) &&
      isTuple(crd) &&
      index.length === shape.length &&
      crd.length === shape.length &&
      index.every((part, i) => isCoordOf(part, shape[i] as Tuple, crd[i] as Tuple))
    );
  return sameTuple(coordOf(index, shape), crd);
}

/** (index / stride) % size at every leaf. */
export function isStridedCoordOf(index: Tuple, shape: Tuple, stride: Tuple, crd: Tuple): boolean {
  if (isTuple(shape)) {
    const parts = isTuple(stride) ? stride : undefined;
    if (!isTuple(crd) || crd.length !== shape.length || !parts) return false;
    return shape.every((mode, i) =>
      isStridedCoordOf(isTuple(index) ? (index[i] as Tuple) : index, mode, parts[i] as Tuple, crd[i] as Tuple),
    );
  }
  if (isTuple(index) || isTuple(stride) || isTuple(crd)) return false;
  return shape === 1 ? crd === 0 : crd === Math.trunc(index / stride) % shape;
}

/** The coordinate in `to` that counts as far as `crd` does in `from`. */
export function isConvertedCoord(crd: Tuple, from: Tuple, to: Tuple, r: Tuple): boolean {
  if (isTuple(crd) && isTuple(from) && isTuple(to))
    return isTuple(r) && crd.every((c, i) => isConvertedCoord(c, from[i] as Tuple, to[i] as Tuple, r[i] as Tuple));
  const index = isTuple(crd) ? offsetOf(crd, from, compactStrides(from)) : crd;
  return index !== undefined && isCoordOf(index, to, r);
}

/** The column-major strides of a shape. */
export function compactStrides(shape: Tuple, start = 1): Tuple {
  if (!isTuple(shape)) return start;
  let running = start;
  return shape.map((mode) => {
    const here = compactStrides(mode, running);
    running *= sizeOf(mode);
    return here;
  });
}

/** layout(c) = offset + slice(the coordinates of c under null), over the first few hundred coordinates. */
export function isSlice(coord: unknown, l: PlainLayout, r: PlainLayout, offset: number): boolean {
  const kept: { shape: Tuple; stride: Tuple }[] = [];
  let fixed = 0;
  const walk = (c: unknown, shape: Tuple, stride: Tuple): boolean => {
    if (c === null) {
      kept.push({ shape, stride });
      return true;
    }
    if (!Array.isArray(c)) {
      fixed += offsetOf(c as number, shape, stride) ?? Number.NaN;
      return true;
    }
    return (
      isTuple(shape) &&
      c.length === shape.length &&
      c.every((part, i) => walk(part, shape[i] as Tuple, (stride as readonly Tuple[])[i] as Tuple))
    );
  };
  if (!walk(coord, l.shape, l.stride) || fixed !== offset) return false;
  return sameLayout(coord === null ? l : joined(kept), r);
}

/** The elements of R are n-th parts of those of L (upcast): floor(L(i) / n) runs over the offsets of R. */
export const isUpcast = (n: number, l: PlainLayout, r: PlainLayout): boolean =>
  sameSet(
    valuesOf(l).map((x) => Math.trunc(x / n) + 0),
    valuesOf(r),
  );

/** Each element of L becomes n of R (downcast): n L(i) + k, k < n, runs over the offsets of R. */
export const isDowncast = (n: number, l: PlainLayout, r: PlainLayout): boolean =>
  sameSet(
    valuesOf(l).flatMap((x) => range(n).map((k) => n * x + k)),
    valuesOf(r),
  );

const sameSet = (a: readonly number[], b: readonly number[]): boolean => {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && [...x].every((value) => y.has(value));
};

/** For integers one divides the other, and the quotient is rounded up; an integer divides through a tuple. */
export function isShapeDiv(a: Tuple, b: Tuple, r: Tuple): boolean {
  const quotient = shapeDivided(a, b);
  return quotient !== undefined && sameTuple(quotient, r);
}

/** a divided by b as shapes, or undefined when it does not come out even. */
export function shapeDivided(a: Tuple, b: Tuple): Tuple | undefined {
  if (isTuple(a)) {
    let rest: number | undefined = isTuple(b) ? undefined : b;
    if (isTuple(b) && b.length !== a.length) return undefined;
    const parts: Tuple[] = [];
    for (const [i, mode] of a.entries()) {
      const part = shapeDivided(mode, isTuple(b) ? (b[i] as Tuple) : (rest as number));
      if (part === undefined) return undefined;
      parts.push(part);
      if (rest !== undefined) {
        const left = shapeDivided(rest, sizeOf(mode));
        if (left === undefined) return undefined;
        rest = left as number;
      }
    }
    return parts;
  }
  const divisor = sizeOf(b);
  return a % divisor === 0 || divisor % a === 0 ? Math.ceil(a / divisor) : undefined;
}

/** x ^ ((x & Y) >> shift), Y the `bits` bits above base + shift; a negative shift swaps the two fields. */
function swizzled([bits, base, shift]: readonly [number, number, number], x: number): number {
  const field = (1 << bits) - 1;
  return shift >= 0 ? x ^ ((x & (field << (base + shift))) >> shift) : x ^ ((x & (field << base)) << -shift);
}

/** The values are those of the swizzle at 0, 1, 2, ... */
export const isSwizzled = (parts: readonly [number, number, number], values: readonly number[]): boolean =>
  values.every((y, x) => y === swizzled(parts, x));

export interface PlainComposed {
  readonly composed: {
    readonly outer: { readonly swizzle: readonly [number, number, number] };
    readonly offset: number;
    readonly inner: PlainLayout;
  };
}

/** The values are swizzle(offset + inner(i)). */
export const isComposedValues = ({ composed }: PlainComposed, values: readonly number[]): boolean =>
  values.every((y, i) => y === swizzled(composed.outer.swizzle, composed.offset + valueAt(composed.inner, i)));
