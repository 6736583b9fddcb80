/**
 * A vitest runner that runs a sample of each test file. It skips the other tests after the file is loaded, so that test
 * files need not know of it.
 */
import { relative } from "node:path";
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest";
import { chooseTests } from "./choose.ts";
import { shareOf } from "./shares.ts";

export default class SampleRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    for (const file of files) {
      const path = relative(this.config.root, file.filepath).replaceAll("\\", "/");
      sampleFile(process.env["SAMPLE_SEED"] ?? "", path, file);
    }
  }
}

/** Skips the tests of a file that are not in the sample. */
export function sampleFile(seed: string, path: string, file: RunnerTestSuite): void {
  const names = testsIn(file).map(({ fullName }) => fullName);
  keepOnly(file, chooseTests(seed, path, names, shareOf(path)));
}

const isRun = ({ mode }: { readonly mode: string }): boolean => mode === "run" || mode === "queued";

/** The tests that would run. */
function testsIn(suite: RunnerTestSuite): RunnerTestCase[] {
  return suite.tasks.filter(isRun).flatMap((task) => (task.type === "suite" ? testsIn(task) : [task]));
}

/** Skips the other tests, and suites without tests, whose hooks then do not run either. */
function keepOnly(suite: RunnerTestSuite, chosen: ReadonlySet<string>): void {
  for (const task of suite.tasks) {
    if (task.type === "suite") keepOnly(task, chosen);
    else if (isRun(task) && !chosen.has(task.fullName)) task.mode = "skip";
  }
  if (isRun(suite) && suite.tasks.length > 0 && !suite.tasks.some(isRun)) suite.mode = "skip";
}
