/** Every file is formatted and free of lint; `npm run format` fixes what can be fixed. */
import { test } from "vitest";
import { requireSuccess, runTool } from "../support/command.ts";

test("biome accepts every file", { timeout: 60_000 }, async () => {
  requireSuccess(await runTool("biome", ["check", "--error-on-warnings", "--max-diagnostics=20"]));
});
