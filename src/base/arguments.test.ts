/** The nearest known name, or none. */
import { expect, test } from "vitest";
import { nearest } from "./arguments.ts";

test("a misspelled name has a nearest one, a different name has none", () => {
  expect(nearest("widht", ["height", "width"])).toBe("width");
  expect(nearest("N", ["m", "n"])).toBe("n");
  expect(nearest("k", ["i", "n"])).toBe(undefined);
  expect(nearest("tile", [])).toBe(undefined);
});
