/**
 * The end of a tensor: what takes the place of its memory after dispose(), after its scope, or after a move, so that later use
 * is an error that says what happened and where.
 */
import { StridewiseError } from "../base/errors.ts";

/** What stands in the place of a tensor's source after it was disposed or moved. */
export class Ended {
  readonly what: string;
  readonly reason: string;
  readonly where: string;
  constructor(what: string, reason: string, where: string) {
    this.what = what;
    this.reason = reason;
    this.where = where;
  }
}

/** Use of a tensor after dispose(), after its scope, or after it was moved. */
export class DisposedError extends StridewiseError {
  override readonly name = "DisposedError";
}

/** Where the caller of dispose() stands, while developing; in production nothing is looked up. */
export function callSite(): string {
  const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
  if (env?.["NODE_ENV"] === "production") return "";
  const limits = Error as { stackTraceLimit?: number };
  const limit = limits.stackTraceLimit;
  limits.stackTraceLimit = 8;
  const stack = new Error().stack ?? "";
  if (limit !== undefined) limits.stackTraceLimit = limit;
  const line = stack.split("\n").find((text, i) => i > 0 && !/callSite|endWith|\bdispose\b|Symbol\.dispose/.test(text));
  return line === undefined ? "" : line.trim();
}
