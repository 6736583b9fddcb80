/**
 * Bundled programs in pages of each kind: isolated and ordinary ones, and under content security policies. Kernels run
 * as the page permits, workers help if memory can be shared, `features()` reports which, and missing features are
 * reported once.
 */
import { copyFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, bundle } from "../support/bundles.ts";
import { isolation } from "../support/chromium.ts";
import { projectRoot } from "../support/command.ts";
import { type Headers, type OpenPage, openPageServer, type PageServer } from "../support/pages.ts";
import { right } from "./programs/answers.ts";
import type { Findings, large } from "./programs/kernels.ts";

const source = "test/browser/programs/kernels.ts";
const strict = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const withoutWasm = strict.replace(" 'wasm-unsafe-eval'", "");
const withoutWorkers = strict.replace("worker-src 'self'", "worker-src 'none'");
const policy = (text: string): Headers => ({ "content-security-policy": `${text}; img-src data:` });

let server: PageServer;
let vite: Bundle;
let webpack: Bundle;
let esbuild: Bundle;
beforeAll(async () => {
  [vite, webpack, esbuild] = await Promise.all([
    bundle("vite", source, "pages"),
    bundle("webpack, as a script", source, "pages"),
    bundle("esbuild", source, "pages"),
  ]);
  server = await openPageServer();
}, 120_000);
afterAll(() => server?.close());

const runSmall = ({ page }: OpenPage): Promise<Findings> => page.evaluate("program.small()");
const runLarge = ({ page }: OpenPage, options: Parameters<typeof large>[0]): ReturnType<typeof large> =>
  page.evaluate(`program.large(${JSON.stringify(options)})`);

const kinds: readonly (readonly [name: string, headers: Headers, canShare: boolean])[] = [
  ["an isolated page", isolation, true],
  ["an ordinary page", {}, false],
  ["an isolated page with a strict policy", { ...isolation, ...policy(strict) }, true],
  ["an ordinary page with a strict policy", policy(strict), false],
];

describe.each(kinds)("in %s", (_name, headers, canShare) => {
  test.each(["vite", "webpack"])("a bundle by %s runs kernels on WebAssembly", async (name) => {
    const isVite = name === "vite";
    const opened = await server.open((isVite ? vite : webpack).folder, headers, isVite ? "module" : "script");
    const { page, messages, errors } = opened;
    const found = await runSmall(opened);
    expect(found).toMatchObject({ ...right, backend: "wasm" });
    const { memory, ...features } = found.features;
    expect(features).toEqual({ wasm: true, simd: true, relaxedSimd: true, revectorize: false, threads: canShare });
    expect(memory).toEqual({ shared: canShare, maximumBytes: 2 ** 32 });
    const { right: isRight, report } = await runLarge(opened, { threads: 2, seconds: canShare ? 20 : 0.2 });
    expect(isRight).toBe(true);
    if (canShare) {
      expect(report).toMatchObject({ threads: 2, started: 1, lost: 0 });
      expect(report?.helped).toBeGreaterThan(0);
    } else expect(report).toBeNull();
    expect({ messages, errors }).toEqual({ messages: [], errors: [] });
    await page.close();
  });
});

test.each([
  ["a bundle by esbuild, which leaves the worker out,", () => esbuild.folder, isolation],
  ["a page whose policy forbids workers", () => vite.folder, { ...isolation, ...policy(withoutWorkers) }],
] as const)("%s works on one thread with one warning", async (_name, folder, headers) => {
  const opened = await server.open(folder(), headers);
  const { right: isRight, report } = await runLarge(opened, { threads: 2, seconds: 1 });
  expect(isRight).toBe(true);
  expect(report).toMatchObject({ threads: 1, lost: 1, helped: 0 });
  const warnings = opened.messages.filter((message) => message.startsWith("warning:"));
  expect(warnings).toEqual([
    expect.stringMatching(/^warning: stridewise: a worker did not start .*configure\({ workerUrl }\)/),
  ]);
  expect(opened.errors).toEqual([]);
  await opened.page.close();
});

test("a bundle by esbuild uses the worker that workerUrl names", async () => {
  copyFileSync(`${projectRoot}src/backends/wasm/workers/worker.js`, `${esbuild.folder}placed.js`);
  const opened = await server.open(esbuild.folder, isolation);
  const { right: isRight, report } = await runLarge(opened, { threads: 2, workerUrl: "./placed.js", seconds: 20 });
  expect(isRight).toBe(true);
  expect(report?.helped).toBeGreaterThan(0);
  expect(opened).toMatchObject({ messages: [], errors: [] });
  await opened.page.close();
});

test.each([
  ["an isolated page", isolation],
  ["an ordinary page", {}],
])("in %s without 'wasm-unsafe-eval' kernels are interpreted, with one warning", async (_name, headers) => {
  const opened = await server.open(vite.folder, { ...headers, ...policy(withoutWasm) });
  const found = await runSmall(opened);
  expect(found).toMatchObject({ ...right, backend: "reference" });
  expect(found.features).toMatchObject({ wasm: false, simd: false, relaxedSimd: false, threads: false });
  expect((await runSmall(opened)).formula).toEqual(right.formula);
  const reported = expect.stringMatching(/^warning: stridewise: WebAssembly modules .* needs 'wasm-unsafe-eval'/);
  expect(opened).toMatchObject({ messages: [reported], errors: [] });
  await opened.page.close();
});
