/** Runs a line of the command over files and models without a process: all that it prints and writes by `writeFile`. */
import { mkdirSync } from "node:fs";
import type { ModelIo } from "../../../src/cli/model-command.ts";
import { runLine } from "../../../src/cli/run-line.ts";

export interface TypedLine {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** Runs the words after `stridewise`. */
export async function typedLine(words: readonly string[], options: Partial<ModelIo> = {}): Promise<TypedLine> {
  let [stdout, stderr] = ["", ""];
  const files: Record<string, string | Uint8Array> = {};
  const io: ModelIo = {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    writeFile: (path, content) => {
      files[path] = content;
    },
    makeFolder: (path) => void mkdirSync(path, { recursive: true }),
    importModule: () => Promise.reject(new Error("no module")),
    signal: () => new AbortController().signal,
    interruptible: (run) => run(),
    version: () => "1.2.3",
    color: false,
    ...options,
  };
  return { code: await runLine(words, io), stdout, stderr, files };
}
