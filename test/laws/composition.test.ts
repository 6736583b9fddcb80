/** Composition returns a correct layout if and only if one exists. */
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import {
  compatible,
  composition,
  formatLayout,
  isAdmissible,
  type Layout,
  makeLayout,
} from "../../src/layout/index.ts";
import { compositionExists, evaluate, forAll, lawTimeout, layouts, sizeOf } from "../support/layouts.ts";

/** Checks one pair; returns whether a composition exists. */
function checkComposition(a: Layout, b: Layout): boolean {
  const name = `${formatLayout(a)} o ${formatLayout(b)}`;
  let result: Layout;
  try {
    result = composition(a, b);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    expect(compositionExists(a, b), `${name} was refused (${error.message}), but an answer exists`).toBe(false);
    expect(isAdmissible(a, b)).toBe(false);
    return false;
  }
  expect(compatible(b.shape, result.shape), `${name} = ${formatLayout(result)} is not compatible with B`).toBe(true);
  for (let i = 0; i < sizeOf(b); i++)
    if (evaluate(result, i) !== evaluate(a, evaluate(b, i)))
      expect.fail(
        `${name} = ${formatLayout(result)} at ${i}: ${evaluate(result, i)}, but A(B(${i})) = ${evaluate(a, evaluate(b, i))}`,
      );
  return true;
}

test(
  "composition is right, and throws only if no layout has the values",
  () => {
    let answered = 0;
    forAll("composition", [layouts({ maxSize: 60 }), layouts({ maxSize: 30, maxModes: 3 })], (a, b) => {
      if (checkComposition(a, b)) answered++;
    });
    expect(answered).toBeGreaterThan(100);
  },
  lawTimeout,
);

test(
  "composition with negative strides on either side",
  () => {
    forAll(
      "negative",
      [layouts({ maxSize: 48, strides: "signed" }), layouts({ maxSize: 24, maxModes: 3, strides: "signed" })],
      checkComposition as never,
    );
  },
  lawTimeout,
);

test(
  "composition with an integral right side: every size and stride over small layouts",
  () => {
    forAll(
      "integral",
      [layouts({ maxSize: 40, maxModes: 3 })],
      (a) => {
        for (let n = 1; n <= 12; n++) for (let d = 0; d <= 9; d++) checkComposition(a, makeLayout(n, d));
      },
      Math.ceil(Number(process.env.LAW_CASES ?? 1500) / 100),
    );
  },
  lawTimeout,
);

test(
  "composition is associative if both sides exist",
  () => {
    const small = { maxSize: 24, maxModes: 3 };
    forAll("associative", [layouts(small), layouts(small), layouts(small)], (a, b, c) => {
      if (!isAdmissible(a, b) || !isAdmissible(b, c)) return;
      const ab = composition(a, b);
      const bc = composition(b, c);
      if (!isAdmissible(ab, c) || !isAdmissible(a, bc)) return;
      const left = composition(ab, c);
      const right = composition(a, bc);
      for (let i = 0; i < sizeOf(c); i++) {
        const inside = evaluate(c, i) < sizeOf(b);
        if (inside)
          expect(evaluate(left, i), `${formatLayout(a)} o ${formatLayout(b)} o ${formatLayout(c)}`).toBe(
            evaluate(right, i),
          );
      }
    });
  },
  lawTimeout,
);
