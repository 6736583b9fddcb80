/**
 * Tensors of more than five axes, whose sizes and strides are in a layout instead of the object: every op, run on its
 * samples with axes added in front. Asking such a tensor whether it is contiguous caches the answer in its bits, which
 * must not change any result.
 */
import { describe, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { StridewiseError } from "../../src/base/errors.ts";
import { empty, ones, type Tensor } from "../../src/index.ts";
import { replaceBackend } from "../../src/kernel/backend.ts";
import { describeResult, expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, randomOps, samplesOf } from "../support/op-samples.ts";

/** Copies of the elements along a new first axis of size 2, followed by axes of size 1 up to this rank. */
function lifted(t: Tensor, rank: number): Tensor {
  const lead = Array.from({ length: rank - t.rank }, (_, axis) => (axis === 0 ? 2 : 1));
  return t.broadcastTo([...lead, ...t.shape]).clone("contiguous") as Tensor;
}

/** The same tensor after queries whose answers it caches. */
function withGrad(t: Tensor): Tensor {
  t.isContiguous();
  t.isNonOverlappingAndDense;
  t.contiguous();
  return t;
}

/** The same elements with gaps between them. */
function spaced(t: Tensor): Tensor {
  const wide = empty([...t.shape, 2], { dtype: t.dtype }) as Tensor;
  const view = wide.select(-1, 1) as Tensor;
  view.copy_(t);
  return withGrad(view);
}

type Outcome = { readonly result: unknown } | { readonly refusal: string };

/** The result, or the error of a call that does not take these shapes. */
function outcome(call: () => unknown): Outcome {
  try {
    return { result: call() };
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    return { refusal: error.message };
  }
}

function expectSame(actual: Outcome, expected: Outcome, isRandom = false): void {
  if (!("result" in expected) || !("result" in actual)) expect(actual).toEqual(expected);
  else {
    expect(describeResult(actual.result)).toEqual(describeResult(expected.result));
    if (!isRandom) expectClose(actual.result, expected.result);
  }
}

test("a sum of six axes after isContiguous", () => {
  const x = ones([2, 2, 2, 2, 2, 2]);
  x.add(1);
  expect(x.isContiguous()).toBe(true);
  expect(x.add(1).sum().item()).toBe(128);
  expect(() => x.add(withGrad(ones([2, 2, 2, 2, 2, 3]) as Tensor) as never)).toThrow(/must match the size/);
});

/** The gradients of the sum of all results, and of the sum of their squares: a second pass reaches the fast paths. */
function gradients(name: string, sample: string, change: (t: Tensor) => Tensor): Tensor[] {
  const leaves: Tensor[] = [];
  const result = callSample(name, sample, (t) => {
    const leaf = change(t);
    if (/float64|float32/.test(t.dtype)) leaves.push(leaf.requiresGrad_() as Tensor);
    return leaf;
  });
  const outputs = tensorsIn(result).filter((t) => t.requiresGrad && /float/.test(t.dtype));
  for (const each of [...outputs, ...outputs.map((t) => t.square() as Tensor)])
    each.sum().backward(null, { retainGraph: true });
  return leaves.flatMap((leaf) => leaf.grad ?? []);
}

/** Ops whose gradients are not compared: those of random results, and of vectors that are determined up to a sign. */
const withoutGradient = new Set([...randomOps, "linalg.svd", "linalg.eig", "linalg.eigh", "svd", "geqrf"]);

/** Each op once, not under its other names. */
const ops = [...new Map([...exportedOps()].map(([name, op]) => [op.operator, [name, op] as const])).values()];

/** Comparisons of results with those of the reference backend. */
const onReference: (() => void)[] = [];

describe.each(ops)("%s", (name, op) => {
  test("of 6 to 10 axes", () => {
    samplesOf(name, op)
      .slice(0, 2)
      .forEach((sample, k) => {
        const plain = (t: Tensor): Tensor => lifted(t, 6 + ((k + name.length) % 5));
        const expected = outcome(() => callSample(name, sample, plain));
        // Often enough that calls reach the fast paths of repeated ones.
        for (const after of [withGrad, spaced, withGrad])
          expectSame(
            outcome(() => callSample(name, sample, (t) => after(plain(t)))),
            expected,
            randomOps.has(name),
          );
        if (!("result" in expected) || randomOps.has(name)) return;
        if (!withoutGradient.has(name))
          expectSame(
            outcome(() => gradients(name, sample, (t) => withGrad(plain(t)))),
            outcome(() => gradients(name, sample, plain)),
          );
        if (op.operator.family === "elementwise") {
          const small = tensorsIn(callSample(name, sample));
          tensorsIn(expected.result).forEach((t, at) => {
            expectClose(t, lifted(small[at] as Tensor, t.rank));
          });
          return;
        }
        onReference.push(() => expectClose(callSample(name, sample, plain), expected.result));
      });
  });
});

// All at once, because every change of the backend drops the compiled kernels.
test("the reference backend returns the same", () => {
  expect(onReference.length).toBeGreaterThan(200);
  const before = replaceBackend(referenceBackend());
  try {
    for (const compare of onReference) compare();
  } finally {
    replaceBackend(before);
  }
});
