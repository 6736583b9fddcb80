/** Complement, divides and products return a correct layout if and only if one exists. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  blockedProduct,
  compatible,
  complement,
  concatenate,
  flatDivide,
  flatProduct,
  formatLayout,
  int,
  type Layout,
  logicalDivide,
  logicalProduct,
  makeLayout,
  modeOf,
  rank,
  tiledDivide,
  tiledProduct,
  tileToShape,
  zippedDivide,
  zippedProduct,
} from "../../src/layout/index.ts";
import {
  compositionExists,
  evaluate,
  flat,
  forAll,
  imageOf,
  isLayoutFunction,
  lawTimeout,
  layouts,
  sizeOf,
  smallestTiling,
} from "../support/layouts.ts";

function attempt(run: () => Layout): Layout | LayoutError {
  try {
    return run();
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
}

/** Offsets without the repetitions of stride-0 modes. */
function filteredImage(layout: Layout): number[] {
  const strides = flat(layout.stride as never);
  const sizes = flat(layout.shape).map((size, i) => (strides[i] === 0 ? 1 : size));
  return imageOf(makeLayout(sizes, strides));
}

/** The modes that move, by stride; a negative stride comes first. */
const movingModes = (layout: Layout): { size: number; stride: number }[] =>
  flat(layout.shape)
    .map((size, i) => ({ size, stride: flat(layout.stride as never)[i] as number }))
    .filter(({ size, stride }) => size !== 1 && stride !== 0)
    .sort((a, b) => a.stride - b.stride);

/**
 * The offsets of copies by the definition: below each stride, as many as fit; then all of these, period after period,
 * up to the target.
 */
function offsetsOfCopies(layout: Layout, target: number): number[] | undefined {
  let offsets = [0];
  let filled = 1;
  for (const { size, stride } of movingModes(layout)) {
    if (stride < filled) return undefined;
    const starts: number[] = [];
    for (let start = 0; start + filled <= stride; start += filled)
      starts.push(...offsets.map((offset) => start + offset));
    offsets = starts;
    filled = size * stride;
  }
  const result: number[] = [];
  for (let start = 0; start < target; start += filled) result.push(...offsets.map((offset) => start + offset));
  return result;
}

