/**
 * How small and how large an index gets over the loops around it.
 * Every name is first expressed by what is known: `index` names by their values, loop indices by symbols with the constant bounds that
 * follow from the outer ones. Then loop by loop, innermost first, an index that occurs linearly is put at the end of its loop that
 * makes the whole smallest or largest. `min` in an upper bound is at most each of its arguments, and all are tried; so for
 * `i in i0..min(n, i0 + 8)` the largest value of i - i0 is found to be 7.
 */
import { substitute } from "../../expr/evaluate.ts";
import { type Expr, exprOf, sym } from "../../expr/expr.ts";
import { soleAtom } from "../../expr/polynomial.ts";
import { range } from "../../expr/questions.ts";
import type { LoopStatement } from "./kernel.ts";
import type { Place } from "./visit.ts";

/** A loop index is at least each of `low` and at most each of `high`; where there is just one, it is reached. */
interface Ends {
  readonly low: readonly Expr[];
  readonly high: readonly Expr[];
  /** True if it is known that the loop runs in every round of the loops around it, or in none. */
  readonly isUniform: boolean;
}

type Side = "low" | "high";

/** What the loops and index statements of a kernel say of its names. */
export interface Settled {
  readonly names: ReadonlyMap<string, Expr>;
  readonly ends: ReadonlyMap<string, Ends>;
}

/** A bound of an index; exact means that it is reached whenever the loops run. */
export interface Extreme {
  readonly value: Expr;
  readonly isExact: boolean;
}

const argumentsOf = (kind: "min" | "max", bound: Expr): readonly Expr[] => {
  const atom = soleAtom(bound);
  return atom?.kind === kind ? atom.args.map(exprOf) : [bound];
};

/** What is known of the loop indices and index names of a kernel, given its statements in order. */
export function settle(places: readonly Place[]): Settled {
  const names = new Map<string, Expr>();
  const ends = new Map<string, Ends>();
  const changing = new Set<string>();
  for (const { statement } of places) {
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
    // A loop that never runs gets one value, whichever.
    const max = Math.max(range(to)[1] - 1, min, -Number.MAX_SAFE_INTEGER);
    names.set(statement.index, sym(statement.index, { min, max }));
  }
  return { names, ends };
}

/** Bounds of an index that is settled already, over these loops, the outermost first. */
export function extremes(
  index: Expr,
  loops: readonly LoopStatement[],
  { names, ends }: Settled,
  side: Side,
): readonly Extreme[] {
  const isExact = loops.every((loop) => ends.get(loop.index)?.isUniform);
  let found: Extreme[] = [{ value: index, isExact }];
  for (const loop of [...loops].reverse()) {
    const symbol = names.get(loop.index) as Expr;
    found = found.flatMap((bound) => placeAtEnd(bound, loop.index, symbol, ends.get(loop.index) as Ends, side));
  }
  return found;
}

function placeAtEnd({ value, isExact }: Extreme, name: string, symbol: Expr, ends: Ends, side: Side): Extreme[] {
  if (!value.symbols.has(name)) return [{ value, isExact }];
  const slope = substitute(value, new Map([[name, symbol.add(1)]])).sub(value);
  const [least, most] = range(slope);
  // Not linear, or it is open which end is the smaller one: the symbol stays, with its constant bounds.
  if (slope.symbols.has(name) || (least < 0 && most > 0)) return [{ value, isExact: false }];
  const candidates = ends[least >= 0 ? side : side === "low" ? "high" : "low"];
  return candidates.map((end) => ({
    value: substitute(value, new Map([[name, end]])),
    isExact: isExact && candidates.length === 1,
  }));
}
