/** Planning: operands are paired at the same elements, each exactly once, for all layouts; checked by brute force. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { loopNestOf, outerModes } from "../../src/kernel/plan/loop-nest.ts";
import { outputStrides } from "../../src/kernel/plan/output-layout.ts";
import { tilesOf } from "../../src/kernel/plan/tiles.ts";
import {
  coalesceFlat,
  expandStrides,
  extentOf,
  type FlatLayout,
  flatLayout,
  reachOf,
  refineFlat,
  reversed,
  runFirst,
  simplifyFlat,
  sliceMode,
} from "../../src/layout/flat.ts";
import { evaluate, flat, forAll, lawTimeout, layouts, orderedFactorizations, productOf } from "../support/layouts.ts";

const digitsOf = (index: number, sizes: readonly number[]): number[] =>
  sizes.map((size) => {
    const digit = index % size;
    index = Math.floor(index / size);
    return digit;
  });
const dot = (coord: readonly number[], stride: readonly number[]): number =>
  coord.reduce((sum, c, d) => sum + c * (stride[d] as number), 0);
/** The offsets of operand k at every index. */
const valuesOf = ({ sizes, strides, starts }: FlatLayout, k = 0): number[] =>
  Array.from(
    { length: productOf(sizes) },
    (_unused, i) => (starts[k] as number) + dot(digitsOf(i, sizes), strides[k] as readonly number[]),
  );

/** The offsets of all operands at every coordinate, sorted. */
function visits(
  sizes: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
): string[] {
  return Array.from({ length: productOf(sizes) }, (_unused, i) =>
    strides.map((of, k) => (starts[k] as number) + dot(digitsOf(i, sizes), of)).join(),
  ).sort();
}

/** Strides of one operand: dense in some order, padded, with repetitions and negative strides, or arbitrary. */
function stridesOf(shape: readonly number[], anyPads = [1, 1, 2, 3]): fc.Arbitrary<number[]> {
  const each = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.array(arbitrary, { minLength: shape.length, maxLength: shape.length });
  return fc
    .record({
      kind: fc.constantFrom("row-major", "permuted", "permuted", "random"),
      order: each(fc.nat(100)),
      pads: each(fc.constantFrom(...anyPads)),
      random: each(fc.integer({ min: -6, max: 12 })),
      factors: fc.constantFrom([1, 1, 1], [1, 1, -1], [1, 0, -1], [1, 1, 0]),
      chosen: each(fc.nat(2)),
    })
    .map(({ kind, order, pads, random, factors, chosen }) => {
      if (kind === "random") return random;
      const axes = shape.map((_size, axis) => axis).reverse();
      if (kind === "permuted") axes.sort((a, b) => (order[a] as number) - (order[b] as number));
      const stride = shape.map(() => 0);
      let dense = 1;
      for (const axis of axes) {
        if (kind === "permuted") dense *= pads[axis] as number;
        stride[axis] = dense * (factors[chosen[axis] as number] as number) + 0;
        dense *= shape[axis] as number;
      }
      return stride;
    });
}

const shapes = (limit: number): fc.Arbitrary<number[]> =>
  fc.array(fc.constantFrom(1, 1, 2, 2, 3, 3, 4, 5), { maxLength: 5 }).map((sizes) => {
    const kept: number[] = [];
    for (const size of sizes) if (productOf(kept) * size <= limit) kept.push(size);
    return kept;
  });

interface Operands {
  readonly shape: number[];
  readonly starts: number[];
  readonly strides: number[][];
}

const operands = (limit = 72): fc.Arbitrary<Operands> =>
  fc.tuple(shapes(limit), fc.integer({ min: 1, max: 4 })).chain(([shape, count]) =>
    fc.record({
      shape: fc.constant(shape),
      starts: fc.array(fc.nat(50), { minLength: count, maxLength: count }),
      strides: fc.array(stridesOf(shape), { minLength: count, maxLength: count }),
    }),
  );

