/**
 * Limits on what a model may cost, so that a small hostile file cannot exhaust time or memory: the nodes that are prepared, with the bodies of
 * functions once for each call; the nodes that one run executes, with those of loops once for each iteration; and the memory of one run.
 */
import { OnnxError } from "./error.ts";

export interface OnnxLimits {
  /** The largest number of nodes, where each call of a function counts the nodes of its body again. Default: 1,048,576. */
  readonly maxNodes?: number | undefined;
  /** The largest number of nodes and iterations that one run executes. Default: 1,000,000,000. */
  readonly maxSteps?: number | undefined;
  /** The largest number of bytes that one run allocates beyond those that are live before it. Default: 8 GiB. */
  readonly maxBytes?: number | undefined;
}

const defaults = { maxNodes: 2 ** 20, maxSteps: 1e9, maxBytes: 2 ** 33 };

/** The deepest nesting of graphs in attributes and of calls of functions. */
export const maxNesting = 200;

/** Returns the limits with their defaults. Throws if one is not a positive number. */
export function limitsOf(options: OnnxLimits): Readonly<Record<keyof OnnxLimits, number>> {
  const limits = { ...defaults };
  for (const name of ["maxNodes", "maxSteps", "maxBytes"] as const) {
    const value = options[name] ?? defaults[name];
    if (typeof value !== "number" || !(value > 0))
      throw new OnnxError(`loadOnnx: ${name} must be a positive number, got ${String(value)}`);
    limits[name] = value;
  }
  return limits;
}
