/**
 * The smallest and the largest value of an index over the loops around it.
 * Names are first replaced: `index` names by their values, loop indices by symbols with constant bounds. Then, loop by loop, innermost first,
 * an index that occurs linearly is set to the end of its loop at which the expression is smallest or largest. `min` in an upper bound is at
 * most each of its arguments, and all are tried: for `i in i0..min(n, i0 + 8)` the largest value of i - i0 is 7.
 */
import { substitute } from "../../expr/evaluate.ts";
import { type Expr, exprOf, sym } from "../../expr/expr.ts";
import { soleAtom } from "../../expr/polynomial.ts";
import { range } from "../../expr/proofs.ts";
import type { LoopStatement } from "./kernel.ts";
import type { NestedStatement } from "./visit.ts";

/** A loop index is at least each of `low` and at most each of `high`; a single bound is reached. */
interface Ends {
  readonly low: readonly Expr[];
  readonly high: readonly Expr[];
  /** True if the loop is known to run in every iteration of the loops around it, or in none. */
  readonly isUniform: boolean;
}

type Side = "low" | "high";

/** The values and bounds of the names that loops and index statements bind. */
export interface FetchedNames {
  readonly names: ReadonlyMap<string, Expr>;
  readonly ends: ReadonlyMap<string, Ends>;
}

/** A bound of an index; an exact one is reached whenever the loops run. */
interface IndexBound {
  readonly value: Expr;
  readonly isExact: boolean;
}

const argumentsOf = (kind: "min" | "max", bound: Expr): readonly Expr[] => {
  const atom = soleAtom(bound);
  return atom?.kind === kind ? atom.args.map(exprOf) : [bound];
};

/** Returns the values and bounds of the loop indices and index names of a kernel, from its statements in order. */
export function resolveNames(statements: readonly NestedStatement[]): FetchedNames {
  const names = new Map<string, Expr>();
  const ends = new Map<string, Ends>();
  const changing = new Set<string>();
  for (const { statement } of statements) {
    if (statement.kind === "walk") for (const name of statement.offsets) changing.add(name);
    if (statement.kind === "fetch") changing.add(statement.name);
    if (statement.kind === "index") names.set(statement.name, substitute(statement.value, names));
    if (statement.kind !== "loop") continue;
    const from = substitute(statement.from, names);
    const to = substitute(statement.to, names);
    ends.set(statement.index, {
      low: argumentsOf("max", from),
      high: argumentsOf("min", to).map((end) => end.sub(1)),
      isUniform:
        from.proveLess(to) === true ||
        ![...from.symbols.keys(), ...to.symbols.keys()].some((name) => changing.has(name)),
    });
    changing.add(statement.index);
    const [min] = range(from);
    // A loop that never runs has any one value.
    const max = Math.max(range(to)[1] - 1, min, -Number.MAX_SAFE_INTEGER);
    names.set(statement.index, sym(statement.index, { min, max }));
  }
  return { names, ends };
}

/** Returns bounds of an index whose names are replaced, over these loops, the outermost first. */
export function extremes(
  index: Expr,
  loops: readonly LoopStatement[],
  { names, ends }: FetchedNames,
  side: Side,
): readonly IndexBound[] {
  const isExact = loops.every((loop) => ends.get(loop.index)?.isUniform);
  let bounds: IndexBound[] = [{ value: index, isExact }];
  for (const loop of [...loops].reverse()) {
    const symbol = names.get(loop.index) as Expr;
    bounds = bounds.flatMap((bound) => setToEnd(bound, loop.index, symbol, ends.get(loop.index) as Ends, side));
  }
  return bounds;
}

function setToEnd({ value, isExact }: IndexBound, name: string, symbol: Expr, ends: Ends, side: Side): IndexBound[] {
  if (!value.symbols.has(name)) return [{ value, isExact }];
  const slope = substitute(value, new Map([[name, symbol.add(1)]])).sub(value);
  const [min, max] = range(slope);
  // Not linear, or of unknown direction: the symbol stays, with its constant bounds.
  if (slope.symbols.has(name) || (min < 0 && max > 0)) return [{ value, isExact: false }];
  const candidates = ends[min >= 0 ? side : side === "low" ? "high" : "low"];
  return candidates.map((end) => ({
    value: substitute(value, new Map([[name, end]])),
    isExact: isExact && candidates.length === 1,
  }));
}
