/** Encoded modules run: imports, indices, locals, constants and names are correct. */
import { expect, test } from "vitest";
import type { Instruction } from "./instructions.ts";
import { encodeModule, type WasmFunction, type WasmModule } from "./module.ts";

function instance(
  module: WasmModule,
  imports: WebAssembly.Imports = {},
): Record<string, (...args: unknown[]) => unknown> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(encodeModule(module)), imports);
  return exports as Record<string, (...args: unknown[]) => unknown>;
}

const plain = (name: string, parts: Partial<WasmFunction>): WasmFunction => ({
  name,
  params: [],
  results: [],
  locals: [],
  code: [],
  ...parts,
});

/** A module of one exported function. */
const single = (parts: Partial<WasmFunction>, imports: WasmModule["imports"] = []): WasmModule => ({
  name: "single",
  imports,
  functions: [plain("run", parts)],
  exports: [{ name: "run", function: imports.filter((each) => each.kind === "function").length }],
});

test("a module of nothing is eight bytes and its name", () => {
  const bytes = encodeModule({ name: "m", imports: [], functions: [], exports: [] });
  expect([...bytes]).toEqual([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 9, 4, ...Buffer.from("name"), 0, 2, 1, 0x6d]);
});

test("function indices count imported functions first, even between other imports", () => {
  const unary = { params: ["f64"], results: ["f64"] } as const;
  const { two, sine } = instance(
    {
      name: "indices",
      imports: [
        { module: "Math", name: "sin", kind: "function", ...unary },
        { module: "env", name: "memory", kind: "memory", shared: false, initial: 1, maximum: 1 },
        { module: "Math", name: "sqrt", kind: "function", ...unary },
      ],
      functions: [
        plain("one", {
          ...unary,
          code: [
            ["local.get", 0],
            ["call", 1],
          ],
        }),
        plain("two", {
          ...unary,
          code: [
            ["local.get", 0],
            ["call", 2],
            ["call", 2],
          ],
        }),
      ],
      exports: [
        { name: "two", function: 3 },
        { name: "sine", function: 0 },
      ],
    },
    { Math: Math as never, env: { memory: new WebAssembly.Memory({ initial: 1, maximum: 1 }) } },
  );
  expect(two?.(81)).toBe(3);
  expect(sine?.(1)).toBe(Math.sin(1));
});

test("locals keep their numbers and types in any order of declaration", () => {
  const locals = ["f64", "i32", "i32", "v128", "f32", "f64", "i64", "i64", "i64"] as const;
  locals.forEach((type, i) => {
    const code: Instruction[] = [["local.get", i + 1]];
    const bytes = encodeModule(single({ params: ["i32"], results: [type], locals, code }));
    expect(WebAssembly.validate(bytes), `${i}`).toBe(true);
  });
});

test("constants arrive exactly", () => {
  const floats = [0, -0, 0.1, 1e21, 5e-324, Number.MAX_VALUE, NaN, Number.NEGATIVE_INFINITY];
  for (const value of floats) {
    expect(instance(single({ results: ["f64"], code: [["f64.const", value]] }))["run"]?.()).toBe(value);
    expect(instance(single({ results: ["f32"], code: [["f32.const", value]] }))["run"]?.()).toBe(Math.fround(value));
  }
  for (const value of [0, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31), 2 ** 32 - 1])
    expect(instance(single({ results: ["i32"], code: [["i32.const", value]] }))["run"]?.()).toBe(value | 0);
  for (const value of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n])
    expect(instance(single({ results: ["i64"], code: [["i64.const", value]] }))["run"]?.()).toBe(value);
  const bits = single({ results: ["i32"], code: [["f32.const", NaN], ["i32.reinterpret_f32"]] });
  expect(instance(bits)["run"]?.()).toBe(0x7fc00000);
});

test("v128 constants and shuffles take sixteen bytes", () => {
  const code: Instruction[] = [
    ["v128.const", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]],
    ["v128.const", Array(16).fill(7)],
    ["i8x16.shuffle", [15, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ["i32x4.extract_lane", 0],
  ];
  expect(instance(single({ results: ["i32"], code }))["run"]?.()).toBe(0x010007ff);
});

test.each([true, false])("a memory is imported (shared: %s), with offsets above 2^31 in an access", (shared) => {
  const imports = [{ module: "env", name: "memory", kind: "memory", shared, initial: 1, maximum: 2 }] as const;
  const load = (offset: number) =>
    single(
      {
        results: ["i32"],
        code: [
          ["i32.const", 8],
          ["i32.load", 2, offset],
        ],
      },
      imports,
    );
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared });
  new Int32Array(memory.buffer)[34] = 77;
  expect(instance(load(128), { env: { memory } })["run"]?.()).toBe(77);
  expect(() => instance(load(2 ** 32 - 4), { env: { memory } })["run"]?.()).toThrow(WebAssembly.RuntimeError);
});

test("globals are imported", () => {
  const imports = [{ module: "env", name: "scratch", kind: "global", type: "i32", mutable: false }] as const;
  const module = single({ results: ["i32"], code: [["global.get", 0]] }, imports);
  expect(instance(module, { env: { scratch: new WebAssembly.Global({ value: "i32" }, 4096) } })["run"]?.()).toBe(4096);
});

test("listed types come first, even if they are listed twice, and blocks can refer to them", () => {
  const pair = { params: ["i32"], results: ["i32", "i32"] } as const;
  const code: Instruction[] = [["local.get", 0], ["block", 1], ["i32.const", 1], ["end"], ["i32.add"]];
  const module: WasmModule = {
    ...single({ params: ["i32"], results: ["i32"], code }),
    types: [{ params: [], results: [] }, pair, pair],
  };
  expect(instance(module)["run"]?.(41)).toBe(42);
});

test("a trap names the function", () => {
  const module = single({ code: [["unreachable"]] });
  const named = { ...module, functions: [{ ...(module.functions[0] as WasmFunction), name: "f32_axpb" }] };
  let trace = "";
  try {
    instance(named)["run"]?.();
  } catch (error) {
    trace = (error as Error).stack ?? "";
  }
  expect(trace).toContain("f32_axpb");
});

test("a long function grows the buffer", () => {
  const code = Array.from({ length: 20000 }, (_, i): Instruction[] => [["i32.const", i], ["i32.add"]]).flat();
  const module = single({ results: ["i32"], code: [["i32.const", 0], ...code] });
  expect(instance(module)["run"]?.()).toBe((20000 * 19999) / 2);
});
