/** The pictures that README.md shows are those that the library draws now. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readmePictures } from "../../examples/readme-pictures.ts";

test.each(readmePictures())("%s is up to date", (file, svg) => {
  expect(svg, "run: npx tsx examples/readme-pictures.ts").toBe(readFileSync(file, "utf8"));
});
