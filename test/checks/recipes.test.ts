/** The recipes "Add a layout operation" and "Add a file format" of CONTRIBUTING.md, followed step by step in a copy of the project. */
import { expect, test } from "vitest";
import { followRecipe } from "../support/recipe.ts";

test.each([
  ["Add a layout operation", 1],
  ["Add a file format", 1],
])("%s: the code of the recipe passes the checks that it names", { timeout: 300_000 }, (title, commands) => {
  followRecipe(title, ({ outputs }) => {
    expect(outputs).toHaveLength(commands);
    for (const text of outputs) expect(text).toMatch(/[1-9]\d* passed, 0 failed/);
  });
});
