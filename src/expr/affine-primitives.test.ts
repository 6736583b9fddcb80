/** mllm's affine primitives: create, assign, call. */
import { expect, test } from "vitest";
import { AffinePrimitives } from "./affine-primitives.ts";
import { sym } from "./expr.ts";

test("the loop of mllm's documentation", () => {
  const ap = new AffinePrimitives();
  const affine = ap.create("i * 128 + 64");
  for (let i = 0; i < 128; ++i) {
    ap["i"] = i;
    expect(affine()).toBe(i * 128 + 64);
  }
});

test("affines share symbols; values can be read back, assigned before creation, and updated", () => {
  const ap = new AffinePrimitives();
  ap["i"] = 3;
  const f = ap.create("i + 10*j");
  const g = ap.create(sym("i").floorDiv(2).add(sym("k").mod(5)));
  const h = ap.create("i + 2*j + 3*k - 4");
  ap["j"] = -2;
  ap["k"] = -1;
  expect([f(), g(), h(), ap["i"], ap["j"]]).toEqual([-17, 5, -8, 3, -2]);
  ap["i"] = 8;
  expect([f(), g(), h()]).toEqual([-12, 8, -3]);
  expect([`${f}`, f.isStatic, `${g.expr}`]).toEqual(["i+10*j", false, "i/2+k%5"]);
});

test("two objects have separate symbols, also those named like methods of objects", () => {
  const [a, b] = [new AffinePrimitives(), new AffinePrimitives()];
  const [f, g] = [a.create("i + toString"), b.create("2*i")];
  a["i"] = 1;
  Object.assign(a, { toString: 5 });
  b["i"] = 10;
  expect([f(), g(), a["i"], b["i"]]).toEqual([6, 20, 1, 10]);
});

test("an expression without symbols is static", () => {
  const f = new AffinePrimitives().create("2 * 3 + 1");
  expect([f(), f.isStatic, `${f}`]).toEqual([7, true, "7"]);
});

test("sums with intermediate values past 2^53 are still exact, or throw", () => {
  const ap = new AffinePrimitives();
  const f = ap.create("3*i - 3*j");
  ap["i"] = 2 ** 51 + 1;
  ap["j"] = 2 ** 51;
  expect(f()).toBe(3);
  ap["i"] = 2 ** 52 + 1;
  ap["j"] = 2 ** 52;
  expect(f).toThrow(/past 2\^53/);
});

test("mistakes have distinct errors", () => {
  const ap = new AffinePrimitives();
  const f = ap.create("i * 128 + 64");
  const complaint = (run: () => unknown): string => {
    try {
      return `${run()}`;
    } catch (error) {
      return `${error}`;
    }
  };
  const assign = (name: string, value: unknown) => () => {
    (ap as Record<string, unknown>)[name] = value;
  };
  expect(ap["i"]).toBe(undefined);
  expect([
    complaint(f),
    complaint(assign("i", 1.5)),
    complaint(assign("i", "3")),
    complaint(() => ap.create("create + 1")),
    complaint(() => {
      ap["i"] = 2 ** 52;
      return f();
    }),
    complaint(() => {
      ap["q"] = 0;
      return ap.create("i / q")();
    }),
  ]).toMatchInlineSnapshot(`
    [
      "ExprError: AffinePrimitives: the symbol i has no value. Assign it: primitives.i = 8.",
      "ExprError: AffinePrimitives: i = 1.5 is not an integer from -(2^53 - 1) to 2^53 - 1. Assign an integer.",
      "ExprError: AffinePrimitives: i = 3 is not an integer from -(2^53 - 1) to 2^53 - 1. Assign an integer.",
      "ExprError: AffinePrimitives: "create" is a method. Use another name for the symbol.",
      "OverflowError: AffinePrimitives: 128 * 4503599627370496 is past 2^53 - 1, the largest exact integer. Use smaller numbers.",
      "ExprError: AffinePrimitives: division by zero: the divisor q is 0 for q = 0.",
    ]
  `);
});
