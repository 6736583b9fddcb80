/**
 * Memory of ops, tried on the samples of all of them: when the arguments and the results are disposed, as many bytes are live as before the
 * call, without the help of garbage collection. In every form of a call: with operands in the heap and outside of it, in-place, with `out`,
 * and where the call throws.
 */
import { describe, expect, test, vi } from "vitest";
import { StridewiseError } from "../../src/base/errors.ts";
import { fromBuffer, memoryStatistics, onesLike, scope, Tensor } from "../../src/index.ts";
import { tensorsIn } from "../support/op-results.ts";
import {
  argumentsOf,
  distinctSamples,
  exportedOps,
  inPlaceForm,
  mapTensors,
  type Op,
  withOut,
} from "../support/op-samples.ts";

vi.setConfig({ testTimeout: 120_000 });

const live = (): number => memoryStatistics().live;

/** The same elements in a buffer of the user's. */
function outside(t: Tensor): Tensor {
  const bytes = new Uint8Array(Math.max(8, t.size * t.itemsize));
  const wrapped = fromBuffer(bytes.buffer, { dtype: t.dtype, shape: [...t.shape] }) as Tensor;
  return wrapped.copy_(t);
}

type Call = (op: Op, args: unknown[]) => unknown;

/** Tensors like the results of a call, as `out`. */
function outFor(op: Op, args: unknown[]): unknown {
  return scope(() => mapTensors(op(...args), (t) => t.clone() as Tensor));
}

const forms: Readonly<Record<string, Call>> = {
  plain: (op, args) => op(...args),
  "outside of the heap": (op, args) => op(...args),
  "first operand outside": (op, args) => op(...args),
  "in-place": (op, args) => {
    const inPlace = inPlaceForm(op.operator.name, op);
    return args[0] instanceof Tensor ? inPlace?.(args[0], args.slice(1)) : null;
  },
  "with out": (op, args) => {
    const out = outFor(op, args);
    try {
      return op(...withOut(args, out));
    } finally {
      for (const t of tensorsIn(out)) t.dispose();
    }
  },
  "with an out of a different shape": (op, args) => {
    const out = scope(() => mapTensors(outFor(op, args), (t) => t.unsqueeze(0).clone() as Tensor));
    try {
      return op(...withOut(args, out));
    } finally {
      for (const t of tensorsIn(out)) t.dispose();
    }
  },
};

/** Bytes that are left after a call; `change` may put other arguments in the place of those of the sample. */
function leftBy(form: string, sample: string, op: Op, change = (args: unknown[]): unknown[] => args): number {
  const before = live();
  const args = scope(() => change(argumentsOf(sample)));
  let passed: unknown[] = args;
  if (form.endsWith("heap")) passed = args.map((arg) => mapTensors(arg, outside));
  if (form.startsWith("first")) passed = args.map((arg, k) => (k === 0 ? mapTensors(arg, outside) : arg));
  try {
    const result = (forms[form] as Call)(op, passed);
    for (const t of tensorsIn(result)) t.dispose();
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw new Error(`${op.operator.name}(${sample})`, { cause: error });
  }
  for (const t of [...tensorsIn(args), ...tensorsIn(passed)]) t.dispose();
  return live() - before;
}

const cases = [...exportedOps()].flatMap(([name, op]) =>
  distinctSamples(name, op).map((sample) => [name, sample, op] as const),
);

/** One sample of each op. */
const firstCases = cases.filter(([name], k) => cases[k - 1]?.[0] !== name);

describe.each(Object.keys(forms))("%s", (form) => {
  test("no bytes are left", () => {
    const leaks: string[] = [];
    for (const [name, sample, op] of cases) {
      // The first call may keep something for all later ones.
      leftBy(form, sample, op);
      const bytes = leftBy(form, sample, op);
      if (bytes !== 0) leaks.push(`${name}(${sample}): ${bytes}`);
    }
    expect(leaks).toEqual([]);
  });
});

/** Values that ops refuse in some places. */
const odd: readonly unknown[] = [null, -9, 1.5, Number.NaN, "?", [], { nothing: 1 }];

test("calls with an argument that is refused leave no bytes", () => {
  const leaks: string[] = [];
  for (const [name, sample, op] of firstCases) {
    const count = scope(() => argumentsOf(sample).length);
    for (let k = 0; k < count; k++)
      for (const value of odd) {
        const bytes = leftBy("plain", sample, op, (args) => args.with(k, value));
        if (bytes !== 0) leaks.push(`${name}(${sample}), argument ${k} ${String(value)}: ${bytes}`);
      }
  }
  expect(leaks).toEqual([]);
});

test("calls with one tensor of a different shape, dtype or values leave no bytes", () => {
  const changes: readonly ((t: Tensor) => Tensor)[] = [
    (t) => t.unsqueeze(0) as Tensor,
    (t) => t.to("complex64") as Tensor,
    (t) => t.clone().fill_(t.dtype === "bool" ? false : 99) as Tensor,
    (t) => t.narrow(0, 0, Math.max(0, (t.shape[0] as number) - 1)) as Tensor,
  ];
  const leaks: string[] = [];
  for (const [name, sample, op] of firstCases) {
    const count = scope(() => tensorsIn(argumentsOf(sample)).length);
    for (let k = 0; k < count; k++)
      for (const [which, change] of changes.entries()) {
        let at = 0;
        const changed = (t: Tensor): Tensor => (at++ === k && t.rank > 0 ? change(t) : t);
        const bytes = leftBy("plain", sample, op, (args) => args.map((arg) => mapTensors(arg, changed)));
        if (bytes !== 0) leaks.push(`${name}(${sample}), tensor ${k}, change ${which}: ${bytes}`);
      }
  }
  expect(leaks).toEqual([]);
});

/** Bytes that a backward pass leaves, its gradients disposed. What the forward pass has recorded is not its own. */
function leftByBackward(sample: string, op: Op): number {
  const leaf = (t: Tensor): Tensor =>
    t.dtype.startsWith("float") ? (t.clone().detach().requiresGrad_() as Tensor) : t;
  const args = scope(() => argumentsOf(sample).map((arg) => mapTensors(arg, leaf)));
  let bytes = 0;
  try {
    const results = tensorsIn(op(...args));
    const result = results.find((t) => t.requiresGrad);
    if (result !== undefined) {
      const seed = onesLike(result.detach()) as Tensor;
      const before = live();
      try {
        result.backward(seed);
      } finally {
        for (const { grad } of tensorsIn(args)) (grad as Tensor | null)?.dispose();
        bytes = live() - before;
        seed.dispose();
      }
    }
    for (const t of results) t.dispose();
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw new Error(`${op.operator.name}(${sample})`, { cause: error });
  }
  for (const t of tensorsIn(args)) t.dispose();
  return bytes;
}

test("backward passes leave no bytes", () => {
  const leaks: string[] = [];
  for (const [name, sample, op] of cases) {
    leftByBackward(sample, op);
    const bytes = leftByBackward(sample, op);
    if (bytes > 0) leaks.push(`${name}(${sample}): ${bytes}`);
  }
  expect(leaks).toEqual([]);
});
