/** Members of tensors under the names that PyTorch and NumPy have. Each is the same as the function or member that it stands for. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as stridewise from "../../src/index.ts";
import {
  diff,
  Generator,
  linspace,
  logspace,
  maskedSelect,
  nonzero,
  norm,
  normal_,
  ones,
  permutation,
  quantile,
  randperm,
  repeatInterleave,
  scatterAdd_,
  type Tensor,
  tensor,
  tril,
  triu,
  uniform_,
  unique,
  zeros,
} from "../../src/index.ts";
import { projectRoot } from "../support/command.ts";

const x = tensor([
  [3, 1, 2],
  [1, 0, -3],
]);

test("sizes", () => {
  expect([x.ndim, x.dim(), x.numel()]).toEqual([x.rank, x.rank, x.size]);
  expect(tensor(1).ndim).toBe(0);
});

test("tolist, ravel, clip and clip_ are toArray, flatten, clamp and clamp_", () => {
  expect(x.tolist()).toEqual(x.toArray());
  expect(x.ravel().toArray()).toEqual([3, 1, 2, 1, 0, -3]);
  expect(x.ravel().base === x).toBe(true);
  expect(x.T.ravel().toArray()).toEqual([3, 1, 1, 0, 2, -3]);
  expect(x.clip(0, 2).toArray()).toEqual(x.clamp(0, 2).toArray());
  const y = x.clone();
  expect(y.clip_(null, 1) === y).toBe(true);
  expect(y.toArray()).toEqual(x.clamp(null, 1).toArray());
});

test("astype copies, as in NumPy, unless asked otherwise", () => {
  expect(x.astype("int32").dtype).toBe("int32");
  expect(x.astype("float32").storage === x.storage).toBe(false);
  expect(x.astype("float32", { copy: false }) === x).toBe(true);
  expect(() => x.to({ dtype: "float64" } as never)).toThrow("to: an object is not a dtype");
  expect(() => x.astype("f32" as never)).toThrow('astype: "f32" is not a dtype. Did you mean "float32"?');
});

type Call = () => unknown;
const mask = x.gt(0);
const calls: Readonly<Record<string, readonly [method: Call, fn: Call]>> = {
  unique: [() => x.unique(), () => unique(x)],
  "unique with counts": [() => x.unique({ returnCounts: true }), () => unique(x, { returnCounts: true })],
  nonzero: [() => x.nonzero(), () => nonzero(x)],
  "nonzero as a tuple": [() => x.nonzero({ asTuple: true }), () => nonzero(x, { asTuple: true })],
  quantile: [() => x.quantile(0.25, 1, { keepdims: true }), () => quantile(x, 0.25, 1, { keepdims: true })],
  "quantile of all": [() => x.quantile([0.5, 0.75]), () => quantile(x, [0.5, 0.75])],
  diff: [() => x.diff(1, 0), () => diff(x, 1, 0)],
  tril: [() => x.tril(-1), () => tril(x, -1)],
  triu: [() => x.triu(), () => triu(x)],
  repeatInterleave: [() => x.repeatInterleave(2, 1), () => repeatInterleave(x, 2, 1)],
  maskedSelect: [() => x.maskedSelect(mask), () => maskedSelect(x, mask)],
  norm: [() => x.norm(), () => norm(x)],
  "norm of rows": [() => x.norm(1, 1, { keepdims: true }), () => norm(x, 1, 1, { keepdims: true })],
  "norm with options first": [
    () => x.norm("fro", { keepdims: true } as never),
    () => norm(x, "fro", null, { keepdims: true }),
  ],
  normal_: [
    () => zeros([3]).normal_(1, 2, { generator: new Generator(7) }),
    () => normal_(zeros([3]), 1, 2, { generator: new Generator(7) }),
  ],
  uniform_: [
    () => zeros([3]).uniform_(1, 2, { generator: new Generator(7) }),
    () => uniform_(zeros([3]), 1, 2, { generator: new Generator(7) }),
  ],
  scatterAdd_: [
    () => zeros([3]).scatterAdd_(0, tensor([0, 2, 0], { dtype: "int32" }), ones([3])),
    () => scatterAdd_(zeros([3]), 0, tensor([0, 2, 0], { dtype: "int32" }), ones([3])),
  ],
  randperm: [() => randperm(9, { generator: new Generator(7) }), () => permutation(9, { generator: new Generator(7) })],
};

test.each(Object.entries(calls))("the method %s is the function", (_, [method, fn]) => {
  expect(JSON.stringify(method())).toBe(JSON.stringify(fn()));
});

test("the method norm has vector norms, and names the function that has the others", () => {
  expect(() => x.norm("nuc" as never)).toThrow('norm: the method has vector norms only, got "nuc". Call the function');
  expect(() => x.norm(Number.NaN)).toThrow(/^norm: ord must be a number, Infinity or -Infinity, got NaN/);
  expect(() => x.norm(2, 5)).toThrow(/^norm: /);
  expect(() => x.norm(2, 0, { keepdimz: true } as never)).toThrow("norm: there is no option keepdimz");
});

test("a read-only view shows writes to the tensor, and refuses writes by name", () => {
  const t = tensor([1, 2, 3]);
  const view = t.readonly();
  t.add_(1);
  expect(view.toArray()).toEqual([2, 3, 4]);
  expect([view.ownership, view.base === t, view.version]).toEqual(["const", true, t.version]);
  const writes: readonly Call[] = [
    () => view.add_(1),
    () => view.fill_(0),
    () => view.set(0, 1),
    () => view.assign([1, 2, 3]),
    () => view.assignAt([0], 1),
    () => t.add(1, { out: view }),
    () => view.narrow(0, 0, 2).zero_(),
    () => view.detach().zero_(),
    () => view.data.zero_(),
    () => view.normal_(),
    () => view.rawView(),
    () => view.readonly().mul_(2),
    () => scatterAdd_(view, 0, tensor([0], { dtype: "int32" }), ones([1])),
  ];
  for (const write of writes) expect(write).toThrow(/^\w+: tensor \(float32 \[\d?\]\) is a const view/);
  expect(t.toArray()).toEqual([2, 3, 4]);
  expect(view.clone().add_(1).toArray()).toEqual([3, 4, 5]);
});

test("a read-only view keeps names, layouts and gradients", () => {
  const t = tensor([[1, 2]]).rename(["n", "c"]);
  expect(t.readonly().names).toEqual(["n", "c"]);
  expect(t.readonly().layout).toEqual(t.layout);
  const w = tensor([1, 2, 3]).requiresGrad_();
  w.readonly().mul(w).sum().backward();
  expect((w.grad as Tensor).toArray()).toEqual([2, 4, 6]);
  const squares = stridewise.vmap((row: Tensor) => row.readonly().square());
  expect((squares(x as Tensor) as Tensor).toArray()).toEqual(x.square().toArray());
});

test("linspace, logspace and geomspace without the end, as in NumPy", () => {
  const dtype = "float64";
  // NumPy 2.4.
  expect(linspace(0, 1, 4, { endpoint: false }).toArray()).toEqual([0, 0.25, 0.5, 0.75]);
  expect(linspace(2, 3, 5, { endpoint: false, dtype }).toArray()).toEqual([2, 2.2, 2.4, 2.6, 2.8]);
  expect(linspace(5, 9, 1, { endpoint: false }).toArray()).toEqual([5]);
  expect(linspace(5, 9, 0, { endpoint: false }).toArray()).toEqual([]);
  expect(logspace(0, 3, 3, { endpoint: false, dtype }).toArray()).toEqual([1, 10, 100]);
  expect(stridewise.geomspace(1, 1000, 3, { endpoint: false, dtype }).toArray()).toEqual([
    1,
    expect.closeTo(10, 12),
    expect.closeTo(100, 10),
  ]);
  expect(linspace(0, 1, 5, { endpoint: true }).toArray()).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(() => linspace(0, 1, 5, { endpoint: 1 as never })).toThrow("linspace: endpoint must be a boolean, got 1");
});

test("version is that of package.json", () => {
  const { version } = JSON.parse(readFileSync(`${projectRoot}package.json`, "utf8")) as { version: string };
  expect(stridewise.version).toBe(version);
});
