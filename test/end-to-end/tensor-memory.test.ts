/**
 * Memory of tensors as a process sees it: programs that never say dispose, using or scope stay small. The programs in
 * `memory/` run as users run the library, bundled, in a process of their own; `memory.test.ts` does the same with bare storages.
 */
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { projectRoot, runCommand } from "../support/command.ts";

const programs = ["tensor-loop", "tensor-small"] as const;
const outFolder = `${projectRoot}out/tensor-memory/`;

beforeAll(async () => {
  await build({
    entryPoints: programs.map((name) => `${projectRoot}test/end-to-end/memory/${name}.ts`),
    outdir: outFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
  });
}, 60_000);

async function run(name: (typeof programs)[number], ...flags: string[]) {
  const { code, stdout, stderr } = await runCommand(process.execPath, [...flags, `${outFolder}${name}.mjs`]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

test("20,000 temporary tensors of 1 MB in one synchronous loop stay under 1 GB", { timeout: 120_000 }, async () => {
  const { peak, reserved, sum } = await run("tensor-loop");
  expect(sum).toBe(Array.from({ length: 20_000 }, (_, i) => i & 255).reduce((a, b) => a + b));
  expect(peak).toBeLessThan(1000);
  expect(reserved).toBeLessThan(500 * 2 ** 20);
});

test.each([[[]], [["--expose-gc"]]])(
  "a million small tensors, and views of half of them, leave no live bytes behind %j",
  { timeout: 120_000 },
  async (flags) => {
    const { start, live, count, peak } = await run("tensor-small", ...flags);
    expect([live, count]).toEqual([start, 1]);
    expect(peak).toBeLessThan(600 * 2 ** 20);
  },
);
