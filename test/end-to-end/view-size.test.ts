/**
 * The memory of a view, measured over a million of them, bundled and in a separate process as users run the library.
 */
import { expect, test } from "vitest";
import { bundlePrograms, runProgram } from "../support/memory-programs.ts";

test("a view of rank 5 or less holds at most 200 heap bytes, and all views have one hidden class", {
  timeout: 120_000,
}, async () => {
  await bundlePrograms(["views"]);
  const stdout = await runProgram("views", "--expose-gc", "--allow-natives-syntax");
  const { bytes, others, withBase, afterUse } = JSON.parse(stdout);
  // A view of 0 bytes would mean that nothing was measured.
  expect(bytes).toBeGreaterThan(80);
  expect(bytes).toBeLessThanOrEqual(200);
  expect({ others, withBase, afterUse }).toEqual({ others: 0, withBase: true, afterUse: true });
});
