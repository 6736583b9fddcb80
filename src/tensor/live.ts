/**
 * Values of JavaScript that change from call to call. Inside a compiled function a plain value is fixed when the function is traced. A live number,
 * such as a learning rate or a count of steps, is computed again in every call. A guarded value, such as a flag, selects the trace: another value
 * is another trace.
 */
import { checkFunction } from "../base/arguments.ts";
import { runtime, withField } from "../base/runtime.ts";

/** A number, or numbers by name. */
export type LiveNumbers = number | Readonly<Record<string, number>>;

/** Receives live numbers and guarded values while a function is traced. */
export interface ValueTracer {
  live<T extends LiveNumbers>(compute: () => T): T;
  guard<T>(compute: () => T): T;
}

const tracing: { tracer: ValueTracer | null } = /* @__PURE__ */ runtime.own("tensor/live", { tracer: null });

/**
 * Returns the number, or the numbers by name, that `compute` returns. In a compiled function `compute` is called once in every call; the result
 * stands for a tensor there, so use it only as an operand of ops.
 */
export function live<T extends LiveNumbers>(compute: () => T): T {
  checkFunction("live", compute);
  return tracing.tracer === null ? compute() : tracing.tracer.live(compute);
}

/**
 * Returns the value that `compute` returns. A compiled function calls `compute` in every call: if the value is not the one that it was traced with
 * (by `Object.is`), the function is traced again. Use it for flags and settings on which the function branches.
 */
export function guard<T>(compute: () => T): T {
  checkFunction("guard", compute);
  return tracing.tracer === null ? compute() : tracing.tracer.guard(compute);
}

/** Runs `fn` with a tracer of live numbers and guarded values. */
export function withTracer<R>(tracer: ValueTracer, fn: () => R): R {
  return withField(tracing, "tracer", tracer, fn);
}
