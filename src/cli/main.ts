#!/usr/bin/env node
/**
 * The `stridewise` command as a process: arguments, streams, files and exit code. Everything else is in `run.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { exitCodes } from "./help.ts";
import { showsColor } from "./output.ts";
import { runLine } from "./run-line.ts";

// A reader that stops early, such as `head`, ends the command without an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`stridewise: cannot write to stdout: ${error.message}\n`);
  process.exit(exitCodes.failure);
});
process.stderr.on("error", () => {});

const interruption = new AbortController();

function signal(): AbortSignal {
  process.once("SIGINT", () => interruption.abort());
  return interruption.signal;
}

/** A handler of SIGINT waits until JavaScript ends. Only a script of the module vm can be ended while it runs. */
function interruptible<T>(run: () => T): T {
  try {
    return runInNewContext("run()", { run }, { breakOnSigint: true }) as T;
  } catch (error) {
    if (Object(error).code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") interruption.abort();
    throw error;
  }
}

process.exitCode = await runLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  writeFile: (path, content) => writeFileSync(path, content),
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
  signal,
  interruptible,
  importModule: (path) => import(pathToFileURL(path).href),
  version: () => JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version,
  ...(process.stdout.isTTY && process.stdout.columns > 0 && { columns: process.stdout.columns }),
  color: showsColor(process.stdout.isTTY === true, process.env),
});
