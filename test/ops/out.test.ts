/**
 * `out`, tested on the samples of all ops: it receives the elements of a new tensor, the op returns it, and its version
 * increases by one, so that saved tensors notice one write. An op that does not take it throws, and an op that rejects
 * its arguments does not change it.
 */
import { expect, test } from "vitest";
import { StridewiseError } from "../../src/base/errors.ts";
import { arange, full, ones, Tensor, tensor } from "../../src/index.ts";
import * as ops from "../../src/ops/index.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, randomOps, samplesOf, withOption } from "../support/op-samples.ts";

/** Tensors like those of a result, in its form, with other elements. */
function likeResult(result: unknown): unknown {
  if (result instanceof Tensor) return result.clone().fill_(result.dtype === "bool" ? true : 77);
  if (typeof result !== "object" || result === null) return result;
  if (Array.isArray(result)) return result.map(likeResult);
  return Object.fromEntries(Object.entries(result).map(([key, value]) => [key, likeResult(value)]));
}

const cases = [...exportedOps()].flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample] as const));

test.each(cases)("%s(%s) writes to out once, or throws", (name, sample) => {
  const expected = callSample(name, sample);
  const out = likeResult(expected);
  const before = tensorsIn(out).map((t) => t.version);
  let result: unknown;
  try {
    result = callSample(name, withOption(sample, "out"), undefined, out);
  } catch (error) {
    expect(String(error)).toMatch(/there is no option out/);
    return;
  }
  expect(tensorsIn(out).map((t) => t.version)).toEqual(before.map((version) => version + 1));
  expect(tensorsIn(result).every((t, k) => t === tensorsIn(out)[k])).toBe(true);
  if (!randomOps.has(name)) expectClose(out, expected);
});

/** Dtypes that can represent the values of another. */
const wider: Readonly<Record<string, readonly DType[]>> = {
  bool: ["int64", "float32"],
  int32: ["int64", "float64"],
  int64: ["float64"],
  float32: ["float64", "complex64"],
  complex64: ["complex128"],
};

/** Tensors in the form of a result, of the k-th dtype that is wider than theirs. */
function widerThan(result: unknown, k: number): unknown {
  if (result instanceof Tensor) {
    const dtypes = wider[result.dtype] ?? [result.dtype];
    return (result.to(dtypes[k % dtypes.length] as DType, { copy: true }) as Tensor).fill_(77);
  }
  if (typeof result !== "object" || result === null) return result;
  return Object.fromEntries(Object.entries(result).map(([key, value]) => [key, widerThan(value, k)]));
}

test.each(cases)("%s(%s) converts for an out of a wider dtype, or throws", (name, sample) => {
  if (randomOps.has(name)) return;
  const expected = callSample(name, sample);
  if (Array.isArray(expected) || tensorsIn(expected).some((t) => t.size === 0)) return;
  // Twice, because the second call may be a cached one.
  for (const k of [0, 0, 1, 1]) {
    const out = widerThan(expected, k);
    try {
      callSample(name, withOption(sample, "out"), undefined, out);
    } catch (error) {
      expect(error).toBeInstanceOf(StridewiseError);
      continue;
    }
    const filled = tensorsIn(out);
    for (const [at, t] of tensorsIn(expected).entries()) expectClose((filled[at] as Tensor).to(t.dtype), t);
  }
});

/** Calls of ops that write to a part of a copy and throw for values that are only known at run time. */
const x = arange(3);
const index = tensor([0, 1, 9], { dtype: "int32" });
const src = ones([3]);
const refused: Readonly<Record<string, (out: Tensor) => unknown>> = {
  scatter: (out) => ops.scatter(x, 0, index, src, { out }),
  scatterAdd: (out) => ops.scatterAdd(x, 0, index, src, { out }),
  scatterReduce: (out) => ops.scatterReduce(x, 0, index, src, "mean", { out }),
  indexAdd: (out) => ops.indexAdd(x, 0, index, src, { out }),
  indexCopy: (out) => ops.indexCopy(x, 0, index, src, { out }),
  indexFill: (out) => ops.indexFill(x, 0, index, 5, { out }),
  indexReduce: (out) => ops.indexReduce(x, 0, index, src, "prod", { out }),
  indexPut: (out) => ops.indexPut(x, [index], src, { out }),
  "indexPut, values that do not fit": (out) => ops.indexPut(x, [tensor([0], { dtype: "int32" })], src, { out }),
  put: (out) => ops.put(x, index, src, { out }),
  maskedScatter: (out) => ops.maskedScatter(x, x.ge(0), ones([2]), { out }),
};

test.each(Object.entries(refused))("%s: an error leaves out unchanged", (_, call) => {
  for (const out of [full([3], -1), full([6], -1).slice(0, null, null, 2)] as Tensor[]) {
    const before = out.version;
    expect(() => call(out)).toThrow(StridewiseError);
    expect(out.toArray()).toEqual([-1, -1, -1]);
    expect(out.version).toBe(before);
  }
});

test("ops that write to a part of a copy fill an out of any layout", () => {
  const [good, mask] = [tensor([2, 0, 2], { dtype: "int32" }), tensor([true, false, true])];
  const calls: readonly ((options?: { out: Tensor }) => Tensor)[] = [
    (options) => ops.put(x, good, src, { accumulate: true, ...options }) as Tensor,
    (options) => ops.indexPut(x, [good], src, options) as Tensor,
    (options) => ops.indexPut(x, [mask], ones([2]), options) as Tensor,
    (options) => ops.maskedScatter(x, mask, src, options) as Tensor,
    (options) => ops.maskedScatter(x, x.lt(0), src, options) as Tensor,
  ];
  for (const call of calls) {
    const out = full([6], -1).slice(0, null, null, 2) as Tensor;
    expect(call({ out }).toArray()).toEqual(call().toArray());
  }
});
