/**
 * What the compiler says about a piece of code, for tests of error texts. The code imports the library by its own name.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { projectRoot, runTool } from "./command.ts";

let files = 0;

/** The errors in `code`, one text for each: "line: TS2345: Argument of type ...". */
export async function typeErrors(code: string): Promise<string[]> {
  const folder = `out/type-errors/${process.pid}-${files++}`;
  mkdirSync(projectRoot + folder, { recursive: true });
  writeFileSync(`${projectRoot + folder}/code.ts`, code);
  const compilerOptions = { types: [], noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: "../../../tsconfig.json", compilerOptions, include: [], files: ["code.ts"] };
  writeFileSync(`${projectRoot + folder}/tsconfig.json`, JSON.stringify(config));
  const { stdout } = await runTool("tsc", ["-p", folder, "--pretty", "false"]);
  return [...stdout.matchAll(/^(.*)\((\d+),\d+\): error (.*)$/gm)].map(([, file, line, text]) =>
    file === `${folder}/code.ts` ? `${line}: ${text}` : `${file}:${line}: ${text}`,
  );
}
