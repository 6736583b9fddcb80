/** What a browser downloads for each entry point, bundled, minified and gzipped, stays under its limit. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

/** Kilobytes of 1000 bytes. */
const limits: readonly (readonly [source: string, kilobytes: number])[] = [
  ["src/index.ts", 80],
  ["src/layout/index.ts", 15],
];

test.for(limits)("%s is under %i kB", async ([source, kilobytes], { annotate }) => {
  const { outputFiles } = await build({
    entryPoints: [projectRoot + source],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
  const size = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0) / 1000;
  await annotate(`${size.toFixed(1)} kB`);
  expect(size, source).toBeLessThan(kilobytes);
});
