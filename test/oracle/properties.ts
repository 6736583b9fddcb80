/**
 * The defining property of each operation of the algebra, checked by brute force on plain numbers. Each function answers
 * whether `r` is a right answer; the `...Exists` ones whether there is any. Nothing here calls the library.
 */
import { existsOver, fill, filteredValues } from "./existence.ts";
import {
  depthOf,
  hasSameValues,
  isCompatible,
  isTuple,
  leavesOf,
  modeOf,
  type PlainLayout,
  type PlainTiler,
  rankOf,
  sizeOf,
  type Tuple,
  valueAt,
  valuesOf,
} from "./plain.ts";

export const isByMode = (tiler: PlainTiler): tiler is { readonly tile: readonly PlainTiler[] } =>
  typeof tiler === "object" && tiler !== null && "tile" in tiler;
export const asLayout = (tiler: PlainLayout | number): PlainLayout =>
  typeof tiler === "number" ? { shape: tiler, stride: 1 } : tiler;
export const sameTuple = (a: Tuple, b: Tuple): boolean => JSON.stringify(a) === JSON.stringify(b);
export const sameLayout = (a: PlainLayout, b: PlainLayout): boolean =>
  sameTuple(a.shape, b.shape) && sameTuple(a.stride, b.stride);
export const range = (n: number): number[] => Array.from({ length: n }, (_unused, i) => i);

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

export function isByModeResult(
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

/** R lists the places of copies of L, period after period, as few periods as reach M. */
export function isComplement(l: PlainLayout, target: Tuple, r: PlainLayout): boolean {
  const values = valuesOf(r);
  const filling = fill(l, Math.max(sizeOf(target), (values.at(-1) ?? 0) + 1));
  if (!filling || !values.every((x, j) => x === filling.starts[j])) return false;
  const reached = filling.full.find(({ copies }) => copies === values.length);
  const min = filling.full.find(({ length }) => length >= sizeOf(target));
  const first = filling.full[0] as { length: number; copies: number };
  return reached !== undefined && (reached === min || values.length === first.copies * copiesFor(target, first.length));
}

/** Copies of L can lie side by side. */
export const complementExists = (l: PlainLayout, target: Tuple): boolean => fill(l, sizeOf(target)) !== undefined;

const isInDomain = (l: PlainLayout, index: number): boolean => index >= 0 && index < sizeOf(l.shape);

/** L(R(i)) = i for every i, with R(i) in the domain of L, and R reaches at least as far as `atLeast`. */
export const isRightInverse = (l: PlainLayout, r: PlainLayout, atLeast = 1): boolean =>
  sizeOf(r.shape) >= atLeast && valuesOf(r).every((index, i) => isInDomain(l, index) && valueAt(l, index) === i);

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

/** a(R(i)) = b(R(i)) = i for every i. */
export const isCommonLayout = (a: PlainLayout, b: PlainLayout, r: PlainLayout): boolean =>
  isRightInverse(a, r) && isRightInverse(b, r);

/** The offsets 0 to n - 1 belong to the same coordinates in both. */
export function isCommonVector(a: PlainLayout, b: PlainLayout, n: number): boolean {
  const other = valuesOf(b);
  const common = new Set(valuesOf(a).filter((x, i) => x === other[i]));
  return n >= 1 && range(n).every((x) => common.has(x));
}
