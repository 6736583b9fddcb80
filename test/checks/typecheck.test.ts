/** The whole tree compiles: sources, tests, examples, and the type tests in `test/types`. */
import { test } from "vitest";
import { requireSuccess, runTool } from "../support/command.ts";

test("the compiler accepts every file", { timeout: 120_000 }, async () => {
  requireSuccess(await runTool("tsc", ["-p", "tsconfig.json"]));
});
