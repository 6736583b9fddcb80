/**
 * The tangents of tensors while a level of forward mode is open. They end with the level.
 *
 * A view keeps the tangent that its op computed until its memory is written; afterward its tangent is the same view of its base's tangent.
 * Results that a node has saved are looked up by the node.
 */
import { runtime } from "../base/runtime.ts";
import { dtypes } from "../storage/dtype.ts";
import { inScope, presentScope } from "../tensor/scope.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { copy_, rename } from "../tensor/views/view-ops.ts";
import { type BaseMemory, geometryOf, memoryLike, seesParts } from "./base-memory.ts";
import type { Edge, GradNode } from "./node.ts";

interface Entry {
  readonly tangent: Tensor;
  /** For a view: the version of its memory when the tangent was set. */
  readonly version: number;
}

class Level {
  readonly tangents = new WeakMap<Tensor, Entry>();
  readonly outputs = new WeakMap<GradNode, Tensor[]>();
  /** The scope in which the level was opened: tangents live until its end, even if inner scopes end before. */
  readonly scope = presentScope();
}

const state: { level: Level | null } = /* @__PURE__ */ runtime.own("autograd/forward-level", { level: null });

/** True inside a level. */
export const isForward = (): boolean => state.level !== null;

/** Runs a function in a new level. */
export function inLevel<T>(fn: () => T): T {
  state.level = new Level();
  try {
    return fn();
  } finally {
    state.level = null;
  }
}

/** Runs a function whose tensors are tangents: they live at least as long as the level. */
export const inLevelScope = <T>(fn: () => T): T => inScope(state.level?.scope ?? null, fn);

const edgeOf = (t: Tensor): Edge | null => (t.history as { readonly edge: Edge | null } | null)?.edge ?? null;

/** The tangent of a tensor, or null. */
export function tangentOf(t: Tensor): Tensor | null {
  if (state.level === null) return null;
  const { root } = t;
  const entry = state.level.tangents.get(t);
  if (entry !== undefined && (root === null || entry.version === counterOf(t).value)) return entry.tangent;
  if (root !== null) {
    const whole = tangentOf(root);
    if (whole === null || !/float|complex/.test(dtypes[t.dtype].category)) return null;
    const tangent = inLevelScope(() => memoryOf(root, whole, t).part(geometryOf(t, seesParts(root, t))));
    setTangent(t, tangent);
    return tangent;
  }
  const edge = edgeOf(t);
  return (edge && state.level.outputs.get(edge.node)?.[edge.output]) ?? null;
}

/** Sets the tangent of a tensor, which has its shape and dtype. */
export function setTangent(t: Tensor, unnamed: Tensor): void {
  if (state.level === null) return;
  const tangent = t.names === null || unnamed.names !== null ? unnamed : rename(unnamed, t.names);
  state.level.tangents.set(t, { tangent, version: t.root === null ? -1 : counterOf(t).value });
  const edge = edgeOf(t);
  if (edge === null) return;
  const outputs = state.level.outputs.get(edge.node) ?? [];
  outputs[edge.output] = tangent;
  state.level.outputs.set(edge.node, outputs);
}

/** Sets the tangent of a tensor to that of another with the same elements. */
export function carryTangent(from: Tensor, into: Tensor): Tensor {
  const tangent = tangentOf(from);
  if (tangent !== null) setTangent(into, tangent);
  return into;
}

/** Sets the tangent of a written tensor; for a view, in the tangent of its base. */
export function writeTangent(t: Tensor, tangent: Tensor): void {
  const { root } = t;
  if (root === null) {
    setTangent(t, tangent);
    return;
  }
  const memory = memoryOf(root, tangentOf(root), t);
  const geometry = geometryOf(t, seesParts(root, t));
  copy_(memory.part(geometry), tangent);
  setTangent(root, memory.whole());
  setTangent(t, memory.part(geometry));
}

/** The tangent of a base, or zeros, in memory with the layout of the base. */
function memoryOf(base: Tensor, tangent: Tensor | null, view: Tensor): BaseMemory {
  const memory = memoryLike(base, seesParts(base, view))(tangent ?? base);
  if (tangent !== null) copy_(memory.whole(), tangent);
  return memory;
}
