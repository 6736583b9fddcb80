/** Index and mask tensors compared with their definition: one element read, or written, at a time. */
import fc from "fast-check";
import { _, arange, type Index, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { forAll, lawTimeout } from "../support/layouts.ts";

type Numbers = readonly number[];

/** The item for one axis: everything, a list of indices of some shape, or a mask. */
interface Choice {
  readonly kind: "all" | "list" | "mask";
  readonly shape: Numbers;
  readonly picks: Numbers;
}

/**
 * Shapes that broadcast together: [2, 3], either size replaced by 1, or the last axis alone. A 0-d index is a select,
 * done first.
 */
const listShapes: readonly Numbers[] = [[3], [1], [2, 3], [2, 1], [1, 3]];
const choices = fc.record({
  kind: fc.constantFrom("all", "list", "list", "mask") as fc.Arbitrary<Choice["kind"]>,
  shape: fc.constantFrom(...listShapes),
  picks: fc.array(fc.nat(1000), { minLength: 6, maxLength: 6 }),
});

const product = (shape: Numbers): number => shape.reduce((a, b) => a * b, 1);

/** All coordinates of a shape, the last axis fastest. */
function* coordsOf(shape: Numbers): Generator<number[]> {
  for (let i = 0; i < product(shape); i++) {
    const coord: number[] = [];
    for (let axis = shape.length - 1, rest = i; axis >= 0; axis--) {
      coord.unshift(rest % (shape[axis] as number));
      rest = Math.floor(rest / (shape[axis] as number));
    }
    yield coord;
  }
}

interface IndexedAxis {
  readonly axis: number;
  readonly shape: Numbers;
  readonly values: Numbers;
}

/** The items for `at`, and for each indexed axis its list of plain indices. */
function itemsOf(shape: Numbers, chosen: readonly Choice[]): { items: Index[]; indexed: IndexedAxis[] } {
  // A mask selects as many indices as it has true elements; here exactly one, so that it broadcasts with every list.
  const indexed: IndexedAxis[] = [];
  const items = shape.map((size, axis): Index => {
    const { kind, shape: own, picks } = chosen[axis] as Choice;
    if (kind === "all") return _;
    if (kind === "mask") {
      const at = (picks[0] as number) % size;
      indexed.push({ axis, shape: [1], values: [at] });
      return tensor(Array.from({ length: size }, (_unused, i) => i === at));
    }
    const values = Array.from({ length: product(own) }, (_unused, i) => (picks[i] as number) % size);
    indexed.push({ axis, shape: own, values });
    // Every other index is negative.
    const integers = values.map((at, i) => BigInt(i % 2 === 0 ? at : at - size));
    return tensor(integers).view(own);
  });
  return { items, indexed };
}

/** The element of a list at a coordinate of the shape that all lists broadcast to. */
function listAt({ shape, values }: IndexedAxis, coord: Numbers): number {
  let at = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    const size = shape[axis] as number;
    at = at * size + (size === 1 ? 0 : (coord[coord.length - shape.length + axis] as number));
  }
  return values[at] as number;
}

/** The shape of the result, and the coordinate in the indexed tensor of each of its elements. */
function definition(shape: Numbers, indexed: readonly IndexedAxis[]) {
  const rank = Math.max(...indexed.map((list) => list.shape.length));
  const common = Array.from({ length: rank }, (_unused, i) =>
    Math.max(...indexed.map((list) => list.shape[list.shape.length - rank + i] ?? 1)),
  );
  const first = (indexed[0] as IndexedAxis).axis;
  const areNeighbours = indexed.every((list, i) => list.axis === first + i);
  const rest = shape.map((_unused, axis) => axis).filter((axis) => indexed.every((list) => list.axis !== axis));
  const before = areNeighbours ? first : 0;
  const sizes = rest.map((axis) => shape[axis] as number);
  const source = (coord: Numbers): number[] => {
    const lists = coord.slice(before, before + rank);
    const kept = [...coord.slice(0, before), ...coord.slice(before + rank)];
    const result = new Array<number>(shape.length);
    for (const [i, axis] of rest.entries()) result[axis] = kept[i] as number;
    for (const list of indexed) result[list.axis] = listAt(list, lists);
    return result;
  };
  return { shape: [...sizes.slice(0, before), ...common, ...sizes.slice(before)], source };
}

const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });

/** 0, 1, 2, ... in a tensor whose axes are in order or reversed in memory. */
const numbered = (shape: Numbers, isReversed: boolean): Tensor =>
  isReversed ? arange(product(shape)).view(shape.toReversed()).T : arange(product(shape)).view(shape);

test(
  "at with index tensors and masks returns the element of each index, with PyTorch's order of axes",
  () => {
    forAll(
      "index tensors",
      [shapes, fc.array(choices, { minLength: 4, maxLength: 4 }), fc.boolean()],
      (shape, chosen, isReversed) => {
        const x = numbered(shape, isReversed);
        const { items, indexed } = itemsOf(shape, chosen);
        const result = x.at(...items);
        if (indexed.length === 0) return expect(result.toArray()).toEqual(x.toArray());
        const expected = definition(shape, indexed);
        expect(result.shape).toEqual(expected.shape);
        for (const coord of coordsOf(expected.shape))
          expect(result.get(coord), `at ${coord}`).toBe(x.get(expected.source(coord)));
      },
    );
  },
  lawTimeout,
);

test(
  "assignAt writes exactly the elements that at reads, and bumps the version once",
  () => {
    forAll(
      "assigned index tensors",
      [shapes, fc.array(choices, { minLength: 4, maxLength: 4 }), fc.boolean()],
      (shape, chosen, isReversed) => {
        const x = numbered(shape, isReversed);
        const { items, indexed } = itemsOf(shape, chosen);
        if (indexed.length === 0) return;
        const { shape: expected, source } = definition(shape, indexed);
        const before = [...coordsOf(shape)].map((coord) => x.get(coord));
        const written = new Set([...coordsOf(expected)].map((coord) => String(source(coord))));
        const version = x.version;
        x.assignAt(items, -1);
        expect(x.version).toBe(version + 1);
        for (const [i, coord] of [...coordsOf(shape)].entries())
          expect(x.get(coord), `at ${coord}`).toBe(written.has(String(coord)) ? -1 : before[i]);
      },
    );
  },
  lawTimeout,
);
