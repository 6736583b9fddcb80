/** The engine's own function for collections, as Node has it: found when first wanted, without a flag that stays on. */
import { expect, test } from "vitest";
import { Collector, engineCollection } from "../../src/storage/collector.ts";

test("the engine's function collects, and no context gets it afterward", async () => {
  expect(engineCollection()).not.toBeNull();
  const seen: boolean[] = [];
  const collect = engineCollection() as () => void;
  const collector = new Collector({
    collectAfter: 1000,
    collect: () => {
      collect();
      return seen.push(true) > 0;
    },
  });
  for (let i = 0; i < 50 && collector.collections === 0; i++) {
    collector.endTurn(2000, false);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([collector.collections, seen]).toEqual([1, [true]]);
  expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
});
