/** The text of a module, as a whole and line by line. */
import { expect, test } from "vitest";
import type { Instruction } from "./instructions.ts";
import { encodeModule, type WasmModule } from "./module.ts";
import { printInstruction, printModule } from "./text.ts";

const module: WasmModule = {
  name: "f32_scale",
  types: [{ params: ["i32", "i32", "i32"], results: [] }],
  imports: [
    { module: "env", name: "memory", kind: "memory", shared: true, initial: 1, maximum: 65536 },
    { module: "env", name: "scratch", kind: "global", type: "i32", mutable: false },
    { module: "env", name: "table", kind: "table", initial: 4 },
    { module: "Math", name: "exp", kind: "function", params: ["f64"], results: ["f64"] },
  ],
  functions: [
    {
      name: "run",
      params: ["i32", "i32", "i32"],
      results: [],
      locals: ["v128", "f64", "f64"],
      localNames: ["args", "begin", "end", "a", "odd name", undefined],
      comments: ["the factor", undefined, undefined, "rounds of 4"],
      code: [
        ["global.get", 0],
        ["v128.load32_splat", 2, 4],
        ["local.set", 3],
        ["loop"],
        ["local.get", 1],
        ["if", -2],
        ["i64.const", -5n],
        ["else"],
        ["i64.const", 7],
        ["end"],
        ["drop"],
        ["f64.const", -0],
        ["call", 0],
        ["local.set", 4],
        ["local.get", 2],
        ["br_if", 0],
        ["end"],
        ["local.get", 0],
        ["local.get", 1],
        ["local.get", 2],
        ["i32.const", 3],
        ["call_indirect", 0],
      ],
    },
  ],
  exports: [{ name: "run", function: 1 }],
};

test("a module prints as WebAssembly text", () => {
  expect(WebAssembly.validate(encodeModule(module))).toBe(true);
  expect(printModule(module)).toMatchInlineSnapshot(`
    "(module $f32_scale
      (type (func (param i32 i32 i32)))
      (import "env" "memory" (memory $memory 1 65536 shared))
      (import "env" "scratch" (global $scratch i32))
      (import "env" "table" (table $table 4 funcref))
      (import "Math" "exp" (func $exp (param f64) (result f64)))
      (export "run" (func $run))
      (func $run (param $args i32) (param $begin i32) (param $end i32)
        (local $a v128)
        (local $odd_name f64)
        (local $5 f64)
        ;; the factor
        global.get $scratch
        v128.load32_splat offset=4 align=4
        local.set $a
        ;; rounds of 4
        loop
          local.get $begin
          if (result i64)
            i64.const -5
          else
            i64.const 7
          end
          drop
          f64.const -0
          call $exp
          local.set $odd_name
          local.get $end
          br_if 0
        end
        local.get $args
        local.get $begin
        local.get $end
        i32.const 3
        call_indirect (type 0)
      )
    )
    "
  `);
});

test.each<[string, Instruction]>([
  ["i32.const -1", ["i32.const", 4294967295]],
  ["i64.const -1", ["i64.const", 2n ** 64n - 1n]],
  ["f32.const 0.10000000149011612", ["f32.const", 0.1]],
  ["f64.const nan", ["f64.const", NaN]],
  ["f64.const -inf", ["f64.const", Number.NEGATIVE_INFINITY]],
  ["v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", ["v128.const", [...Array(16).keys()]]],
  ["v128.load32_lane align=4 3", ["v128.load32_lane", 2, 0, 3]],
  ["f32x4.extract_lane 1", ["f32x4.extract_lane", 1]],
  ["block (type 2)", ["block", 2]],
  ["block", ["block", -64]],
  ["loop (result v128)", ["loop", -5]],
  ["br_table 0 1 2", ["br_table", [0, 1], 2]],
  ["call_indirect 1 (type 3)", ["call_indirect", 3, 1]],
  ["memory.copy", ["memory.copy"]],
])("%s is one line", (text, instruction) => {
  expect(printInstruction(instruction)).toBe(text);
});

test("labels are distinct, and of characters that the text format allows", () => {
  const text = printModule({
    ...module,
    functions: ["exp", "a b", "a(b"].map((name) => ({ name, params: [], results: [], locals: [], code: [] })),
    exports: [],
  });
  expect(text.match(/\(func \$\S+/g)).toEqual(["(func $exp", "(func $exp_2", "(func $a_b", "(func $a_b_2"]);
});
