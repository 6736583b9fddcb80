/**
 * Random layouts with small domains, and brute force over them: the definitions, written as plainly as possible.
 * Nothing here uses the algebra under test; only shape, stride and numbers.
 */
import fc from "fast-check";
import { type IntTuple, type Layout, makeLayout, type Tiler } from "../../src/layout/index.ts";

/** The number of random cases of a law: few in `npm test`, many in `npm run laws`. */
export const lawCases = Number(process.env.LAW_CASES ?? 1500);
export const lawTimeout = 3_600_000;

/** Runs a law over random cases with a fixed seed; a failure prints the smallest failing case. */
export function forAll<T extends unknown[]>(
  law: string,
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  check: (...values: T) => void,
  cases = lawCases,
): void {
  let seed = 7;
  for (const c of law) seed = (seed * 31 + c.charCodeAt(0)) | 0;
  fc.assert(
    fc.property(...(arbitraries as unknown as [fc.Arbitrary<unknown>]), (...values: unknown[]) => {
      check(...(values as T));
    }),
    { seed, numRuns: cases },
  );
}

export type Plain = number | readonly Plain[];

export const flat = (t: IntTuple | Plain): number[] =>
  Array.isArray(t) ? t.flatMap((mode) => flat(mode as Plain)) : [Number(t)];
export const productOf = (ns: readonly number[]): number => ns.reduce((a, b) => a * b, 1);

/** A random nesting of a list of leaves. */
function nest(leaves: readonly number[], cuts: readonly number[]): Plain {
  if (leaves.length === 1) return cuts[0] === 0 ? [leaves[0] as number] : (leaves[0] as number);
  const modes: Plain[] = [];
  let i = 0;
  let k = 0;
  while (i < leaves.length) {
    const length = Math.min(leaves.length - i, 1 + ((cuts[k++ % cuts.length] as number) % 3));
    const part = leaves.slice(i, i + length);
    modes.push(
      length === 1 || length === leaves.length
        ? part.length === 1
          ? (part[0] as number)
          : part
        : nest(part, cuts.slice(1)),
    );
    i += length;
  }
  return modes.length === 1 ? (modes[0] as Plain) : modes;
}

export interface LayoutLimits {
  readonly maxSize?: number;
  readonly maxModes?: number;
  /** Which strides may occur. */
  readonly strides?: "any" | "positive" | "signed";
}

const sizesUpTo = (maxSize: number, maxModes: number): fc.Arbitrary<number[]> =>
  fc.array(fc.constantFrom(1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8), { minLength: 1, maxLength: maxModes }).map((sizes) => {
    const kept: number[] = [];
    for (const size of sizes) if (productOf(kept) * size <= maxSize) kept.push(size);
    return kept.length === 0 ? [1] : kept;
  });

/** Layouts of a kind worth testing: compact, permuted, padded, with stride 0, or with arbitrary strides. */
export function layouts({ maxSize = 48, maxModes = 4, strides = "any" }: LayoutLimits = {}): fc.Arbitrary<Layout> {
  return fc
    .record({
      sizes: sizesUpTo(maxSize, maxModes),
      kind: fc.constantFrom("compact", "permuted", "permuted", "padded", "random", "random", "small"),
      order: fc.array(fc.nat(100), { minLength: 6, maxLength: 6 }),
      pads: fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: 6, maxLength: 6 }),
      random: fc.array(fc.nat(24), { minLength: 6, maxLength: 6 }),
      zeros: fc.array(fc.nat(9), { minLength: 6, maxLength: 6 }),
      cuts: fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }),
    })
    .map(({ sizes, kind, order, pads, random, zeros, cuts }) => {
      const axes = sizes.map((_size, i) => i);
      if (kind !== "compact") axes.sort((a, b) => (order[a] as number) - (order[b] as number) || a - b);
      const stride = sizes.map(() => 0);
      let running = 1;
      for (const i of axes) {
        if (kind === "padded") running *= pads[i] as number;
        stride[i] = running;
        running *= sizes[i] as number;
      }
      if (kind === "random" || kind === "small")
        for (const i of sizes.keys()) stride[i] = (random[i] as number) % (kind === "small" ? 5 : 25);
      sizes.forEach((_size, i) => {
        if (strides !== "positive" && zeros[i] === 0) stride[i] = 0;
        if (strides === "positive" && stride[i] === 0) stride[i] = 1;
        if (strides === "signed" && (zeros[i] as number) > 6) stride[i] = -(stride[i] as number);
      });
      const shape = nest(sizes, cuts);
      const congruentTo = (s: Plain): Plain =>
        Array.isArray(s) ? s.map((mode) => congruentTo(mode as Plain)) : (stride.shift() as number);
      return makeLayout(shape as IntTuple, congruentTo(shape) as IntTuple) as Layout;
    });
}

/** The definition of a layout as a function of the 1-D index, open in its last leaf, toward zero for negatives. */
export function evaluate(layout: Layout, index: number): number {
  const sizes = flat(layout.shape);
  const strides = flat(layout.stride as IntTuple);
  let rest = index;
  let offset = 0;
  for (let i = 0; i < sizes.length; i++) {
    const digit = i === sizes.length - 1 ? rest : rest % (sizes[i] as number);
    offset += digit * (strides[i] as number);
    rest = Math.trunc(rest / (sizes[i] as number));
  }
  return offset + 0;
}

export const sizeOf = (layout: Layout): number => productOf(flat(layout.shape));
export const imageOf = (layout: Layout): number[] =>
  Array.from({ length: sizeOf(layout) }, (_unused, i) => evaluate(layout, i));

