/**
 * Swizzled layouts follow the laws of plain ones: inverses, recasts, common vectors and compositions, for shifts of
 * both signs.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  type AnyLayout,
  applySwizzle,
  composition,
  downcast,
  formatLayout,
  type Layout,
  leftInverse,
  maxCommonLayout,
  maxCommonVector,
  offsetAt,
  offsets,
  rightInverse,
  type Swizzle,
  size,
  swizzle,
  upcast,
  valueOf,
} from "../../src/layout/index.ts";
import { evaluate, flat, forAll, imageOf, lawTimeout, layouts, sizeOf } from "../support/layouts.ts";

const swizzles: fc.Arbitrary<Swizzle> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.nat(3), fc.integer({ min: -4, max: 4 }))
  .filter(([bits, , shift]) => Math.abs(shift) >= bits)
  .map(([bits, base, shift]) => swizzle(bits, base, shift));

const swizzled = (sw: Swizzle, layout: Layout): AnyLayout => composition(sw, layout);

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

test(
  "right inverse: L(R(i)) = i, inside the domain of L",
  () => {
    const seen = { below: 0, above: 0 };
    forAll("swizzled right inverse", [swizzles, layouts({ maxSize: 48 })], (sw, layout) => {
      const whole = swizzled(sw, layout);
      const inverse = attempt(() => rightInverse(whole));
      if (!inverse) return;
      seen[sw.shift < 0 ? "below" : "above"]++;
      const name = `rightInverse(${formatLayout(whole)}) = ${formatLayout(inverse)}`;
      for (const [i, index] of offsets(inverse).entries()) {
        expect(index >= 0 && index < sizeOf(layout), name).toBe(true);
        expect(offsetAt(whole, index), name).toBe(i);
      }
    });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(400);
    const inverse = rightInverse(composition(swizzle(1, 1, -2), layoutOf([2, 2], [2, 1])));
    expect(formatLayout(inverse)).toBe("2:2");
  },
  lawTimeout,
);

test(
  "left inverse: L(R(L(i))) = L(i)",
  () => {
    let answered = 0;
    forAll("swizzled left inverse", [swizzles, layouts({ maxSize: 48 })], (sw, layout) => {
      const whole = swizzled(sw, layout);
      const inverse = attempt(() => leftInverse(whole));
      if (!inverse) return;
      answered++;
      const name = `leftInverse(${formatLayout(whole)}) = ${formatLayout(inverse)}`;
      for (const offset of offsets(whole)) expect(offsetAt(whole, offsetAt(inverse, offset)), name).toBe(offset);
    });
    expect(answered).toBeGreaterThan(300);
  },
  lawTimeout,
);

test(
  "composition with a swizzled layout: R(i) = A(S(L(i)))",
  () => {
    let answered = 0;
    forAll(
      "swizzled composition",
      [layouts({ maxSize: 48 }), swizzles, layouts({ maxSize: 24, maxModes: 2 })],
      (a, sw, b) => {
        const result = attempt(() => composition(a, swizzled(sw, b)));
        if (!result) return;
        answered++;
        const name = `${formatLayout(a)} o ${formatLayout(swizzled(sw, b))} = ${formatLayout(result)}`;
        for (let i = 0; i < sizeOf(b); i++)
          expect(offsetAt(result, i), name).toBe(evaluate(a, applySwizzle(sw, evaluate(b, i))));
      },
    );
    expect(answered).toBeGreaterThan(200);
  },
  lawTimeout,
);

const layoutOf = (shape: number[], stride: number[]): Layout => ({ shape, stride }) as Layout;

/** The wide element of an index, along each leaf: c * stride / n where the stride is below n, else c. */
function wideIndex(layout: Layout, n: number, index: number): number {
  const strides = flat(layout.stride as never);
  let rest = index;
  let result = 0;
  let unit = 1;
  flat(layout.shape).forEach((count, i) => {
    const c = rest % count;
    rest = Math.floor(rest / count);
    const per = strides[i] === 0 || count === 1 ? 1 : Math.max(1, n / (strides[i] as number));
    result += unit * Math.floor(c / per);
    unit *= Math.ceil(count / per);
  });
  return result;
}

test(
  "upcast: the wide element of each offset; throws only if a swizzle separates parts of one element",
  () => {
    const seen = { answered: 0, refused: 0 };
    forAll(
      "swizzled upcast",
      [swizzles, layouts({ maxSize: 32, strides: "positive" }), fc.constantFrom(2, 4, 8)],
      (sw, layout, n) => {
        const plain = attempt(() => upcast(layout, n));
        const wideOf = imageOf(layout).map((_offset, i) => wideIndex(layout, n, i));
        // Modes below n whose sum exceeds n have no separate wide elements.
        if (!plain || imageOf(layout).some((x, i) => Math.floor(x / n) !== evaluate(plain, wideOf[i] as number)))
          return;
        const whole = swizzled(sw, layout);
        const truth = offsets(whole).map((x) => Math.floor(x / n));
        const wide = attempt(() => upcast(whole, n));
        const name = `upcast(${formatLayout(whole)}, ${n})${wide ? ` = ${formatLayout(wide)}` : ""}`;
        if (!wide) {
          seen.refused++;
          const isSplit = truth.some((x, i) => truth.some((y, k) => wideOf[i] === wideOf[k] && x !== y));
          expect(isSplit, name).toBe(true);
          return;
        }
        seen.answered++;
        expect(
          wideOf.map((i) => offsetAt(wide, i)),
          name,
        ).toEqual(truth);
        if (flat(layout.stride as never).includes(1))
          expect(offsets(upcast(downcast(whole, n), n)), name).toEqual(offsets(whole));
      },
    );
    expect(seen.answered).toBeGreaterThan(200);
    expect(seen.refused).toBeGreaterThan(20);
    expect(() => upcast(composition(swizzle(2, 0, -4), layoutOf([2], [1])), 4)).toThrow("moves offset 1 to 17");
  },
  lawTimeout,
);

test(
  "common vectors: the elements are contiguous in both layouts",
  () => {
    forAll(
      "swizzled vectors",
      [swizzles, fc.option(swizzles), layouts({ maxSize: 32 }), layouts({ maxSize: 32 }), fc.boolean()],
      (sw, another, a, b, isPlain) => {
        const other = another ?? sw;
        const [x, y] = [swizzled(sw, a), isPlain ? b : swizzled(other, b)];
        const common = maxCommonLayout(x, y);
        const name = `${formatLayout(x)} and ${formatLayout(y)}: ${formatLayout(common)}`;
        const held = offsets(common).map((index) => offsetAt(x, index));
        expect(
          offsets(common).map((index) => offsetAt(y, index)),
          name,
        ).toEqual(held);
        // Under one swizzle, the first offsets in the order of the swizzle; otherwise contiguous.
        const isSame = !isPlain && String(sw) === String(other);
        expect(isSame ? held.sort((p, q) => p - q) : held, name).toEqual([...held.keys()]);
        expect(valueOf(maxCommonVector(x, y)), name).toBeGreaterThanOrEqual(size(common));
      },
    );
  },
  lawTimeout,
);
