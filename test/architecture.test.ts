/**
 * The folders of `src/` keep their order. Each rule runs over the real sources, and over a few lines that violate it,
 * so that a rule that can no longer fail is noticed.
 */
import { describe, expect, test } from "vitest";
import { type ArchitectureRule, architectureRules } from "./support/architecture-rules.ts";
import { parseSource, readSources } from "./support/source-file.ts";

const ruleNames = Object.keys(architectureRules) as ArchitectureRule[];
const sources = readSources();

test.each(ruleNames)("%s", (rule) => {
  expect(architectureRules[rule](sources)).toEqual([]);
});

const header = "/** A file. */\n";
const breakages: Record<ArchitectureRule, Record<string, Record<string, string>>> = {
  "every file is in a known folder": {
    "a new folder": { "src/attic/box.ts": header },
    "a new file under src": { "src/extra.ts": header },
  },
  "imports point to lower folders": {
    "a value from above": {
      "src/expr/a.ts": `${header}import { b } from "../layout/b.ts";`,
      "src/layout/b.ts": header,
    },
    "a type from above": { "src/expr/a.ts": `${header}import type { B } from "../layout/b.ts";` },
    "a type expression": { "src/expr/a.ts": `${header}export type A = import("../layout/b.ts").B;` },
    "a lazy import": { "src/expr/a.ts": `${header}export const a = () => import("../layout/b.ts");` },
    "a re-export": { "src/expr/a.ts": `${header}export * from "../layout/b.ts";` },
    "a peer": { "src/nn/a.ts": `${header}import { b } from "../optim/b.ts";` },
    "the runtime from a folder": { "src/ops/a.ts": `${header}import { boot } from "../boot.ts";` },
    "the command from the index": { "src/index.ts": `${header}export { main } from "./cli/main.ts";` },
    "from a unit test": { "src/expr/a.test.ts": `${header}import { b } from "../layout/b.ts";` },
  },
  "nn, optim and data use the public API": {
    "an inner file": { "src/nn/a.ts": `${header}import { b } from "../tensor/b.ts";`, "src/tensor/b.ts": header },
    "the creation functions": { "src/optim/a.ts": `${header}import { zeros } from "../api.ts";` },
  },
  "imports name source files": {
    "a .js specifier": { "src/base/a.ts": `${header}import { b } from "./b.js";`, "src/base/b.ts": header },
    "a file out of src": { "src/base/a.ts": `${header}import { b } from "../../test/support/b.ts";` },
  },
  "no file imports itself, directly or by others": {
    "two files": {
      "src/base/a.ts": `${header}import { b } from "./b.ts";`,
      "src/base/b.ts": `${header}import type { A } from "./a.ts";`,
    },
    "one file": { "src/base/a.ts": `${header}import * as a from "./a.ts";` },
  },
  "node: modules are imported in src/cli only": {
    "in io": { "src/io/a.ts": `${header}import { readFile } from "node:fs/promises";` },
  },
  "no package is needed": {
    "a peer at once": { "src/backends/a.ts": `${header}import { create } from "webgpu";` },
    "a package": { "src/io/a.ts": `${header}import { unzip } from "fflate";` },
    "a builtin without its prefix": { "src/cli/a.ts": `${header}import { readFile } from "fs";` },
  },
  "every file opens with a comment": {
    "a comment too late": { "src/base/a.ts": `export const a = 1; // one\n` },
    "no comment": { "src/base/a.ts": `export const a = 1;\n` },
    "after a shebang": { "src/cli/main.ts": `#!/usr/bin/env node\nexport const a = 1;\n` },
  },
  "no text becomes code": {
    eval: { "src/base/a.ts": `${header}eval("1");` },
    "new Function": { "src/base/a.ts": `${header}export const f = new Function("return 1");` },
    Function: { "src/base/a.ts": `${header}export const f = Function("return 1");` },
  },
  "files are short": {
    "501 lines": { "src/ops/long.ts": header + "export {};\n".repeat(500) },
  },
  "index files only re-export": {
    "a constant": { "src/index.ts": `${header}export const a = 1;` },
    "an import": { "src/layout/index.ts": `${header}import "./a.ts";` },
  },
  "files are named for what they hold": {
    utils: { "src/base/utils.ts": header },
    "a helper": { "src/ops/helpers.ts": header },
  },
};

describe.each(ruleNames)("%s: refuses", (rule) => {
  test.each(Object.entries(breakages[rule]))("%s", (_, files) => {
    const parsed = Object.entries(files).map(([path, text]) => parseSource(path, text));
    expect(architectureRules[rule](parsed)).toHaveLength(1);
    expect(architectureRules[rule](parsed)[0]).toContain(Object.keys(files)[0]);
  });
});

test("a well-built source violates no rule", () => {
  const parsed = Object.entries({
    "src/base/errors.ts": `${header}// eval("1") in a comment\nexport const text = 'import "fs"; eval(';`,
    "src/expr/parse.ts": `// A file.\nimport { text } from "../base/errors.ts";\nexport const parse = () => text;`,
    "src/expr/parse.test.ts": `${header}import fc from "fast-check";\nimport { b } from "../../test/support/b.ts";`,
    "src/boot.ts": `${header}export { parse } from "./expr/parse.ts";`,
    "src/backends/webgpu.ts": `${header}export const open = () => import("webgpu");`,
    "src/io/load.ts": `${header}import { parse } from "../boot.ts";`,
    "src/index.ts": `${header}export { parse } from "./expr/parse.ts";\nexport * from "./io/load.ts";`,
    "src/nn/linear.ts": `${header}import { parse } from "../index.ts";`,
    "src/cli/main.ts": `#!/usr/bin/env node\n${header}import fs from "node:fs";\nimport { parse } from "../index.ts";`,
    "src/ops/elementwise.ts": header + "export {};\n".repeat(600),
  }).map(([path, text]) => parseSource(path, text));
  for (const rule of ruleNames) expect(architectureRules[rule](parsed), rule).toEqual([]);
});
