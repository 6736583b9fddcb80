/**
 * The tests in Node: unit tests next to their files, and everything in `test/`, the checks included, except tests that
 * need a browser (`test/support/node-projects.ts`). `npm test` adds those (`vitest.everywhere.config.ts`). The
 * package's own name resolves to the sources here, so that tests and documents read like user code.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { closingLine } from "./test/support/closing-line.ts";
import { nodeProjects } from "./test/support/node-projects.ts";

const sources = fileURLToPath(new URL("./src/", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^stridewise$/, replacement: `${sources}index.ts` },
      { find: /^stridewise\/tuple$/, replacement: `${sources}layout/int-tuple.ts` },
      { find: /^stridewise\/cute$/, replacement: `${sources}cute.ts` },
      { find: /^stridewise\/webgpu$/, replacement: `${sources}backends/webgpu/index.ts` },
      { find: /^stridewise\/(notation|explain)$/, replacement: `${sources}layout/$1.ts` },
      { find: /^stridewise\/(.+)$/, replacement: `${sources}$1/index.ts` },
    ],
  },
  test: {
    projects: nodeProjects,
    setupFiles: ["test/support/boot.ts"],
    maxWorkers: "100%",
    // Laws and fuzzing take seconds on a busy machine.
    testTimeout: 30_000,
    reporters: [["default", { summary: false }], closingLine()],
  },
});
