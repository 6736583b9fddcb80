/**
 * The Jacobians of every op, on its samples: computed in one backward pass for all rows, by vmap, they equal those computed row by row. So the ops of
 * gradients are batched rightly, too.
 */
import { afterAll, describe, expect, test } from "vitest";
import { watchLoops } from "../../src/autograd/batching/loop.ts";
import * as stridewise from "../../src/index.ts";
import { dtypes } from "../../src/storage/dtype.ts";
import { expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, type Op, samplesOf } from "../support/op-samples.ts";

const { cat, jacobian, manualSeed, Tensor } = stridewise;
type Tensor = stridewise.Tensor;

const isFloat = (t: unknown): t is Tensor =>
  t instanceof Tensor && /float|complex/.test(dtypes[(t as Tensor).dtype].category);
const isComplex = (t: Tensor): boolean => dtypes[t.dtype].category === "complex";

/** A sample as a function of its float tensors, with all floats of its results in one row. */
function caseOf(op: Op, sample: string): { readonly fn: (...inputs: Tensor[]) => Tensor; readonly inputs: Tensor[] } {
  const args = callSample("Array.of", sample) as unknown[];
  const replaced = (arg: unknown, change: (t: Tensor) => Tensor): unknown => {
    if (isFloat(arg) && !isComplex(arg)) return change(arg);
    if (Array.isArray(arg)) return arg.map((each) => replaced(each, change));
    if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
    return Object.fromEntries(Object.entries(arg).map(([key, value]) => [key, replaced(value, change)]));
  };
  const inputs: Tensor[] = [];
  for (const arg of args)
    replaced(arg, (t) => {
      inputs.push(t.mul(0.9).to(t.dtype) as Tensor);
      return t;
    });
  const fn = (...tensors: Tensor[]): Tensor => {
    let next = 0;
    manualSeed(1);
    const result = op(...args.map((arg) => replaced(arg, () => tensors[next++] as Tensor)));
    const parts = tensorsIn(result).filter(isFloat);
    const reals = parts.flatMap((t) => (isComplex(t) ? [t.real, t.imag] : [t])) as Tensor[];
    return cat(
      reals.map((t) => t.reshape([-1]).to("float32") as Tensor),
      0,
    ) as Tensor;
  };
  return { fn, inputs };
}

/** The Jacobians, or null if the sample has none. */
function attempt(run: () => Tensor[]): Tensor[] | string {
  try {
    return run();
  } catch (error) {
    return (error as Error).message;
  }
}

const cases = [...exportedOps()].flatMap(([name, op]) =>
  samplesOf(name, op)
    .filter((sample) => caseOf(op, sample).inputs.length > 0)
    .map((sample) => [name, sample, op] as const),
);

const seen = new Set<string>();
watchLoops((name) => seen.add(name));
afterAll(() => watchLoops(null));
let compared = 0;

describe.each(cases)("%s(%s)", (_, sample, op) => {
  test("its Jacobian in one backward pass equals that row by row", () => {
    const { fn, inputs } = caseOf(op, sample);
    const rows = attempt(() => jacobian(fn, inputs));
    const all = attempt(() => jacobian(fn, inputs, { vectorize: true }));
    if (typeof rows === "string") expect(typeof all).toBe("string");
    else {
      compared++;
      expect(all).toBeInstanceOf(Array);
      expectClose(all, rows);
    }
  });
});

test("nearly all of them have a Jacobian", () => {
  console.log(`${compared} of ${cases.length} compared; sample after sample: ${[...seen].sort().join(" ")}`);
  expect(compared).toBeGreaterThan(0.8 * cases.length);
});