/** A list of leaves for one size, with modes of size 1 inserted. */
const leavesOf = (size: number): fc.Arbitrary<FlatLayout> =>
  fc
    .tuple(fc.constantFrom(...orderedFactorizations(size)), fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }))
    .map(([factors, ones]) => factors.flatMap((factor, d) => (ones[d] === 0 ? [1, factor] : [factor])))
    .chain((shape) => stridesOf(shape.toReversed(), [1]).map((stride) => flatLayout(shape, stride.toReversed())));

function isRepresentable(values: readonly number[], sizes: readonly number[]): boolean {
  let unit = 1;
  const stride = sizes.map((size) => {
    const step = (values[unit] as number) - (values[0] as number);
    unit *= size;
    return step;
  });
  return values.every((value, i) => value === dot(digitsOf(i, sizes), stride));
}

test(
  "a common refinement keeps every offset, and is missing only if none exists",
  () => {
    const lists = fc
      .constantFrom(1, 2, 6, 8, 12, 16, 24, 36)
      .chain((size) => fc.array(leavesOf(size), { minLength: 1, maxLength: 4 }));
    forAll("common refinement", [lists], (list) => {
      const size = productOf((list[0] as FlatLayout).sizes);
      const refined = refineFlat(list);
      if (refined === undefined) {
        const all = list.map((layout) => valuesOf(layout));
        const found = orderedFactorizations(size).find((sizes) =>
          all.every((values) => isRepresentable(values, sizes)),
        );
        expect(found).toBeUndefined();
        return;
      }
      expect(productOf(refined.sizes)).toBe(size);
      list.forEach((leaves, k) => {
        expect(valuesOf(refined, k)).toEqual(valuesOf(leaves));
      });
    });
  },
  lawTimeout,
);

test(
  "nested layouts of one size, refined and planned, pair the offsets of each index",
  () => {
    const lists = fc.array(layouts({ maxSize: 48, strides: "signed" }), { minLength: 2, maxLength: 30 }).map((all) => {
      const sizeOf = (i: number) => productOf(flat((all[i] as (typeof all)[number]).shape));
      return all.filter((_layout, i) => sizeOf(i) === sizeOf(0)).slice(0, 4);
    });
    forAll("nested plans", [lists], (list) => {
      const leaves = list.map(({ shape, stride }) => flatLayout(flat(shape), flat(stride as never)));
      const refined = refineFlat(leaves);
      if (refined === undefined) return;
      const plan = simplifyFlat(
        refined.sizes,
        list.map(() => 0),
        refined.strides,
      );
      const pairs = Array.from({ length: productOf(refined.sizes) }, (_unused, i) =>
        list.map((layout) => evaluate(layout, i)).join(),
      );
      expect(visits(plan.sizes, plan.starts, plan.strides)).toEqual(pairs.sort());
    });
  },
  lawTimeout,
);

test(
  "a plan visits the elements of its operands, each exactly once",
  () => {
    forAll("plan visits", [operands()], ({ shape, starts, strides }) => {
      const plan = simplifyFlat(shape, starts, strides);
      const expected = visits(shape, starts, strides);
      expect(visits(plan.sizes, plan.starts, plan.strides)).toEqual(expected);
      const short = simplifyFlat(shape, starts, strides, true);
      expect([...new Set(visits(short.sizes, short.starts, short.strides))]).toEqual([...new Set(expected)]);
      for (let d = 0; d < short.sizes.length; d++) expect(short.strides.some((of) => of[d] !== 0)).toBe(true);
    });
  },
  lawTimeout,
);

/** The first stride that is not 0 in mode d. */
const leading = ({ strides }: FlatLayout, d: number): number =>
  (strides.find((of) => of[d] !== 0)?.[d] as number | undefined) ?? Number.POSITIVE_INFINITY;

test(
  "a plan is sorted, runs upwards, has nothing left to merge or drop, and is its own plan in any order of modes",
  () => {
    forAll("plan order", [operands(), fc.nat(10)], ({ shape, starts, strides }, turn) => {
      const plan = simplifyFlat(shape, starts, strides);
      for (let d = 0; d < plan.sizes.length; d++) {
        expect(plan.sizes[d]).toBeGreaterThan(1);
        expect(leading(plan, d)).toBeGreaterThan(0);
        if (d === 0) continue;
        expect(leading(plan, d)).toBeGreaterThanOrEqual(leading(plan, d - 1));
        const merges = plan.strides.every((of) => (of[d - 1] as number) * (plan.sizes[d - 1] as number) === of[d]);
        expect(merges).toBe(false);
      }
      expect(simplifyFlat(plan.sizes, plan.starts, plan.strides)).toEqual(plan);
      const by = shape.length === 0 ? 0 : turn % shape.length;
      const turned = <T>(list: readonly T[]): T[] => [...list.slice(by), ...list.slice(0, by)].toReversed();
      expect(simplifyFlat(turned(shape), starts, strides.map(turned))).toEqual(plan);
    });
  },
  lawTimeout,
);

