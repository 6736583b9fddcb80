/** Kernels as WGSL, compared with golden text, and the errors of the printer. */
import { describe, expect, test } from "vitest";
import { blockKernels } from "../../../test/support/block-kernels.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { printWgsl } from "./print-wgsl.ts";

describe("golden text", () => {
  test.each(Object.entries(blockKernels).filter(([, { text }]) => !text.includes("modes")))(
    "%s",
    async (name, { text }) => {
      await expect(`${printWgsl(parseKernel(text))}\n`).toMatchFileSnapshot(
        `../../../test/golden/kernels/threads/${name}.wgsl`,
      );
    },
  );
});

const kernelOf = (parameters: readonly string[], ...lines: readonly string[]): string =>
  [
    "kernel k",
    ...parameters,
    "  size n: 0..100",
    "{",
    "  parallel u in 0..n {",
    "    threads t in 0..4 {",
    ...lines,
    "    }",
    "  }",
    "}",
  ].join("\n");
const bodyOf = (text: string): string => {
  const lines = printWgsl(parseKernel(text)).split("\n");
  return lines
    .slice(lines.findIndex((line) => line.includes("let t = ")) + 1, -1)
    .map((line) => line.trim())
    .join("\n");
};

test("functions are spelled with their meaning, and helpers are declared once", () => {
  const text = kernelOf(
    ["  buffer x: float32 read", "  buffer y: int32 readwrite", "  scalar flag: bool"],
    "%1 = x[t]",
    "let v: float32 = max(%1, float32(-inf)) + %1 * (%1 - float32(2))",
    "let w: bool = and(not(flag), v < float32(0.5))",
    "y[4*u + t] = floorDiv(y[4*u + t], int32(3)) + floorMod(int32[t], int32(2)) where w",
    "barrier",
    "fetch from = shiftLeft(xor(y[t], int32(5)), int32[t])",
    "y[4*u + t] = select(w, int32[from], truncDiv(y[t], int32(7)))",
  );
  expect(printWgsl(parseKernel(text))).toMatchInlineSnapshot(`
    "// k: 4 threads for each unit
    struct Arguments {
      flag: u32,
      n: i32,
    }
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<i32>;
    @group(0) @binding(2) var<uniform> arguments: Arguments;
    var<private> bits_ff800000: u32 = 0xff800000u;
    fn max_f32(a: f32, b: f32) -> f32 { return select(max(a, b), a + b, a != a || b != b); }
    fn floor_mod(a: i32, b: i32) -> i32 { let r = a % b; return select(r, r + b, r != 0 && (r < 0) != (b < 0)); }
    fn floor_div(a: i32, b: i32) -> i32 { return select((a - floor_mod(a, b)) / b, 0, b == 0); }

    @compute @workgroup_size(4)
    fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
      let flag = arguments.flag != 0u;
      let n = arguments.n;
      let u = i32(workgroup.x + workgroup.y * workgroups.x);
      if (u >= n) { return; }
      let t = i32(thread);
      let v1 = x[t];
      let v: f32 = max_f32(v1, bitcast<f32>(bits_ff800000)) + (v1 * (v1 - 2.0));
      let w: bool = (!flag) && (v < 0.5);
      if (w) { y[t + u * 4] = floor_div(y[t + u * 4], 3) + floor_mod(t, 2); }
      storageBarrier();
      workgroupBarrier();
      let from_ = select((y[t] ^ 5) << (u32(t) & 31u), 0, u32(t) > 31u);
      y[t + u * 4] = select(select(y[t] / 7, 0, 7 == 0), from_, w);
    }"
  `);
});

test("single elements of an array of vectors are loaded, and never stored to by threads", () => {
  const body = (store: string): string =>
    bodyOf(
      kernelOf(
        ["  buffer x: float32 read", "  buffer out: float32 write", "  scalar a: float32"],
        "vector z in 0..4 by 4 {",
        "out[16*u + 4*t + z] = a * x[16*u + 4*t + z] + x[t]",
        "}",
        store,
      ),
    );
  expect(body("let v: float32 = x[t + 1]")).toMatchInlineSnapshot(`
    "out[t + u * 4] = (vec4<f32>(a) * x[t + u * 4]) + vec4<f32>(x[t / 4][t % 4]);
    let v: f32 = x[(t + 1) / 4][(t + 1) % 4];"
  `);
  expect(body("out[t + 1] = x[t + 1]")).toMatchInlineSnapshot(`
    "for (var z = 0; z < 4; z += 1) {
    out[t * 4 + u * 16 + z] = (a * x[t * 4 + u * 16 + z]) + x[t];
    }
    out[t + 1] = x[t + 1];"
  `);
});

test.each([
  ["float64 values", kernelOf(["  buffer x: float64 read"]), "printWgsl: float64 has no type in WGSL."],
  [
    "buffers of bool",
    kernelOf(["  buffer x: bool read"]),
    "printWgsl: a buffer of bool cannot be shared with the host. Use int32.",
  ],
  [
    "functions without a spelling",
    kernelOf(["  buffer x: float32 readwrite"], "x[t] = erf(x[t])"),
    "printWgsl: erf of float32 has no function in WGSL.",
  ],
  [
    "mode lists",
    blockKernels["acrossBarriers"]?.text as string,
    "printWgsl: kernel f32_across_barriers: mode lists are not printed.",
  ],
  [
    "sums of vector loops",
    kernelOf(
      ["  buffer x: float32 readwrite"],
      "accumulator s: float32 = x[t]",
      "vector z in 0..n by 4 {",
      "s add= x[z]",
      "}",
    ),
    "printWgsl: s is combined in a vector loop, whose order is not printed. Use a serial loop.",
  ],
])("%s throw", (_, text, message) => {
  expect(() => printWgsl(parseKernel(text))).toThrow(message);
});
