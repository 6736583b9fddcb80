/**
 * What statements touch: the buffers and accumulators that they change, those that they read. From this follows which values may
 * leave a loop, which must be computed again, and which accumulators a vector loop has partial results for.
 */
import type { AccumulateStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";

/** What a loop touches. */
export interface Effects {
  /** Buffers stored to, and accumulators added to with the function that each is added by. */
  readonly changed: ReadonlySet<string>;
  readonly accumulated: ReadonlyMap<string, AccumulateStatement>;
  /** Buffers loaded from and values named. */
  readonly read: ReadonlySet<string>;
}

/** What statements touch, also in inner loops; accumulators that they declare themselves are left out of `accumulated`. */
export function effectsOf(statements: readonly Statement[]): Effects {
  const changed = new Set<string>();
  const read = new Set<string>();
  const accumulated = new Map<string, AccumulateStatement>();
  const declared = new Set<string>();
  const seen = new Set<Scalar>();
  const look = (value: Scalar): void => {
    if (seen.has(value)) return;
    seen.add(value);
    operandsOf(value).forEach(look);
    if (value.kind === "load") read.add(value.buffer);
    else if (value.kind === "named") read.add(value.name);
  };
  const visit = (list: readonly Statement[]): void => {
    for (const statement of list) {
      rootsOf(statement).forEach(look);
      if (statement.kind === "loop") visit(statement.body);
      else if (statement.kind === "store") changed.add(statement.buffer);
      else if (statement.kind === "accumulator") declared.add(statement.name);
      else if (statement.kind === "accumulate") {
        changed.add(statement.into);
        accumulated.set(statement.into, statement);
      }
    }
  };
  visit(statements);
  for (const name of declared) accumulated.delete(name);
  return { changed, accumulated, read };
}
