/**
 * The memory table of docs/09-threads-and-speed.md: each scenario of test/end-to-end/memory/scenarios.ts with and without scopes, in every available runtime,
 * a process each. Prints the peak of resident memory in MB, and marks a row in which the program without scopes needs
 * more than three times as much as the one with scopes, and more than 300 MB on top of it.
 *
 *   npm run bench memory                        this Node, and Chromium if it is there
 *   RUNTIMES="/path/to/node /path/to/bun /path/to/deno" npm run bench memory
 *   npm run bench memory 1000 "HTTP server"     at most 1000 steps, of scenarios whose name contains the text
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { scenarios } from "../test/end-to-end/memory/scenarios.ts";
import { isolation, launchOptions } from "../test/support/chromium.ts";

interface Result {
  readonly peak: number;
  readonly ms: number;
  readonly collections: number;
}
type Run = (name: string, by: "plain" | "scope", steps: number) => Promise<Result | string>;

const folder = new URL("memory-programs/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
const entry = new URL("../../../test/end-to-end/memory/scenarios.ts", import.meta.url).pathname;
await build({
  entryPoints: { scenarios: entry },
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "error",
});
writeFileSync(`${folder}package.json`, `{ "type": "module" }`);
writeFileSync(`${folder}worker.js`, readFileSync(new URL("worker.js", import.meta.url)));

/** Runs a scenario in a process of a runtime. */
const inProcess =
  (path: string): Run =>
  async (name, by, steps) => {
    const flags = /deno$/.test(path) ? ["run", "-A"] : [];
    const { stdout, stderr } = spawnSync(path, [...flags, `${folder}scenarios.mjs`, name, by, String(steps)], {
      encoding: "utf8",
      timeout: 900_000,
    });
    const line = stdout.split("\n").find((text) => text.startsWith("{"));
    return line === undefined ? (/\w*Error[^\n]*/.exec(stderr)?.[0] ?? "no result") : (JSON.parse(line) as Result);
  };

/** The largest peak of resident memory among the renderers of a browser, in MB. */
function rendererPeak(): number {
  let max = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) continue;
      const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
      max = Math.max(max, Number(kilobytes) / 1024);
    } catch {
      // A process that has ended.
    }
  return Math.round(max);
}

/** Runs a scenario in a page of its own browser. */
const inChromium: Run = async (name, by, steps) => {
  const server = createServer((request, response) => {
    const file = request.url === "/" ? null : `${folder}${request.url?.slice(1)}`;
    const type = file === null ? "text/html" : "text/javascript";
    const page = `<script type="module" src="/scenarios.mjs"></script>`;
    if (file !== null && !existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type, ...isolation }).end(file === null ? page : readFileSync(file));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(900_000);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.runScenario !== undefined");
    const result = (await page.evaluate(
      `runScenario(${JSON.stringify(name)}, ${JSON.stringify(by)}, ${steps})`,
    )) as Result;
    return { ...result, peak: rendererPeak() };
  } catch (error) {
    return String(error).split("\n")[0] as string;
  } finally {
    await browser.close();
    server.close();
  }
};

const version = (path: string): string => {
  const text = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim().split("\n")[0] as string;
  return /bun$/.test(path)
    ? `Bun ${text}`
    : text.startsWith("v")
      ? `Node ${text.slice(1)}`
      : (text.split(" (")[0] as string);
};
const paths = process.env["RUNTIMES"]?.split(/\s+/) ?? [process.execPath];
const runtimes = new Map<string, Run>(paths.map((path) => [version(path), inProcess(path)]));
if (existsSync(launchOptions.executablePath)) runtimes.set("Chromium", inChromium);

const [maxSteps = "Infinity", part = ""] = process.argv.slice(2);
for (const [runtime, run] of runtimes)
  for (const [name, [long]] of Object.entries(scenarios)) {
    if (!name.includes(part) || (runtime === "Chromium" && /server|worker/.test(name))) continue;
    const steps = Math.min(long, Number(maxSteps));
    const freed = await run(name, "scope", steps);
    const plain = await run(name, "plain", steps);
    const show = (result: Result | string): string =>
      typeof result === "string" ? result : `${result.peak} MB in ${(result.ms / 1000).toFixed(1)} s`;
    const isOver =
      typeof freed === "string" || typeof plain === "string" || plain.peak > Math.max(3 * freed.peak, freed.peak + 300);
    const forced = typeof plain === "string" ? "" : `, ${plain.collections} collections`;
    console.log(`${isOver ? "OVER " : ""}${runtime} | ${name} | ${steps} | ${show(freed)} | ${show(plain)}${forced}`);
  }
