/** The lists of ops that are methods: each has all ops of its file, and a bundle has all of them, too. */
import { build } from "esbuild";
import { expect, test } from "vitest";
import { Tensor, tensor } from "../../src/index.ts";
import * as softmax from "../../src/ops/composite/softmax.ts";
import * as matmul from "../../src/ops/contract/matmul.ts";
import * as activation from "../../src/ops/elementwise/activation.ts";
import * as arithmetic from "../../src/ops/elementwise/arithmetic.ts";
import * as choose from "../../src/ops/elementwise/choose.ts";
import * as comparison from "../../src/ops/elementwise/comparison.ts";
import * as functions from "../../src/ops/elementwise/functions.ts";
import * as gathering from "../../src/ops/movement/gather.ts";
import * as rearrange from "../../src/ops/movement/rearrange.ts";
import * as reduce from "../../src/ops/reduce/reduce.ts";
import * as scan from "../../src/ops/reduce/scan.ts";
import * as equal from "../../src/ops/routine/equal-ops.ts";
import * as sorting from "../../src/ops/routine/sort-ops.ts";
import { projectRoot } from "../support/command.ts";

const files = {
  ...{ activation, arithmetic, choose, comparison, equal, functions, gathering },
  ...{ matmul, rearrange, reduce, scan, softmax, sorting },
};

test.each(Object.entries(files))("every op of %s is in its list", (_, { default: list, ...exported }) => {
  expect(new Set(list)).toEqual(new Set(Object.values(exported)));
});

test("a tree-shaken bundle has every method", async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export { Tensor, tensor } from "./src/index.ts";`, resolveDir: projectRoot },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
  });
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const bundled = (await import(/* @vite-ignore */ `data:text/javascript;base64,${text}`)) as {
    Tensor: typeof Tensor;
    tensor: typeof tensor;
  };
  tensor([1]);
  bundled.tensor([1]);
  const methods = (of: typeof Tensor): string[] => Object.getOwnPropertyNames(of.prototype).sort();
  expect(methods(bundled.Tensor)).toEqual(methods(Tensor));
  expect(methods(Tensor).length).toBeGreaterThan(400);
});