test(
  "complement: disjoint, ordered, dense, reaching the target; the exact tiling if there is one; throws only if modes interleave",
  () => {
    const seen = { tilings: 0, withGaps: 0, refused: 0 };
    forAll(
      "complement",
      [layouts({ maxSize: 24, strides: "signed" }), fc.integer({ min: 1, max: 60 })],
      (layout, target) => {
        const name = `complement(${formatLayout(layout)}, ${target})`;
        const image = filteredImage(layout);
        const tiling = smallestTiling(image, target);
        const offsets = offsetsOfCopies(layout, target);
        const result = attempt(() => complement(layout, target));
        if (result instanceof LayoutError) {
          seen.refused++;
          const exists = offsets !== undefined || (tiling !== undefined && isLayoutFunction(tiling.set));
          expect(exists, `${name} was refused (${result.message}), but an answer exists`).toBe(false);
          return;
        }
        const free = imageOf(result);
        expect(free, name).toEqual(offsets);
        if (tiling) expect(free, name).toEqual(tiling.set);
        seen[tiling ? "tilings" : "withGaps"]++;
        const sums = free.flatMap((start) => image.map((offset) => start + offset));
        expect(new Set(sums).size, name).toBe(sums.length);
        expect(
          free.every((offset, j) => j === 0 || offset > (free[j - 1] as number)),
          name,
        ).toBe(true);
      },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  },
  lawTimeout,
);

test("padded tiles have the complement and the products of CuTe", () => {
  const tile = makeLayout([int(128), int(8)], [int(1), int(129)]);
  expect(formatLayout(complement(tile, int(4096)))).toBe("_4:_1032");
  expect(formatLayout(complement(tile, 4096))).toBe("4:_1032");
  expect(formatLayout(complement(tile))).toBe("_1:_0");
  expect(formatLayout(logicalProduct(tile, int(3)))).toBe("((_128,_8),_3):((_1,_129),_1032)");
  expect(formatLayout(blockedProduct(tile, makeLayout([int(2), int(3)])))).toBe(
    "((_128,_2),(_8,_3)):((_1,_1032),(_129,_2064))",
  );
  expect(formatLayout(tileToShape(tile, [int(256), int(16)]))).toBe("((_128,_2),(_8,_2)):((_1,_1032),(_129,_2064))");
  expect(formatLayout(complement(makeLayout([int(2), int(2)], [int(1), int(3)]), int(24)))).toBe("_4:_6");
});

test(
  "the complement of a complement, and of layout with its complement",
  () => {
    forAll(
      "complement twice",
      [layouts({ maxSize: 24, strides: "positive" }), fc.integer({ min: 1, max: 60 })],
      (layout, target) => {
        const rest = attempt(() => complement(layout, target));
        if (rest instanceof LayoutError) return;
        expect(sizeOf(complement(concatenate(layout, rest)))).toBe(1);
      },
    );
  },
  lawTimeout,
);

test(
  "logicalDivide is A o (T, complement of T), and throws only if that does not exist",
  () => {
    forAll("divide", [layouts({ maxSize: 48 }), layouts({ maxSize: 16, maxModes: 3 })], (a, tile) => {
      const name = `logicalDivide(${formatLayout(a)}, ${formatLayout(tile)})`;
      const rest = attempt(() => complement(tile, flatTarget(a)));
      const result = attempt(() => logicalDivide(a, tile));
      if (result instanceof LayoutError) {
        const exists = !(rest instanceof LayoutError) && compositionExists(a, concatenate(tile, rest));
        expect(exists, `${name} was refused (${result.message}), but an answer exists`).toBe(false);
        return;
      }
      if (rest instanceof LayoutError) expect.fail(`${name} has no complement: ${rest.message}`);
      expect(rank(result)).toBe(2);
      expect(compatible(tile.shape, modeOf(result, 0).shape), name).toBe(true);
      const both = concatenate(tile, rest);
      for (let i = 0; i < sizeOf(both); i++) expect(evaluate(result, i), name).toBe(evaluate(a, evaluate(both, i)));
      for (const other of [zippedDivide, tiledDivide, flatDivide])
        expect(imageOf(other(a, tile)), name).toEqual(imageOf(result));
    });
  },
  lawTimeout,
);

/** The shape that the complement must cover: the coalesced shape of the layout. */
function flatTarget(a: Layout): number | number[] {
  const sizes = flat(a.shape);
  const strides = flat(a.stride as never);
  const kept: [number, number][] = [];
  sizes.forEach((size, i) => {
    const last = kept.at(-1);
    if (size === 1) return;
    if (last && last[0] * last[1] === strides[i]) last[0] *= size;
    else kept.push([size, strides[i] as number]);
  });
  return kept.length === 0 ? 1 : kept.length === 1 ? (kept[0] as [number, number])[0] : kept.map(([size]) => size);
}

test(
  "logicalProduct is (A, A* o T), and throws only if that does not exist",
  () => {
    forAll("product", [layouts({ maxSize: 16, maxModes: 3 }), layouts({ maxSize: 12, maxModes: 3 })], (a, tile) => {
      const name = `logicalProduct(${formatLayout(a)}, ${formatLayout(tile)})`;
      const reach = (of: Layout): number =>
        Math.max(...imageOf(makeLayout(flat(of.shape), flat(of.stride as never).map(Math.abs)))) + 1;
      const free = attempt(() => complement(a, reach(a) * reach(tile)));
      const result = attempt(() => logicalProduct(a, tile));
      if (result instanceof LayoutError) {
        const exists = !(free instanceof LayoutError) && compositionExists(free, tile);
        expect(exists, `${name} was refused (${result.message}), but an answer exists`).toBe(false);
        return;
      }
      if (free instanceof LayoutError) expect.fail(`${name} has no complement: ${free.message}`);
      expect(formatLayout(modeOf(result, 0))).toBe(formatLayout(a));
      expect(compatible(tile.shape, modeOf(result, 1).shape), name).toBe(true);
      for (let i = 0; i < sizeOf(tile); i++)
        expect(evaluate(modeOf(result, 1), i), name).toBe(evaluate(free, evaluate(tile, i)));
      for (const other of [zippedProduct, tiledProduct, flatProduct])
        expect(imageOf(other(a, tile)), name).toEqual(imageOf(result));
    });
  },
  lawTimeout,
);
