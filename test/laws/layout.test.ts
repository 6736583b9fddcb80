/** The laws of coalesce, filter, coordinates, slices, recasts and swizzles. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  _,
  type AnyLayout,
  applySwizzle,
  asPlain,
  coalesce,
  compactColMajor,
  compactRowMajor,
  composition,
  congruent,
  coordAt,
  crd2crd,
  crd2idx,
  depth,
  domain,
  downcast,
  filter,
  formatLayout,
  type IntTuple,
  idx2crd,
  int,
  isComposed,
  type Layout,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
  offsetAt,
  offsets,
  recastLayout,
  rightInverse,
  type SliceCoord,
  slice,
  sliceAndOffset,
  swizzle,
  swizzleMasks,
  upcast,
  zippedDivide,
} from "../../src/layout/index.ts";
import { parseLayout } from "../../src/layout/notation.ts";
import { evaluate, flat, forAll, imageOf, lawTimeout, layouts, productOf, sizeOf } from "../support/layouts.ts";

test(
  "coalesce keeps every offset in one level of modes, and none of them could still merge",
  () => {
    forAll("coalesce", [layouts({ maxSize: 64, maxModes: 5, strides: "signed" })], (layout) => {
      const result = coalesce(layout);
      expect(sizeOf(result)).toBe(sizeOf(layout));
      expect(depth(result)).toBeLessThanOrEqual(1);
      expect(imageOf(result), formatLayout(layout)).toEqual(imageOf(layout));
      const sizes = flat(result.shape);
      const strides = flat(result.stride as IntTuple);
      for (let i = 1; i < sizes.length; i++)
        expect((sizes[i - 1] as number) * (strides[i - 1] as number)).not.toBe(strides[i]);
    });
  },
  lawTimeout,
);

test(
  "filter keeps the set of offsets and no mode of stride 0",
  () => {
    forAll("filter", [layouts({ maxSize: 64 })], (layout) => {
      const result = filter(layout);
      expect(new Set(imageOf(result))).toEqual(new Set(imageOf(layout)));
      if (sizeOf(result) > 1) expect(flat(result.stride as IntTuple)).not.toContain(0);
    });
  },
  lawTimeout,
);

test(
  "offsetAt agrees for an index, a flat coordinate, a nested coordinate, and crd2idx",
  () => {
    forAll("offsetAt", [layouts({ maxSize: 48, strides: "signed" })], (layout) => {
      let i = 0;
      for (const coord of domain(layout)) {
        const truth = evaluate(layout, i);
        expect(offsetAt(layout, i)).toBe(truth);
        expect(offsetAt(layout, coord)).toBe(truth);
        expect(Number(crd2idx(coord, layout.shape, layout.stride)) + 0).toBe(truth);
        expect(idx2crd(i, layout.shape)).toEqual(coord);
        expect(crd2idx(coord, layout.shape)).toEqual(crd2idx(i, layout.shape));
        expect(crd2crd(coord, layout.shape, layout.shape)).toEqual(coord);
        i++;
      }
      expect(i).toBe(sizeOf(layout));
      expect(offsetAt(layout, -3) + 0).toBe(-offsetAt(layout, 3) + 0);
    });
  },
  lawTimeout,
);

test(
  "a layout of static integers computes the same as the layout of numbers",
  () => {
    const toStatic = (t: IntTuple): IntTuple =>
      Array.isArray(t) ? t.map((mode) => toStatic(mode as IntTuple)) : int(Number(t));
    forAll("static", [layouts({ maxSize: 48 }), layouts({ maxSize: 24 })], (a, b) => {
      const sa = makeLayout(toStatic(a.shape), toStatic(a.stride as IntTuple));
      const sb = makeLayout(toStatic(b.shape), toStatic(b.stride as IntTuple));
      expect(offsets(sa)).toEqual(offsets(a));
      const attempt = (f: () => Layout): string => {
        try {
          return formatLayout(f()).replaceAll("_", "");
        } catch (error) {
          if (error instanceof LayoutError) return "refused";
          throw error;
        }
      };
      expect(attempt(() => composition(sa, sb))).toBe(attempt(() => composition(a, b)));
      expect(formatLayout(coalesce(sa)).replaceAll("_", "")).toBe(formatLayout(coalesce(a)).replaceAll("_", ""));
      expect(formatLayout(coalesce(sa))).not.toMatch(/(?<![_\d-])\d/);
    });
  },
  lawTimeout,
);

test(
  "the notation parses its own output",
  () => {
    forAll("notation", [layouts({ maxSize: 1000, maxModes: 6, strides: "signed" })], (layout) => {
      expect(formatLayout(parseLayout(formatLayout(layout)))).toBe(formatLayout(layout));
    });
  },
  lawTimeout,
);

test(
  "compact strides are bijections in the documented order",
  () => {
    forAll("compact", [layouts({ maxSize: 64 })], ({ shape }) => {
      expect(offsets(makeLayout(shape, compactColMajor(shape)))).toEqual(
        Array.from({ length: productOf(flat(shape)) }, (_unused, i) => i),
      );
      const right = makeLayout(shape, compactRowMajor(shape));
      expect([...offsets(right)].sort((x, y) => x - y)).toEqual(offsets(makeLayout(shape)));
    });
  },
  lawTimeout,
);

test(
  "makeLayoutLike is compact and keeps the order of the strides",
  () => {
    forAll("like", [layouts({ maxSize: 64, strides: "positive" })], (layout) => {
      const result = makeLayoutLike(layout);
      expect([...offsets(result)].sort((x, y) => x - y)).toEqual(offsets(makeLayout(layout.shape)));
      const before = flat(layout.stride as IntTuple);
      const after = flat(result.stride as IntTuple);
      const sizes = flat(layout.shape);
      for (const i of sizes.keys())
        for (const j of sizes.keys())
          if ((before[i] as number) < (before[j] as number) && (sizes[i] as number) > 1 && (sizes[j] as number) > 1)
            expect(after[i] as number, formatLayout(layout)).toBeLessThan(after[j] as number);
    });
  },
  lawTimeout,
);

/** A random coordinate with some `_`, for a shape. */
function sliceOf(shape: IntTuple, picks: number[]): SliceCoord {
  const pick = picks.shift() ?? 0;
  if (pick % 3 === 0) return _;
  if (Array.isArray(shape) && pick % 3 === 1) return shape.map((mode) => sliceOf(mode as IntTuple, picks));
  return pick % productOf(flat(shape));
}

