/**
 * `npm run test:browser`: the library in a real browser, in a page that may share memory and in one that may not.
 * Needs Chromium (Debian's package `chromium`, or CHROMIUM=path). Serves the bundled page on the loopback address only.
 */
import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const bundle = await build({
  entryPoints: [new URL("./page.ts", import.meta.url).pathname],
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  minify: true,
  write: false,
});
const script = bundle.outputFiles[0]?.contents as Uint8Array;

/** Cross-origin isolation is what lets a page share memory. */
const isolation = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const server = createServer((request, response) => {
  const headers = request.url?.startsWith("/isolated") ? isolation : {};
  if (request.url?.endsWith(".js"))
    response.writeHead(200, { "content-type": "text/javascript", ...headers }).end(script);
  else
    response
      .writeHead(200, {
        "content-type": "text/html",
        "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'",
        ...headers,
      })
      .end(`<!doctype html><title>page</title><script type="module" src="${request.url}/page.js"></script>`);
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const { port } = server.address() as AddressInfo;

const profile = mkdtempSync(join(tmpdir(), "stridewise-browser-"));
const browser = await chromium.launchPersistentContext(profile, { executablePath, args: flags });
let passed = 0;
let failed = 0;
try {
  for (const kind of ["isolated", "ordinary"] as const) {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://localhost:${port}/${kind}`);
    await page.waitForFunction("globalThis.findings !== undefined");
    const found = (await page.evaluate("globalThis.findings")) as Record<string, unknown>;
    const checks: Readonly<Record<string, () => void>> = {
      "no error": () => assert.deepEqual([errors, found["failed"]], [[], undefined]),
      "memory is shared if and only if the page is isolated": () =>
        assert.deepEqual([found["isolated"], found["shared"]], [kind === "isolated", kind === "isolated"]),
      "tensors print": () => assert.equal(found["text"], "tensor([[1., 2., 3.],\n        [4., 5., 6.]])"),
      "a view made before growth reads after it": () =>
        assert.deepEqual(found["reversed"], [
          [3, 2, 1],
          [6, 5, 4],
        ]),
      "96 MB can be written": () => assert.equal(found["last"], 7),
      ".npy from a Blob": () =>
        assert.deepEqual(found["fromBlob"], [
          [1, 4],
          [2, 5],
          [3, 6],
        ]),
      ".safetensors from a Response": () => assert.deepEqual(found["names"], ["bias", "weight"]),
      "a scope keeps what leaves it": () =>
        assert.deepEqual(found["kept"], [
          [1, 2, 3],
          [4, 5, 6],
        ]),
      "a scope ends what stays": () => assert.match(String(found["refused"]), /DisposedError.*at the end of its scope/),
      "a path is refused with what to pass instead": () => assert.match(String(found["path"]), /Blob|Response/),
    };
    for (const [name, check] of Object.entries(checks)) {
      try {
        check();
        passed++;
      } catch (error) {
        failed++;
        console.error(`${kind} page: ${name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`browser: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
