/**
 * Windows against their definitions, and errors.
 */
import { describe, expect, test } from "vitest";
import { DTypeError } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import * as windows from "./windows.ts";

type Make = (length: number, options?: object) => Tensor;
const { generalCosine, ...rest } = windows;
const all = {
  ...rest,
  generalCosine: (length: number, options: object = {}) => generalCosine(length, { a: [0.5, 0.4, 0.1], ...options }),
} as unknown as Readonly<Record<string, Make>>;
const valuesOf = (t: Tensor): number[] => t.toArray() as number[];

describe.each(Object.entries(all))("%s", (_name, make) => {
  const double = { dtype: "float64" } as const;
  test("is symmetric, largest in the middle", () => {
    for (const length of [2, 5, 8]) {
      const weights = valuesOf(make(length, double));
      for (let k = 0; k < length; k++) expect(weights[k]).toBeCloseTo(weights[length - 1 - k] as number, 13);
      if (length === 5) expect(Math.max(...weights)).toBe(weights[2]);
    }
  });
  test("without symmetry is the start of a window that is longer by 1", () => {
    const weights = valuesOf(make(6, { ...double, sym: false }));
    for (const [k, weight] of valuesOf(make(7, double)).slice(0, 6).entries())
      expect(weights[k]).toBeCloseTo(weight, 13);
  });
  test("has no weights, or the weight 1", () => {
    expect(valuesOf(make(0))).toEqual([]);
    for (const sym of [true, false]) expect(valuesOf(make(1, { sym }))).toEqual([1]);
  });
  test("is float32 by default, and throws for other dtypes and lengths", () => {
    expect(make(3).dtype).toBe("float32");
    expect(() => make(3, { dtype: "int64" })).toThrow(DTypeError);
    expect(() => make(3, { dtype: "int64" })).toThrow(
      "dtype must be float32 or float64, got int64. Convert the window: to(...)",
    );
    expect(() => make(-1)).toThrow("length must be a non-negative integer, got -1");
    expect(() => make(3, { symmetric: true })).toThrow("symmetric");
  });
});

test.each([
  ["bartlett", {}, [0, 0.5, 1, 0.5, 0]],
  ["hann", {}, [0, 0.5, 1, 0.5, 0]],
  ["hamming", {}, [0.08, 0.54, 1, 0.54, 0.08]],
  ["blackman", {}, [0, 0.34, 1, 0.34, 0]],
  ["nuttall", {}, [0.0003628, 0.2269824, 1, 0.2269824, 0.0003628]],
  ["cosine", {}, [0.3090169943749474, 0.8090169943749475, 1, 0.8090169943749475, 0.3090169943749474]],
  ["exponential", { tau: 2 }, [Math.exp(-1), Math.exp(-0.5), 1, Math.exp(-0.5), Math.exp(-1)]],
  ["exponential", { sym: false, center: 0 }, [1, Math.exp(-1), Math.exp(-2), Math.exp(-3), Math.exp(-4)]],
  ["gaussian", { std: 2 }, [Math.exp(-0.5), Math.exp(-0.125), 1, Math.exp(-0.125), Math.exp(-0.5)]],
  ["generalHamming", { alpha: 0.75 }, [0.5, 0.75, 1, 0.75, 0.5]],
  ["kaiser", { beta: 0 }, [1, 1, 1, 1, 1]],
])("%s with %j of 5 weights is known", (name, options, exact) => {
  const weights = valuesOf((all[name] as Make)(5, { dtype: "float64", ...options }));
  for (const [k, value] of exact.entries()) expect(weights[k]).toBeCloseTo(value, 12);
});

test("kaiser has PyTorch's values", () => {
  const weights = valuesOf(all.kaiser?.(4, { dtype: "float64" }) as Tensor);
  expect(weights[0]).toBeCloseTo(5.2773441320097665e-5, 16);
  expect(weights[1]).toBeCloseTo(0.5188447216723614, 14);
});

test("parameters are checked", () => {
  expect(() => windows.exponential(3, { tau: 0 })).toThrow("tau must be positive, got 0");
  expect(() => windows.exponential(3, { center: 1 })).toThrow(
    "symmetric windows have no center, got 1. Omit it, or set sym: false",
  );
  expect(() => windows.gaussian(3, { std: -1 })).toThrow("std must be positive, got -1");
  expect(() => windows.kaiser(3, { beta: -1 })).toThrow("beta must be non-negative, got -1");
  expect(() => windows.generalCosine(3, { a: [] })).toThrow(
    "takes a list of coefficients, [0.54, 0.46], got an empty one",
  );
  expect(() => windows.generalCosine(3, { a: null as never })).toThrow(
    "takes a list of coefficients, [0.54, 0.46], got null",
  );
});
