/**
 * Names of axes through ops: as PyTorch gives them where it does; elsewhere ops that keep the axes keep their names, and others leave them
 * away. The meta device gives the same names. Views are in `src/tensor/names.test.ts`.
 */
import { expect, test } from "vitest";
import * as stridewise from "../../src/index.ts";
import { tensorsIn } from "../support/op-results.ts";

type Names = readonly (string | null)[];

/** The sizes of axes by their names. */
const sizes: Readonly<Record<string, number>> = { n: 2, c: 3, d: 3, k: 2, b: 4, q: 4 };

/** A tensor with these names; "_" is an axis without one. */
function named(names: string, shape: readonly number[], device: "cpu" | "meta"): stridewise.Tensor {
  const t = stridewise.ones([...shape], { device }) as stridewise.Tensor;
  const list = [...names].map((name) => (name === "_" ? null : name));
  return list.some((name) => name !== null) ? (t.rename(list as never) as stridewise.Tensor) : t;
}

/** Operands of calls: their axes by name. */
const operands: Readonly<Record<string, readonly [names: string, shape?: readonly number[]]>> = {
  x: ["nc"],
  y: ["ck"],
  zk: ["dk"],
  cn: ["cn"],
  nk: ["nk"],
  nd: ["nd"],
  v: ["c"],
  batch: ["bnc"],
  others: ["bck"],
  strange: ["qck"],
  plain: ["__", [2, 3]],
  columns: ["__", [3, 2]],
  sums: ["___", [4, 2, 2]],
};

const all = "nc";
const calls: Readonly<Record<string, string>> = {
  // Products: batches together, rows of the first, columns of the second.
  "matmul(x, y)": "nk",
  "mm(x, y)": "nk",
  "mm(x, columns)": "n_",
  "mm(plain, y)": "_k",
  "mm(x, zk)": "nk",
  "matmul(batch, others)": "bnk",
  "matmul(batch, y)": "bnk",
  "matmul(x, others)": "bnk",
  "bmm(batch, others)": "bnk",
  "mv(x, v)": "n",
  "matmul(x, v)": "n",
  "matmul(v, y)": "k",
  "dot(v, v)": "",
  "addmm(nk, x, y)": "nk",
  "baddbmm(sums, batch, others)": "bnk",
  "linear(x, plain)": "n_",
  "einsum('ij,jk->ik', x, y)": "__",
  // What keeps the axes.
  ...Object.fromEntries(
    [
      "softmax(x, 1)",
      "logSoftmax(x, 'c')",
      "softmin(x, 1)",
      "layerNorm(x, [3])",
      "cumsum(x, 'c')",
      "cumprod(x, 1)",
      "logcumsumexp(x, 1)",
      "cummax(x, 'c')",
      "cummin(x, 0)",
      "sort(x, 'c')",
      "argsort(x, 1)",
      "topk(x, 1, 'c')",
      "flip(x, ['c'])",
      "roll(x, 1, 0)",
      "triu(x)",
      "tril(x)",
      "pad(x, [1, 1])",
      "indexSelect(x, 'n', tensor([0, 1], { dtype: 'int64', device }))",
      "indexFill(x, 0, tensor([1], { dtype: 'int64', device }), 3)",
      "maskedFill(x, gt(x, 2), 0)",
      "bernoulli(x)",
      "dropout(x, 0.5)",
      "add(x, plain)",
      "add(plain, x)",
      "mul(x, v)",
      "where(gt(x, 0), x, plain)",
      "gcd(x.to('int32'), x.to('int32'))",
      "x.clone()",
      "x.contiguous()",
      "x.to('float64')",
      "zerosLike(x)",
      "randLike(x)",
      "sum(x, 0, { keepdims: true })",
      "max(x, 1, { keepdims: true })",
      "median(x, 'c', { keepdims: true })",
      "cat([x, x], 'n')",
      "cat([plain, x], 0)",
      "hstack([x, x])",
    ].map((call) => [call, all]),
  ),
  // What takes one away, or turns them.
  ...Object.fromEntries(
    [
      "sum(x, 'c')",
      "amax(x, 1)",
      "argmax(x, 1)",
      "max(x, 'c')",
      "min(x, 1)",
      "aminmax(x, 1)",
      "kthvalue(x, 1, 'c')",
      "median(x, 'c')",
      "mode(x, 1)",
      "quantile(x, 0.5, 'c')",
      "logsumexp(x, 'c')",
      "variance(x, 'c')",
      "varMean(x, 1)",
      "norm(x, 2, 1)",
    ].map((call) => [call, "n"]),
  ),
  "quantile(x, [0.5, 0.2], 'c')": "_n",
  "stack([x, x], 1)": "n_c",
  "rot90(x)": "cn",
  "x.transpose('n', 'c').contiguous()": "cn",
  "x.reshape(6)": "_",
  "diagEmbed(x)": "___",
};

const refused: Readonly<Record<string, string>> = {
  "mm(x, cn)": "mm: the name 'n' occurs twice, at axes 0 and 1. Rename one of them",
  "bmm(batch, strange)": "is 'b' in one tensor and 'q' in the other; rename one of them",
  "cat([x, nd], 0)": "cat: axis -1 is 'c' in one tensor and 'd' in the other; rename one of them",
  "add(x, nd)": "add: axis -1 is 'c' in one tensor and 'd' in the other",
};

function call(text: string, device: "cpu" | "meta"): unknown {
  const names = Object.keys(stridewise).filter((name) => /^[A-Za-z]\w*$/.test(name) && name !== "var");
  const inputs = Object.entries(operands).map(([name, [axes, shape]]) => [
    name,
    named(axes, shape ?? [...axes].map((axis) => sizes[axis] as number), device),
  ]) as [string, stridewise.Tensor][];
  const make = new Function("device", ...names, ...inputs.map(([name]) => name), `return ${text};`);
  return make(
    device,
    ...names.map((name) => (stridewise as Record<string, unknown>)[name]),
    ...inputs.map(([, t]) => t),
  );
}

const expectedNames = (text: string): Names | null => {
  const list = [...text].map((name) => (name === "_" ? null : name));
  return list.some((name) => name !== null) ? list : null;
};

test.each(Object.entries(calls))("%s has the axes %j", (text, names) => {
  const results = tensorsIn(call(text, "cpu"));
  expect(results.map((t) => t.names)).toEqual(results.map(() => expectedNames(names)));
  expect(results[0]?.rank).toBe(names.length);
});

test.each(Object.entries(calls).filter(([text]) => !text.includes("tensor(")))(
  "%s on the meta device has the axes %j",
  (text, names) => {
    const results = tensorsIn(call(text, "meta"));
    expect(results.map((t) => t.names)).toEqual(results.map(() => expectedNames(names)));
  },
);

test.each(Object.entries(refused))("%s is refused", (text, message) => {
  expect(() => call(text, "cpu")).toThrow(message);
  expect(() => call(text, "meta")).toThrow(message);
});

test("a given result gets names, or keeps its own", () => {
  const x = named("nc", [2, 3], "cpu");
  const out = stridewise.zeros([2]) as stridewise.Tensor;
  x.sum(1, { out });
  expect(out.names).toEqual(["n"]);
  const own = named("q", [2], "cpu");
  x.sum(1, { out: own });
  expect(own.names).toEqual(["q"]);
});
