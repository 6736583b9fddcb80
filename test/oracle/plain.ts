/**
 * Layouts as plain JSON numbers, and their evaluation in a few lines of its own: the judge must not lean on the library
 * that it judges. Division truncates, as in C++; an index past the end keeps counting in the last mode.
 */

export type Tuple = number | readonly Tuple[];
/** A shape and a stride, numbers only. */
export interface PlainLayout {
  readonly shape: Tuple;
  readonly stride: Tuple;
}
/** A tiler: a layout, an integer n (meaning n:1), null (all of a mode), or one tiler per mode. */
export type PlainTiler = PlainLayout | number | null | { readonly tile: readonly PlainTiler[] };

export const isTuple = (t: unknown): t is readonly Tuple[] => Array.isArray(t);
export const isPlainLayout = (value: unknown): value is PlainLayout =>
  typeof value === "object" && value !== null && "shape" in value && "stride" in value;

/** The product of all leaves. */
export const sizeOf = (t: Tuple): number => (isTuple(t) ? t.reduce<number>((n, mode) => n * sizeOf(mode), 1) : t);
/** The leaves from left to right. */
export const leavesOf = (t: Tuple): number[] => (isTuple(t) ? t.flatMap(leavesOf) : [t]);
/** The modes of a tuple; an integer is its own single mode. */
export const modesOf = (t: Tuple): readonly Tuple[] => (isTuple(t) ? t : [t]);
export const rankOf = (l: PlainLayout): number => modesOf(l.shape).length;
export const depthOf = (t: Tuple): number => (isTuple(t) ? 1 + Math.max(0, ...t.map(depthOf)) : 0);

/** Mode i of a layout. */
export const modeOf = (l: PlainLayout, i: number): PlainLayout => ({
  shape: modesOf(l.shape)[i] as Tuple,
  stride: modesOf(l.stride)[i] as Tuple,
});

/** The layouts as modes of one. */
export const joined = (modes: readonly PlainLayout[]): PlainLayout => ({
  shape: modes.map((m) => m.shape),
  stride: modes.map((m) => m.stride),
});

/** The coordinate of an index, split at the modes of the shape; the last mode takes what is left. */
export function coordOf(index: number, shape: Tuple): Tuple {
  if (!isTuple(shape)) return index;
  let rest = index;
  return shape.map((mode, i) => {
    const extent = sizeOf(mode);
    const here = i === shape.length - 1 ? rest : rest % extent;
    rest = Math.trunc(rest / extent);
    return coordOf(here, mode);
  });
}

/** The offset of a coordinate: an integer, or one coordinate per mode. Undefined for a coordinate that does not fit. */
export function offsetOf(coord: Tuple, shape: Tuple, stride: Tuple): number | undefined {
  if (!isTuple(shape)) return isTuple(coord) || isTuple(stride) ? undefined : coord * stride;
  if (!isTuple(stride) || stride.length !== shape.length) return undefined;
  const coords = isTuple(coord) ? coord : (coordOf(coord, shape) as readonly Tuple[]);
  if (coords.length !== shape.length) return undefined;
  let total = 0;
  for (const [i, c] of coords.entries()) {
    const part = offsetOf(c, shape[i] as Tuple, stride[i] as Tuple);
    if (part === undefined) return undefined;
    total += part;
  }
  return total;
}

/** layout(index) */
export const valueAt = (l: PlainLayout, index: number): number => offsetOf(index, l.shape, l.stride) ?? Number.NaN;
/** layout(i) for every index, or for the first `count`. */
export const valuesOf = (l: PlainLayout, count = sizeOf(l.shape)): number[] =>
  Array.from({ length: count }, (_unused, i) => valueAt(l, i) + 0);

/** Every coordinate of `a` is one of `b`: b has the nesting of a or refines it, with equal sizes. */
export function isCompatible(a: Tuple, b: Tuple): boolean {
  if (!isTuple(a)) return a === sizeOf(b);
  return isTuple(b) && a.length === b.length && a.every((mode, i) => isCompatible(mode, b[i] as Tuple));
}

/** A tuple of one is its content. */
const unwrapped = (t: Tuple): Tuple => (isTuple(t) && t.length === 1 ? unwrapped(t[0] as Tuple) : t);

/**
 * The two shapes have coordinates in common down to where one of them stops: equal ranks there, equal sizes everywhere.
 * A tuple of one mode counts as that mode.
 */
export function isSameDomain(one: Tuple, other: Tuple): boolean {
  if (sizeOf(one) !== sizeOf(other)) return false;
  const [a, b] = [unwrapped(one), unwrapped(other)];
  if (!isTuple(a) || !isTuple(b)) return true;
  return a.length === b.length && a.every((mode, i) => isSameDomain(mode, b[i] as Tuple));
}

/** Equally many modes of equal sizes; what is inside a mode may be split differently. */
export function hasSameModes(a: Tuple, b: Tuple): boolean {
  if (!isTuple(a) || !isTuple(b)) return sizeOf(a) === sizeOf(b);
  return a.length === b.length && a.every((mode, i) => sizeOf(mode) === sizeOf(b[i] as Tuple));
}

/** The same value at every index. */
export function hasSameValues(a: PlainLayout, b: PlainLayout): boolean {
  const count = sizeOf(a.shape);
  if (count !== sizeOf(b.shape)) return false;
  for (let i = 0; i < count; i++) if (valueAt(a, i) !== valueAt(b, i)) return false;
  return true;
}
