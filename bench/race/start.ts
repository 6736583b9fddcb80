/**
 * Starts the contestants of a row, all at once, and says of those that take no part why.
 */
import { fileURLToPath } from "node:url";
import { type Absent, type Contestant, contestants, factors, type Row, type Statements } from "../rows/row.ts";
import { limits } from "./limits.ts";
import { AbsentError, type Runner, startRunner, TimeoutError } from "./process.ts";

/** A runner, or why there is none. */
export type Entrant = { readonly name: Contestant; readonly runner: Runner } | ({ readonly name: Contestant } & Absent);

/** Everyone whom the row names, in the order of the list. `serve` is the bundled serve.ts. */
export function startAll(row: Row, serve: string): Promise<readonly Entrant[]> {
  return Promise.all(
    contestants
      .filter((name) => row.does[name] !== undefined)
      .map((name) =>
        start(row, name, serve).then(
          (runner) => ({ name, runner }),
          (error: unknown) => ({ name, absent: error instanceof Error ? error.message : String(error) }),
        ),
      ),
  );
}

async function start(row: Row, name: Contestant, serve: string): Promise<Runner> {
  const entry = row.does[name] as object;
  if ("absent" in entry) throw new AbsentError((entry as Absent).absent);
  if (name === "numpy" || name === "torch") return startPython(row, name, entry as Statements);
  return startRunner(process.execPath, [serve, row.name, name], limits.load);
}

/** The first Python that imports the library: the one named by PYTHON, the system's, the one on the path. */
async function startPython(row: Row, library: "numpy" | "torch", statements: Statements): Promise<Runner> {
  const pythons = [process.env.PYTHON, "/usr/bin/python3", "python3"].filter((name) => name !== undefined);
  const program = fileURLToPath(new URL("../../peers/serve.py", import.meta.url));
  const given = JSON.stringify({ inputs: row.inputs, factors, result: row.result, ...statements });
  const reasons: string[] = [];
  for (const python of pythons) {
    try {
      return await startRunner(python, ["-B", program, library, given], limits.load);
    } catch (error) {
      if (error instanceof TimeoutError) throw error;
      reasons.push(`${python}: ${(error as Error).message}`);
    }
  }
  throw new AbsentError(`no Python here runs it (${reasons.join("; ")}); Debian has it as python3-${library}`);
}
