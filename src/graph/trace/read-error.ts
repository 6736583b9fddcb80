/** Errors of calls that need elements while a function is traced: they name the line that did it. */
import { silencePromise } from "../../base/arguments.ts";
import { StorageError, tracedRead } from "../../storage/storage.ts";
import { GraphError } from "../ir.ts";

/** The end of the error of meta kernels that need elements, and a remedy. */
const onMeta = /^(.*), which meta tensors do not have\.?\s*(.*)$/s;

/** The folder of this library: of the sources, or of the file that this module was joined to. */
function libraryIn(url: string): string {
  const file = url.replace("file://", "");
  return file.replace(/graph\/trace\/read-error\.\w+(\?.*)?$/, "").replace(/[^/]*$/, "");
}

/** Returns the first line of a stack that is outside of this library, in brackets; nothing if there is none. `url` is that of this module. */
export function lineOutside(stack: string, url: string): string {
  const library = libraryIn(url);
  const line = stack
    .split("\n")
    .find((each) => /^\s*at .*\d+:\d+\)?$/.test(each) && !/node:|<anonymous>/.test(each) && !each.includes(library));
  return line === undefined ? "" : ` (${line.trim()})`;
}

/** Returns the error of a traced function. If unknown elements are the cause, it has a remedy and the line of the call. */
export function tracedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const text = messageOf(error);
  if (text === null) return error;
  // Not by `new URL`, which bundlers take for a file to copy.
  const result = new GraphError(`compile: ${text}${lineOutside(error.stack ?? "", import.meta.url)}`);
  result.cause = error;
  return result;
}

function messageOf(error: Error): string | null {
  const { message, stack = "" } = error;
  if (error instanceof StorageError && message.endsWith(tracedRead))
    return /\bLBFGS\.step\b/.test(stack)
      ? "LBFGS.step reads the loss to choose its steps, so it cannot be compiled. Compile the forward and backward pass of its closure, and call step outside of the compiled function"
      : message.replace(/^.*?: /, "");
  const match = onMeta.exec(message);
  if (match === null) return null;
  const [, what, remedy] = match;
  return `${what}, which are not known before the compiled function runs. ${
    remedy === ""
      ? "Use where(mask, x, other), which keeps the shape, or call it outside of the compiled function"
      : remedy
  }`;
}

/**
 * Calls a function that is traced. Throws if it returns a promise. Stacks reach from deep calls to the line of the user, where the engine has a
 * limit.
 */
export function checkedCall<T>(fn: () => T): T {
  const errors = Error as { stackTraceLimit?: number };
  const before = errors.stackTraceLimit;
  if (before !== undefined) errors.stackTraceLimit = Math.max(before, 100);
  try {
    const result = fn();
    if (silencePromise(result))
      throw new GraphError(
        "compile: the function returned a promise, but a function is traced in one call. Await before: const data = await load(); compiled(data)",
      );
    return result;
  } finally {
    if (before !== undefined) errors.stackTraceLimit = before;
  }
}