/** Every way to write n as an ordered product of factors above 1. */
export function orderedFactorizations(n: number): number[][] {
  if (n === 1) return [[]];
  const results: number[][] = [];
  for (let f = 2; f <= n; f++)
    if (n % f === 0) for (const rest of orderedFactorizations(n / f)) results.push([f, ...rest]);
  return results;
}

/** Whether some layout of `count` elements has exactly these offsets: tries every shape. */
export function isLayoutFunction(values: readonly number[]): boolean {
  return orderedFactorizations(values.length).some((sizes) => {
    let unit = 1;
    const strides = sizes.map((size) => {
      const stride = values[unit] as number;
      unit *= size;
      return stride;
    });
    return values.every((value, i) => {
      let rest = i;
      let offset = 0;
      sizes.forEach((size, k) => {
        offset += (rest % size) * (strides[k] as number);
        rest = Math.floor(rest / size);
      });
      return offset === value;
    });
  });
}

/** Whether a layout compatible with b has the values a(b(c)): along every leaf of b a layout, and their sum everywhere. */
export function compositionExists(a: Layout, b: Layout): boolean {
  const sizes = flat(b.shape);
  const strides = flat(b.stride as IntTuple);
  const along = sizes.map((size, k) =>
    Array.from({ length: size }, (_unused, i) => evaluate(a, i * (strides[k] as number))),
  );
  if (!along.every(isLayoutFunction)) return false;
  return Array.from({ length: productOf(sizes) }, (_unused, i) => i).every((i) => {
    let rest = i;
    let sum = 0;
    let index = 0;
    sizes.forEach((size, k) => {
      const digit = rest % size;
      rest = Math.floor(rest / size);
      sum += (along[k] as number[])[digit] as number;
      index += digit * (strides[k] as number);
    });
    return sum === evaluate(a, index);
  });
}

/** The only set R with image + R = 0..n-1, each number once; undefined if there is none. The smallest gap forces each element. */
export function tilingSet(image: readonly number[], n: number): number[] | undefined {
  const covered = new Array<boolean>(n).fill(false);
  const result: number[] = [];
  for (let x = 0; x < n; x++) {
    if (covered[x]) continue;
    result.push(x);
    for (const y of image) {
      if (x + y < 0 || x + y >= n || covered[x + y]) return undefined;
      covered[x + y] = true;
    }
  }
  return result;
}

/** The smallest n >= target such that the image tiles 0..n-1. A tiling image tiles within twice its reach (de Bruijn). */
export function smallestTiling(image: readonly number[], target: number): { n: number; set: number[] } | undefined {
  const reach = Math.max(...image) + 1;
  for (let n = Math.max(1, target); n <= target + 2 * reach + 2; n++) {
    const set = tilingSet(image, n);
    if (set) return { n, set };
  }
  return undefined;
}

export const tilers = (limits: LayoutLimits = {}): fc.Arbitrary<Tiler> =>
  fc.oneof({ arbitrary: layouts(limits), weight: 4 }, { arbitrary: fc.constantFrom<Tiler>(1, 2, 3, 4, 6), weight: 1 });

/**
 * Whether some layout R has R(x) = v for all points [x, v]: tries every chain of radices below the largest |x|.
 * For each chain the strides are the unknowns of a linear system over the integers.
 */
export function inverseExists(points: readonly (readonly [number, number])[]): boolean {
  const reach = Math.max(...points.map(([x]) => Math.abs(x)));
  const chains = (limit: number): number[][] => {
    const results: number[][] = [[]];
    for (let size = 2; size <= limit; size++)
      for (const rest of chains(Math.floor(limit / size))) results.push([size, ...rest]);
    return results;
  };
  return chains(reach).some((sizes) => {
    const rows = points.map(([x, v]) => {
      let rest = x;
      const digits = sizes.map((size) => {
        const digit = rest % size;
        rest = (rest - digit) / size;
        return digit;
      });
      return [...digits, rest, v];
    });
    return integerSolvable(rows, sizes.length + 1);
  });
}

/** Whether rows [coefficients..., value] have an integer solution: Hermite normal form by column operations. */
function integerSolvable(rows: readonly (readonly number[])[], unknowns: number): boolean {
  const columns = Array.from({ length: unknowns }, (_unused, k) => rows.map((row) => row[k] as number));
  const residual = rows.map((row) => row[unknowns] as number);
  let free = columns.map((_column, k) => k);
  for (const r of rows.keys()) {
    for (;;) {
      const live = free.filter((k) => ((columns[k] as number[])[r] as number) !== 0);
      if (live.length < 2) break;
      live.sort(
        (i, j) => Math.abs((columns[i] as number[])[r] as number) - Math.abs((columns[j] as number[])[r] as number),
      );
      const small = columns[live[0] as number] as number[];
      for (const k of live.slice(1)) {
        const column = columns[k] as number[];
        const times = Math.trunc((column[r] as number) / (small[r] as number));
        for (const i of column.keys()) column[i] = (column[i] as number) - times * (small[i] as number);
      }
    }
    const pivot = free.find((k) => ((columns[k] as number[])[r] as number) !== 0);
    if (pivot === undefined) {
      if (residual[r] !== 0) return false;
      continue;
    }
    const column = columns[pivot] as number[];
    const times = (residual[r] as number) / (column[r] as number);
    if (!Number.isInteger(times)) return false;
    for (const i of column.keys()) residual[i] = (residual[i] as number) - times * (column[i] as number);
    free = free.filter((k) => k !== pivot);
  }
  return true;
}
