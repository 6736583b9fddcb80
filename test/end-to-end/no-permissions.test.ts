/**
 * A platform that denies access to environment variables, like Deno without --allow-env: the library starts and
 * computes with its defaults.
 */
import { afterAll, expect, test, vi } from "vitest";

const requested: string[] = [];
const env = new Proxy(
  {},
  {
    get: (_, name) => {
      requested.push(String(name));
      throw new Error(`Requires env access to "${String(name)}", run again with the --allow-env flag`);
    },
  },
);
vi.stubGlobal("process", Object.create(process, { env: { value: env } }));
vi.resetModules();
afterAll(() => {
  vi.unstubAllGlobals();
});
const s: typeof import("../../src/index.ts") = await import("../../src/index.ts");
const { Linear }: typeof import("../../src/nn/index.ts") = await import("../../src/nn/index.ts");

test("tensors, products, gradients and layers work where the environment may not be read", () => {
  const a = s.arange(6).view(2, 3);
  expect(s.matmul(a, a.T).toArray()).toEqual([
    [5, 14],
    [14, 50],
  ]);
  const x = s.tensor([1, 2, 3], { requiresGrad: true });
  x.square().sum().backward();
  expect(x.grad?.toArray()).toEqual([2, 4, 6]);
  expect(new Linear(3, 2).forward(s.ones([4, 3])).shape).toEqual([4, 2]);
  a.dispose();
  expect(() => a.add(1)).toThrow("was disposed by dispose()");
  expect(s.configuration().threads).toBeGreaterThan(0);
  expect(s.configure({ revectorize: false }).report.length).toBeGreaterThan(0);
});

test("it was asked", () => {
  expect(requested).toEqual(expect.arrayContaining(["NODE_ENV", "STRIDEWISE_THREADS"]));
});
