/**
 * The definition of an ONNX operator: a function of a call. The tables in `operators/` have one for each operator, with all of its versions:
 * a function reads `call.version` where versions differ.
 */
import type { Call } from "./call.ts";
import type { OnnxValue } from "./values.ts";

/** Computes the outputs of a node: the first one, or a list of all that the node has. */
export type OperatorBody = (call: Call) => OnnxValue | readonly OnnxValue[];

export interface OperatorDefinition {
  readonly run: OperatorBody;
  /** True if it draws random numbers: it is never computed ahead. */
  readonly isRandom?: boolean;
  /** True if its outputs depend on the shapes of its inputs only, not on their elements. */
  readonly readsShapes?: boolean;
  /** True if it runs one of its graphs, which its inputs select: outputs that this graph computes from shapes alone remain known. */
  readonly isBranch?: boolean;
  /** True if it runs a graph many times: it is never a part of a compiled program, so that its graph becomes one that is used for each iteration. */
  readonly isLoop?: boolean;
}

/** The operators of one domain, by their types. */
export type OperatorTable = Readonly<Record<string, OperatorBody | OperatorDefinition>>;

/** Domains with an alias: the empty one is "ai.onnx". */
export const domainOf = (domain: string): string => (domain === "ai.onnx" ? "" : domain);

/** Returns a definition of a table; undefined if there is none. */
export function definitionIn(table: OperatorTable | undefined, type: string): OperatorDefinition | undefined {
  if (table === undefined || !Object.hasOwn(table, type)) return undefined;
  const entry = table[type];
  return typeof entry === "function" ? { run: entry } : entry;
}
