/** Inverses undo a layout, and have the maximum size. */
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  areDisjoint,
  formatLayout,
  isBijective,
  isCompact,
  isInjective,
  type Layout,
  leftInverse,
  maxCommonLayout,
  maxCommonVector,
  nullspace,
  rightInverse,
} from "../../src/layout/index.ts";
import { evaluate, flat, forAll, imageOf, inverseExists, lawTimeout, layouts, sizeOf } from "../support/layouts.ts";

const isOneToOne = (image: readonly number[]): boolean => new Set(image).size === image.length;

function moving(layout: Layout): { size: number; stride: number }[] {
  const strides = flat(layout.stride as never);
  return flat(layout.shape)
    .map((size, i) => ({ size, stride: strides[i] as number }))
    .filter((mode) => mode.size > 1 && mode.stride !== 0);
}

test(
  "right inverse: L(R(i)) = i, and no larger one exists when the moving modes are injective from 0 up",
  () => {
    forAll("right inverse", [layouts({ maxSize: 48, strides: "signed" })], (layout) => {
      const result = rightInverse(layout);
      const name = `rightInverse(${formatLayout(layout)}) = ${formatLayout(result)}`;
      for (let i = 0; i < sizeOf(result); i++) expect(evaluate(layout, evaluate(result, i)), name).toBe(i);
      const image = new Set(imageOf(layout));
      let run = 0;
      while (image.has(run)) run++;
      const modes = moving(layout);
      const injective = image.size === modes.reduce((n, mode) => n * mode.size, 1);
      if (injective && modes.every((mode) => mode.stride > 0)) expect(sizeOf(result), name).toBe(run);
    });
  },
  lawTimeout,
);

/** The indices that a left inverse must return: those with 0 in every mode of stride 0. */
function movingPoints(layout: Layout): [offset: number, index: number][] {
  const sizes = flat(layout.shape);
  const strides = flat(layout.stride as never);
  return imageOf(layout).flatMap((offset, index): [number, number][] => {
    let rest = index;
    const isPlain = sizes.every((size, k) => {
      const digit = rest % size;
      rest = Math.floor(rest / size);
      return digit === 0 || strides[k] !== 0;
    });
    return isPlain ? [[offset, index]] : [];
  });
}

test(
  "left inverse: L(R(L(i))) = L(i), R(L(i)) = i if injective, and throws only if no such layout exists",
  () => {
    let answered = 0;
    let refused = 0;
    forAll("left inverse", [layouts({ maxSize: 36, strides: "signed" })], (layout) => {
      const name = `leftInverse(${formatLayout(layout)})`;
      const image = imageOf(layout);
      const points = movingPoints(layout);
      const injective = isOneToOne(points.map(([offset]) => offset));
      let result: Layout;
      try {
        result = leftInverse(layout);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        refused++;
        const span = Math.max(...image.map(Math.abs));
        if (injective && span < 100) expect(inverseExists(points), `${name} was refused: ${error.message}`).toBe(false);
        return;
      }
      answered++;
      for (const offset of image)
        expect(evaluate(layout, evaluate(result, offset)), `${name} = ${formatLayout(result)}`).toBe(offset);
      if (injective)
        for (const [offset, index] of points)
          expect(evaluate(result, offset), `${name} = ${formatLayout(result)}`).toBe(index);
    });
    expect(answered).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(10);
  },
  lawTimeout,
);

test(
  "nullspace: L(K(i)) = 0, as many as there are repetitions",
  () => {
    forAll("nullspace", [layouts({ maxSize: 48 })], (layout) => {
      const kernel = nullspace(layout);
      for (let i = 0; i < sizeOf(kernel); i++) expect(evaluate(layout, evaluate(kernel, i))).toBe(0);
      expect(isOneToOne(imageOf(kernel))).toBe(true);
      expect(sizeOf(kernel)).toBe(sizeOf(layout) / moving(layout).reduce((n, mode) => n * mode.size, 1));
    });
  },
  lawTimeout,
);

test(
  "common vector: its elements are contiguous in both layouts",
  () => {
    forAll("common vector", [layouts({ maxSize: 24 }), layouts({ maxSize: 24 })], (a, b) => {
      const common = maxCommonLayout(a, b);
      for (let i = 0; i < sizeOf(common); i++) {
        expect(evaluate(a, evaluate(common, i))).toBe(i);
        expect(evaluate(b, evaluate(common, i))).toBe(i);
      }
      expect(Number(maxCommonVector(a, b))).toBe(sizeOf(common));
    });
  },
  lawTimeout,
);

test(
  "predicates agree with their definitions",
  () => {
    forAll("predicates", [layouts({ maxSize: 48, strides: "signed" }), layouts({ maxSize: 12 })], (layout, other) => {
      const image = imageOf(layout);
      const span = flat(layout.shape).reduce(
        (sum, size, i) => sum + (size - 1) * Math.abs(flat(layout.stride as never)[i] as number),
        1,
      );
      const covers =
        Array.from({ length: span }, (_unused, x) => x).every((x) => image.includes(x)) && image.every((x) => x >= 0);
      expect(isInjective(layout), formatLayout(layout)).toBe(isOneToOne(image));
      expect(isCompact(layout), formatLayout(layout)).toBe(covers);
      expect(isBijective(layout), formatLayout(layout)).toBe(covers && isOneToOne(image));
      const otherImage = new Set(imageOf(other));
      expect(areDisjoint(layout, other)).toBe(image.every((x) => x === 0 || !otherImage.has(x)));
    });
  },
  lawTimeout,
);
