/**
 * Composite ops leave nothing behind but their results.
 */

import { memoryStatistics, rand, tensor, withMode } from "stridewise";
import { expect, test } from "vitest";
import type { Tensor } from "../tensor/tensor.ts";
import { cdist } from "./composite/distance.ts";
import { layerNorm } from "./composite/norms.ts";
import { einsum } from "./contract/einsum.ts";
import { add, mul } from "./elementwise/arithmetic.ts";
import type { OpFunction } from "./elementwise/map.ts";
import { compositeOp } from "./op.ts";
import { nanmean } from "./reduce/reduce.ts";
import { reshape } from "./views.ts";

interface Own extends OpFunction {
  (x: Tensor): Tensor;
}
const inner: Tensor[] = [];
const viewed = compositeOp<Own>("viewedSum(x: Tensor, ...)", (x: Tensor) => {
  const sum = add(x, x as never) as Tensor;
  inner.push(sum);
  return reshape(sum, [x.size]);
});
const same = compositeOp<Own>("sameAgain(x: Tensor, ...)", (x: Tensor) => reshape(x, [x.size]));

const calls: Readonly<Record<string, () => Tensor>> = {
  nanmean: () => nanmean(x, 0) as Tensor,
  cdist: () => cdist(x, y, 1),
  layerNorm: () => layerNorm(x, [16]) as Tensor,
  einsum: () => einsum("ij,kj,kl->il", x, y, z) as Tensor,
  viewed: () => viewed(x),
};
const x = rand([8, 16]) as Tensor;
const y = rand([8, 16]) as Tensor;
const z = rand([8, 4]) as Tensor;

test.for(Object.keys(calls))("%s, its result disposed, leaves no more storages and bytes than before", (name) => {
  const call = calls[name] as () => Tensor;
  call().dispose();
  const before = memoryStatistics();
  for (let k = 0; k < 20; k++) call().dispose();
  // Garbage of earlier tests may go meanwhile.
  const after = memoryStatistics();
  expect(after.count).toBeLessThanOrEqual(before.count);
  expect(after.live).toBeLessThanOrEqual(before.live);
});

test("a result that is a view of a temporary tensor owns its storage; one of an argument is a view", () => {
  const result = viewed(x);
  expect(result.isView).toBe(false);
  expect(result.ownership).toBe("owning");
  expect(inner.at(-1)?.isDisposed).toBe(true);
  expect(result.toArray()).toEqual((mul(reshape(x, [x.size]), 2 as never) as Tensor).toArray());
  expect(same(x).base).toBe(x);
});

test("a mode may keep the tensors that it sees", () => {
  const seen: Tensor[] = [];
  withMode({ call: (_op, _args, next) => keepIn(seen, next()) }, () => viewed(tensor([1, 2]) as Tensor));
  expect(seen.length).toBeGreaterThan(0);
  for (const t of seen) expect(t.isDisposed).toBe(false);
});

function keepIn(seen: Tensor[], result: unknown): unknown {
  seen.push(result as Tensor);
  return result;
}
