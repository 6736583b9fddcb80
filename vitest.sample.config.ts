/**
 * `npm run test:quick`: a sample of the tests in Node, for the time between two edits. All cheap tests run, and of the
 * generated ones a share that depends on a seed (`test/support/sample/`), which is a new one for each run unless
 * SAMPLE_SEED sets it.
 */
import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";
import { reportSeed } from "./test/support/sample/report-seed.ts";
import { notSampled } from "./test/support/sample/shares.ts";
import inNode from "./vitest.config.ts";

const { projects = [], reporters = [], ...shared } = inNode.test ?? {};
const seed = process.env["SAMPLE_SEED"] ?? String(randomInt(1_000_000));

export default defineConfig({
  ...inNode,
  test: {
    ...shared,
    runner: "test/support/sample/runner.ts",
    env: { SAMPLE_SEED: seed },
    reporters: [...[reporters].flat(), ...[reportSeed(seed)]] as [],
    projects: projects.map((project) => withoutSlow(project as SampledProject)),
  },
});

type SampledProject = { readonly test: { readonly exclude: readonly string[] } };

function withoutSlow(project: SampledProject): object {
  return { ...project, test: { ...project.test, exclude: [...project.test.exclude, ...notSampled] } };
}
