/**
 * Huge numbers as arguments end in a result or a named error, never in the end of the process; errors take less than a
 * second.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot, runCommand } from "../support/command.ts";

test("every op and every creation function, in a process with a heap of 512 MB", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stridewise-"));
  try {
    const program = join(folder, "program.mjs");
    await build({
      entryPoints: [`${projectRoot}test/support/huge-arguments.ts`],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "silent",
    });
    const { code, stdout, stderr } = await runCommand(process.execPath, ["--max-old-space-size=512", program]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { count, faults } = JSON.parse(stdout) as { count: number; faults: string[] };
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(800);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
