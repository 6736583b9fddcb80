/**
 * Runs operator cases in the format of the onnx project: folders with model.onnx and test_data_set_N/input_K.pb, output_K.pb.
 *
 *   npm run -s onnx-cases -- DIR...      DIR is a case, or a folder of cases
 *   options: --only WORD (cases whose names contain it), --list (all failures with their messages)
 *
 * Each case runs node by node, and again as compiled programs. Prints how many passed, failed, and were skipped by operator or dtype.
 * The status is 1 if a case failed.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type CaseResult, runCase } from "./run-case.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, list: { type: "boolean" } },
});

/** The folders of cases in a folder. */
function casesIn(folder: string): string[] {
  if (existsSync(join(folder, "model.onnx"))) return [folder];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory() && existsSync(join(path, "model.onnx")));
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const groups = new Map<string, string[]>();
for (const folder of positionals.flatMap(casesIn).sort()) {
  const name = basename(folder);
  if (values.only !== undefined && !name.includes(values.only)) continue;
  const result: CaseResult = await runCase(
    folder,
    (path) => readFileSync(path),
    (path) => readdirSync(path),
  );
  counts[result.status]++;
  if (result.status === "passed") continue;
  const key = `${result.status}: ${result.reason}`;
  groups.set(key, [...(groups.get(key) ?? []), name]);
}
for (const [reason, names] of [...groups].sort((a, b) => b[1].length - a[1].length))
  console.log(
    `${reason.slice(0, values.list ? 2000 : 300)} (${names.length}${values.list ? `: ${names.join(", ")}` : `, such as ${names[0]}`})`,
  );
console.log(`passed ${counts.passed}, failed ${counts.failed}, skipped ${counts.skipped}`);
process.exit(counts.failed > 0 ? 1 : 0);
