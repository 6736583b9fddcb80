/** The function under construction: lists of code, locals that are set once, imports, names. */
import { expect, test } from "vitest";
import { Builder } from "./builder.ts";

test("a hoisted value is computed once, at the start of the function", () => {
  const builder = new Builder({ args: "i32" });
  const make = (): void => builder.op("i32.const", 7);
  builder.op("nop");
  const local = builder.hoist("i32", "seven", make);
  expect(builder.hoist("i32", "seven", make)).toBe(local);
  expect(builder.hoist("i64", "seven", () => builder.op("i64.const", 7))).not.toBe(local);
  expect(builder.finish("f").code).toEqual([
    ["i32.const", 7],
    ["local.set", local],
    ["i64.const", 7],
    ["local.set", 2],
    ["nop"],
  ]);
});

test("a local that is set and then read is teed", () => {
  const builder = new Builder({});
  const [a, b] = [builder.local("i32"), builder.local("i32")];
  builder.op("i32.const", 1);
  builder.set(a);
  builder.get(a);
  builder.set(b);
  builder.get(a);
  expect(builder.code).toEqual([
    ["i32.const", 1],
    ["local.tee", a],
    ["local.set", b],
    ["local.get", a],
  ]);
});

test("another list of code is appended at the current end", () => {
  const builder = new Builder({});
  const inner: typeof builder.code = [];
  builder.into(inner, () => builder.op("nop"));
  builder.op("unreachable");
  builder.append(inner);
  expect(builder.finish("f").code).toEqual([["unreachable"], ["nop"]]);
});

test("each Math function is imported once, in the order of its index", () => {
  const builder = new Builder({});
  expect([builder.math("exp", 1), builder.math("pow", 2), builder.math("exp", 1)]).toEqual([0, 1, 0]);
  expect(builder.imports.map(({ name }) => name)).toEqual(["exp", "pow"]);
  expect(builder.imports[1]).toMatchObject({ params: ["f64", "f64"], results: ["f64"] });
});

test("equal names of locals are numbered, and comments are above their instruction", () => {
  const builder = new Builder({ args: "i32" });
  for (const name of ["x", "x", "args", undefined, "x_2", "x"]) builder.local("f32", name);
  builder.op("nop");
  builder.titled("here", "nop");
  const { localNames, comments } = builder.finish("f");
  expect(new Set(localNames).size).toBe(7);
  expect(localNames?.slice(0, 4)).toEqual(["args", "x", "x_2", "args_2"]);
  expect(comments).toEqual([undefined, "here"]);
});
