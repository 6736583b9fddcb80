/** The cost of types is measured in counts that repeat exactly and grow with the work. */
import { expect, test } from "vitest";
import { typeCost } from "./type-cost.ts";

const preamble =
  "type Count<N extends number, T extends 0[] = []> = T['length'] extends N ? T : Count<N, [...T, 0]>;\nexport {};";

test("more work costs more instantiations, by the same count each time", { timeout: 60_000 }, async () => {
  const small = await typeCost(preamble, "export type A = Count<10>;");
  const large = await typeCost(preamble, "export type A = Count<40>;");
  expect(large).toBeGreaterThan(small);
  expect(await typeCost(preamble, "export type A = Count<40>;")).toBe(large);
});

test("code that does not compile throws", { timeout: 60_000 }, async () => {
  await expect(typeCost(preamble, "export const a: string = 1;")).rejects.toThrow("TS2322");
});
