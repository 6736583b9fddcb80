/**
 * Starts the library before each test file: a program does that with its first tensor, a unit test may make tensors by inner functions.
 * After it, the library's settings are what they were: the next file may run in the same process.
 */
import { afterAll, beforeEach, expect } from "vitest";
import { isGradEnabled, isInferenceModeEnabled } from "../../src/autograd/scopes.ts";
import { threadLimit } from "../../src/kernel/backend.ts";
import { boot } from "../../src/runtime.ts";
import { getDefaultDType } from "../../src/storage/promotion.ts";
import { manualSeed } from "../../src/tensor/create/generator.ts";
import { getPrintOptions } from "../../src/tensor/print/print-options.ts";

boot();

// Gradients are compared with differences, which are wrong beside a kink: always the same numbers, and none of them there.
function seed(): void {
  if (/\/test\/(autograd|ops)\//.test(expect.getState().testPath ?? "")) manualSeed(11);
}
seed();
beforeEach(seed);

const settings = () => ({
  dtype: getDefaultDType(),
  print: getPrintOptions(),
  recording: isGradEnabled(),
  inference: isInferenceModeEnabled(),
  threads: threadLimit(),
});
const found = settings();
afterAll(() => expect(settings(), "settings that the file leaves behind").toEqual(found));