test(
  "the units of a plan's form visit the elements of the plan, each exactly once",
  () => {
    const itemsizes = [16, 64, 16, 64];
    forAll("units", [operands(200), fc.boolean()], ({ shape, starts, strides }, large) => {
      // Elements of 64 bytes produce transposing tiles of 2 x 2, so that small planes are divided too.
      const plan = simplifyFlat(shape, starts, strides);
      const sizes = strides.map((_of, k) => (large ? (itemsizes[k] as number) : 1));
      const nest = loopNestOf(plan, sizes);
      const tiles = tilesOf(plan, nest, sizes);
      const outer = outerModes(plan, nest);
      const width = strides.length + 1;
      const outerSizes = outer.filter((_entry, at) => at % width === 0);
      const seen: string[] = [];
      for (let u = 0; u < tiles.units; u++) {
        const tile = u % (tiles.tilesN * tiles.tilesM);
        const outerCoord = digitsOf(Math.floor(u / (tiles.tilesN * tiles.tilesM)), outerSizes);
        const j0 = tiles.tileM * Math.floor(tile / tiles.tilesN);
        const i0 = tiles.tileN * (tile % tiles.tilesN);
        const before = seen.length;
        for (let j = j0; j < Math.min(tiles.m, j0 + tiles.tileM); j++)
          for (let i = i0; i < Math.min(tiles.n, i0 + tiles.tileN); i++)
            seen.push(
              plan.strides
                .map((of, k) => {
                  const along = outerCoord.reduce((sum, c, row) => sum + c * (outer[row * width + 1 + k] as number), 0);
                  const second = nest.kind === "line" ? 0 : (of[nest.second] as number);
                  return (plan.starts[k] as number) + along + second * j + (of[0] ?? 0) * i;
                })
                .join(),
            );
        expect(seen.length).toBeGreaterThan(before);
        expect(seen.length - before).toBeLessThanOrEqual(tiles.unitElements);
      }
      expect(seen.sort()).toEqual(visits(shape, starts, strides));
    });
  },
  lawTimeout,
);

test(
  "tiles of large planes cover rows and columns exactly, in units of bounded size",
  () => {
    const large = fc.oneof(fc.integer({ min: 2, max: 200 }), fc.integer({ min: 2, max: 100_000 }));
    const cases: [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<boolean>, fc.Arbitrary<number>] = [
      large,
      large,
      fc.boolean(),
      fc.constantFrom(1, 2, 4, 8, 16),
    ];
    forAll("large tiles", cases, (n, m, transposing, itemsize) => {
      const pad = n + 1;
      const strides = transposing
        ? [
            [1, pad],
            [m, 1],
          ]
        : [
            [1, pad],
            [1, pad],
          ];
      const plan: FlatLayout = { sizes: [n, m], strides, starts: [0, 0] };
      const nest = loopNestOf(plan, [itemsize, itemsize]);
      const t = tilesOf(plan, nest, [itemsize, itemsize]);
      expect(nest.isTransposing).toBe(transposing);
      expect([t.n, t.m, t.units]).toEqual([n, m, t.tilesN * t.tilesM]);
      for (const [size, tile, count] of [
        [n, t.tileN, t.tilesN],
        [m, t.tileM, t.tilesM],
      ] as const) {
        expect((count - 1) * tile).toBeLessThan(size);
        expect(count * tile).toBeGreaterThanOrEqual(size);
        expect(tile).toBeLessThanOrEqual(size);
      }
      expect(t.unitElements).toBeLessThanOrEqual(16384);
    });
  },
  lawTimeout,
);

