/** Divides and products in all their arrangements, by-mode tilers included, agree with the logical ones. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  _,
  blockedProduct,
  composition,
  flatDivide,
  flatProduct,
  formatLayout,
  type IntTuple,
  isInjective,
  type Layout,
  logicalDivide,
  logicalProduct,
  makeLayout,
  modeOf,
  offsetAt,
  rakedProduct,
  rank,
  size,
  type Tiler,
  tiledDivide,
  tiledProduct,
  tileToShape,
  zippedDivide,
  zippedProduct,
} from "../../src/layout/index.ts";
import { flat, forAll, lawTimeout } from "../support/layouts.ts";

/** Layouts of rank 1 to 3 whose modes are integers. */
const flatLayouts = (maxRank: number): fc.Arbitrary<Layout> =>
  fc
    .record({
      sizes: fc.array(fc.constantFrom(1, 2, 2, 3, 4, 6), { minLength: 1, maxLength: maxRank }),
      order: fc.array(fc.nat(50), { minLength: 3, maxLength: 3 }),
      pad: fc.constantFrom(1, 1, 2, 3),
      isLeaf: fc.boolean(),
    })
    .map(({ sizes, order, pad, isLeaf }) => {
      const stride = sizes.map(() => 0);
      let running = pad;
      const axes = [...sizes.keys()].sort((a, b) => (order[a] as number) - (order[b] as number) || a - b);
      for (const i of axes) {
        stride[i] = running;
        running *= sizes[i] as number;
      }
      return sizes.length === 1 && isLeaf
        ? makeLayout(sizes[0] as number, stride[0] as number)
        : (makeLayout(sizes, stride) as Layout);
    });

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** All coordinates of a flat shape. */
function* coordsOf(sizes: readonly number[]): Generator<number[]> {
  const count = sizes.reduce((a, b) => a * b, 1);
  for (let i = 0; i < count; i++) {
    let rest = i;
    yield sizes.map((extent) => {
      const c = rest % extent;
      rest = Math.floor(rest / extent);
      return c;
    });
  }
}

test(
  "by-mode divides: element t of tile r is the same in every arrangement, and is A at the tile's element",
  () => {
    const tilers = fc.array(fc.constantFrom<Tiler>(1, 2, 3, 4, _, makeLayout(2, 2), makeLayout(2, 3)), {
      minLength: 1,
      maxLength: 3,
    });
    forAll("by-mode divides", [flatLayouts(3), tilers], (layout, parts) => {
      if (!Array.isArray(layout.shape)) return;
      const tiler = parts.slice(0, rank(layout));
      const divided = attempt(() => logicalDivide(layout, tiler));
      if (!divided) return;
      const name = `${formatLayout(layout)} by ${tiler.map((t) => String(t))}`;
      const zipped = zippedDivide(layout, tiler);
      for (let t = 0; t < size(zipped, 0); t++)
        for (let r = 0; r < size(zipped, 1); r++) {
          const offset = offsetAt(zipped, [t, r]);
          // The modes one by one: an index of a tile, or of its rest, splits over them.
          const modes = tiler.map((part, i) => (part === _ ? undefined : modeOf(divided, i)));
          let [left, over] = [t, r];
          let sum = 0;
          for (const mode of modes) {
            if (!mode) continue;
            sum += offsetAt(mode, [left % size(mode, 0), 0]);
            left = Math.floor(left / size(mode, 0));
          }
          for (const i of Array.from({ length: rank(layout) }, (_unused, k) => k)) {
            const mode = modes[i];
            const extent = mode ? size(mode, 1) : size(modeOf(divided, i));
            const here = i === rank(layout) - 1 ? over : over % extent;
            sum += mode ? offsetAt(mode, [0, here]) : offsetAt(modeOf(divided, i), here);
            over = Math.floor(over / extent);
          }
          expect(offset, name).toBe(sum);
        }
      const whole = (l: Layout): number[] => Array.from({ length: size(l) }, (_unused, i) => offsetAt(l, i));
      expect(whole(tiledDivide(layout, tiler)), name).toEqual(whole(zipped));
      expect(whole(flatDivide(layout, tiler)), name).toEqual(whole(zipped));
    });
  },
  lawTimeout,
);

