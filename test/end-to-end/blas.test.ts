/**
 * `configure({ blas: "auto" })` as a user has it: if koffi and OpenBLAS are installed, products agree with those of
 * kernels except for the last bits; otherwise nothing changes and `features()` reports what is missing. The test notes
 * which of the two was tested.
 */
import { afterEach, expect, test, vi } from "vitest";
import { type Complex, configuration, configure, features, matmul, rand, sub, type Tensor } from "../../src/index.ts";
import { fakeKoffi } from "../support/fake-koffi.ts";

afterEach(() => {
  configure({ blas: "off" });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const missing =
  /^(koffi is not|koffi cannot|OpenBLAS is not installed|libopenblas\S+ cannot be used|OpenBLAS .* wrong)/;

/** The elements, the parts of complex ones apart. */
const numbersOf = (x: Tensor): number[] =>
  ([x.toArray()].flat(20) as (number | Complex)[]).flatMap((value) =>
    typeof value === "number" ? [value] : [value.re, value.im],
  );

test("with or without the library, configuration() and features() say which it is", async ({ annotate }) => {
  expect(features().blas).toBeUndefined();
  const { blas, report } = configure({ blas: "auto" });
  const { library, reason } = features().blas ?? { library: null, reason: "" };
  await annotate(library ?? `without BLAS: ${reason}`);
  expect(blas).toBe(library === null ? "off" : "auto");
  expect(report[3]).toBe(`blas: ${library ?? "off"}, ${reason}`);
  if (library === null) expect(reason).toMatch(missing);
  else expect(reason).toBe("its self-test passed");
  expect(features().blas?.why).toBe(reason);
  expect(configure({ blas: "off" }).report[3]).toBe("blas: off, not requested");
  expect(features().blas).toBeUndefined();
});

test.each([
  ["float32", 2 ** -23],
  ["float64", 2 ** -52],
  ["complex64", 2 ** -23],
  ["complex128", 2 ** -52],
] as const)("products of %s are the same with and without, but for last bits if there is a library", (dtype, bit) => {
  const k = 150;
  const x = sub(rand([2, 70, k]), 0.5).to(dtype);
  const y = sub(rand([90, k]), 0.5).to(dtype);
  const products = (): number[] =>
    [matmul(x, y.T), matmul(y, x.transpose(1, 2)), matmul(x.at(1), y.T.narrow(1, 0, 50))].flatMap(numbersOf);
  const expected = products();
  const isThere = configure({ blas: "auto" }).blas === "auto";
  const got = products();
  // Two sums of 2k products of at most 1/4 each (of real ones k), every step rounded by half a bit.
  const max = isThere ? 2 * ((2 * k * bit) / 2) * ((2 * k) / 4) : 0;
  expect(got.length).toBe(expected.length);
  expect(
    got.reduce((worst, value, i) => Math.max(worst, Math.abs(value - (expected[i] as number))), 0),
  ).toBeLessThanOrEqual(max);
});

test("STRIDEWISE_BLAS=auto holds from the first product on", async () => {
  const koffi = fakeKoffi();
  const original = process.getBuiltinModule;
  vi.spyOn(process, "getBuiltinModule").mockImplementation(((name: string) =>
    name === "module" ? { createRequire: () => () => koffi } : original(name as never)) as never);
  vi.stubEnv("STRIDEWISE_BLAS", "auto");
  vi.resetModules();
  const fresh = await import("../../src/index.ts");
  const [x, y] = [fresh.full([40, 50], 2), fresh.full([50, 60], 3)];
  const before = koffi.products;
  expect(fresh.matmul(x, y).at(39, 59).item()).toBe(300);
  expect(koffi.products - before).toBe(1);
  expect(fresh.configuration().blas).toBe("auto");
  await fresh.shutdown();
});

test("values other than auto and off throw", () => {
  const before = configuration();
  expect(() => configure({ blas: "on" as never })).toThrow('configure: blas must be "auto" or "off", got "on".');
  expect(configuration()).toBe(before);
});
