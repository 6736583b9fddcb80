/**
 * The source of a compiled function, for code that lowers it again: writers of modules and pictures. A compiled function has no fields for it,
 * so programs that only call it stay small.
 */

import { wrongKind } from "../../base/arguments.ts";
import { runtime } from "../../base/runtime.ts";
import type { InputShape } from "../dims.ts";
import { GraphError } from "../ir.ts";
import type { InstanceData } from "./build-instance.ts";

export interface CompiledSource {
  readonly fn: (...args: unknown[]) => unknown;
  /** The declared shapes of the tensors among the arguments. */
  readonly shapes: readonly InputShape[] | null;
  /** The data of the last call that ran a program; null if there was none. */
  last(): InstanceData | null;
}

const state = /* @__PURE__ */ runtime.own("graph/compile/source", { sources: new WeakMap<object, CompiledSource>() });

/** Records the source of a compiled function. */
export function registerSource(compiled: object, source: CompiledSource): void {
  state.sources.set(compiled, source);
}

/** Returns the source of a compiled function; undefined for other values. */
export const findSource = (compiled: unknown): CompiledSource | undefined =>
  typeof compiled === "function" ? state.sources.get(compiled) : undefined;

/** Returns the source of a compiled function, with the data of its last compiled call. Throws for other values. */
export function sourceOf(who: string, compiled: unknown): CompiledSource & { readonly data: InstanceData } {
  const source = findSource(compiled);
  if (source === undefined) throw wrongKind(who, "a compiled function, such as compile(fn)", compiled);
  const data = source.last();
  if (data === null)
    throw new GraphError(
      `${who}: the function has no program yet. Call it twice, because the first call is eager, and inside noGrad if its outputs require gradients`,
    );
  return { ...source, data };
}
