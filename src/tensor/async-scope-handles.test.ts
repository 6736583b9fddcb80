/** Scopes of asynchronous code where no asynchronous context exists, as in browsers: code after an await runs by the handle. */
import { memoryStatistics, ones, scope, type Tensor } from "stridewise";
import { expect, test, vi } from "vitest";

vi.mock("../base/host.ts", async (original) => ({
  ...(await original<object>()),
  builtinModule: () => undefined,
}));

test("interleaved scopes free the tensors of their handles, and of the part before the first await", async () => {
  const before = memoryStatistics().live;
  const work = (value: number): Promise<Tensor> =>
    scope.async(async (s) => {
      const a = ones([100]).mul(value);
      await new Promise((resolve) => setTimeout(resolve, value % 3));
      const b = s.run(() => a.add(1).mul(2));
      await null;
      return s.run(() => b.sum());
    });
  const results = await Promise.all(Array.from({ length: 20 }, (_, i) => work(i)));
  expect(results.map((t) => t.item())).toEqual(Array.from({ length: 20 }, (_, i) => (i + 1) * 200));
  for (const t of results) t.dispose();
  expect(memoryStatistics().live).toBe(before);
});
