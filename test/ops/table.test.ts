/**
 * Laws of every op, tested on its samples: the reference backend returns the same, the meta device knows shape and
 * dtype, layouts do not matter, a disposed tensor throws a named error, and arguments are unchanged.
 */
import { describe, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { empty, type Tensor } from "../../src/index.ts";
import { replaceBackend } from "../../src/kernel/backend.ts";
import { DisposedError } from "../../src/tensor/disposed.ts";
import { describeResult, expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, type Op, randomOps, samplesOf } from "../support/op-samples.ts";

/** Ops whose shapes depend on values: the meta device cannot know them. */
const dependent = new Set(
  "nonzero argwhere maskedSelect unique uniqueConsecutive bincount repeatInterleave equal arrayEqual allclose union1d intersect1d setdiff1d setxor1d trimZeros roots".split(
    " ",
  ),
);

const ops: (readonly [name: string, op: Op])[] = [...exportedOps()];
const cases = ops.flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample, op] as const));

/** The same elements with gaps between them, the axes in a different order in memory. */
function scattered(t: Tensor): Tensor {
  if (t.rank === 0) return t;
  const order = Array.from({ length: t.rank }, (_, axis) => t.rank - 1 - axis);
  const turned = t.permute(...order);
  const wide = empty([...turned.shape, 2], { dtype: t.dtype }) as Tensor;
  const view = wide.select(-1, 1) as Tensor;
  view.copy_(turned);
  return view.permute(...order) as Tensor;
}

const onMeta = (t: Tensor): Tensor => empty([...t.shape], { dtype: t.dtype, device: "meta" }) as Tensor;

test("every op has samples", () => {
  expect(ops.filter(([name, op]) => samplesOf(name, op).length === 0).map(([name]) => name)).toEqual([]);
});

describe.each(cases)("%s(%s)", (name, sample) => {
  const isRandom = randomOps.has(name);

  test("the reference backend returns the same", () => {
    const result = callSample(name, sample);
    const before = replaceBackend(referenceBackend());
    try {
      const expected = callSample(name, sample);
      expect(describeResult(result)).toEqual(describeResult(expected));
      if (!isRandom) expectClose(result, expected);
    } finally {
      replaceBackend(before);
    }
  });

  test("the layout of the arguments does not matter, and they are unchanged", () => {
    const copies: [Tensor, Tensor][] = [];
    const result = callSample(name, sample, (t) => {
      const other = scattered(t);
      copies.push([other, other.clone() as Tensor]);
      return other;
    });
    const expected = callSample(name, sample);
    expect(describeResult(result)).toEqual(describeResult(expected));
    if (!isRandom) expectClose(result, expected);
    for (const [after, before] of copies) expectClose(after, before);
  });

  test("the meta device knows shapes and dtypes", () => {
    if (dependent.has(name)) {
      expect(() => callSample(name, sample, onMeta)).toThrow(/meta/);
      return;
    }
    expect(describeResult(callSample(name, sample, onMeta))).toEqual(describeResult(callSample(name, sample)));
  });

  test("a disposed tensor throws", () => {
    let isFirst = true;
    const call = (): unknown =>
      callSample(name, sample, (t) => {
        if (!isFirst) return t;
        isFirst = false;
        t.dispose();
        return t;
      });
    if (tensorsIn(callSample(name, sample)).length >= 0) expect(call).toThrow(DisposedError);
  });
});
