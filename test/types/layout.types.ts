/**
 * The compiler's knowledge of layouts: sizes, ranks, compact strides, modes, slices, and errors; and that code without
 * known shapes needs no casts. layout-agreement.test.ts compares with run time.
 */
import { sym } from "stridewise/expr";
import {
  _,
  type _0,
  _1,
  _2,
  _4,
  _8,
  type _1024,
  type AnyLayout,
  type Assert,
  append,
  concatenate,
  depth,
  flatten,
  group,
  type Int,
  type IntTuple,
  type IsStatic,
  int,
  isStatic,
  type Layout,
  LayoutRight,
  makeIdentityLayout,
  makeLayout,
  modeOf,
  offsetAt,
  prepend,
  type RankOf,
  rank,
  type ShapeOf,
  type SizeOf,
  type SliceCoord,
  type Static,
  type StrideOf,
  type StrideTuple,
  select,
  shapeOf,
  size,
  slice,
  strideOf,
  take,
  zippedDivide,
} from "stridewise/layout";
import { sliceAndOffset } from "../../src/layout/algebra/swizzled.ts";
import type { Equal, Expect } from "../support/types.ts";

declare const n: number;
declare const numbers: number[];
declare const someTuple: IntTuple;
declare const someStride: StrideTuple;
declare const someLayout: Layout;
declare const anyLayout: AnyLayout;
declare const someInt: Int;
declare const choice: 2 | 4;

const flat = makeLayout([4, 8]);
const rows = makeLayout([4, 8], LayoutRight);
const nested = makeLayout([4, [2, 3]]);
const statics = makeLayout([_4, int(8)]);
const mixed = makeLayout([_4, n, 8]);
const source = makeLayout([[2, 3], 4], [[1, _8], 0]);

export type MadeLayouts = [
  Expect<Equal<typeof flat, Layout<readonly [4, 8], readonly [Static<1>, 4]>>>,
  Expect<Equal<typeof rows, Layout<readonly [4, 8], readonly [8, Static<1>]>>>,
  Expect<Equal<typeof nested, Layout<readonly [4, readonly [2, 3]], readonly [Static<1>, readonly [4, 8]]>>>,
  Expect<Equal<typeof statics, Layout<readonly [Static<4>, Static<8>], readonly [Static<1>, Static<4>]>>>,
  Expect<Equal<typeof mixed, Layout<readonly [Static<4>, number, 8], readonly [Static<1>, Static<4>, number]>>>,
  Expect<Equal<typeof source, Layout<readonly [readonly [2, 3], 4], readonly [readonly [1, Static<8>], 0]>>>,
];

const nestedRows = makeLayout(
  [
    [2, 3],
    [5, _4],
  ],
  LayoutRight,
);
const ones = makeLayout([_2, _1, _4, 1, 3]);
const one = makeLayout(12);
const symbolic = makeLayout([4, sym("n"), 2]);
const huge = makeLayout([65536, 65536, 2]);
const odd = makeLayout([7, 13, 11, 3]);
const chosen = makeLayout([choice, 8]);

export type CompactStrides = [
  Expect<Equal<StrideOf<typeof nestedRows>, readonly [readonly [60, 20], readonly [Static<4>, Static<1>]]>>,
  Expect<Equal<StrideOf<typeof ones>, readonly [Static<1>, Static<0>, Static<2>, Static<8>, 8]>>,
  Expect<Equal<StrideOf<typeof one>, Static<1>>>,
  Expect<Equal<StrideOf<typeof symbolic>, readonly [Static<1>, 4, Int]>>,
  Expect<Equal<StrideOf<typeof huge>, readonly [Static<1>, 65536, number]>>,
  Expect<Equal<StrideOf<typeof odd>, readonly [Static<1>, 7, 91, 1001]>>,
  Expect<Equal<StrideOf<typeof chosen>, readonly [Static<1>, number]>>,
];

