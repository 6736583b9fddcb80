/** The type of a pass over graphs. */
import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Graph } from "../ir.ts";

/**
 * A pass: it returns a graph that computes the same, with the same arguments, outputs and writes in the same order. It may change the graph that it
 * receives, which is not used elsewhere.
 */
export interface Pass {
  readonly name: string;
  run(graph: Graph): Graph;
}

const isPass = (value: unknown): value is Pass =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "run" in value &&
  typeof value.run === "function";

/** Throws unless a value is a list of passes. */
export function checkPasses(passes: unknown): void {
  if (!Array.isArray(passes))
    throw new StridewiseError(
      `compile: passes must be a list of passes, got ${describeValue(passes)}. Filter graphPasses, or add to it`,
    );
  const other = passes.findIndex((each) => !isPass(each));
  if (other >= 0)
    throw new StridewiseError(
      `compile: pass ${other} must be an object with a name and a function run, got ${describeValue(passes[other])}`,
    );
}
