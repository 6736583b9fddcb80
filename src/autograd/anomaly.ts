/** Anomaly detection: gradients are checked for NaN after each node has run, and nodes know where in the program they were recorded. */

import { checkFunction, refusePromise } from "../base/arguments.ts";
import { runtime } from "../base/runtime.ts";
import { isnan } from "../ops/elementwise/comparison.ts";
import { any } from "../ops/reduce/reduce.ts";
import { detach } from "../tensor/in-place.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";

/** A node of the graph. */
interface Node {
  readonly name: string;
}

export const anomaly: { isOn: boolean } = /* @__PURE__ */ runtime.own("autograd/anomaly", { isOn: false });
/** The stack traces of nodes that were recorded while detection was on. */
const traces = /* @__PURE__ */ new WeakMap<Node, string>();

/** Runs a function in which the backward pass throws at the first gradient with NaN and names its call; errors say where calls recorded in it are. */
export function detectAnomaly<T>(fn: () => T): T {
  checkFunction("detectAnomaly", fn);
  const before = anomaly.isOn;
  anomaly.isOn = true;
  try {
    return refusePromise("detectAnomaly", fn());
  } finally {
    anomaly.isOn = before;
  }
}

/** Throws if a gradient that a node computed contains NaN. */
export function checkAnomaly(node: Node, passed: readonly (Tensor | null)[]): void {
  passed.forEach((gradient, k) => {
    if (gradient === null || gradient === undefined) return;
    if (any(isnan(detach(gradient))).item() === true)
      throw new AutogradError(`backward: Function '${node.name}' returned nan values in its ${k}th output.`);
  });
}

/** Stores the stack trace of the call that a node records. */
export function traceNode(node: Node): void {
  // The library's own lines come first, and may be many.
  const limits = Error as { stackTraceLimit?: number };
  const limit = limits.stackTraceLimit;
  if (limit !== undefined) limits.stackTraceLimit = 50;
  traces.set(node, new Error().stack ?? "");
  if (limit !== undefined) limits.stackTraceLimit = limit;
}

/** The first lines of a node's stack trace outside of the library; null if it has none. */
function callerOf(node: Node): string | null {
  const lines = traces.get(node)?.split("\n") ?? [];
  const calls = lines.filter((line) => /^\s*at |@/.test(line));
  const own = /([^\s(]*\/)autograd\/anomaly\.[jt]s/.exec(calls[0] ?? "")?.[1];
  const outside = own === undefined ? calls : calls.filter((line) => !line.includes(own));
  return calls.length === 0 ? null : (outside.length > 0 ? outside : calls).slice(0, 5).join("\n");
}

/** Appends to an error of the backward pass where its call was recorded, if that is known. */
export function nameCall(node: Node, error: unknown): void {
  const caller = callerOf(node);
  if (caller === null || !(error instanceof AutogradError) || error.message.includes(recorded)) return;
  error.message += `\n${recorded} ${node.name} is:\n${caller}`;
}

const recorded = "The call that recorded";
