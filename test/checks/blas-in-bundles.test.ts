/** Only programs that can request a native library contain the code to load it. */
import { build } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

test.for([
  ["tensor", false],
  ["configuration", false],
  ["configure", true],
] as const)("a bundle of a program that imports %s has BLAS: %s", async ([name, hasBlas]) => {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from "./src/index.ts";`, resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "esm",
  });
  expect(outputFiles[0]?.text.includes("cblas_")).toBe(hasBlas);
});
