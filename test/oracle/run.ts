/**
 * `npm run oracle -- FILE.jsonl...`: runs recorded answers of other implementations against this library. A folder stands for the
 * .npy, .npz and .safetensors files in it, as does its index.json.
 * Lists every failure and every skipped operation, and ends with `N passed, N failed, N skipped`.
 * Exit code 1 if anything failed, 2 if a file or a line cannot be read; the other records are run all the same. `--forms` also lists what passed otherwise than by equality.
 */
import { boot } from "../../src/boot.ts";
import { formatReport, runFiles } from "./runner.ts";

const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith("--"));
const unknown = args.filter((arg) => arg.startsWith("--") && arg !== "--forms");

if (unknown.length > 0 || files.length === 0) {
  console.error(
    `${unknown.length > 0 ? `oracle: unknown option ${unknown[0]}\n` : ""}usage: npm run oracle -- [--forms] FILE.jsonl|FOLDER...`,
  );
  process.exitCode = 2;
} else {
  boot();
  const report = runFiles(files);
  console.log(formatReport(report, { listForms: args.includes("--forms") }));
  process.exitCode = report.isUnreadable ? 2 : report.failures.length > 0 ? 1 : 0;
}
