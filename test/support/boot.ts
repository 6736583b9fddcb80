/**
 * Starts the library before each test file: a program starts it with its first tensor, but a unit test may create
 * tensors by internal functions. After each file, checks that the library's settings are unchanged, because the next
 * file may run in the same process.
 */
import { afterAll, beforeEach, expect } from "vitest";
import { isGradEnabled, isInferenceModeEnabled } from "../../src/autograd/scopes.ts";
import { boot } from "../../src/boot.ts";
import { threadLimit } from "../../src/kernel/backend.ts";
import { getDefaultDType } from "../../src/storage/promotion.ts";
import { manualSeed } from "../../src/tensor/create/generator.ts";
import { getPrintOptions } from "../../src/tensor/print/print-options.ts";

boot();

// Gradients are compared with finite differences, which are wrong next to a kink: a fixed seed whose numbers avoid
// kinks.
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
const before = settings();
afterAll(() => expect(settings(), "settings that the file leaves behind").toEqual(before));
