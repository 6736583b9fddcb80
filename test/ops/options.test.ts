/**
 * Unknown options of an op throw a named error, for every kind of op: a misspelled option is never ignored.
 */
import { describe, expect, test } from "vitest";
import {
  complex,
  conv2d,
  crossEntropy,
  indexAdd_,
  indexReduce_,
  logsumexp,
  nanmean,
  ones,
  StridewiseError,
  scatter_,
  sum,
  type Tensor,
  tensor,
  trace,
} from "../../src/index.ts";
import * as ops from "../../src/ops/index.ts";
import { callSample, exportedOps, samplesOf, withOption } from "../support/op-samples.ts";

const cases = [...exportedOps()].flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample] as const));

test.each(cases)("%s(%s) refuses an option that it does not know", (name, sample) => {
  expect(() => callSample(name, withOption(sample, "notAnOption: 1"))).toThrow(/there is no option notAnOption/);
});

type Call = (...args: unknown[]) => unknown;
const method =
  (t: Tensor, name: string): Call =>
  (...args) =>
    (t as unknown as Record<string, Call>)[name]!(...args);

describe("an unknown option", () => {
  test("is named, with those that there are and the one that was meant", () => {
    const call = conv2d as unknown as Call;
    expect(() => call(ones([1, 1, 3, 3]), ones([1, 1, 2, 2]), null, { paddng: 1 })).toThrow(
      new StridewiseError(
        "conv2d: there is no option paddng; the options are stride, padding, dilation, groups. Did you mean padding?",
      ),
    );
    expect(() => (trace as unknown as Call)(ones([2, 2]), { out: ones([]) })).toThrow(
      new StridewiseError("trace: there is no option out; it takes no options."),
    );
  });

  test.each([
    ["average", [ones([2])], "weights, keepdims"],
    ["unique", [ones([2])], "sorted, returnInverse, returnCounts, axis"],
    ["sort", [ones([2])], "descending, stable, out"],
    ["percentile", [ones([2]), 50], "keepdims, interpolation, out"],
  ] as const)("lists out only where it is taken: %s", (name, args, known) => {
    const call = (ops as unknown as Record<string, Call>)[name]!;
    expect(() => call(...args, { nosuch: 1 })).toThrow(`${name}: there is no option nosuch; the options are ${known}.`);
  });

  test("is refused before the other arguments are looked at", () => {
    expect(() => (crossEntropy as unknown as Call)(1, 2, { wieght: 1 })).toThrow(/Did you mean weight/);
    expect(() => (sum as unknown as Call)(1, { keepDims: true })).toThrow(/Did you mean keepdims/);
  });

  test("throws with undefined after it, and in methods", () => {
    expect(() => (sum as unknown as Call)(ones([2]), 0, { keepDims: true }, undefined)).toThrow(/no option keepDims;/);
    expect(() => method(ones([2, 2]) as Tensor, "cummax")(0, { keepdims: true })).toThrow(/no option keepdims/);
  });

  test.each([
    ["scatter_", scatter_, [0, tensor([0]), 1, { reducee: "add" }], "reduce"],
    ["indexAdd_", indexAdd_, [0, tensor([0]), tensor([1]), { alhpa: 1 }], "alpha"],
    ["indexReduce_", indexReduce_, [0, tensor([0]), tensor([1]), "prod", { includesSelf: true }], "includeSelf"],
  ] as const)("is refused by %s, which leaves the tensor as it was", (_name, op, args, meant) => {
    const t = tensor([5, 6]);
    expect(() => (op as unknown as Call)(t, ...args)).toThrow(`Did you mean ${meant}?`);
    expect(t.toArray()).toEqual([5, 6]);
  });
});

