/**
 * Memory as a process sees it: loops that keep nothing stay small, whatever the engine knows of the heap. The programs in
 * `memory/` run as users run the library, bundled, in a process of their own.
 */
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { projectRoot, runCommand } from "../support/command.ts";

const programs = ["loop", "turns", "small", "idle"] as const;
const outFolder = `${projectRoot}out/memory/`;

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
  return stdout;
}

test("20,000 temporaries of 1 MB in one synchronous loop stay under 1 GB", { timeout: 120_000 }, async () => {
  const { peak, reserved, sum } = JSON.parse(await run("loop"));
  expect(sum).toBe(Array.from({ length: 20_000 }, (_, i) => i & 255).reduce((a, b) => a + b));
  expect(peak).toBeLessThan(1000);
  // The heap held what one turn may hold, and not everything.
  expect(reserved).toBeLessThan(500 * 2 ** 20);
});

test("temporaries with a turn after each stay under 1 GB, because pulses make the engine collect", {
  timeout: 120_000,
}, async () => {
  const { peak, reserved, pulses } = JSON.parse(await run("turns"));
  expect(pulses).toBeGreaterThan(4);
  expect(peak).toBeLessThan(1000);
  expect(reserved).toBeLessThan(1200 * 2 ** 20);
});

test.each([[[]], [["--expose-gc"]]])(
  "a million small storages leave no live bytes behind %j",
  {
    timeout: 120_000,
  },
  async (flags) => {
    const { start, live, count, peak } = JSON.parse(await run("small", ...flags));
    expect([live, count]).toEqual([start, 1]);
    expect(peak).toBeLessThan(600 * 2 ** 20);
  },
);

test("a process with storages and nothing to do ends", { timeout: 60_000 }, async () => {
  const begun = performance.now();
  expect(await run("idle")).toBe("done\n");
  expect(performance.now() - begun).toBeLessThan(20_000);
});
