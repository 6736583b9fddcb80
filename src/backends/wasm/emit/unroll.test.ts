/** Unrolled loops are written out, with their index as a constant and names of their own. */
import { expect, test } from "vitest";
import { parseKernel } from "../../../kernel/ir/parse.ts";
import { printKernel } from "../../../kernel/ir/print.ts";
import { unrollKernel } from "./unroll.ts";

test("the body is written once for each index, and so are the loops in it", () => {
  const kernel = parseKernel(`kernel unrolled
  buffer x: float32 read
  buffer out: float32 write
  modes rest: x
{
  parallel u in 0..4 {
    unrolled k in 1..3 {
      let t: float32 = x[k*u]
      walk rest at k + u -> x_at
      serial j in 0..k {
        out[j + 8*u] = t + float32[k] * x[x_at]
      }
    }
  }
}`);
  expect(printKernel(unrollKernel(kernel))).toMatchInlineSnapshot(`
    "kernel unrolled
      buffer x: float32 read
      buffer out: float32 write
      modes rest: x
    {
      parallel u in 0..4 {
        let t__1: float32 = x[u]
        walk rest at u + 1 -> x_at__1
        serial j__1 in 0..1 {
          out[j__1 + 8*u] = t__1 + float32[1] * x[x_at__1]
        }
        let t__2: float32 = x[2*u]
        walk rest at u + 2 -> x_at__2
        serial j__2 in 0..2 {
          out[j__2 + 8*u] = t__2 + float32[2] * x[x_at__2]
        }
      }
    }"
  `);
});

test("a kernel without unrolled loops stays the same object", () => {
  const kernel = parseKernel("kernel empty\n{\n  parallel u in 0..4 {\n  }\n}");
  expect(unrollKernel(kernel)).toBe(kernel);
});

test("bounds that are not known are refused", () => {
  const text = "kernel open\n  size n: 0..9\n{\n  parallel u in 0..4 {\n    unrolled k in 0..n {\n    }\n  }\n}";
  expect(() => unrollKernel(parseKernel(text))).toThrow(
    "unrolled k: the bounds are 0..n, and must be constants. Use a serial loop.",
  );
});
