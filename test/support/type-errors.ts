/**
 * The compiler's errors for a piece of code, for tests of error texts. The code imports the library by its own name.
 */
import { runTool } from "./command.ts";
import { codeAgainstDeclarations } from "./declarations.ts";

/** The errors in `code`, one text for each: "line: TS2345: Argument of type ...". */
export async function typeErrors(code: string): Promise<string[]> {
  const folder = await codeAgainstDeclarations(code);
  const { stdout } = await runTool("tsc", ["-p", folder, "--pretty", "false"]);
  return [...stdout.matchAll(/^(.*)\((\d+),\d+\): error (.*)$/gm)].map(([, file, line, text]) =>
    file === `${folder}/code.ts` ? `${line}: ${text}` : `${file}:${line}: ${text}`,
  );
}