describe("other names of options", () => {
  const keeping = cases.filter(([name, sample]) => {
    const call = (option: string): unknown => callSample(name, withOption(sample, option));
    try {
      call("keepdims: true");
      return !/keepdims/.test(sample);
    } catch {
      return false;
    }
  });

  test("keepdim is keepdims, in every op that has it", () => {
    expect(new Set(keeping.map(([name]) => name)).size).toBeGreaterThan(40);
    for (const [name, sample] of keeping) {
      const [ours, torch] = ["keepdims: true", "keepdim: true"].map((option) =>
        callSample(name, withOption(sample, option)),
      );
      expect(JSON.stringify(torch), name).toBe(JSON.stringify(ours));
    }
  });

  const x = tensor([-7, 3, 0.5]) as Tensor;
  test.each([
    ["div", [x, 2], { roundingMode: "floor" }, { rounding: "floor" }],
    ["leakyRelu", [x], { negativeSlope: 0.5 }, { slope: 0.5 }],
    ["hardshrink", [x], { lambd: 4 }, { lambda: 4 }],
    ["softshrink", [x], { lambd: 1 }, { lambda: 1 }],
    ["hardtanh", [x], { minVal: -2, maxVal: 2 }, { min: -2, max: 2 }],
    ["pow", [x], { exponent: 2 }, { other: 2 }],
    ["addcmul", [x], { tensor1: x, tensor2: x }, { first: x, second: x }],
  ] as const)("%s takes PyTorch's names, and deprecated ones", (name, args, options, deprecated) => {
    const call = (ops as unknown as Record<string, Call>)[name]!;
    const [now, before] = [options, deprecated].map((last) => (call(...args, last) as Tensor).toArray());
    expect(before).toEqual(now);
    expect(now).not.toEqual(name === "pow" || name === "addcmul" ? x.toArray() : (call(...args) as Tensor).toArray());
  });

  test("one option under two names is refused, and so is a name of another op", () => {
    const both = { keepdims: true, keepdim: true };
    expect(() => (sum as unknown as Call)(x, 0, both)).toThrow(
      "sum: keepdim is another name of keepdims. Pass one of them",
    );
    expect(() => (sum as unknown as Call)(x, 0, { rounding: "floor" })).toThrow("sum: there is no option rounding");
    expect(() => method(x, "div")(2, { roundingMode: "floor", rounding: "trunc" })).toThrow(
      "div: rounding is another name",
    );
  });
});

describe("out", () => {
  const x = tensor([
    [1, 5, Number.NaN],
    [7, 2, 4],
  ]);

  test("of nanmean holds the mean, and not the number of elements", () => {
    const out = ones([2]) as Tensor;
    expect(nanmean(x, 1, { out })).toBe(out);
    expect(out.toArray()).toEqual([3, 13 / 3].map(Math.fround));
  });

  test("of logsumexp is filled for complex numbers, too", () => {
    const z = tensor([[complex(1, 2), complex(3, -1)]]);
    for (const keepdims of [false, true]) {
      const expected = logsumexp(z, 1, { keepdims }) as Tensor;
      const out = expected.clone().fill_(9);
      expect(logsumexp(z, 1, { keepdims, out })).toBe(out);
      expect(out.toArray()).toEqual(expected.toArray());
    }
  });

  test("of an extreme with places has both by name, in any order", () => {
    const first = x.narrow(1, 0, 2);
    for (const name of ["max", "cummax"]) {
      const expected = method(first as unknown as Tensor, name)(1) as Record<"values" | "indices", Tensor>;
      const out = { indices: expected.indices.clone().fill_(9), values: expected.values.clone().fill_(9) };
      method(first as unknown as Tensor, name)(1, { out });
      expect([out.values.toArray(), out.indices.toArray()]).toEqual([
        expected.values.toArray(),
        expected.indices.toArray(),
      ]);
    }
  });

  test("of max of two tensors holds the larger elements", () => {
    const out = ones([2]) as Tensor;
    expect(tensor([1, 4]).max(tensor([3, 2]), { out })).toBe(out);
    expect(out.toArray()).toEqual([3, 4]);
  });
});
