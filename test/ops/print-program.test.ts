/** Programs of calls: their text, and that a planned program computes the same as the call. */
import { describe, expect, test } from "vitest";
import { fromBuffer, rand, type Tensor, tensor } from "../../src/index.ts";
import { bindingOf, runProgram } from "../../src/kernel/program/run-program.ts";
import { printProgram } from "../../src/ops/print-program.ts";
import { type Mode, withMode } from "../../src/tensor/dispatch/modes.ts";
import { lowerCall } from "../../src/tensor/program-cache.ts";
import { expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, randomOps, samplesOf } from "../support/op-samples.ts";

describe("printProgram", () => {
  test("shows slots and launches of each op", () => {
    const x = rand([4, 300]) as Tensor;
    expect(printProgram(() => x.T.mul(2).sum())).toMatchInlineSnapshot(`
      "T: a view

      mul:
        %1 result float32[300, 4], 4,800 bytes
        %2 operand float32[300, 4], 4,800 bytes
        f32_mul_line_11(out = %1, x = %2; n = 1200, block = 16384; other = 2) in 1 unit

      sum:
        %1 result float32[], 4 bytes
        %2 operand float32[300, 4], 4,800 bytes
        f32_sum_1(out = %1, x = %2; outputs = 1, block = 1, n = 1200, rounds = 1) in 1 unit"
    `);
  });

  test("shows operands outside the heap as copies into the workspace", () => {
    expect(printProgram(() => fromBuffer(new Float32Array(20000)).relu())).toMatchInlineSnapshot(`
      "relu:
        %1 result float32[20000], 80,000 bytes
        %2 operand float32[20000], 80,000 bytes
        %0 workspace of 32,768 bytes
        repeat 2 times: %3 = %1 + 32768 * round, %4 = %2 + 32768 * round
          copy 32,768 bytes: %0 = %4
          f32_relu_line_11(out = %3, x = %0; n = 8192, block = 16384) in 1 unit
        copy 14,464 bytes: %0 = %2 + 65536
        f32_relu_line_11(out = %1 + 65536, x = %0; n = 3616, block = 16384) in 1 unit"
    `);
  });

  test("shows routines as host steps", () => {
    expect(printProgram(() => (tensor([3, 1, 2]) as Tensor).sort(0))).toContain("host sort");
  });

  test("throws unless it gets a function", () => {
    expect(() => printProgram(rand([2]) as never)).toThrow("printProgram: needs a function");
  });
});

describe("a planned program, run separately, computes the same as the call", () => {
  const planned = new Set<string>();
  const mode: Mode = {
    call({ plan, name }, args, next) {
      if (plan === null) return next();
      planned.add(name);
      const call = plan(args);
      if (call === null) return next();
      const { builder } = lowerCall(call, args);
      runProgram(builder.finish(), bindingOf(builder));
      const results = call.results.map((t) => t.clone() as Tensor);
      const expected = next();
      expectClose(results, tensorsIn(expected));
      return expected;
    },
  };
  const cases = [...exportedOps()].filter(([name]) => !randomOps.has(name));

  test.each(cases)("%s", (name, op) => {
    for (const sample of samplesOf(name, op)) withMode(mode, () => callSample(name, sample));
  });

  test("most ops have one", () => {
    expect(planned.size).toBeGreaterThan(300);
  });
});
