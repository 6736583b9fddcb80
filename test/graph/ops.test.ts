/** Every op of the table, compiled: results equal those of the eager call, bit for bit (`../support/compiled-samples.ts`). */
import { test } from "vitest";
import { checkCompiled } from "../support/compiled-samples.ts";
import { exportedOps, samplesOf } from "../support/op-samples.ts";

test.each([...exportedOps()])("%s", (name, op) => {
  checkCompiled(name, op, samplesOf(name, op));
});