export const sizes = {
  flat: size(flat) satisfies 32,
  nested: size(nested) satisfies 24,
  statics: size(statics) satisfies 32,
  odd: size(odd) satisfies 3003,
  shape: size([4, [6, 2]]) satisfies 48,
  mode: size(nested, 1) satisfies 6,
  leaf: size(nested, 1, 0) satisfies 2,
  integer: size(12) satisfies 12,
  empty: size([]) satisfies 1,
  zero: size([3, 0, 5]) satisfies 0,
  largest: size([65536, 32768]) satisfies 2147483648,
  largestOdd: size([46340, 46340]) satisfies 2147395600,
};

export type Sizes = [
  Expect<Equal<SizeOf<[96, 40]>, 3840>>,
  Expect<Equal<SizeOf<[123, 4567]>, 561741>>,
  Expect<Equal<SizeOf<[99999, 9999]>, 999890001>>,
  Expect<Equal<SizeOf<[65537, 32767]>, 2147450879>>,
  Expect<Equal<SizeOf<[1073741823, 2]>, 2147483646>>,
  Expect<Equal<SizeOf<[2147483647]>, 2147483647>>,
  Expect<Equal<SizeOf<[3, 715827882]>, 2147483646>>,
  // beyond 2^31, and invalid sizes
  Expect<Equal<SizeOf<[65536, 65536]>, number>>,
  Expect<Equal<SizeOf<[3, 715827883]>, number>>,
  Expect<Equal<SizeOf<[46341, 46341]>, number>>,
  Expect<Equal<SizeOf<[1073741824, 4]>, number>>,
  Expect<Equal<SizeOf<[1e21, 3]>, number>>,
  Expect<Equal<SizeOf<[-3, 5]>, number>>,
  Expect<Equal<SizeOf<[1.5, 4]>, number>>,
  // not known
  Expect<Equal<SizeOf<[4, number]>, number>>,
  Expect<Equal<SizeOf<[0, number]>, number>>,
  Expect<Equal<SizeOf<[2 | 4, 8]>, number>>,
  Expect<Equal<SizeOf<[Static<2> | Static<4>, 8]>, number>>,
  Expect<Equal<SizeOf<[4, number[]]>, number>>,
  Expect<Equal<SizeOf<number[]>, number>>,
  Expect<Equal<SizeOf<IntTuple>, number>>,
  Expect<Equal<SizeOf<Layout>, number>>,
  Expect<Equal<SizeOf<AnyLayout>, number>>,
  Expect<Equal<SizeOf<typeof symbolic>, number>>,
];

export const ranks = {
  flat: rank(flat) satisfies 2,
  nested: rank(nested) satisfies 2,
  mode: rank(nested, 1) satisfies 2,
  leaf: rank(nested, 0) satisfies 1,
  integer: rank(makeLayout(4)) satisfies 1,
  withNumbers: rank([n, n, n]) satisfies 3,
  divided: rank(zippedDivide(someLayout, [2, 2])) satisfies 2,
  depthOfInteger: depth(4) satisfies 0,
  depthOfFlat: depth(flat) satisfies 1,
  depthOfNested: depth(nested) satisfies 2,
  depthOfDeep: depth([1, [2, [3, [4]]]]) satisfies 4,
  depthOfNumbers: depth(numbers) satisfies 1,
};

export type Ranks = [
  Expect<Equal<RankOf<Layout>, number>>,
  Expect<Equal<RankOf<number[]>, number>>,
  Expect<Equal<RankOf<IntTuple>, number>>,
  Expect<Equal<RankOf<AnyLayout>, number>>,
];

const deep = makeLayout([4, [2, [3, 5]]]);
const shapeAt1 = shapeOf(deep, 1);
const shapeAt10 = shapeOf(deep, 1, 0);
const shapeAt111 = shapeOf(deep, 1, 1, 1);
const strideAt11 = strideOf(deep, 1, 1);
const modeAt1 = modeOf(deep, 1);
const shapeAtN = shapeOf(deep, n);
const shapeAtPath = shapeOf(deep, ...numbers);
const strideAtPath = strideOf(deep, ...numbers);
const shapeOfAny = shapeOf(anyLayout, 1);

