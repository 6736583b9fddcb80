/**
 * Limits on the cost of a model, so that a small hostile file cannot exhaust time or memory: the nodes that are prepared, with the bodies of
 * functions once for each call; the nodes that one run executes, with those of loops once for each iteration; the memory of one run; and the memory
 * of weights in a different form.
 */
import { OnnxError } from "./error.ts";

export interface OnnxLimits {
  /** The largest number of nodes, where each call of a function counts the nodes of its body again. Default: 1,048,576. */
  readonly maxNodes?: number | undefined;
  /** The largest number of nodes and iterations that one run executes. Default: 1,000,000,000. */
  readonly maxSteps?: number | undefined;
  /** The largest number of bytes that one run allocates beyond those that are live before it. Default: 8 GiB. */
  readonly maxBytes?: number | undefined;
  /**
   * The largest number of bytes of weights that are kept in the form in which they are multiplied: those of MatMulNBits and MatMulBnb4 as real numbers.
   * Further ones are unpacked in each run. Default: 1 GiB.
   */
  readonly maxKeptBytes?: number | undefined;
}

const defaults = { maxNodes: 2 ** 20, maxSteps: 1e9, maxBytes: 2 ** 33, maxKeptBytes: 2 ** 30 };

/** The deepest nesting of graphs in attributes and of calls of functions. */
export const maxNesting = 200;

/** Returns the limits with their defaults. Throws if one is not a number in its range. */
export function limitsOf(options: OnnxLimits): Readonly<Record<keyof OnnxLimits, number>> {
  const limits = { ...defaults };
  for (const name of ["maxNodes", "maxSteps", "maxBytes", "maxKeptBytes"] as const) {
    const value = options[name] ?? defaults[name];
    // A model may keep no bytes, but every run needs some.
    if (typeof value !== "number" || !(value >= (name === "maxKeptBytes" ? 0 : Number.MIN_VALUE)))
      throw new OnnxError(
        `loadOnnx: ${name} must be a ${name === "maxKeptBytes" ? "number of at least 0" : "positive number"}, got ${String(value)}`,
      );
    limits[name] = value;
  }
  return limits;
}
