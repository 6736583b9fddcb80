/**
 * A look at an innermost loop before it is written: which of its values change from round to round, how often each is used, the
 * pointers it needs, and what it may skip. Names bound in it are made known with their depths; the locals of those that change
 * follow when the statements are written.
 */
import { exprOf } from "../../../expr/expr.ts";
import type { LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import { type Accessing, expanded, planAccesses } from "./accesses.ts";
import { type Emission, innermost } from "./emission.ts";
import { depthOfLet, emitStatement } from "./emit-statements.ts";
import { planGuards } from "./guards.ts";
import { depthOfValue } from "./value-depth.ts";

/** The values that change in the innermost loop. */
export function scanLoop(e: Emission, { body }: LoopStatement): readonly Scalar[] {
  const { depth, uses } = innermost(e);
  const changing: Scalar[] = [];
  const accessing: Accessing[] = [];
  const visit = (value: Scalar): void => {
    const count = uses.get(value) ?? 0;
    uses.set(value, count + 1);
    if (count > 0) return;
    operandsOf(value).forEach(visit);
    if (depthOfValue(e, value) < depth) return;
    changing.push(value);
    if (value.kind === "load") accessing.push(value);
  };
  for (const statement of body) {
    rootsOf(statement).forEach(visit);
    bind(e, statement);
    if (statement.kind === "store") accessing.push(statement);
  }
  planAccesses(e, accessing);
  if (e.lane === undefined) planGuards(e, body, changing);
  return changing;
}

function bind(e: Emission, statement: Statement): void {
  const { depth, definitions } = innermost(e);
  const local = -1;
  switch (statement.kind) {
    case "index":
      definitions.set(statement.name, exprOf(expanded(e, statement.value)));
      return;
    case "walk":
      for (const name of statement.offsets) e.integers.set(name, { local, depth, shift: 0 });
      return;
    case "fetch":
      // What does not change in the loop is computed in front of it at once: pointers may be made of it.
      if (depthOfValue(e, statement.value) < depth) emitStatement(e, statement);
      else e.integers.set(statement.name, { local, depth, shift: 0 });
      return;
    case "let":
      if (depthOfLet(e, statement) < depth) emitStatement(e, statement);
      else e.named.set(statement.name, { local, depth, changes: false });
      return;
    case "accumulator":
      e.named.set(statement.name, { local, depth, changes: true });
      return;
    case "allocate":
      emitStatement(e, statement);
      return;
    default:
  }
}
