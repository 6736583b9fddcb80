/**
 * The loads and stores of a kernel, and a proof by ranges that different iterations of a loop access different elements. An access that is not
 * proved may still be correct. Buffers count as disjoint, because their addresses are not known here.
 */
import { substitute } from "../../expr/evaluate.ts";
import { type Expr, sym } from "../../expr/expr.ts";
import { statementBindings } from "./bindings.ts";
import { dependentsOf } from "./dependents.ts";
import { extremes } from "./extent.ts";
import type { LoopStatement } from "./kernel.ts";
import type { Inspection, Report } from "./verify-rule.ts";
import { type NestedStatement, scalarsOf } from "./visit.ts";

/** One load or store. */
export interface MemoryAccess extends NestedStatement {
  readonly buffer: string;
  readonly index: Expr;
  /** True if it may not happen: it has a mask, or is under a condition. */
  readonly isMasked: boolean;
  readonly isStore: boolean;
}

/** Returns every load and store, in the order of the text. */
export function accessesOf({ statements }: Pick<Inspection, "statements">): readonly MemoryAccess[] {
  return statements.flatMap((nested) => {
    const { statement, conditions } = nested;
    const isMasked = (mask: unknown): boolean => mask !== undefined || conditions.length > 0;
    const loads = scalarsOf(statement).flatMap((value) =>
      value.kind === "load" ? [{ ...nested, ...value, isMasked: isMasked(value.mask), isStore: false }] : [],
    );
    if (statement.kind !== "store") return loads;
    return [...loads, { ...nested, ...statement, isMasked: isMasked(statement.mask), isStore: true }];
  });
}

/** Reports stores in a loop whose elements another iteration accesses or may access; `noun` is the noun for one. */
export function reportConflicts(
  inspection: Inspection,
  loop: LoopStatement,
  accesses: readonly MemoryAccess[],
  noun: "unit" | "thread" | "iteration",
  report: Report,
): void {
  const dependents = dependentsOf(inspection.statements, [loop.index]);
  const apart = apartIn(loop, inspection);
  for (const store of accesses) {
    const { buffer, index, statement, loops, isStore, isMasked } = store;
    if (!isStore || inspection.facts.apart?.includes(buffer)) continue;
    // It depends on the iteration by its index, or by loops that run in some iterations only.
    const inner = loops.slice(loops.indexOf(loop) + 1).map((each) => each.index);
    const depends = [...index.symbols.keys(), ...inner].some((name) => dependents.has(name));
    if (!depends && !isMasked)
      report(statement, `every ${noun} of ${loop.index} stores to the same elements of ${buffer}.`);
    else if (accesses.some((other) => other.buffer === buffer && !apart(store, other))) {
      const text = `two ${noun}s of ${loop.index} may access the same element of ${buffer}; this kernel does not rule it out.`;
      report(statement, text, "unproved");
    }
  }
}

/** Returns a test of two accesses in the loop: true if no iteration accesses with a an element that another iteration accesses with b. */
function apartIn(loop: LoopStatement, inspection: Inspection): (a: MemoryAccess, b: MemoryAccess) => boolean {
  const own = new Set(
    inspection.statements.flatMap(({ statement, loops }) =>
      loops.includes(loop) ? statementBindings(statement).map(([name]) => name) : [],
    ),
  );
  return (a, b) => isBelow(a, b, loop, inspection, own) && isBelow(b, a, loop, inspection, own);
}

/**
 * True if iteration i of `before` stays below iteration i + 1 of `after`, and the low end of `after` grows with i, so that this holds for every
 * later iteration too. `own` are the names that are local to an iteration.
 */
function isBelow(
  before: MemoryAccess,
  after: MemoryAccess,
  loop: LoopStatement,
  inspection: Inspection,
  own: ReadonlySet<string>,
): boolean {
  const settled = inspection.resolvedNames();
  const ends = (access: MemoryAccess, side: "low" | "high"): readonly Expr[] => {
    const inner = access.loops.slice(access.loops.indexOf(loop) + 1);
    return extremes(substitute(access.index, settled.names), inner, settled, side).map(({ value }) => value);
  };
  const iteration = settled.names.get(loop.index) as Expr;
  const highs = ends(before, "high");
  return ends(after, "low").some((low) => {
    const next = substitute(elsewhere(low, own), new Map([[loop.index, iteration.add(1)]]));
    return low.proveLessEqual(next) === true && highs.some((high) => high.proveLess(next) === true);
  });
}

/** The expression in another iteration, where names that are local to an iteration are other symbols. */
function elsewhere(expr: Expr, own: ReadonlySet<string>): Expr {
  const renamed = new Map<string, Expr>();
  for (const [name, { min, max }] of expr.symbols) if (own.has(name)) renamed.set(name, sym(`${name}__`, { min, max }));
  return substitute(expr, renamed);
}
