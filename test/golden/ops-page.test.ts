/** The pages of docs/ops are generated from the ops. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";
import { opsPages } from "../support/ops-page.ts";

test("docs/ops is up to date; vitest --update writes it", async () => {
  const pages = opsPages();
  for (const [file, text] of pages) await expect(text).toMatchFileSnapshot(`../../docs/ops/${file}`);
  expect(readdirSync(`${projectRoot}docs/ops`).filter((file) => !pages.has(file))).toEqual([]);
});
