/** A symbolic result is correct for every value of its symbols, 1 included. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ExprError, LayoutError, OverflowError } from "../../src/base/errors.ts";
import { type Expr, evaluate as evaluateExpr, isExpr, sym } from "../../src/expr/index.ts";
import {
  coalesce,
  composition,
  crd2idx,
  formatLayout,
  type Int,
  type IntTuple,
  type Layout,
  leftInverse,
  logicalDivide,
  logicalProduct,
  makeLayout,
  rightInverse,
  zippedDivide,
} from "../../src/layout/index.ts";
import * as support from "../support/layouts.ts";
import { evaluate, lawCases, lawTimeout, sizeOf } from "../support/layouts.ts";

/** Each case tests five sets of values, so fewer cases suffice. */
const forAll: typeof support.forAll = (law, arbitraries, check) =>
  support.forAll(law, arbitraries, check, Math.ceil(lawCases / 5));

const n = sym("n", { min: 1 });
const m = sym("m", { min: 4, divisibleBy: 4 });

/** The numbers of a tuple for values of its symbols. */
function substitute(t: IntTuple, values: Readonly<Record<string, number>>): IntTuple {
  if (Array.isArray(t)) return t.map((mode) => substitute(mode as IntTuple, values));
  return isExpr(t) ? evaluateExpr(t as Expr, values) : Number(t);
}
const numeric = (layout: Layout, values: Readonly<Record<string, number>>): Layout =>
  makeLayout(substitute(layout.shape, values), substitute(layout.stride as IntTuple, values)) as Layout;

const sizes = fc.constantFrom<Int>(n, m, 2, 3, 4, 8, n.mul(2), m.floorDiv(2), n.mul(m));

/** Layouts over sizes that may be symbols: compact, or with a few arbitrary strides. */
const symbolicLayouts = (maxModes: number): fc.Arbitrary<Layout> =>
  fc
    .record({
      shape: fc.array(sizes, { minLength: 1, maxLength: maxModes }),
      strides: fc.array(fc.constantFrom<Int>(n, m, 1, 2, 4, n.mul(4), m.mul(n)), { minLength: 4, maxLength: 4 }),
      kind: fc.constantFrom("left", "left", "right", "own"),
    })
    .map(({ shape, strides, kind }) =>
      kind === "own"
        ? (makeLayout(shape, strides.slice(0, shape.length)) as Layout)
        : (makeLayout(shape, kind as "left" | "right") as Layout),
    );

const allValues = [
  { n: 1, m: 4 },
  { n: 2, m: 4 },
  { n: 3, m: 8 },
  { n: 4, m: 12 },
  { n: 5, m: 16 },
];

/** Only layout errors are allowed here: a fact may be missing. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof LayoutError || error instanceof OverflowError || error instanceof ExprError) return undefined;
    throw error;
  }
}

/** Compares a symbolic result with a definition, for all values whose domains can be listed. */
function compare(
  result: Layout,
  definition: (values: Readonly<Record<string, number>>, index: number) => number,
  name: string,
): void {
  for (const values of allValues) {
    const answer = numeric(result, values);
    const count = Math.min(sizeOf(answer), 400);
    for (let i = 0; i < count; i++)
      if (evaluate(answer, i) !== definition(values, i))
        expect.fail(
          `${name} = ${formatLayout(result)} at ${JSON.stringify(values)}, index ${i}: ${evaluate(answer, i)}, not ${definition(values, i)}`,
        );
  }
}

test(
  "coalesce, composition and products of symbolic layouts",
  () => {
    let answered = 0;
    forAll("symbolic algebra", [symbolicLayouts(3), symbolicLayouts(2)], (a, b) => {
      const [nameA, nameB] = [formatLayout(a), formatLayout(b)];
      compare(coalesce(a), (values, i) => evaluate(numeric(a, values), i), `coalesce(${nameA})`);
      const composed = attempt(() => composition(a, b));
      if (composed) {
        answered++;
        compare(
          composed,
          (values, i) => evaluate(numeric(a, values), evaluate(numeric(b, values), i)),
          `${nameA} o ${nameB}`,
        );
      }
      const product = attempt(() => logicalProduct(a, b));
      if (product)
        compare(
          product,
          (values, i) => {
            const block = numeric(a, values);
            const copies = (product.stride as readonly IntTuple[])[1] as IntTuple;
            const placed = numeric(
              makeLayout((product.shape as readonly IntTuple[])[1] as IntTuple, copies) as Layout,
              values,
            );
            return evaluate(block, i % sizeOf(block)) + evaluate(placed, Math.floor(i / sizeOf(block)));
          },
          `${nameA} over ${nameB}`,
        );
    });
    expect(answered).toBeGreaterThan(100);
  },
  lawTimeout,
);

test(
  "divides of symbolic layouts cover every element of A",
  () => {
    const tiles = fc.constantFrom<Int | Layout>(1, 2, 4, n, m, makeLayout(2, 2), makeLayout(4, n));
    forAll("symbolic divides", [symbolicLayouts(2), tiles], (a, tile) => {
      const divided = attempt(() => logicalDivide(a, tile));
      if (!divided) return;
      const name = `${formatLayout(a)} by ${String(tile)}`;
      for (const values of allValues) {
        const [whole, parts] = [numeric(a, values), numeric(divided, values)];
        if (sizeOf(parts) > 4000) continue;
        const reached = new Set(Array.from({ length: sizeOf(parts) }, (_unused, i) => evaluate(parts, i)));
        for (let i = 0; i < sizeOf(whole); i++)
          expect(reached.has(evaluate(whole, i)), `${name} at ${JSON.stringify(values)}`).toBe(true);
      }
    });
    expect(formatLayout(zippedDivide(makeLayout([m, n]), [4, n]))).toBe("((4,n),(m/4,1)):((_1,m),(4,m*n))");
  },
  lawTimeout,
);

test(
  "inverses of symbolic layouts",
  () => {
    forAll("symbolic inverses", [symbolicLayouts(3)], (layout) => {
      const [right, left] = [attempt(() => rightInverse(layout)), attempt(() => leftInverse(layout))];
      for (const values of allValues) {
        const forward = numeric(layout, values);
        const name = `${formatLayout(layout)} at ${JSON.stringify(values)}`;
        if (right) {
          const back = numeric(right, values);
          for (let i = 0; i < Math.min(sizeOf(back), 300); i++)
            expect(evaluate(forward, evaluate(back, i)), name).toBe(i);
        }
        if (left) {
          const back = numeric(left, values);
          for (let i = 0; i < Math.min(sizeOf(forward), 300); i++) {
            const offset = evaluate(forward, i);
            expect(evaluate(forward, evaluate(back, offset)), name).toBe(offset);
          }
        }
      }
    });
  },
  lawTimeout,
);

test(
  "offsets of symbolic coordinates",
  () => {
    const i = sym("i", { min: 0 });
    forAll("symbolic offsets", [symbolicLayouts(3)], (layout) => {
      const offset = attempt(() => crd2idx(i, layout.shape, layout.stride)) as Int | undefined;
      if (offset === undefined) return;
      for (const values of allValues)
        for (const at of [0, 1, 2, 5, 11])
          expect(substitute(offset, { ...values, i: at })).toBe(evaluate(numeric(layout, values), at));
    });
  },
  lawTimeout,
);
