/** Other names are the ops themselves. */
import { expect, test } from "vitest";
import * as aliases from "./aliases.ts";
import * as ops from "./index.ts";

test("another name is the op itself, and no op has it as its own", () => {
  const names = new Set(Object.values(ops).flatMap((op) => (typeof op === "function" && "operator" in op ? [op] : [])));
  for (const [name, op] of Object.entries(aliases)) {
    expect(names.has(op as never), name).toBe(true);
    expect(op.operator.name).not.toBe(name);
  }
});

test("names that are easily confused refer to the right op", () => {
  expect(aliases.trueDivide).toBe(ops.div);
  expect(aliases.clip).toBe(ops.clamp);
  expect(aliases.greaterEqual).toBe(ops.ge);
  expect(aliases.arctan2).toBe(ops.atan2);
});
