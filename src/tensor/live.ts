/**
 * Numbers that change from call to call: a learning rate, a count of steps. Inside a compiled function a plain number is fixed when the function
 * is traced; a live number is computed again in every call.
 */
import { checkFunction } from "../base/arguments.ts";
import { runtime } from "../base/runtime.ts";

/** A number, or numbers by name. */
export type LiveNumbers = number | Readonly<Record<string, number>>;

/** The function that traces live numbers; null outside of traces. */
const tracing: { live: (<T extends LiveNumbers>(compute: () => T) => T) | null } = /* @__PURE__ */ runtime.own(
  "tensor/live",
  { live: null },
);

/**
 * Returns the number, or the numbers by name, that `compute` returns. In a compiled function `compute` is called once in every call; the result
 * stands for a tensor there, so use it only as an operand of ops.
 */
export function live<T extends LiveNumbers>(compute: () => T): T {
  checkFunction("live", compute);
  return tracing.live === null ? compute() : tracing.live(compute);
}

/** Runs `fn` with a function that traces live numbers. */
export function withLive<R>(trace: NonNullable<typeof tracing.live>, fn: () => R): R {
  const before = tracing.live;
  tracing.live = trace;
  try {
    return fn();
  } finally {
    tracing.live = before;
  }
}
