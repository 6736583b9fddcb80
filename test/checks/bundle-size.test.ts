/**
 * The download sizes of bundles, minified and gzipped, stay under their limits. docs/decisions/0014 explains what each
 * limit includes.
 */
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

/** Leaves out the engine, which compiles kernels and runs them, or autograd. */
const without = (files: RegExp): Plugin => ({
  name: "without",
  setup: ({ onResolve }) => {
    onResolve({ filter: files }, ({ path }) => ({ path, external: true }));
  },
});
const engine = /\/(?:backends|kernel)\//;
const autograd = /\/autograd\/methods\.ts$|-gradient\.ts$/;

interface Limit {
  readonly name: string;
  readonly program: string;
  /** Kilobytes of 1000 bytes. */
  readonly kilobytes: number;
  readonly plugins?: Plugin[];
}

const adding = `import { tensor } from "./src/index.ts"; console.log(tensor([1]).add(1));`;

const limits: readonly Limit[] = [
  { name: "stridewise/layout", program: `export * from "./src/layout/index.ts";`, kilobytes: 15 },
  { name: "the core: tensors, ops, autograd, dispatch", program: adding, kilobytes: 117.5, plugins: [without(engine)] },
  { name: "the core with its engine", program: adding, kilobytes: 187.5, plugins: [without(autograd)] },
  { name: "all that a program loads which adds", program: adding, kilobytes: 206 },
  {
    name: "stridewise/nn, without the core",
    program: `export * from "./src/nn/index.ts";`,
    kilobytes: 16,
    plugins: [without(/^\.\.\/index\.ts$/)],
  },
  { name: "the main entry with everything in it", program: `export * from "./src/index.ts";`, kilobytes: 401 },
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
