/**
 * The tests that need a browser, as projects of vitest. `pages` drives pages from outside: bundled programs under
 * several policies. `isolated` and `ordinary` run inside a page, with or without shared memory: unit tests that do not
 * need Node, and the laws of kernels.
 */
import { playwright } from "@vitest/browser-playwright";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { isolation, launchOptions } from "./chromium.ts";
import { writtenSamples } from "./written-samples.ts";

/** Tests that depend on the engine: memory, kernels, backends. */
const include = [
  "src/{storage,kernel,backends}/**/*.test.ts",
  "test/laws/kernels*.test.ts",
  "test/browser/inside/*.test.ts",
];
const onlyIsolated = ["src/storage/memory.test.ts"];
/** Tests that need Node: its processes, files, flags or garbage collector. */
const onlyInNode = [
  "src/storage/{blocks,heap,lazy-clone,overflow,pressure,promotion,slabs,storage}.test.ts",
  "src/backends/wasm/{options,probes}.test.ts",
  "src/backends/blas/*.test.ts",
  "src/backends/wasm/encoder/module.test.ts",
  "src/backends/wasm/workers/start-worker.test.ts",
];
function inside(page: "isolated" | "ordinary", headers: Record<string, string>): TestProjectInlineConfiguration {
  return {
    extends: true,
    logLevel: "warn",
    server: { headers },
    // Tests read their options here; the library does not.
    define: { "process.env": "{}" },
    optimizeDeps: { include: ["fast-check"] },
    test: {
      name: `in ${page} pages`,
      include,
      exclude: page === "isolated" ? onlyInNode : [...onlyInNode, ...onlyIsolated],
      // Runs after `pages`, which runs after the tests in Node, which use all cores.
      sequence: { groupOrder: 2 },
      provide: { page, written: writtenSamples() },
      // One frame for all files, so that the sources are loaded once.
      isolate: false,
      fileParallelism: false,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({ launchOptions }),
        instances: [{ browser: "chromium", name: page }],
      },
    },
  };
}

export const browserProjects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: "pages", include: ["test/browser/*.test.ts"], sequence: { groupOrder: 1 } } },
  inside("isolated", { ...isolation }),
  inside("ordinary", {}),
];

declare module "vitest" {
  interface ProvidedContext {
    /** The kind of page that a test runs in. */
    page: "isolated" | "ordinary";
    /** The samples that are written above the ops, by name. */
    written: Readonly<Record<string, readonly string[]>>;
  }
}
