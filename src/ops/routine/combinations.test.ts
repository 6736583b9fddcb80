/** Combinations against a recursive definition. */
import { expect, test } from "vitest";
import { combinationCount, combinations } from "./combinations.ts";

function defined(n: number, r: number, from: number, gap: number): number[][] {
  if (r === 0) return [[]];
  const all: number[][] = [];
  for (let i = from; i < n; i++) for (const rest of defined(n, r - 1, i + gap, gap)) all.push([i, ...rest]);
  return all;
}

test("combinations are all ascending choices of r of n, in order, and combinationCount is their number", () => {
  for (let n = 0; n <= 6; n++)
    for (let r = 0; r <= 5; r++)
      for (const withReplacement of [false, true]) {
        const expected = defined(n, r, 0, withReplacement ? 0 : 1);
        expect(combinationCount(n, r, withReplacement), `${n} ${r}`).toBe(expected.length);
        expect([...combinations(n, r, withReplacement)], `${n} ${r}`).toEqual(expected.flat());
      }
});
