/**
 * The recipe "Add an op" of CONTRIBUTING.md, followed step by step in a copy of the project: one file is written, the
 * rest is generated.
 */
import { expect, test } from "vitest";
import { followRecipe } from "../support/recipe.ts";

test("adding an op touches one file, and its tests and documents follow", { timeout: 300_000 }, () => {
  followRecipe("Add an op", ({ outputs, read }) => {
    expect(outputs).toHaveLength(2);
    for (const text of outputs) expect(text).toMatch(/[1-9]\d* passed, 0 failed/);
    const [, entry] = read("docs/ops/networks.md").split("## softgate\n");
    expect(entry?.split("## ")[0]?.trim()).toMatchInlineSnapshot(`
      "\`softgate(x, axis)\`

      Returns x times the sigmoid of its softmax along an axis.

      Example: \`softgate(tensor([[1, 2], [3, 5]]), 1)\` returns \`[[0.5668, 1.3501], [1.5893, 3.5349]]\`"
    `);
  });
});
