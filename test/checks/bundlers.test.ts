/**
 * A program as bundlers deliver it: minified, with unused code dropped, it still starts the library by itself and runs,
 * in Node and under jsdom. The methods of tensors are installed at first use, so a bundler that drops that as dead code
 * would break this. `test/browser/kernels.test.ts` runs the same bundles in pages.
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { JSDOM, VirtualConsole } from "jsdom";
import { afterEach, describe, expect, test, vi } from "vitest";
import { right } from "../browser/programs/answers.ts";
import type * as Program from "../browser/programs/kernels.ts";
import { type Bundle, type BundlerName, bundle } from "../support/bundles.ts";
import { projectRoot } from "../support/command.ts";

const source = "test/browser/programs/kernels.ts";
afterEach(() => {
  vi.restoreAllMocks();
});

/** The number of files: the program, and the worker if the bundler supports workers. */
const bundlers: readonly (readonly [BundlerName, files: number])[] = [
  ["esbuild", 1],
  ["vite", 2],
  ["webpack", 2],
];

describe.each(bundlers)("bundled by %s", (name, files) => {
  let built: Bundle;
  let program: typeof Program;

  test("a program is bundled without a warning, with its worker", { timeout: 60_000 }, async () => {
    built = await bundle(name, source, "node");
    expect(built.warnings).toEqual([]);
    expect(built.files).toHaveLength(files);
    expect(built.files).toContain("program.js");
  });

  test("it computes in Node, without output", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    program = await import(/* @vite-ignore */ pathToFileURL(`${built.folder}program.js`).href);
    expect(program.small()).toMatchObject({ ...right, backend: "wasm" });
    expect(warn).not.toHaveBeenCalled();
  });

  test("large work is shared with the worker that workerUrl names", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const workerUrl = pathToFileURL(`${projectRoot}src/backends/wasm/workers/worker.js`).href;
    const { right: isRight, report } = await program.large({ threads: 2, workerUrl, seconds: 20 });
    expect(isRight).toBe(true);
    expect(report).toMatchObject({ threads: 2, started: 1, lost: 0 });
    expect(report?.helped).toBeGreaterThan(0);
    expect(warn).not.toHaveBeenCalled();
  });
});

test("without workerUrl a bundle that has no worker runs large work on one thread, with one warning", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const { folder } = await bundle("esbuild", source, "node-alone");
  const program: typeof Program = await import(/* @vite-ignore */ pathToFileURL(`${folder}program.js`).href);
  const { right: isRight, report } = await program.large({ threads: 2, seconds: 1 });
  expect(isRight).toBe(true);
  expect(report).toMatchObject({ threads: 1, lost: 1, helped: 0 });
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^stridewise: a worker did not start .*workerUrl/)]]);
});

test("under jsdom, which has a window and no workers, a script computes on one thread without output", async () => {
  const said: unknown[] = [];
  const virtualConsole = new VirtualConsole();
  for (const event of ["error", "warn", "info", "log", "jsdomError"])
    virtualConsole.on(event, (...words: unknown[]) => said.push([event, ...words]));
  const { folder, warnings } = await bundle("webpack, as a script", source, "jsdom");
  writeFileSync(`${folder}page.html`, `<!doctype html><script src="program.js"></script>`);
  const { window } = await JSDOM.fromFile(`${folder}page.html`, {
    runScripts: "dangerously",
    resources: "usable",
    virtualConsole,
  });
  await new Promise((loaded) => window.addEventListener("load", loaded));
  const program = window["program"] as typeof Program;
  const found = program.small();
  expect(JSON.parse(JSON.stringify(found))).toMatchObject({ ...right, backend: "wasm" });
  expect(found.features).toMatchObject({ wasm: true, threads: false, memory: { shared: false } });
  expect(found.features.node).toBeUndefined();
  expect((await program.large({ threads: 2, seconds: 0.1 })).right).toBe(true);
  expect({ said, warnings }).toEqual({ said: [], warnings: [] });
  window.close();
}, 60_000);
