/** Starts the library before each test file: a program does that with its first tensor, a unit test may make tensors by inner functions. */
import { beforeEach, expect } from "vitest";
import { boot } from "../../src/runtime.ts";
import { manualSeed } from "../../src/tensor/create/generator.ts";

boot();

// Gradients are compared with differences, which are wrong beside a kink: always the same numbers, and none of them there.
function seed(): void {
  if (/\/test\/(autograd|ops)\//.test(expect.getState().testPath ?? "")) manualSeed(11);
}
seed();
beforeEach(seed);
