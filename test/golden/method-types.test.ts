/** The types of methods are generated from the ops. */
import { expect, test } from "vitest";
import { methodTypes } from "../support/method-types.ts";

test("the declared methods are the installed ones; vitest --update writes them", { timeout: 120_000 }, async () => {
  for (const [file, text] of Object.entries(methodTypes()))
    await expect(text).toMatchFileSnapshot(`../../src/ops/${file}`);
});
