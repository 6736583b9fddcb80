/** The keys of the program cache: calls of several dtypes keep their programs, and a label does not prevent caching. */
import { rand, tensor } from "stridewise";
import { expect, test } from "vitest";
import { ProgramCache } from "./program-cache.ts";
import type { Tensor } from "./tensor.ts";

/** Builds an empty program for a call that returns a tensor like its first argument. */
function build(cache: ProgramCache, args: readonly unknown[]): void {
  const result = (args[0] as Tensor).clone() as Tensor;
  cache.build({ args, results: [result], isList: false, lower: () => undefined });
}

test("programs of one shape and several dtypes are cached at the same time", () => {
  const cache = new ProgramCache();
  const dtypes = ["float32", "float64", "int32", "uint32", "int64", "bool", "complex64"] as const;
  const tensors = dtypes.map((dtype) => tensor([[1, 0, 1]], { dtype }) as Tensor);
  for (const t of tensors) build(cache, [t, 1]);
  for (const t of tensors) expect(cache.run([t, 1], null), t.dtype).toBeDefined();
});

test("arguments that are booleans or texts have programs of their own", () => {
  const cache = new ProgramCache();
  const x = rand([3]) as Tensor;
  for (const more of [true, false, "lower", "upper"]) build(cache, [x, more]);
  for (const more of [true, false, "lower", "upper"]) expect(cache.run([x, more], null), String(more)).toBeDefined();
  expect(cache.run([x, "higher"], null)).toBeUndefined();
});

test("calls that differ in an option are cached at the same time", () => {
  const cache = new ProgramCache();
  const x = rand([3]) as Tensor;
  const options = [
    {},
    { stride: 1 },
    { stride: 2 },
    { padding: 2 },
    { stride: [1, 2] },
    { mode: "same" },
    { isCausal: true },
  ];
  for (const option of options) build(cache, [x, option]);
  for (const option of options) expect(cache.run([x, option], null), JSON.stringify(option)).toBeDefined();
  expect(cache.run([x, { stride: 3 }], null)).toBeUndefined();
});

test("a tensor with a label uses cached programs", () => {
  const cache = new ProgramCache();
  const x = rand([3]) as Tensor;
  build(cache, [x]);
  x.label = "weights";
  expect(cache.run([x], null)).toBeDefined();
});