test(
  "an output is dense, and its modes merge with those of an input that is dense in any order",
  () => {
    forAll("output strides", [operands(), fc.boolean()], ({ shape, strides }, same) => {
      const output = outputStrides(shape, strides, same);
      const all = Array.from({ length: productOf(shape) }, (_unused, i) => i);
      const image = all.map((i) => dot(digitsOf(i, shape), output));
      expect(image.sort((a, b) => a - b)).toEqual(all);
      const first = strides[0] as number[];
      const offsets = all.map((i) => dot(digitsOf(i, shape), first.map(Math.abs)));
      const isDense = offsets.sort((a, b) => a - b).every((offset, i) => offset === i);
      if (isDense && first.every((stride) => stride > 0))
        expect(simplifyFlat(shape, [0, 0], [outputStrides(shape, [first], same), first]).sizes.length).toBeLessThan(2);
    });
  },
  lawTimeout,
);

const offsets = (layout: FlatLayout): string[] => {
  const all = layout.starts.map((_start, k) => valuesOf(layout, k));
  return Array.from({ length: productOf(layout.sizes) }, (_unused, i) => all.map((of) => of[i]).join());
};

test(
  "coalescing keeps every offset at its index, and leaves no neighbors to merge",
  () => {
    forAll("coalesce flat", [operands()], ({ shape, starts, strides }) => {
      const layout = { sizes: shape, strides, starts };
      const merged = coalesceFlat(layout);
      expect(offsets(merged)).toEqual(offsets(layout));
      for (let d = 0; d < merged.sizes.length; d++) {
        expect(merged.sizes[d]).toBeGreaterThan(1);
        const [size, before] = [merged.sizes[d - 1] as number, d - 1];
        if (d > 0) expect(merged.strides.every((of) => of[d] === size * (of[before] as number))).toBe(false);
      }
      expect(offsets(reversed(reversed(layout)))).toEqual(offsets(layout));
    });
  },
  lawTimeout,
);

test(
  "a slice of a mode has the elements of its rounds, and slices cover the whole",
  () => {
    forAll("slice mode", [operands(), fc.nat(10), fc.nat(10)], ({ shape, starts, strides }, anyMode, anyCut) => {
      if (shape.length === 0) return;
      const layout = { sizes: shape, strides, starts };
      const mode = anyMode % shape.length;
      const size = shape[mode] as number;
      const cut = anyCut % (size + 1);
      const parts = [sliceMode(layout, mode, 0, cut), sliceMode(layout, mode, cut, size - cut)];
      expect(parts.flatMap(offsets).sort()).toEqual(offsets(layout).sort());
    });
  },
  lawTimeout,
);

test(
  "the run of a layout is memory that all operands share, and no other mode continues it",
  () => {
    forAll("run first", [operands()], ({ shape, starts, strides }) => {
      const layout = { sizes: shape, strides, starts };
      const { sizes, strides: steps, ...rest } = runFirst(layout);
      expect(offsets({ sizes, strides: steps, ...rest }).sort()).toEqual(offsets(layout).sort());
      for (const of of steps) expect(of[0]).toBe(1);
      for (let d = 1; d < sizes.length; d++) expect(steps.every((of) => of[d] === sizes[0])).toBe(false);
    });
  },
  lawTimeout,
);

test(
  "reach and extent are those of all elements, and expanded strides repeat",
  () => {
    forAll("reach", [operands(), fc.nat(3)], ({ shape, starts, strides }, added) => {
      const layout = { sizes: shape, strides, starts };
      const all = valuesOf(layout);
      const [low, high] = reachOf(shape, strides[0] as number[], starts[0] as number);
      expect([low, high]).toEqual([Math.min(...all), Math.max(...all)]);
      expect(extentOf(shape, strides[0] as number[])).toBe(high - low);
      const to = [...Array.from({ length: added }, () => 2), ...shape];
      const expanded = flatLayout(to, expandStrides(shape, strides[0] as number[], to), starts[0]);
      const repeats = 2 ** added;
      expect(valuesOf(reversed(expanded))).toEqual(
        Array.from({ length: repeats }, () => valuesOf(reversed(layout))).flat(),
      );
    });
  },
  lawTimeout,
);
