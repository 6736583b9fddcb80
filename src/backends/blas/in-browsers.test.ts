/** What stands in for BLAS in bundles for browsers has the same functions, and bundlers for browsers take it. */
import { readFileSync } from "node:fs";
import { build, type Platform } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../../../test/support/command.ts";
import * as standIn from "./in-browsers.ts";
import * as native from "./settle-blas.ts";

test("it has the functions of settle-blas.ts, and is never in use", () => {
  expect(Object.keys(standIn).sort()).toEqual(Object.keys(native).sort());
  expect(standIn.settleBlas(false, 1)).toEqual({ library: null, why: "not asked for" });
  expect(standIn.blasFound()).toBeUndefined();
  const asked = standIn.settleBlas(true, 1);
  expect(asked).toEqual({ library: null, why: "a bundle for browsers calls no native libraries" });
  expect(standIn.blasFound()).toBe(asked);
});

test.for<[Platform, hasBlas: boolean]>([
  ["browser", false],
  ["node", true],
])("a bundle for %s has BLAS: %s", async ([platform, hasBlas]) => {
  const { outputFiles } = await build({
    stdin: { contents: `export { configure } from "./src/index.ts";`, resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "esm",
    platform,
  });
  expect(outputFiles[0]?.text.includes("cblas_")).toBe(hasBlas);
});

test("package.json says the same of the sources and of what is published", () => {
  const { browser } = JSON.parse(readFileSync(`${projectRoot}package.json`, "utf8")) as { browser: object };
  const published = (file: string): string => file.replace("./src/", "./dist/").replace(/\.ts$/, ".js");
  const ofSources = Object.entries(browser).filter(([file]) => file.startsWith("./src/"));
  expect(ofSources).not.toEqual([]);
  expect(browser).toEqual(
    Object.fromEntries(
      ofSources.flatMap(([from, to]) => [
        [from, to],
        [published(from), published(to as string)],
      ]),
    ),
  );
});
