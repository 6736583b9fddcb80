/** The first call of a program creates a tensor: functions that take no tensors start the library. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

test("oneHot of a list works as the first call", () => {
  const program = `import { oneHot } from "./src/index.ts"; console.log(JSON.stringify(oneHot([0, 2], 3)));`;
  const out = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  expect(JSON.parse(out)).toEqual([
    [1, 0, 0],
    [0, 0, 1],
  ]);
});