test(
  "blocked and raked products pair the modes of the logical product; zipped, tiled and flat keep its order",
  () => {
    forAll("paired products", [flatLayouts(2), flatLayouts(2)], (block, tiler) => {
      const width = Math.max(rank(block), rank(tiler));
      const pad = (l: Layout): Layout =>
        rank(l) === width ? l : makeLayout([...flat(l.shape), 1], [...flat(l.stride as IntTuple), 0]);
      const [a, b] = [pad(block), pad(tiler)];
      const product = attempt(() => logicalProduct(a, b));
      const name = `${formatLayout(block)} over ${formatLayout(tiler)}`;
      const [blocked, raked] = [attempt(() => blockedProduct(block, tiler)), attempt(() => rakedProduct(block, tiler))];
      expect([blocked === undefined, raked === undefined], name).toEqual([
        product === undefined,
        product === undefined,
      ]);
      if (!product || !blocked || !raked) return;
      expect([rank(blocked), rank(raked)], name).toEqual([width, width]);
      const isLeaf = (l: Layout) => !Array.isArray(l.shape);
      for (const x of coordsOf(flat(a.shape)))
        for (const y of coordsOf(flat(b.shape))) {
          const truth = offsetAt(product, [isLeaf(a) ? (x[0] as number) : x, isLeaf(b) ? (y[0] as number) : y]);
          expect(
            offsetAt(
              blocked,
              x.map((c, i) => [c, y[i] as number]),
            ),
            name,
          ).toBe(truth);
          expect(
            offsetAt(
              raked,
              x.map((c, i) => [y[i] as number, c]),
            ),
            name,
          ).toBe(truth);
        }
      const whole = (l: Layout): number[] => Array.from({ length: size(l) }, (_unused, i) => offsetAt(l, i));
      for (const other of [zippedProduct, tiledProduct, flatProduct])
        expect(whole(other(a, b)), name).toEqual(whole(product));
    });
  },
  lawTimeout,
);

test(
  "tileToShape has the requested sizes, and repeats the block",
  () => {
    const times = fc.array(fc.constantFrom(1, 2, 3), { minLength: 3, maxLength: 3 });
    forAll("tileToShape", [flatLayouts(3), times], (block, counts) => {
      const sizes = flat(block.shape);
      const target = sizes.map((extent, i) => extent * (counts[i] as number));
      const shape = Array.isArray(block.shape) ? target : (target[0] as number);
      const result = attempt(() => tileToShape(block, shape));
      if (!result) return;
      for (const [i, extent] of target.entries()) expect(size(result, i)).toBe(extent);
      for (const x of coordsOf(sizes))
        expect(offsetAt(result, x)).toBe(
          offsetAt(composition(block, _), Array.isArray(block.shape) ? x : (x[0] as number)),
        );
    });
  },
  lawTimeout,
);

test(
  "the product of an injective block and injective copies is injective, with or without gaps in the block, or throws",
  () => {
    const injective = fc
      .record({
        sizes: fc.array(fc.constantFrom(1, 2, 3, 4), { minLength: 1, maxLength: 3 }),
        gaps: fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }),
        turn: fc.nat(5),
      })
      .map(({ sizes, gaps, turn }) => {
        let step = 1;
        const strides = sizes.map((count, i) => {
          const stride = step + (gaps[i] as number);
          step = stride * count;
          return stride;
        });
        const order = sizes.map((_unused, i) => (i + turn) % sizes.length);
        return makeLayout(
          order.map((i) => sizes[i] as number),
          order.map((i) => strides[i] as number),
        );
      });
    let answered = 0;
    forAll("injective products", [injective, injective], (block, copies) => {
      let product: Layout;
      try {
        product = logicalProduct(block, copies);
      } catch (error) {
        expect(error).toBeInstanceOf(LayoutError);
        return;
      }
      answered++;
      expect(isInjective(product), `${formatLayout(block)} x ${formatLayout(copies)}`).toBe(true);
    });
    expect(answered).toBeGreaterThan(10);
  },
  lawTimeout,
);
