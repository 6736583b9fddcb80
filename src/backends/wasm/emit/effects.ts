/**
 * The effects of statements: the buffers and accumulators that they write and read. They decide which values may be hoisted out of a
 * loop, which must be computed again, and for which accumulators a vector loop has partial results.
 *
 * The depth of a scalar value is that of the innermost open loop in which it changes; `emission.ts` explains where it is computed.
 * A load has at least the depth of the loop around the current one, and of every loop that writes to its buffer.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import type { AccumulateStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, scalarsOf } from "../../../kernel/ir/visit.ts";
import { expanded } from "./accesses.ts";
import { type Emission, innermost } from "./emission.ts";
import { depthOfIndex } from "./emit-index.ts";

/** The effects of a list of statements. */
export interface Effects {
  /** Buffers stored to and accumulators added to. */
  readonly changed: ReadonlySet<string>;
  /** The statement that adds to each accumulator declared outside. */
  readonly accumulated: ReadonlyMap<string, AccumulateStatement>;
  /** Buffers loaded from and values named. */
  readonly read: ReadonlySet<string>;
}

const ofLists = new WeakMap<readonly Statement[], Effects>();

/** The effects of statements, inner loops included; `accumulated` omits accumulators that they declare themselves. */
export const effectsOf = (statements: readonly Statement[]): Effects => getOrCompute(ofLists, statements, findEffects);

function findEffects(statements: readonly Statement[]): Effects {
  const changed = new Set<string>();
  const read = new Set<string>();
  const accumulated = new Map<string, AccumulateStatement>();
  const declared: string[] = [];
  for (const statement of statements) {
    for (const value of scalarsOf(statement))
      if (value.kind === "load") read.add(value.buffer);
      else if (value.kind === "named") read.add(value.name);
    if (statement.kind === "loop") {
      const inner = effectsOf(statement.body);
      for (const name of inner.changed) changed.add(name);
      for (const name of inner.read) read.add(name);
      for (const [name, adding] of inner.accumulated) accumulated.set(name, adding);
    } else if (statement.kind === "store") changed.add(statement.buffer);
    else if (statement.kind === "accumulator") declared.push(statement.name);
    else if (statement.kind === "accumulate") {
      changed.add(statement.into);
      accumulated.set(statement.into, statement);
    }
  }
  for (const name of declared) accumulated.delete(name);
  return { changed, accumulated, read };
}

/** The depth of a value in the innermost loop. */
export function depthOfValue(e: Emission, value: Scalar): number {
  if (value.kind === "constant" || value.kind === "parameter") return 0;
  const { depths } = innermost(e);
  let depth = depths.get(value);
  if (depth === undefined) {
    depth = ownDepth(e, value);
    for (const operand of operandsOf(value)) depth = Math.max(depth, depthOfValue(e, operand));
    depths.set(value, depth);
  }
  return depth;
}

function ownDepth(e: Emission, value: Scalar): number {
  switch (value.kind) {
    case "index":
      return depthOfIndex(e, expanded(e, value.value));
    case "load": {
      const depth = Math.max(depthOfIndex(e, expanded(e, value.index)), innermost(e).depth - 1);
      return Math.max(depth, changingDepth(e, value.buffer));
    }
    case "named": {
      const name = e.named.get(value.name);
      return name === undefined ? 0 : Math.max(name.depth, name.changes ? changingDepth(e, value.name) : 0);
    }
    default:
      return 0;
  }
}

/** The innermost open loop in which a buffer is stored to, or an accumulator added to. */
function changingDepth({ scopes }: Emission, name: string): number {
  for (let depth = scopes.length - 1; depth > 0; depth--) if (scopes[depth]?.changed.has(name)) return depth;
  return 0;
}
