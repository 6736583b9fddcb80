/** Starts the contestants of a row and reports why the others are absent. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Absent, type Contestant, contestants, factors, type Row, type Statements } from "../rows/row.ts";
import { limits } from "./limits.ts";
import { AbsentError, type Runner, startRunner, TimeoutError } from "./process.ts";

/** A runner, or the reason why there is none. */
export type Entrant = { readonly name: Contestant; readonly runner: Runner } | ({ readonly name: Contestant } & Absent);

/**
 * Starts every contestant that the row names, in the order of the list. As many load at a time as there are processors:
 * on a busy machine the last ones would run out of time. BENCH_PEERS=stridewise,numpy starts only these. `serve` is the bundled serve.ts.
 */
export async function startAll(row: Row, serve: string): Promise<readonly Entrant[]> {
  const only = process.env.BENCH_PEERS?.split(",");
  const names = contestants.filter((name) => row.does[name] !== undefined && (only?.includes(name) ?? true));
  const end = performance.now() + limits.load;
  const entrants: Entrant[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: availableParallelism() }, loadInTurn));
  return entrants;

  async function loadInTurn(): Promise<void> {
    while (next < names.length) {
      const index = next++;
      const name = names[index] as Contestant;
      entrants[index] = await start(row, name, serve, Math.max(500, end - performance.now())).then(
        (runner) => ({ name, runner }),
        (error: unknown) => ({ name, absent: error instanceof Error ? error.message : String(error) }),
      );
    }
  }
}

async function start(row: Row, name: Contestant, serve: string, milliseconds: number): Promise<Runner> {
  const entry = row.does[name] as object;
  if ("absent" in entry) throw new AbsentError((entry as Absent).absent);
  if (name === "numpy" || name === "torch") return startPython(row, name, entry as Statements, milliseconds);
  const node = name === "stridewise" && row.node !== undefined ? otherNode(row.node) : process.execPath;
  return startRunner(node, [serve, row.name, name], milliseconds);
}

/** Another version of Node, which is an npm package. */
function otherNode(version: number): string {
  const program = fileURLToPath(
    new URL(`../../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
  );
  if (existsSync(program)) return program;
  throw new AbsentError(
    `Node ${version} is not installed here: npm has it as node-${process.platform}-${process.arch}`,
  );
}

/** The first Python that imports the library: the one named by PYTHON, the system's, the one on the path. */
async function startPython(
  row: Row,
  library: "numpy" | "torch",
  statements: Statements,
  milliseconds: number,
): Promise<Runner> {
  const pythons = [process.env.PYTHON, "/usr/bin/python3", "python3"].filter((name) => name !== undefined);
  const program = fileURLToPath(new URL("../../peers/serve.py", import.meta.url));
  const argument = JSON.stringify({ inputs: row.inputs, factors, result: row.result, ...statements });
  const reasons: string[] = [];
  for (const python of pythons) {
    try {
      return await startRunner(python, ["-B", program, library, argument], milliseconds);
    } catch (error) {
      if (error instanceof TimeoutError) throw error;
      reasons.push(`${python}: ${(error as Error).message}`);
    }
  }
  throw new AbsentError(`no Python here runs it (${reasons.join("; ")}); Debian has it as python3-${library}`);
}
