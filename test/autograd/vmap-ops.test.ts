/**
 * vmap of every op, tried on its samples: three variations of the tensors, mapped over, give what the op gives for each of them. All
 * tensors are mapped over, then only the first, then only the last.
 *
 * Ops that go sample after sample, for want of a batching rule, are in `looped`; the list is printed, and an op that has a rule by now is
 * not allowed there.
 */
import { afterAll, describe, expect, test } from "vitest";
import { watchLoops } from "../../src/autograd/batching/loop.ts";
import * as stridewise from "../../src/index.ts";
import { dtypes } from "../../src/storage/dtype.ts";
import { describeResult, expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, type Op, randomOps, samplesOf } from "../support/op-samples.ts";

const { Tensor, manualSeed, stack, vmap, VmapError } = stridewise;
type Tensor = stridewise.Tensor;

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Ops that some sample of theirs brings to go sample after sample. */
const looped = names(`
  asStridedScatter blockDiag bucketize histc histogram histogramdd isin maskedScatter nonzeroStatic put quantile
  indexAdd indexCopy indexFill indexPut indexReduce
  allclose argwhere average bincount digitize equal maskedSelect nanargmax nanargmin nonzero percentile repeatInterleave.indices unique uniqueConsecutive
  intersect1d ravelMultiIndex roots searchsorted setdiff1d setxor1d trimZeros union1d
`);

/** Ops whose results have shapes that depend on the elements, or that are not tensors. */
const refused = names(`
  nonzero argwhere maskedSelect unique uniqueConsecutive bincount repeatInterleave equal arrayEqual allclose
  intersect1d setdiff1d setxor1d union1d
`);

const isFloat = (t: Tensor): boolean => /float|complex/.test(dtypes[t.dtype].category);
const scaled = (t: Tensor, factor: number): Tensor => (isFloat(t) ? (t.mul(factor).to(t.dtype) as Tensor) : t);
const turned = (t: Tensor): Tensor => (t.rank === 0 ? t : (stridewise.flip(t, -1) as Tensor));

type Call = (...tensors: Tensor[]) => unknown;

/** A sample as a function of its tensors. */
function caseOf(op: Op, sample: string): { readonly fn: Call; readonly tensors: readonly Tensor[] } {
  const args = callSample("Array.of", sample) as unknown[];
  const replaced = (arg: unknown, change: (t: Tensor) => Tensor): unknown => {
    if (arg instanceof Tensor) return change(arg);
    if (Array.isArray(arg)) return arg.map((each) => replaced(each, change));
    if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
    return Object.fromEntries(Object.entries(arg).map(([key, value]) => [key, replaced(value, change)]));
  };
  const tensors: Tensor[] = [];
  for (const arg of args)
    replaced(arg, (t) => {
      tensors.push(t);
      return t;
    });
  const fn: Call = (...replacements) => {
    let next = 0;
    return op(...args.map((arg) => replaced(arg, () => replacements[next++] as Tensor)));
  };
  return { fn, tensors };
}

/** Three variations of all tensors that the op takes; the third has its elements the other way round, if the op takes that. */
function variationsOf(fn: Call, tensors: readonly Tensor[], mapped: (k: number) => boolean): Tensor[][] {
  const vary = (change: (t: Tensor) => Tensor): Tensor[] => tensors.map((t, k) => (mapped(k) ? change(t) : t));
  const other = vary(turned);
  let isTaken = true;
  try {
    fn(...other);
  } catch {
    isTaken = false;
  }
  return [vary((t) => t), vary((t) => scaled(t, 0.9)), isTaken ? other : vary((t) => scaled(t, 0.95))];
}

/** Results side by side. */
function beside(results: readonly unknown[]): unknown {
  const [first] = results;
  if (first instanceof Tensor) return stack(results as Tensor[]);
  if (Array.isArray(first)) return first.map((_, k) => beside(results.map((each) => (each as unknown[])[k])));
  return Object.fromEntries(
    Object.keys(first as object).map((key) => [
      key,
      beside(results.map((each) => (each as Record<string, unknown>)[key])),
    ]),
  );
}

const cases = [...exportedOps()].flatMap(([name, op]) =>
  samplesOf(name, op).map((sample) => [name, sample, op] as const),
);

const seen = new Set<string>();
watchLoops((name) => seen.add(name));
afterAll(() => watchLoops(null));

describe.each(cases)("%s(%s)", (name, sample, op) => {
  const { fn, tensors } = caseOf(op, sample);
  const isRandom = randomOps.has(name);
  const ways: (readonly [string, (k: number) => boolean])[] = [["all tensors", () => true]];
  if (tensors.length > 1) ways.push(["the first", (k) => k === 0], ["the last", (k) => k === tensors.length - 1]);

  test.each(ways)("mapped over %s, it returns the result for each sample", (_, mapped) => {
    const variations = variationsOf(fn, tensors, mapped);
    const inputs = tensors.map((t, k) =>
      mapped(k) ? (stack(variations.map((each) => each[k] as Tensor)) as Tensor) : t,
    );
    const inAxes = tensors.map((_t, k) => (mapped(k) ? 0 : null));
    const run = (): unknown => vmap(fn, { inAxes, randomness: "different" })(...inputs);
    manualSeed(1);
    let expected: unknown;
    try {
      expected = beside(variations.map((each) => fn(...each)));
    } catch {
      expected = null;
    }
    if (expected === null || tensorsIn(expected).length === 0) {
      expect(refused.has(name)).toBe(true);
      expect(run).toThrow(VmapError);
      return;
    }
    manualSeed(1);
    const result = run();
    expect(describeResult(result)).toEqual(describeResult(expected));
    if (!isRandom) expectClose(result, expected);
  });
});

test("the ops that go sample after sample are known", () => {
  console.log(`sample after sample, ${seen.size}: ${[...seen].sort().join(" ")}`);
  expect([...seen].sort()).toEqual([...looped].sort());
});
