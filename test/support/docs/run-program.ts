/**
 * Runs one example of a document, with its comments turned into checks. The program is written under `out/`, so that
 * vitest compiles it like a test, and stays there for inspection.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { projectRoot } from "../command.ts";
import type { Program } from "./examples.ts";
import { wasReached } from "./expectation.ts";
import { rewriteExample } from "./rewrite.ts";

const checksModule = `${projectRoot}test/support/docs/expectation.ts`;

/** Writes a file below `out/`, with the folders it needs, and returns its full path. */
export function writeOut(path: string, text: string): string {
  const fullPath = `${projectRoot}out/${path}`;
  mkdirSync(dirname(fullPath), { recursive: true });
  writeFileSync(fullPath, text);
  return fullPath;
}

/** Resolves when every expectation in the example's comments was reached and holds. */
export async function runProgram({ document, line, runCode }: Program): Promise<void> {
  const { code, expectations } = rewriteExample(document, runCode, checksModule);
  await import(writeOut(`docs/run/${document}/${line}.ts`, code));
  const missed = expectations.find((expectation) => !wasReached(expectation));
  if (missed) throw new Error(`${missed.line}: the example ends before it reaches this line`);
}