export type Paths = [
  Expect<Equal<typeof shapeAt1, readonly [2, readonly [3, 5]]>>,
  Expect<Equal<typeof shapeAt10, 2>>,
  Expect<Equal<typeof shapeAt111, 5>>,
  Expect<Equal<typeof strideAt11, readonly [8, 24]>>,
  Expect<Equal<typeof modeAt1, Layout<readonly [2, readonly [3, 5]], readonly [4, readonly [8, 24]]>>>,
  Expect<Equal<typeof shapeAtN, 4 | readonly [2, readonly [3, 5]]>>,
  Expect<Equal<typeof shapeAtPath, IntTuple>>,
  Expect<Equal<typeof strideAtPath, IntTuple>>,
  Expect<Equal<typeof shapeOfAny, IntTuple>>,
  Expect<Equal<ShapeOf<typeof flat>, readonly [4, 8]>>,
  Expect<Equal<ShapeOf<typeof deep, [1, 0]>, 2>>,
  Expect<Equal<StrideOf<typeof deep, [1, 0]>, 4>>,
  Expect<Equal<ShapeOf<Layout>, IntTuple>>,
  Expect<Equal<StrideOf<Layout>, StrideTuple>>,
];

const four = makeLayout([2, 3, 5, 7]);
const taken = take(four, 1, 3);
const takenShape = take([2, 3, 5], 0, 2);
const selected = select(four, 3, 0);
const grouped = group(four, 1, 3);
const flattened = flatten(deep);
const appended = append(flat, makeLayout(2, 100));
const appendedShape = append(4, 8);
const prepended = prepend([4, 8], [1, 2]);
const joined = concatenate(flat, one);
const takenLoosely = take(four, 1, n);
const takenOfAny = take(someLayout, 0, 1);

export type Modes = [
  Expect<Equal<typeof taken, Layout<readonly [3, 5], readonly [2, 6]>>>,
  Expect<Equal<typeof takenShape, readonly [2, 3]>>,
  Expect<Equal<typeof selected, Layout<readonly [7, 2], readonly [30, Static<1>]>>>,
  Expect<Equal<typeof grouped, Layout<readonly [2, readonly [3, 5], 7], readonly [Static<1>, readonly [2, 6], 30]>>>,
  Expect<Equal<typeof flattened, Layout<readonly [4, 2, 3, 5], readonly [Static<1>, 4, 8, 24]>>>,
  Expect<Equal<typeof appended, Layout<readonly [4, 8, 2], readonly [Static<1>, 4, 100]>>>,
  Expect<Equal<typeof appendedShape, readonly [4, 8]>>,
  Expect<Equal<typeof prepended, readonly [readonly [1, 2], 4, 8]>>,
  Expect<Equal<typeof joined, Layout<readonly [readonly [4, 8], 12], readonly [readonly [Static<1>, 4], Static<1>]>>>,
  Expect<Equal<typeof takenLoosely, Layout<readonly IntTuple[], readonly IntTuple[]>>>,
  Expect<Equal<typeof takenOfAny, Layout<readonly IntTuple[], readonly StrideTuple[]>>>,
];

const column = slice([_, 3], flat);
const whole = slice(_, flat);
const inner = slice([2, [_, 1]], nested);
const both = slice([_, [_, n]], nested);
const kept = slice([2, _], nested);
const [window, offset] = sliceAndOffset([0, _], flat);
declare const somewhere: SliceCoord;
const unknownSlice = slice(somewhere, flat);

