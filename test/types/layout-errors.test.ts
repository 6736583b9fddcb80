/** The compiler reports wrong calls in a sentence similar to the error at run time. */
import { expect, test } from "vitest";
import { typeErrors } from "../support/type-errors.ts";

const sentences: readonly (readonly [call: string, parameter: string])[] = [
  ["makeLayout([4, 8], [1])", "makeLayout: shape and stride differ in nesting, (4,8) and (1)"],
  ["makeLayout([4, [2, 3]], [1, 2])", "makeLayout: shape and stride differ in nesting at mode 1, (2,3) and 2"],
  ["makeLayout([_4, n], [1, [n, 2]])", "makeLayout: shape and stride differ in nesting at mode 1, n and (n,2)"],
  ["modeOf(flat, 5)", "modeOf: there is no mode 5 in rank 2"],
  ["shapeOf(flat, 1, 2)", "shapeOf: there is no mode 1,2 in the integer 8"],
  ["take(flat, 1, 3)", "take: modes 1 to 3 (exclusive) are not a range of modes in rank 2"],
  ["select(flat, 0, 2)", "select: there is no mode 2 in rank 2"],
  ["slice([_, 0, 0], flat)", "slice: the coordinate has 3 modes, but the layout has 2"],
];

test("a wrong call has a helpful error", { timeout: 60_000 }, async () => {
  const imports =
    'import { _, _4, makeLayout, modeOf, select, shapeOf, slice, take } from "stridewise/layout"; declare const n: number;';
  const code = [imports, "const flat = makeLayout([4, 8]);", ...sentences.map(([call]) => `${call};`)].join("\n");
  const errors = await typeErrors(code);
  expect(errors.map((error) => error.replace(/TS2345: .*parameter of type '"(.*)"'\.$/, "$1"))).toEqual(
    sentences.map(([, sentence], i) => `${i + 3}: ${sentence}`),
  );
});

test("a hover shows shape and stride and nothing else", { timeout: 60_000 }, async () => {
  const shown = await typeErrors(
    'import { _8, makeLayout } from "stridewise/layout";\nexport const a: 0 = makeLayout([4, _8]);\nexport const b: 0 = _8;',
  );
  expect(shown).toEqual([
    "2: TS2322: Type 'Layout<readonly [4, Static<8>], readonly [Static<1>, 4]>' is not assignable to type '0'.",
    "3: TS2322: Type 'Static<8>' is not assignable to type '0'.",
  ]);
});
