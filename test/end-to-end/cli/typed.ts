/**
 * Runs the command as it is typed, without a process: a line in, all that came out back.
 */
import type { Io } from "../../../src/cli/output.ts";
import { commands, run } from "../../../src/cli/run.ts";

export interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The words of a line, as a shell splits it; single quotes only. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? (match[2] as string));

/** Runs what stands after `stridewise`. */
export function typed(line: string, io: Partial<Io> = {}, table = commands): Typed {
  let [stdout, stderr] = ["", ""];
  const files: Record<string, string> = {};
  const code = run(
    wordsOf(line),
    {
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
      writeFile: (path, text) => {
        files[path] = text;
      },
      version: () => "1.2.3",
      color: false,
      ...io,
    },
    table,
  );
  return { code, stdout, stderr, files };
}

/** What a reader of the terminal sees. */
export function session(lines: readonly string[]): string {
  return lines
    .map((line) => {
      const { code, stdout, stderr } = typed(line);
      return `$ stridewise ${line}\n${stdout}${stderr}${code === 0 ? "" : `exit code ${code}\n`}`;
    })
    .join("\n");
}
