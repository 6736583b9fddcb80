/** Compiled ops in a page: a share of the ops of the table, another one in each kind of page (`../../support/compiled-samples.ts`). */
import { inject, test } from "vitest";
import { checkCompiled } from "../../support/compiled-samples.ts";
import { exportedOps, samplesFrom } from "../../support/sampled-ops.ts";
import { numbersFrom } from "../../support/seeded-numbers.ts";

/** One of this many ops is in the share. */
const share = 8;

const pick = numbersFrom(inject("page") === "isolated" ? 1 : 2);
const ops = [...exportedOps()].filter(() => pick(share) === 0);
const written = inject("written");

test.each(ops)("%s", (name, op) => {
  checkCompiled(
    name,
    op,
    samplesFrom(() => written, name, op),
  );
});
