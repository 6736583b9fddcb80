/**
 * The end of a tensor: this replaces its memory after dispose(), after its scope, or after a move, so that later use throws an error that says
 * what happened and where. Tensors end often and errors are rare, so texts are built only when needed.
 */

import { StridewiseError } from "../base/errors.ts";
import { tensorsAreMessages } from "../base/foreign.ts";
import { environmentVariable } from "../base/host.ts";
import { once } from "../base/lazy.ts";
import { runtime } from "../base/runtime.ts";

/** The source of a tensor that was disposed or moved. */
export class DisposedSource {
  /** Makes structuredClone and postMessage throw, as the storage did. */
  readonly cloning: symbol = tensorsAreMessages;
  declare readonly reason: string;
  readonly #trace: { readonly stack?: string } | null;

  constructor(reason: string, trace: { readonly stack?: string } | null = null) {
    this.reason = reason;
    this.#trace = trace;
  }

  /** The reason as the end of a sentence: "was disposed by dispose() at program.ts:3:5". */
  toString(): string {
    const where = this.#trace === null ? "" : callSite(this.#trace);
    return `was ${this.reason}${where && `, ${where}`}`;
  }
}

/** Use of a tensor after dispose(), after its scope, or after it was moved. */
export class DisposedError extends StridewiseError {
  override readonly name = "DisposedError";
}

const byDispose = "disposed by dispose()";

/** Looking up a caller costs about 2 µs, so not every disposal pays for it: see `isTraced`. */
const maxTraced = 10_000;
const disposals = /* @__PURE__ */ runtime.own("tensor/disposed", { count: 0 });
const environment = /* @__PURE__ */ once(() => environmentVariable("NODE_ENV") ?? "");

/**
 * Whether this disposal records its caller: all do with NODE_ENV=development, none with production; otherwise the first ten thousand and every
 * hundredth.
 */
function isTraced(): boolean {
  const name = environment();
  if (name === "production" || name === "development") return name === "development";
  return ++disposals.count <= maxTraced || disposals.count % 100 === 0;
}

const untracedDisposal = new DisposedSource(
  `${byDispose} (call site not recorded; set NODE_ENV=development to record it)`,
);

/** The end by dispose(), called by the caller of `method`. */
export function disposedBy(method: () => void): DisposedSource {
  if (!isTraced()) return untracedDisposal;
  const limits = Error as { stackTraceLimit?: number; captureStackTrace?: (on: object, above: unknown) => void };
  const limit = limits.stackTraceLimit;
  if (limits.captureStackTrace === undefined || limit === undefined || !Reflect.set(limits, "stackTraceLimit", 1))
    return new DisposedSource(byDispose, new Error());
  const trace = {};
  limits.captureStackTrace(trace, method);
  limits.stackTraceLimit = limit;
  return new DisposedSource(byDispose, trace as { readonly stack?: string });
}

/** The line of the trace that called dispose(): its only one, or the one after `disposedBy` and the method. */
function callSite({ stack = "" }: { readonly stack?: string }): string {
  const lines = stack.split("\n").filter((line) => /^\s*at |@/.test(line));
  return lines[lines.length === 1 ? 0 : 2]?.trim() ?? "";
}
