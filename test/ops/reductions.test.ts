/** Laws of every reduction: options without an axis, and errors with the name of the called op. */
import { describe, expect, test } from "vitest";
import { linalg, ones, stdMean, type Tensor, tensor, varMean } from "../../src/index.ts";
import { tensorsIn } from "../support/op-results.ts";
import { exportedOps } from "../support/op-samples.ts";

type Call = (x: Tensor, ...args: unknown[]) => unknown;

const ops = exportedOps();
const opNamed = (name: string): Call => ops.get(name) as Call;
const named = (names: string): [string, Call][] => names.split(" ").map((name) => [name, opNamed(name)]);

const overAll: [string, Call][] = [
  ...named(
    "sum prod mean amax amin any all countNonzero logsumexp var std varMean stdMean vectorNorm argmax argmin aminmax max min nansum nanmean median nanmedian norm linalg.norm linalg.vectorNorm linalg.matrixNorm",
  ),
  ["quantile", (x, ...args) => opNamed("quantile")(x, 0.5, ...args)],
  ["nanquantile", (x, ...args) => opNamed("nanquantile")(x, 0.5, ...args)],
];

test.each(overAll)(
  "%s with keepdims and without an axis keeps axes of size 1, even on the meta device",
  (_name, call) => {
    for (const device of ["cpu", "meta"] as const) {
      const x = ones([2, 3], { device }) as Tensor;
      const results = tensorsIn(call(x, { keepdims: true }));
      expect(results.length).toBeGreaterThan(0);
      for (const t of results) expect([t.shape, t.device.type]).toEqual([[1, 1], device]);
      for (const t of tensorsIn(call(x, { keepdims: false }))) expect(t.shape).toEqual([]);
    }
  },
);

test("the median of all elements with keepdims is the median", () => {
  const x = tensor([
    [5, 1],
    [9, 3],
  ]);
  expect([x.median({ keepdims: true }).toArray(), x.median().item()]).toEqual([[[3]], 3]);
  const nothing = ones([0, 2]).median({ keepdims: true });
  expect([nothing.shape, nothing.toArray()]).toEqual([[1, 1], [[Number.NaN]]]);
  expect(() => (x as unknown as { median: Call }).median({ out: ones([]) } as never)).toThrow(
    "median: there is no option out without an axis",
  );
});

describe.each(["cpu", "meta"] as const)("on the %s device", (device) => {
  const complex = ones([2, 3], { dtype: "complex64", device }) as Tensor;

  test.each(named("amax amin argmax argmin aminmax max min median nanmedian mode cummax cummin sort argsort msort"))(
    "%s of complex numbers is refused in its name",
    (name, call) => {
      const along = name === "msort" ? () => call(complex) : () => call(complex, 1);
      expect(along).toThrow(new RegExp(`^${name}: `));
      if (!/^cum/.test(name)) expect(() => call(complex)).toThrow(new RegExp(`^${name}: `));
    },
  );

  test.each(named("amax amin argmax argmin aminmax max min median nanmedian mode"))(
    "%s of nothing is refused in its name",
    (name, call) => {
      const nothing = ones([2, 0], { device }) as Tensor;
      expect(() => call(nothing, 1)).toThrow(new RegExp(`^${name}: axis 1 must not be empty`));
      if (!name.endsWith("median"))
        expect(() => call(nothing)).toThrow(new RegExp(`^${name}: (?:the tensor is|axis 1 must not be) empty`));
    },
  );
});

test.each([
  ["norm", "x"],
  ["norm", Number.NaN],
  ["linalg.norm", "x"],
  ["linalg.vectorNorm", "x"],
  ["linalg.vectorNorm", "fro"],
  ["linalg.matrixNorm", "x"],
  ["linalg.matrixNorm", 3],
  ["linalg.norm", 3],
] as const)("%s refuses the order %s and tells which there are", (name, ord) => {
  for (const device of ["cpu", "meta"] as const)
    expect(() => opNamed(name)(ones([2, 2], { device }) as Tensor, ord)).toThrow(
      new RegExp(`^${name}: (?:Order ${ord} not supported. Must be one of|ord must be a number,) .*Infinity`),
    );
});

test("a norm of matrices is distinguished from an unknown one if there are vectors", () => {
  const v = ones([3]) as Tensor;
  expect(() => linalg.norm(v, "nuc")).toThrow("linalg.norm: nuc is a matrix norm, and one axis is a vector");
  expect(() => linalg.norm(v, "x" as never)).toThrow("linalg.norm: ord must be a number, Infinity or -Infinity, got x");
});

describe("the requested dtype", () => {
  const dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"] as const;

  test.each(named("sum prod nansum cumsum cumprod"))("%s has it, integers, too", (name, call) => {
    for (const from of dtypes)
      for (const dtype of dtypes)
        for (const device of ["cpu", "meta"] as const) {
          const x = ones([2, 3], { dtype: from, device }) as Tensor;
          for (const t of tensorsIn(call(x, 1, { dtype }))) expect([name, from, t.dtype]).toEqual([name, from, dtype]);
        }
  });

  test("sums and products are those of the elements in that dtype, wrapping around", () => {
    const x = tensor([100, 100, 100], { dtype: "int32" }) as Tensor;
    expect(opNamed("sum")(x, 0, { dtype: "int8" })).toMatchObject({ dtype: "int8" });
    expect(x.sum(0, { dtype: "int8" }).item()).toBe(44);
    expect(x.sum({ dtype: "uint8" }).item()).toBe(44);
    expect(x.prod(0, { dtype: "int16" }).item()).toBe(1_000_000 % 65536);
    expect(tensor([2, -2]).sum(0, { dtype: "bool" }).item()).toBe(true);
    expect(tensor([2, 0]).prod(0, { dtype: "bool" }).item()).toBe(false);
    expect(x.sum().dtype).toBe("int64");
  });
});

test("norms that do not exist for empty input throw", () => {
  const none = ones([0, 4]);
  for (const norm of [
    opNamed("vectorNorm"),
    (x: Tensor, axis: unknown, { ord }: { ord: number }) => linalg.norm(x, ord, axis as number),
  ] as Call[])
    for (const ord of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1])
      expect(() => norm(none, 0, { ord })).toThrow(/axis 0 must not be empty, got shape \[0, 4\]/);
  for (const ord of [0, 1, 2, 3])
    expect((opNamed("vectorNorm")(none, 0, { ord }) as Tensor).toArray()).toEqual([0, 0, 0, 0]);
  expect(linalg.vectorNorm(none, Number.POSITIVE_INFINITY, 1).shape).toEqual([0]);
});

test.each(["float32", "float64", "float16", "complex64"] as const)(
  "%s: an infinite mean, and a spread that is NaN",
  (dtype) => {
    for (const [list, mean] of [
      [[1, Infinity, 2], Infinity],
      [[1, -Infinity, 2], -Infinity],
      [[Infinity, -Infinity], Number.NaN],
      [[1, Number.NaN], Number.NaN],
    ] as const) {
      const x = tensor([...list], { dtype }) as Tensor;
      for (const [spread, average] of [varMean(x), stdMean(x)]) {
        expect(average.toArray()).toEqual(x.mean().toArray());
        expect(Number((average.toArray() as { re?: number }).re ?? average.toArray())).toBe(mean);
        expect(spread.item()).toBeNaN();
      }
    }
  },
);
