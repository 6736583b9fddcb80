/**
 * What a piece of code costs the compiler, in type instantiations. The count depends on the code and the compiler's
 * version alone, not on the machine, so a test can set a limit to it.
 */
import { runTool } from "./command.ts";
import { codeAgainstDeclarations } from "./declarations.ts";

const preambles = new Map<string, Promise<number>>();

/** Instantiations that `code` adds to those of `preamble` (its imports and shared declarations). */
export async function typeCost(preamble: string, code: string): Promise<number> {
  const known = preambles.get(preamble) ?? instantiations(preamble);
  preambles.set(preamble, known);
  const [without, withCode] = await Promise.all([known, instantiations(`${preamble}\n${code}`)]);
  return withCode - without;
}

async function instantiations(code: string): Promise<number> {
  const folder = await codeAgainstDeclarations(code);
  // One checker: several share the files among them and each counts what it meets.
  const { code: exitCode, stdout } = await runTool("tsc", ["-p", folder, "--extendedDiagnostics", "--singleThreaded"]);
  const count = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1];
  if (exitCode !== 0 || count === undefined) throw new Error(`type cost: the code does not compile\n${stdout}`);
  return Number(count);
}
