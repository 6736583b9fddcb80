/** Mutable state is in records of the runtime, which can be listed. A module-level `let` needs a comment that says why it is one. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runtime } from "../../src/base/runtime.ts";
import { tensor } from "../../src/index.ts";
import { projectRoot } from "../support/command.ts";

const files = readdirSync(`${projectRoot}/src`, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
);

test("each module-level let says why it is a variable", () => {
  const unexplained = files.flatMap((path) => {
    const lines = readFileSync(`${projectRoot}/src/${path}`, "utf8").split("\n");
    return lines.flatMap((line, k) =>
      /^(export )?let /.test(line) && !/A variable, because .*\*\/$/.test(lines[k - 1] ?? "")
        ? [`${path}:${k + 1}: ${line}`]
        : [],
    );
  });
  expect(unexplained).toEqual([]);
});

test("records are named for the file that owns them", () => {
  tensor([1]);
  const names = [...runtime.records.keys()];
  expect(names).toContain("kernel/backend");
  expect(names.filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
});
