/**
 * What a piece of code costs the compiler, in type instantiations. The count depends on the code and the compiler's
 * version alone, not on the machine, so a test can set a limit to it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { projectRoot, runTool } from "./command.ts";

/** Instantiations that `code` adds to those of `preamble` (its imports and shared declarations). */
export async function typeCost(preamble: string, code: string): Promise<number> {
  const [without, withCode] = await Promise.all([instantiations(preamble), instantiations(`${preamble}\n${code}`)]);
  return withCode - without;
}

let files = 0;

async function instantiations(code: string): Promise<number> {
  const folder = `out/type-cost/${process.pid}-${files++}`;
  mkdirSync(projectRoot + folder, { recursive: true });
  writeFileSync(`${projectRoot + folder}/code.ts`, code);
  const compilerOptions = { types: [], noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: "../../../tsconfig.json", compilerOptions, include: [], files: ["code.ts"] };
  writeFileSync(`${projectRoot + folder}/tsconfig.json`, JSON.stringify(config));
  // One checker: several share the files among them and each counts what it meets.
  const { code: exitCode, stdout } = await runTool("tsc", ["-p", folder, "--extendedDiagnostics", "--singleThreaded"]);
  const count = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1];
  if (exitCode !== 0 || count === undefined) throw new Error(`type cost: the code does not compile\n${stdout}`);
  return Number(count);
}
