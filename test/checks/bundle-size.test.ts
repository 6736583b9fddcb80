/**
 * The download sizes of bundles, minified and gzipped, stay under their limits. docs/decisions/0014 explains what each
 * limit includes.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
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
  { name: "the core: tensors, ops, autograd, dispatch", program: adding, kilobytes: 119.2, plugins: [without(engine)] },
  { name: "the core with its engine", program: adding, kilobytes: 191.1, plugins: [without(autograd)] },
  { name: "all that a program loads which adds", program: adding, kilobytes: 209.8 },
  {
    name: "stridewise/nn, without the core",
    program: `export * from "./src/nn/index.ts";`,
    kilobytes: 16,
    plugins: [without(/^\.\.\/index\.ts$/)],
  },
  { name: "the main entry with everything in it", program: `export * from "./src/index.ts";`, kilobytes: 424.2 },
];

/** The share of each folder of src, largest first. */
function sharesOf({ outputs }: Metafile): string {
  const bytes = new Map<string, number>();
  let all = 0;
  for (const { inputs } of Object.values(outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^src\/(.*)\//.exec(file)?.[1]?.split("/").slice(0, 2).join("/") ?? "src";
      bytes.set(folder, (bytes.get(folder) ?? 0) + bytesInOutput);
      all += bytesInOutput;
    }
  const shares = [...bytes]
    .sort(([, a], [, b]) => b - a)
    .map(([folder, count]) => [folder, (100 * count) / all] as const);
  return shares.map(([folder, share]) => `${folder} ${share.toFixed(1)}%`).join(", ");
}

test.for(limits)("$name is under $kilobytes kB", async ({ program, kilobytes, plugins = [] }, { annotate }) => {
  const { outputFiles, metafile } = await build({
    metafile: true,
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
  await annotate(`${size.toFixed(1)} kB: ${sharesOf(metafile)}`);
  expect(size).toBeLessThan(kilobytes);
});

test("docs/browsers.md states the limits, rounded up", () => {
  const text = readFileSync(`${projectRoot}docs/browsers.md`, "utf8");
  const stated = [...text.matchAll(/at most (\d+) kB/g)].map(([, kilobytes]) => Number(kilobytes));
  const documented = [
    "stridewise/layout",
    "all that a program loads which adds",
    "the main entry with everything in it",
  ];
  expect(stated).toEqual(
    documented.map((title) => Math.ceil(limits.find(({ name }) => name === title)?.kilobytes ?? 0)),
  );
});