export type Slices = [
  Expect<Equal<typeof column, Layout<readonly [4], readonly [Static<1>]>>>,
  Expect<Equal<typeof whole, typeof flat>>,
  Expect<Equal<typeof inner, Layout<readonly [2], readonly [4]>>>,
  Expect<Equal<typeof both, Layout<readonly [4, 2], readonly [Static<1>, 4]>>>,
  Expect<Equal<typeof kept, Layout<readonly [readonly [2, 3]], readonly [readonly [4, 8]]>>>,
  Expect<Equal<typeof window, Layout<readonly [8], readonly [4]>>>,
  Expect<Equal<typeof offset, IntTuple>>,
  Expect<Equal<RankOf<typeof unknownSlice>, number>>,
];

// The two static assertions of a CuTe copy: rank(gmem) == Int<2>, is_static<shape<0>(gmem)>.
declare const rows2: number;
const gmem = makeLayout([_8, rows2], [_1, _8]);
rank(gmem) satisfies 2;
isStatic(shapeOf(gmem, 0)) satisfies true;
export type CopyNeeds = [
  Assert<RankOf<typeof gmem> extends 2 ? true : false>,
  Assert<IsStatic<ShapeOf<typeof gmem, [0]>>>,
];

export type StaticAnswers = [
  Assert<IsStatic<typeof statics>>,
  Expect<Equal<IsStatic<typeof flat>, false>>,
  Expect<Equal<IsStatic<typeof mixed>, false>>,
  Expect<Equal<IsStatic<typeof gmem>, false>>,
  Expect<Equal<IsStatic<Static>, true>>,
  Expect<Equal<IsStatic<[]>, true>>,
  Expect<Equal<IsStatic<[Static<4>, Int]>, boolean>>,
  Expect<Equal<IsStatic<Layout>, boolean>>,
  Expect<Equal<IsStatic<number[]>, boolean>>,
  Expect<Equal<IsStatic<AnyLayout>, boolean>>,
  Expect<Equal<typeof _1024, Static<1024>>>,
  Expect<Equal<typeof _0, Static<0>>>,
];

export const static4: Static<4> = int(4);
export const asInt: Int = _4;
export const asTuple: IntTuple = [_4, [4, _8]];
export const sameStatic: typeof _8 = int(8);

// Layouts with known shapes are accepted wherever a Layout is.
export const general: Layout = statics;
export const list: Layout[] = [flat, nested, statics, one];
export const byRank: Layout<readonly [IntTuple, IntTuple]> = nested;
const describe = <L extends Layout>(layout: L): L => layout;
export const same: typeof nested = describe(nested);
offsetAt(nested, [1, [1, 2]]) satisfies number;

// Code without known shapes: no casts.
export function dynamic(
  shape: number[],
  stride: number[],
  pair: [number, number],
  tuples: readonly IntTuple[],
): number {
  const a = makeLayout(shape);
  const b: Layout = makeLayout(shape, stride);
  const c: Layout = makeLayout(someTuple, someStride);
  const d: Layout = makeLayout(pair, [1, 4]);
  const e: Layout = makeLayout(shape, [1, 4]);
  const f: Layout = makeLayout(someTuple, [1, [4, 8]]);
  const g: Layout = makeLayout([4, numbers], [1, [4, 8]]);
  const h: Layout = makeLayout([4, [n, someInt]], [1, stride]);
  const i: Layout = makeLayout(tuples, LayoutRight);
  const j: Layout = makeLayout([4, 8], n > 1 ? "left" : "right");
  const k: Layout = makeIdentityLayout(someTuple);
  const all: Layout[] = [a, b, c, d, e, f, g, h, i, j, k];
  let total: number = size(a) + rank(b) + depth(c) + size(someTuple) + size(anyLayout) + size(numbers, n);
  for (const layout of all) {
    for (let mode = 0; mode < rank(layout); mode++) total += size(modeOf(layout, mode)) + size(layout, mode);
    const part: Layout = take(group(flatten(layout), 0, n), n, n + 1);
    const front: Layout = select(append(prepend(part, layout), d), ...numbers);
    const cut: Layout = slice([_, 0], layout);
    const sizeOfMode: IntTuple = shapeOf(layout, 1, 0);
    const step: StrideTuple = strideOf(front, n);
    if (isStatic(layout) || isStatic(step)) total += size(sizeOfMode) + size(cut);
  }
  const swizzled: AnyLayout = modeOf(anyLayout, 0);
  const parts: IntTuple = flatten(append(someTuple, someTuple));
  return total + size(swizzled) + size(parts) + size(take(numbers, 0, 2));
}

