/**
 * A program of two lines, as bundlers deliver it: minified, with what it does not use dropped, it still starts the library by
 * itself and runs. The methods of tensors are installed at first use, so a bundler that took that for dead code would break this.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as bundleWithEsbuild } from "esbuild";
import { build as bundleWithVite } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stridewise-bundle-"));
  writeFileSync(
    join(folder, "program.js"),
    `import { tensor } from "${projectRoot}src/index.ts";
export const text = String(tensor([[1, 2], [3, 4]]).T.reshape(-1));\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundlers: Readonly<Record<string, (entry: string, outfile: string) => Promise<unknown>>> = {
  esbuild: (entry, outfile) =>
    bundleWithEsbuild({ entryPoints: [entry], outfile, bundle: true, minify: true, format: "esm", target: "es2022" }),
  vite: (entry, outfile) =>
    bundleWithVite({
      configFile: false,
      logLevel: "silent",
      root: folder,
      build: {
        lib: { entry, formats: ["es"], fileName: () => "vite.mjs" },
        outDir: join(outfile, ".."),
        emptyOutDir: false,
        minify: true,
      },
    }),
};

test.each(Object.keys(bundlers))("bundled by %s, a tensor has its methods", async (name) => {
  const outfile = join(folder, `${name}.mjs`);
  await bundlers[name]?.(join(folder, "program.js"), outfile);
  const { text } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { text: string };
  expect(text).toBe("tensor([1., 3., 2., 4.])");
});
