/**
 * The tests that run inside a browser, in two kinds of page: cross-origin isolated, where memory is shared and workers help, and
 * ordinary. They are unit tests that need nothing of Node, the agreement of kernels with the reference, and `*.page.ts`.
 * `vitest.config.ts` takes these projects where there is a browser.
 */
import { playwright } from "@vitest/browser-playwright";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { isolation, launchOptions } from "./test/support/chromium.ts";

/** Unit tests of what meets the engine: memory, kernels, backends. Those that ask Node for something stay in Node. */
const include = [
  "src/{storage,kernel,backends}/**/*.test.ts",
  "test/laws/kernels*.test.ts",
  "test/browser/*.page.ts",
];
const onlyInNode = [
  "src/storage/{blocks,heap,lazy-clone,overflow,pressure,promotion,slabs,storage}.test.ts",
  "src/backends/wasm/{options,probes}.test.ts",
  "src/backends/wasm/workers/start-worker.test.ts",
];

const pages = { isolated: isolation, ordinary: {} };

/** One project for each kind of page. */
export const browserProjects: TestProjectInlineConfiguration[] = Object.entries(pages).map(([name, headers]) => ({
  extends: true,
  server: { headers },
  optimizeDeps: { include: ["fast-check"] },
  test: {
    name,
    include,
    exclude: onlyInNode,
    provide: { page: name as keyof typeof pages },
    // After the tests in Node: they take all cores.
    sequence: { groupOrder: 1 },
    // One frame for all files: a page loads the sources once.
    isolate: false,
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      provider: playwright({ launchOptions }),
      instances: [{ browser: "chromium", name: `${name} page` }],
      screenshotFailures: false,
    },
  },
}));

declare module "vitest" {
  interface ProvidedContext {
    /** The kind of page that a test runs in. */
    page: keyof typeof pages;
  }
}
