/**
 * The loads and stores of a kernel, and whether two of them stay apart from round to round of a loop. Proved from ranges; what is not
 * proved may be so all the same. Where buffers lie is not known here: two of them count as apart.
 */
import { substitute } from "../../expr/evaluate.ts";
import { type Expr, sym } from "../../expr/expr.ts";
import { statementBindings } from "./bindings.ts";
import { dependentsOf } from "./dependence.ts";
import { extremes } from "./extent.ts";
import type { LoopStatement } from "./kernel.ts";
import type { Inspection, Report } from "./verify-rule.ts";
import { type Place, scalarsOf } from "./visit.ts";

/** One load or store. */
export interface Access extends Place {
  readonly buffer: string;
  readonly index: Expr;
  readonly isMasked: boolean;
  readonly isStore: boolean;
}

/** Every load and store, in the order of the text. */
export function accessesOf({ places }: Pick<Inspection, "places">): readonly Access[] {
  return places.flatMap((place) => {
    const { statement } = place;
    const loads = scalarsOf(statement).flatMap((value) =>
      value.kind === "load" ? [{ ...place, ...value, isMasked: value.mask !== undefined, isStore: false }] : [],
    );
    if (statement.kind !== "store") return loads;
    return [...loads, { ...place, ...statement, isMasked: statement.mask !== undefined, isStore: true }];
  });
}

/** Reports stores in a loop whose elements another of its rounds touches, too, or may touch; `round` is what a round is called. */
export function reportMeetings(
  inspection: Inspection,
  loop: LoopStatement,
  accesses: readonly Access[],
  round: "unit" | "round",
  report: Report,
): void {
  const dependents = dependentsOf(inspection.places, loop.index);
  const apart = apartIn(loop, inspection);
  for (const store of accesses) {
    const { buffer, index, statement, loops, isStore, isMasked } = store;
    if (!isStore || inspection.facts.apart?.includes(buffer)) continue;
    // By its index, or by loops that run in some rounds only.
    const inner = loops.slice(loops.indexOf(loop) + 1).map((each) => each.index);
    const depends = [...index.symbols.keys(), ...inner].some((name) => dependents.has(name));
    if (!depends && !isMasked)
      report(statement, `every ${round} of ${loop.index} stores to the same elements of ${buffer}.`);
    else if (accesses.some((other) => other.buffer === buffer && !apart(store, other))) {
      const text = `two ${round}s of ${loop.index} may meet in ${buffer}, as far as this kernel shows.`;
      report(statement, text, "unproved");
    }
  }
}

/** The question whether no round of the loop touches with one access what another round touches with the other; both stand in the loop. */
function apartIn(loop: LoopStatement, inspection: Inspection): (a: Access, b: Access) => boolean {
  const own = new Set(
    inspection.places.flatMap(({ statement, loops }) =>
      loops.includes(loop) ? statementBindings(statement).map(([name]) => name) : [],
    ),
  );
  return (a, b) => isBelow(a, b, loop, inspection, own) && isBelow(b, a, loop, inspection, own);
}

/**
 * True if round i of `before` stays below round i + 1 of `after`, and the low end of `after` grows with i: then so it is for every
 * later round too. `own` are the names that each round has for itself.
 */
function isBelow(
  before: Access,
  after: Access,
  loop: LoopStatement,
  inspection: Inspection,
  own: ReadonlySet<string>,
): boolean {
  const settled = inspection.settled();
  const ends = (access: Access, side: "low" | "high"): readonly Expr[] => {
    const inner = access.loops.slice(access.loops.indexOf(loop) + 1);
    return extremes(substitute(access.index, settled.names), inner, settled, side).map(({ value }) => value);
  };
  const round = settled.names.get(loop.index) as Expr;
  const highs = ends(before, "high");
  return ends(after, "low").some((low) => {
    const next = substitute(elsewhere(low, own), new Map([[loop.index, round.add(1)]]));
    return low.proveLessEqual(next) === true && highs.some((high) => high.proveLess(next) === true);
  });
}

/** The expression as another round computes it: what belongs to a round alone is another symbol there. */
function elsewhere(expr: Expr, own: ReadonlySet<string>): Expr {
  const renamed = new Map<string, Expr>();
  for (const [name, { min, max }] of expr.symbols) if (own.has(name)) renamed.set(name, sym(`${name}__`, { min, max }));
  return substitute(expr, renamed);
}
