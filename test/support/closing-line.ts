/**
 * A vitest reporter that ends the run with one plain line, `N passed, N failed`, for people and for machines. A file
 * that does not load, a failing hook and an unhandled error each count as one failure, so that the line never reads `0
 * failed` when the run failed. Notes that passing tests add with `annotate` are printed immediately.
 */
import { writeSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

function outcomeOf(module: TestModule): Outcome {
  let passed = 0;
  let failed = module.errors().length;
  for (const suite of module.children.allSuites()) failed += suite.errors().length;
  for (const test of module.children.allTests()) {
    if (test.result().state === "passed") passed++;
    if (test.result().state === "failed") failed++;
  }
  return { passed, failed };
}

/** The reporter. The line is written when the process ends, so that it is the last one. */
export function closingLine(): Reporter {
  return {
    onTestCaseAnnotate(test, annotation) {
      console.log(`   ${test.name}: ${annotation.message}`);
    },
    onTestRunEnd(modules, unhandledErrors) {
      const outcomes = modules.map(outcomeOf);
      const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
      const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, unhandledErrors.length);
      process.once("exit", () => writeSync(1, `${passed} passed, ${failed} failed\n`));
    },
  };
}
