/** The sample: the same for the same seed, different for different seeds, with a test of each file. */
import { expect, type RunnerTestSuite, test, vi } from "vitest";
import { chooseTests } from "./choose.ts";
import { reportSeed } from "./report-seed.ts";
import { sampleFile } from "./runner.ts";
import { shareOf } from "./shares.ts";

const names = Array.from({ length: 200 }, (_, k) => `test ${k}`);
const chosen = (seed: string, share: number, file = "a.test.ts"): string[] => [
  ...chooseTests(seed, file, names, share),
];

test("the same seed chooses the same tests, in whatever order they come", () => {
  expect(chosen("1", 0.1)).toEqual(chosen("1", 0.1));
  expect([...chooseTests("1", "a.test.ts", names.toReversed(), 0.1)]).toEqual(chosen("1", 0.1));
});

test("different seeds and different files choose different tests", () => {
  expect(chosen("2", 0.1)).not.toEqual(chosen("1", 0.1));
  expect(chosen("1", 0.1, "b.test.ts")).not.toEqual(chosen("1", 0.1));
});

test("the share is kept, and one test at least", () => {
  expect(chosen("1", 0.1)).toHaveLength(20);
  expect(chosen("1", 1)).toHaveLength(200);
  expect(chosen("1", 0)).toHaveLength(1);
});

test("every test is in the samples of some seeds", () => {
  const seen = new Set(Array.from({ length: 200 }, (_, seed) => chosen(String(seed), 0.1)).flat());
  expect(seen.size).toBe(names.length);
});

test("generated tests are sampled, cheap ones all run", () => {
  expect(shareOf("test/ops/table.test.ts")).toBeLessThan(0.1);
  expect(shareOf("src/layout/layout.test.ts")).toBe(1);
});

/** A file with a suite of many tests, one of them skipped by its author, and a suite with one test. */
function collected(): RunnerTestSuite {
  const suite = (name: string, tasks: object[]): object => ({ type: "suite", mode: "run", name, tasks });
  const each = (name: string, k: number): object => ({
    type: "test",
    mode: k === 0 ? "skip" : "run",
    fullName: `many > ${name}`,
  });
  const alone = suite("one", [{ type: "test", mode: "run", fullName: "one > test" }]);
  return suite("file", [suite("many", names.map(each)), alone]) as unknown as RunnerTestSuite;
}

const modes = (suite: RunnerTestSuite): unknown =>
  suite.tasks.map((task) => (task.type === "suite" ? [task.mode, modes(task)] : task.mode));

function sampled(seed: string, path: string): RunnerTestSuite {
  const file = collected();
  sampleFile(seed, path, file);
  return file;
}

test("the runner skips the tests that are not chosen, and suites that have none left", () => {
  const files = Array.from({ length: 30 }, (_, seed) => sampled(String(seed), "test/laws/a.test.ts"));
  for (const file of files) {
    const text = JSON.stringify(modes(file));
    expect(text.match(/"run"/g), text).toHaveLength(2); // one suite and its only test
    expect(text.startsWith('[["run",["skip"') || text.startsWith('[["skip",["skip"')).toBe(true);
  }
  expect(new Set(files.map((file) => JSON.stringify(modes(file)))).size).toBeGreaterThan(20);
  expect(modes(sampled("7", "test/laws/a.test.ts"))).toEqual(modes(sampled("7", "test/laws/a.test.ts")));
});

test("a file without a share of its own is not changed", () => {
  expect(modes(sampled("1", "src/layout/a.test.ts"))).toEqual(modes(collected()));
});

test("a failure prints the seed and the command that repeats it", () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  try {
    const reporter = reportSeed("42");
    reporter.onInit?.({} as never);
    reporter.onTestRunEnd?.([], [], "passed");
    expect(log.mock.calls).toEqual([["sample with SAMPLE_SEED=42"]]);
    reporter.onTestRunEnd?.([], [], "failed");
    expect(log.mock.lastCall).toEqual(["To repeat this sample: SAMPLE_SEED=42 npm run test:quick"]);
  } finally {
    log.mockRestore();
  }
});
