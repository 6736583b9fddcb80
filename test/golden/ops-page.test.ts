/** docs/ops.md is what the ops say of themselves. */
import { expect, test } from "vitest";
import { opsPage } from "../support/ops-page.ts";

test("docs/ops.md is up to date; vitest --update writes it anew", async () => {
  await expect(opsPage()).toMatchFileSnapshot("../../docs/ops.md");
});