test(
  "a slice and its offset have the values of the whole, swizzled or not",
  () => {
    const picks = fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 });
    const swizzles = fc
      .tuple(fc.nat(2), fc.nat(2), fc.integer({ min: -3, max: 3 }))
      .filter(([bits, , shift]) => Math.abs(shift) >= bits);
    forAll("slice", [layouts({ maxSize: 48 }), picks, swizzles], (layout, choices, [bits, base, shift]) => {
      const coord = sliceOf(layout.shape, [...choices]);
      const hasSlice = JSON.stringify(coord).includes("underscore");
      if (!hasSlice) return;
      for (const whole of [layout, composition(swizzle(bits, base, shift), layout)]) {
        const [part, offset] = sliceAndOffset(coord, whole);
        const result = slice(coord, layout);
        let i = 0;
        // Walk the coordinates of the slice by filling the underscores of the coordinate.
        for (const inside of domain(result.shape)) {
          const leavesOf = Array.isArray(inside) && coord !== _ ? [...(inside as unknown[])] : [inside];
          const fill = (c: SliceCoord): unknown =>
            c === _ ? leavesOf.shift() : Array.isArray(c) ? c.map((x) => fill(x as SliceCoord)) : c;
          const full = fill(coord) as never;
          expect(Number(offset) + offsetAt(part, i), `${formatLayout(whole)} sliced`).toBe(offsetAt(whole, full));
          i++;
        }
      }
    });
  },
  lawTimeout,
);

