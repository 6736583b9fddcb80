/** What a browser downloads, bundled, minified and gzipped, stays under its limits. What counts where: docs/decisions/0014. */
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

/** Leaves the engine out, what makes kernels and runs them: it has a limit of its own. */
const withoutEngine: Plugin = {
  name: "without engine",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/(?:backends|kernel)\// }, ({ path }) => ({ path, external: true }));
  },
};

interface Limit {
  readonly name: string;
  readonly program: string;
  /** Kilobytes of 1000 bytes. */
  readonly kilobytes: number;
  readonly plugins?: Plugin[];
}

const limits: readonly Limit[] = [
  { name: "stridewise/layout", program: `export * from "./src/layout/index.ts";`, kilobytes: 15 },
  {
    name: "the core: tensors, ops, dispatch",
    program: `import { tensor } from "./src/index.ts"; console.log(tensor([1]).add(1));`,
    kilobytes: 80,
    plugins: [withoutEngine],
  },
  {
    name: "a program that adds, with its engine",
    program: `import { tensor } from "./src/index.ts"; console.log(tensor([1]).add(1));`,
    kilobytes: 170,
  },
  { name: "the main entry with everything in it", program: `export * from "./src/index.ts";`, kilobytes: 300 },
];

test.for(limits)("$name is under $kilobytes kB", async ({ program, kilobytes, plugins = [] }, { annotate }) => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: projectRoot },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
    plugins,
  });
  const size = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0) / 1000;
  await annotate(`${size.toFixed(1)} kB`);
  expect(size).toBeLessThan(kilobytes);
});
