/** The nearest known name, or none. */
import { expect, test } from "vitest";
import { nearest } from "./arguments.ts";

test("a misspelt name finds its neighbour, a different one finds none", () => {
  expect(nearest("widht", ["height", "width"])).toBe("width");
  expect(nearest("N", ["m", "n"])).toBe("n");
  expect(nearest("k", ["i", "n"])).toBe(undefined);
  expect(nearest("tile", [])).toBe(undefined);
});