test(
  "a swizzle is its own inverse, and asPlain changes no value",
  () => {
    const parts = fc
      .tuple(fc.nat(3), fc.nat(3), fc.integer({ min: -5, max: 5 }))
      .filter(([bits, , shift]) => Math.abs(shift) >= bits);
    forAll("swizzle", [parts, fc.nat(4000), layouts({ maxSize: 32 })], ([bits, base, shift], x, layout) => {
      const sw = swizzle(bits, base, shift);
      expect(applySwizzle(sw, applySwizzle(sw, x))).toBe(x);
      expect(applySwizzle(sw, x + 2 ** 40)).toBe(applySwizzle(sw, x) + 2 ** 40);
      const composed = composition(sw, layout);
      const plain = isComposed(composed) ? asPlain(composed) : undefined;
      if (plain) expect(offsets(plain[0]).map((o) => o + Number(plain[1]))).toEqual(offsets(composed));
    });
  },
  lawTimeout,
);

test(
  "the right inverse of a swizzled bijection undoes it",
  () => {
    const parts = fc
      .tuple(fc.nat(2), fc.nat(2), fc.integer({ min: -3, max: 3 }))
      .filter(([bits, base, shift]) => Math.abs(shift) >= bits && bits + base + Math.abs(shift) <= 6);
    forAll(
      "swizzled inverse",
      [parts, fc.constantFrom("(8,8):(8,1)", "(4,4,4):(1,16,4)", "(2,32):(32,1)")],
      ([bits, base, shift], text) => {
        const whole = composition(swizzle(bits, base, shift), parseLayout(text));
        let inverse: AnyLayout;
        try {
          inverse = rightInverse(whole);
        } catch (error) {
          if (!(error instanceof LayoutError)) throw error;
          // Throws only if the inverse, read as bits, does not map the two fields to two runs of bits.
          const back = (mask: number) => offsetAt(rightInverse(parseLayout(text) as Layout), mask).toString(2);
          const { y, z } = swizzleMasks(swizzle(bits, base, shift));
          const runs = [back(y), back(z)].map((mask) => /^(1+)0*$/.exec(mask)?.[1]?.length);
          expect(runs[0] === undefined || runs[0] !== runs[1], error.message).toBe(true);
          return;
        }
        for (let i = 0; i < 64; i++)
          expect(offsetAt(whole, offsetAt(inverse, i)), `${formatLayout(whole)} with ${formatLayout(inverse)}`).toBe(i);
      },
    );
  },
  lawTimeout,
);

test(
  "upcast and downcast view the same memory: an element of the wide view starts where its narrow elements start",
  () => {
    forAll("recast", [layouts({ maxSize: 48, strides: "positive" }), fc.constantFrom(2, 4, 8)], (layout, n) => {
      let wide: Layout;
      try {
        wide = upcast(layout, n);
      } catch (error) {
        if (error instanceof LayoutError) return;
        throw error;
      }
      expect(congruent(wide.shape, layout.shape)).toBe(true);
      const narrowSizes = flat(layout.shape);
      const narrowStrides = flat(layout.stride as IntTuple);
      flat(wide.shape).forEach((size, i) => {
        const stride = narrowStrides[i] as number;
        const shrink = stride === 0 || narrowSizes[i] === 1 ? 1 : Math.max(1, n / stride);
        expect(size).toBe(Math.ceil((narrowSizes[i] as number) / shrink));
        if (size > 1) expect((flat(wide.stride as IntTuple)[i] as number) * n).toBe(stride * shrink);
      });
      if (narrowStrides.includes(1)) expect(imageOf(upcast(downcast(layout, n), n))).toEqual(imageOf(layout));
      expect(formatLayout(recastLayout(layout, 8, 8 * n))).toBe(formatLayout(wide));
    });
  },
  lawTimeout,
);

test(
  "the identity layout maps coordinates to themselves, even after division",
  () => {
    forAll("identity", [layouts({ maxSize: 48 })], ({ shape }) => {
      const identity = makeIdentityLayout(shape);
      const plain = (t: unknown): unknown => (Array.isArray(t) ? t.map(plain) : Number(t));
      for (const coord of domain(shape))
        expect(plain(coordAt(identity, coord))).toEqual(Array.isArray(coord) ? coord : [coord]);
    });
    const tiled = zippedDivide(makeIdentityLayout([8, 6]), [4, 3]);
    expect(formatLayout(tiled)).toBe("((4,3),(2,2)):((_1@0,_1@1),(4@0,3@1))");
  },
  lawTimeout,
);
