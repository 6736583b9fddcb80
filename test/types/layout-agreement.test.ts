/**
 * The compiler's results equal those of the program: random shapes are evaluated at run time, and the results are
 * written as types that must equal those of the compiler.
 */
import {
  flatten,
  type IntTuple,
  int,
  isStatic,
  isStaticInt,
  type Layout,
  makeLayout,
  rank,
  type SliceCoord,
  size,
  slice,
  _ as underscore,
} from "stridewise/layout";
import { expect, test } from "vitest";
import { typeErrors } from "../support/type-errors.ts";

/** The same numbers each time: a small linear congruential generator. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const draw = randoms(5);
const sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 16, 19, 32, 64, 96, 100, 128, 999];

function randomShape(depth: number): IntTuple {
  if (depth > 0) return Array.from({ length: 1 + draw(3) }, () => randomShape(draw(depth)));
  const leaf = sizes[draw(sizes.length)] as number;
  return draw(3) === 0 ? int(leaf) : leaf;
}

function randomSlice(shape: IntTuple): SliceCoord {
  if (Array.isArray(shape) && draw(3) > 0) return shape.map(randomSlice);
  return draw(2) === 0 ? underscore : 0;
}

const write = (t: unknown, leaf: (value: unknown) => string): string =>
  Array.isArray(t) ? `[${t.map((mode) => write(mode, leaf)).join(", ")}]` : leaf(t);
const asCode = (t: unknown) => write(t, (leaf) => (isStaticInt(leaf) ? `int(${leaf.value})` : String(leaf)));
// Static sizes of 0 have static strides of 0. The compiler finds those types mutually assignable, but not always
// identical.
const hasStaticZero = (t: IntTuple): boolean => (Array.isArray(t) ? t.some(hasStaticZero) : String(t) === "_0");
const limited = (value: number): string => (value > 2 ** 31 ? "number" : String(value));
function asType(t: unknown): string {
  if (Array.isArray(t)) return `readonly [${t.map(asType).join(", ")}]`;
  return isStaticInt(t) ? `Static<${limited(t.value)}>` : limited(t as number);
}
const layoutType = ({ shape, stride }: Layout) => `Layout<${asType(shape)}, ${asType(stride)}>`;
const hasAnyUnderscore = (coord: SliceCoord): boolean =>
  Array.isArray(coord) ? coord.some(hasAnyUnderscore) : coord === underscore;

function claims(i: number): string[] {
  const shape = [randomShape(draw(3)), randomShape(draw(2)), randomShape(0)];
  const left: Layout = makeLayout(shape);
  const right: Layout = makeLayout(shape, "right");
  const coord = shape.map(randomSlice);
  const same = hasStaticZero(shape) ? "Mutual" : "Equal";
  const lines = [
    `const l${i} = makeLayout(${asCode(shape)}), r${i} = makeLayout(${asCode(shape)}, "right"), f${i} = flatten(r${i});`,
    `export type T${i} = [Expect<${same}<typeof l${i}, ${layoutType(left)}>>, Expect<${same}<typeof r${i}, ${layoutType(right)}>>,`,
    `  Expect<${same}<typeof f${i}, ${layoutType(flatten(right))}>>, Expect<Equal<SizeOf<typeof l${i}>, ${limited(size(left))}>>,`,
    `  Expect<Equal<RankOf<typeof f${i}>, ${rank(flatten(right))}>>, Expect<Equal<IsStatic<typeof l${i}>, ${isStatic(left)}>>];`,
  ];
  if (!hasAnyUnderscore(coord)) return lines;
  return [
    ...lines,
    `const s${i} = slice(${asCode(coord)}, r${i});`,
    `export type S${i} = Expect<${same}<typeof s${i}, ${layoutType(slice(coord, right))}>>;`,
  ];
}

test("120 random layouts are the same in types as at run time", { timeout: 60_000 }, async () => {
  const code = [
    'import { _, type IsStatic, type Layout, type RankOf, type SizeOf, type Static, flatten, int, makeLayout, slice } from "stridewise/layout";',
    'import type { Equal, Expect } from "../../../test/support/types.ts";',
    "type Mutual<A, B> = [A, B] extends [B, A] ? true : false;",
    ...Array.from({ length: 120 }, (_unused, i) => claims(i)).flat(),
  ];
  const errors = await typeErrors(code.join("\n"));
  expect(errors.map((error) => `${error}\n${code[Number.parseInt(error, 10) - 1]}`)).toEqual([]);
});
