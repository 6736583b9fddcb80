/**
 * What a view costs in memory, measured over a million of them, bundled and in a process of its own as users run the library.
 */
import { build } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot, runCommand } from "../support/command.ts";

test("a view of rank 5 or less holds at most 200 heap bytes, and all views have one hidden class", {
  timeout: 120_000,
}, async () => {
  const outfile = `${projectRoot}out/memory/views.mjs`;
  await build({
    entryPoints: [`${projectRoot}test/end-to-end/memory/views.ts`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
  });
  const { code, stdout, stderr } = await runCommand(process.execPath, [
    "--expose-gc",
    "--allow-natives-syntax",
    outfile,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { bytes, others, withBase, afterUse } = JSON.parse(stdout);
  // A view that held nothing would mean that nothing was measured.
  expect(bytes).toBeGreaterThan(80);
  expect(bytes).toBeLessThanOrEqual(200);
  expect({ others, withBase, afterUse }).toEqual({ others: 0, withBase: true, afterUse: true });
});
