/**
 * The cost of a piece of code for the compiler, in type instantiations. The count depends only on the code and the
 * compiler's version, not on the machine, so a test can limit it.
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
  // One checker: several would share the files and each count its own part.
  const { code: exitCode, stdout } = await runTool("tsc", ["-p", folder, "--extendedDiagnostics", "--singleThreaded"]);
  const count = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1];
  if (exitCode !== 0 || count === undefined) throw new Error(`type cost: the code does not compile\n${stdout}`);
  return Number(count);
}
