/** Values in error messages: no value, however odd, causes another error. */
import { expect, test } from "vitest";
import { shown } from "../../src/base/arguments.ts";
import { tensor } from "../../src/index.ts";

const itself: unknown[] = [];
itself.push(itself, 1);

test.each([
  ["x", '"x"'],
  [[1, ["a", null]], '[1,["a",null]]'],
  [itself, "[[[[...],1],1],1]"],
  [Object.create(null), "an object"],
  [Symbol("s"), "Symbol(s)"],
  [tensor([1, 2]), "a tensor"],
  [{ dtype: "int32" }, "an object"],
  [undefined, "undefined"],
])("%#", (value, text) => {
  expect(shown(value)).toBe(text);
});
