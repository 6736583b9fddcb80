/**
 * Runs rows of the comparison. Prints a table to standard output, or with --json only one line per row. Arguments:
 * --list, --json, names of rows; without names all rows run.
 */
import { fileURLToPath } from "node:url";
import { describeMachine } from "./harness.ts";
import { limits } from "./race/limits.ts";
import { race } from "./race/race.ts";
import { jsonLine, tableOf } from "./race/report.ts";
import { startAll } from "./race/start.ts";
import { rows } from "./rows/index.ts";

const args = process.argv.slice(2);
const names = args.filter((argument) => !argument.startsWith("--"));
const json = args.includes("--json");
const unknown = [
  ...names.filter((name) => !rows.some((row) => row.name === name)),
  ...args.filter((argument) => argument.startsWith("--") && argument !== "--json" && argument !== "--list"),
];

if (unknown.length > 0) {
  console.error(
    `bench: there is no ${unknown.join(", ")}; rows are ${rows.map(({ name }) => name).join(", ")}, ` +
      "and each file *.bench.ts is a bench by itself",
  );
  process.exitCode = 2;
} else if (args.includes("--list")) {
  for (const { name } of rows) console.log(name);
} else {
  await runRows();
}

async function runRows(): Promise<void> {
  const serve = fileURLToPath(new URL("./peers/serve.mjs", import.meta.url));
  const log = json ? console.error : console.log;
  const chosen =
    names.length === 0 ? rows : names.flatMap((requested) => rows.filter(({ name }) => name === requested));
  for (const row of chosen) {
    const missing = row.missing?.() ?? null;
    if (missing !== null) {
      log(`\n${row.name}: skipped: ${missing}`);
      continue;
    }
    const before = describeMachine();
    const end = performance.now() + limits.row;
    const result = await race(row, await startAll(row, serve), end);
    log(`\n${before}\n${tableOf(row, result)}`);
    if (json) console.log(jsonLine(row, result));
    if (!result.times.some(({ name }) => name === "stridewise")) process.exitCode = 1;
  }
}
