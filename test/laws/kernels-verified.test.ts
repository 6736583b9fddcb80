/** Every kernel of a spec follows the rules of the IR, and its text is parsed to the same kernel. */
import { expect, test } from "vitest";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { printKernel } from "../../src/kernel/ir/print.ts";
import { checkKernel } from "../../src/kernel/ir/verify.ts";
import { buildMap } from "../../src/kernel/map/build.ts";
import { requestedCases } from "../support/kernel-agreement.ts";
import { specOf } from "../support/kernel-specs.ts";
import { dice } from "../support/operands.ts";

const cases = Math.ceil((requestedCases ?? 3000) / 20);

test(`kernels of ${cases} specs violate no rule`, () => {
  for (let number = 0; number < cases; number++) {
    const { spec } = specOf(number);
    const roll = dice(number);
    const operands = spec.outputs.length + spec.inputs.length;
    for (const kind of ["line", "plane"] as const) {
      let classes = 0;
      for (let k = 0; k < operands; k++) classes += 4 ** k * roll(k < spec.outputs.length ? 1 : 0, 2);
      const kernel = buildMap(spec, { kind, classes, second: 1, isTransposing: false });
      expect(() => checkKernel(kernel), `${printKernel(kernel)}`).not.toThrow();
      const text = printKernel(kernel);
      expect(printKernel(parseKernel(text))).toBe(text);
    }
  }
}, 3_600_000);
