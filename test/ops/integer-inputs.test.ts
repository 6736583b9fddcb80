/**
 * Ops with float results convert integers first: an op on integers at the extremes of their dtype returns the same as
 * on these values as floats. Arithmetic in the integers' own dtype would wrap around. Ops that reject integers are
 * fine.
 */
import { describe, expect, test } from "vitest";
import { StridewiseError, type Tensor, tensor } from "../../src/index.ts";
import { type DType, dtypes } from "../../src/storage/dtype.ts";
import { tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, randomOps, samplesOf } from "../support/op-samples.ts";

const types = ["uint8", "int8", "int32", "bool"] as const;

/** Values at the extremes of an integer dtype, and small ones. */
function extremes(dtype: DType): number[] {
  if (dtype === "bool") return [1, 0, 1, 1];
  const bits = Math.min(52, 8 * dtypes[dtype].itemsize);
  const isSigned = !dtype.startsWith("u");
  const max = 2 ** (isSigned ? bits - 1 : bits) - 1;
  return [max, isSigned ? -max - 1 : max - 1, 1, Math.ceil(max / 2) + 3, 2, isSigned ? -2 : 3, 0];
}

/** A tensor of floats as integers of a dtype, or these integers as floats; index tensors are unchanged. */
function inPlaceOf(dtype: DType, to: DType): (t: Tensor) => Tensor {
  const values = extremes(dtype);
  let next = 0;
  return (t) => {
    if (dtypes[t.dtype].category !== "float") return t;
    const data = Array.from({ length: t.size }, () => values[next++ % values.length] as number);
    return (tensor(data, { dtype: "float64" }) as Tensor)
      .to(dtype)
      .to(to)
      .reshape(...(t.shape as number[])) as Tensor;
  };
}

const isFloat = (t: Tensor): boolean => dtypes[t.dtype].category === "float";
const flat = (t: Tensor): number[] => (t.to("float64").flatten() as Tensor).toArray() as number[];

/** True if elements are equal up to some roundings of the largest. */
function isNear(t: Tensor, other: Tensor): boolean {
  const [x, y] = [flat(t), flat(other)];
  const size = y.reduce((max, value) => (Number.isFinite(value) ? Math.max(max, Math.abs(value)) : max), 0);
  return y.every((expected, i) => {
    const value = x[i] as number;
    return (
      Object.is(value, expected) ||
      value === expected ||
      Math.abs(value - expected) <= 1e-5 * Math.max(Math.abs(expected), 1e-3 * size)
    );
  });
}

describe.each([...exportedOps()].filter(([name]) => !randomOps.has(name)))("%s", (name, op) => {
  const samples = samplesOf(name, op);
  test.each(samples.map((sample, k) => [k, sample]))("sample %i", (_, sample) => {
    const wrong: string[] = [];
    for (const dtype of types) {
      let found: Tensor[];
      try {
        found = tensorsIn(callSample(name, sample as string, inPlaceOf(dtype, dtype)));
      } catch (error) {
        if (!(error instanceof StridewiseError)) throw error;
        continue;
      }
      if (!found.some(isFloat)) continue;
      // In float64 where the op computes in it and rounds its results alone.
      const expected = (["float32", "float64"] as const).map((to) =>
        tensorsIn(callSample(name, sample as string, inPlaceOf(dtype, to))),
      );
      found.forEach((t, k) => {
        if (isFloat(t) && !expected.some((results) => isNear(t, results[k] as Tensor)))
          wrong.push(`${dtype}: ${t}, as floats ${expected[0]?.[k]}`);
      });
    }
    expect(wrong).toEqual([]);
  });
});
