/**
 * Elementwise kernels agree with the reference: every scalar function and cast, all dtypes, random bodies, over random layouts
 * and all short lengths. LAW_CASES says how many cases (100,000 in `npm run laws`), FIRST_SPEC with which spec to begin.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { environmentVariable } from "../../src/backends/wasm/host.ts";
import { type KernelBackend, kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { askedCases, expectAgreement } from "../support/kernel-agreement.ts";
import { kernelCase } from "../support/kernel-cases.ts";
import { catalogue, specOf } from "../support/kernel-specs.ts";
import { dice } from "../support/operands.ts";

const lawTimeout = 3_600_000;
const cases = askedCases ?? 4000;
const casesPerSpec = 3;
const specs = Math.ceil(cases / casesPerSpec);
const firstSpec = Number(environmentVariable("FIRST_SPEC") ?? 0);

let installed: KernelBackend;
beforeAll(() => {
  installed = kernelBackend();
});
afterAll(() => {
  replaceBackend(installed);
});

test(
  `kernels agree with the reference on random layouts (${specs * casesPerSpec} cases)`,
  () => {
    expect(installed.name).toBe("wasm");
    for (let number = firstSpec; number < firstSpec + specs; number++) {
      const judged = specOf(number);
      const roll = dice(number * 31 + 7);
      const given = Array.from({ length: casesPerSpec }, () => kernelCase(judged.spec, roll));
      expectAgreement(`FIRST_SPEC=${number}`, judged, given, installed);
    }
  },
  lawTimeout,
);
