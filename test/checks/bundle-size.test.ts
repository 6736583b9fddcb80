/** What a browser downloads, bundled, minified and gzipped, stays under its limits. What counts where: docs/decisions/0011. */
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

/** Leaves the backends out: they have a limit of their own. */
const withoutBackends: Plugin = {
  name: "without backends",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/backends\// }, ({ path }) => ({ path, external: true }));
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
    name: "the core: tensors and formulas",
    program: `import { elementwise, tensor } from "./src/index.ts"; console.log(elementwise("x + 1", { x: tensor([1]) }));`,
    kilobytes: 80,
    plugins: [withoutBackends],
  },
  { name: "the backends", program: `export * from "./src/backends/open.ts";`, kilobytes: 60 },
  { name: "the main entry with everything in it", program: `export * from "./src/index.ts";`, kilobytes: 160 },
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