// Generic code: unresolved types are not errors.
export function generic<S extends IntTuple, L extends Layout>(shape: S, layout: L): Layout[] {
  const total: number = size(layout) + rank(layout) + depth(layout) + size(shape) + rank(layout, 0);
  const fixed: boolean = isStatic(layout);
  const first: Layout = modeOf(layout, 0);
  const built: Layout<S> = makeLayout(shape);
  const strided: Layout<S> = makeLayout(shape, [1, 2]);
  const numbered: Layout<S> = makeLayout(shape, numbers);
  const sliced: Layout = slice([_, 0], layout);
  const flat1: Layout = flatten(layout);
  const tail: Layout = take(layout, 1, 2);
  const shape0: IntTuple = shapeOf(layout, 0);
  const stride0: StrideTuple = strideOf(layout, 0);
  return fixed && total > 0 ? [first, built, strided, numbered, sliced, flat1, tail, makeLayout(shape0, stride0)] : [];
}

export function refused(): unknown[] {
  return [
    // @ts-expect-error: a dynamic 4 is not static
    4 satisfies Static<4>,
    // @ts-expect-error: another static integer
    _8 satisfies Static<4>,
    // @ts-expect-error: no rank is 3 here
    rank(flat) satisfies 3,
    // @ts-expect-error: 32
    size(flat) satisfies 33,
    // @ts-expect-error: not known to be static
    isStatic(flat) satisfies true,
    // @ts-expect-error: one stride for two modes
    makeLayout([4, 8], [1]),
    // @ts-expect-error: mode 1 is a tuple
    makeLayout([4, [2, 3]], [1, 2]),
    // @ts-expect-error: mode 1 is an integer
    makeLayout([4, 8], [1, [2, 3]]),
    // @ts-expect-error: one stride for two modes
    makeLayout([4, 8], 1),
    // @ts-expect-error: a tuple of strides for an integer
    makeLayout(4, [1]),
    // @ts-expect-error: a rank that numbers keep
    makeLayout([n, n], [n, n, n]),
    // @ts-expect-error: no such major
    makeLayout([4, 8], "middle"),
    // @ts-expect-error: no size
    makeLayout(["4"]),
    // @ts-expect-error: rank 2
    modeOf(flat, 5),
    // @ts-expect-error: mode 1 has rank 2
    shapeOf(nested, 1, 2),
    // @ts-expect-error: mode 0 is an integer
    strideOf(nested, 0, 1),
    // @ts-expect-error: no mode -1
    size(flat, -1),
    // @ts-expect-error: rank 4
    take(four, 2, 5),
    // @ts-expect-error: no modes at all
    take(four, 2, 2),
    // @ts-expect-error: backwards
    group(four, 3, 1),
    // @ts-expect-error: rank 4
    select(four, 0, 4),
    // @ts-expect-error: rank 2
    slice([_, 0, 0], flat),
    // @ts-expect-error: a layout takes a layout
    append(flat, 4),
    // @ts-expect-error: two shapes apart
    flat satisfies Layout<readonly [4, 9]>,
  ];
}

export type Refused = [
  // @ts-expect-error: the shape is dynamic
  Assert<IsStatic<typeof flat>>,
  // @ts-expect-error: not known
  Assert<IsStatic<Layout>>,
  // @ts-expect-error: mode 1 is a number
  Assert<IsStatic<ShapeOf<typeof gmem, [1]>>>,
  // @ts-expect-error: rank 2
  Assert<RankOf<typeof gmem> extends 3 ? true : false>,
];
