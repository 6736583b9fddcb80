/** Errors of reads while a function is traced: they name the line that did it. */
import { GraphError } from "./ir.ts";

/** Returns the error of a read, with the line that did it: the first one outside of this library. */
export function readError(error: Error): GraphError {
  // Not by `new URL`, which bundlers take for a file to copy.
  const [library] = import.meta.url.replace("file://", "").split("graph/");
  const line = (error.stack ?? "")
    .split("\n")
    .find((each) => /^\s*at .*\d+:\d+\)?$/.test(each) && !/node:|<anonymous>/.test(each) && !each.includes(library));
  const location = line === undefined ? "" : ` (${line.trim()})`;
  const result = new GraphError(`compile: ${error.message.replace(/^.*?: /, "")}${location}`);
  result.cause = error;
  return result;
}
