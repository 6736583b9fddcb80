/**
 * Elementwise kernels agree with the reference: every scalar function and cast, all dtypes, random bodies, over random layouts
 * and all short lengths. LAW_CASES sets the number of cases (100,000 in `npm run laws`), FIRST_SPEC the first spec.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { environmentVariable } from "../../src/base/host.ts";
import { type KernelBackend, kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { expectAgreement, requestedCases } from "../support/kernel-agreement.ts";
import { kernelCase } from "../support/kernel-cases.ts";
import { catalog, specOf } from "../support/kernel-specs.ts";
import { dice } from "../support/operands.ts";

const lawTimeout = 3_600_000;
const casesPerSpec = 3;
const specs = Math.ceil((requestedCases ?? 3000) / casesPerSpec);
const firstSpec = Number(environmentVariable("FIRST_SPEC") ?? 0);

let installed: KernelBackend;
beforeAll(() => {
  installed = kernelBackend();
});
afterAll(() => {
  replaceBackend(installed);
});

/** Specs from the first one on, over random layouts. */
function expectAgreementOf(count: number, backend: KernelBackend): void {
  for (let number = firstSpec; number < firstSpec + count; number++) {
    const judged = specOf(number);
    const roll = dice(number * 31 + 7);
    const cases = Array.from({ length: casesPerSpec }, () => kernelCase(judged.spec, roll));
    expectAgreement(`FIRST_SPEC=${number}`, judged, cases, backend);
  }
}

test(
  `WebAssembly agrees with the reference on random layouts (${specs * casesPerSpec} cases)`,
  () => {
    expect(installed.name).toBe("wasm");
    expectAgreementOf(specs, installed);
  },
  lawTimeout,
);

test(
  "the reference visits the same elements by a plan as one by one",
  () => expectAgreementOf(Math.ceil(specs / 8), referenceBackend()),
  lawTimeout,
);

// All lengths in the laws; here every fourth, with a different start for each function.
const apart = requestedCases === undefined ? 4 : 1;

test(
  `lines of 0 to 67 elements agree, at any address (${catalog.length} functions, every ${apart} lengths)`,
  () => {
    catalog.forEach((judged, k) => {
      const roll = dice(k);
      const cases = Array.from({ length: 68 / apart }, (_, i) =>
        kernelCase(judged.spec, roll, i * apart + (k % apart)),
      );
      expectAgreement(`lengths of ${k}`, judged, cases, installed);
    });
  },
  lawTimeout,
);

const largeCases = Math.ceil((requestedCases ?? 3000) / 100);

test(
  `operands of several tiles and staged pieces agree (${largeCases} cases)`,
  () => {
    for (let number = 0; number < largeCases; number++) {
      const judged = specOf(number * 41 + 1);
      expectAgreement(`large ${number}`, judged, [kernelCase(judged.spec, dice(number), "large")], installed);
    }
  },
  lawTimeout,
);
