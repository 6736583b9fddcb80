/**
 * Calls like one before give what calls without a memory give: with `out` nothing is remembered.
 */

import { empty, rand } from "stridewise";
import { expect, test } from "vitest";
import type { Tensor } from "../tensor/tensor.ts";
import { softmax } from "./composite/softmax.ts";
import { matmul } from "./contract/matmul.ts";
import { argmax, mean, std, sum } from "./reduce/reduce.ts";
import { cumsum } from "./reduce/scan.ts";

type Call = (...args: unknown[]) => Tensor;
const plain = (op: unknown): Call => op as Call;
/** The same layout at another place of its storage, with other elements. */
const made = (offset: number): Tensor =>
  rand([offset + 48])
    .narrow(0, offset, 48)
    .reshape([6, 8]) as Tensor;

const calls: readonly [name: string, op: Call, ...more: unknown[]][] = [
  ["sum", plain(sum)],
  ["sum of rows", plain(sum), 1],
  ["sum of columns, kept", plain(sum), 0, { keepdims: true }],
  ["sum over a list", plain(sum), [0, 1]],
  ["mean", plain(mean), -1],
  ["std", plain(std), 0],
  ["argmax", plain(argmax), 1],
  ["softmax", plain(softmax), 1],
  ["cumsum", plain(cumsum), 1],
];

test.for(calls)("%s of the same layout at other places", ([, op, ...more]) => {
  const options = (more.at(-1) as { keepdims?: boolean } | undefined)?.keepdims === true ? more.pop() : {};
  for (const turn of [(t: Tensor) => t, (t: Tensor) => t.T as Tensor])
    for (let round = 0; round < 4; round++) {
      const x = turn(made(round * 3));
      const result = op(x, ...more, options);
      const out = empty([...result.shape], { dtype: result.dtype }) as Tensor;
      const args = more.length === 0 ? [undefined] : more;
      expect(result.toArray()).toEqual(op(x, ...args, { ...(options as object), out }).toArray());
    }
});

test("a product learned from one tensor twice is none of two tensors, and the other way round", () => {
  const product = plain(matmul);
  for (let round = 0; round < 3; round++) {
    const [a, b] = [rand([5, 5]), rand([5, 5])] as [Tensor, Tensor];
    for (const [x, y] of [
      [a, a],
      [a, b],
      [b, b],
      [b, a],
    ] as const)
      expect(product(x, y).toArray()).toEqual(product(x, y, { out: empty([5, 5]) }).toArray());
  }
});

test("options that were changed since, names and disposed tensors are seen", () => {
  const x = made(0);
  const options = { keepdims: true };
  for (const keepdims of [true, false, true, false]) {
    options.keepdims = keepdims;
    expect(plain(sum)(x, 1, options).shape).toEqual(keepdims ? [6, 1] : [6]);
  }
  const named = x.rename?.(["a", "b"] as never) as Tensor | undefined;
  if (named !== undefined) expect(plain(sum)(named, 1).names).toEqual(["a"]);
  plain(sum)(x, 1);
  x.dispose();
  expect(() => plain(sum)(x, 1)).toThrow("cannot be used any more");
});

test("results are new tensors each time", () => {
  const x = made(0);
  const [first, second] = [plain(sum)(x, 1), plain(sum)(x, 1)];
  second.fill_(0);
  expect(first.toArray()).not.toEqual(second.toArray());
});
