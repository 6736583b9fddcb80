/** With CI=true there must be a GPU for tests; elsewhere its tests may be skipped, which the run reports. */
import { expect, test } from "vitest";
import { hasWebGpu, withoutWebGpu } from "../support/webgpu.ts";

test("with CI=true there is a GPU for tests", () => {
  expect(hasWebGpu || process.env["CI"] !== "true", withoutWebGpu).toBe(true);
});
