/**
 * `npm run oracle -- FILE.jsonl...`: runs recorded answers of other implementations against this library.
 * Lists every failure and every skipped operation, and ends with `N passed, N failed, N skipped`.
 * Exit code 1 if anything failed, 2 if a file cannot be read. `--forms` also lists what passed otherwise than by equality.
 */
import { formatReport, runFiles, UnreadableError } from "./runner.ts";

const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith("--"));
const unknown = args.filter((arg) => arg.startsWith("--") && arg !== "--forms");

if (unknown.length > 0 || files.length === 0) {
  console.error(
    `${unknown.length > 0 ? `oracle: unknown option ${unknown[0]}\n` : ""}usage: npm run oracle -- [--forms] FILE.jsonl...`,
  );
  process.exitCode = 2;
} else {
  try {
    const report = runFiles(files);
    console.log(formatReport(report, { listForms: args.includes("--forms") }));
    process.exitCode = report.failures.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
