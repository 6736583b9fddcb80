/**
 * Minimum, maximum and absolute value of polynomials; abs(x) is max(x, -x).
 * Arguments that never are the result are dropped; nested calls of the same kind are flattened.
 */
import { call, rangeOf, sortBy } from "./bounds.ts";
import { spend } from "./budget.ts";
import { type Polynomial, polynomialKey, scale, soleAtom, subtract } from "./polynomial.ts";

const negate = (a: Polynomial): Polynomial => scale(a, -1);

/** Returns the minimum or maximum of polynomials, without arguments that another one always dominates. */
export function extreme(kind: "min" | "max", sides: readonly Polynomial[]): Polynomial {
  const [first, ...others] = sides as [Polynomial, ...Polynomial[]];
  // No argument of an existing call dominates another, so the first side is kept unchanged.
  const candidates = new Set(argumentsOf(kind, first).map(candidateOf));
  const byTerm = new Map<string, Candidate[]>();
  const enter = (candidate: Candidate): void => {
    for (const { key } of candidate.value.terms) {
      const same = byTerm.get(key);
      if (same) same.push(candidate);
      else byTerm.set(key, [candidate]);
    }
  };
  for (const candidate of candidates) enter(candidate);
  for (const candidate of others.flatMap((side) => argumentsOf(kind, side)).map(candidateOf)) {
    // The difference proves more than the two ranges only if both have a common term.
    const related = new Set(candidate.value.terms.flatMap(({ key }) => byTerm.get(key) ?? []));
    spend(candidates.size / 16 + related.size);
    const dominated: Candidate[] = [];
    let isDominated = false;
    for (const other of candidates) {
      const [worse, better] = kind === "min" ? [candidate, other] : [other, candidate];
      // The range of the amount by which the candidate is worse than the other.
      const [min, max] = related.has(other)
        ? rangeOf(subtract(worse.value, better.value))
        : [worse.min - better.max, worse.max - better.min];
      isDominated = min >= 0;
      if (isDominated) break;
      if (max <= 0) dominated.push(other);
    }
    if (isDominated) continue;
    for (const other of dominated) candidates.delete(other);
    candidates.add(candidate);
    enter(candidate);
  }
  const args = sortBy(
    withAbs(
      kind,
      [...candidates].map(({ value }) => value),
    ),
    polynomialKey,
  );
  return args.length === 1 ? args[0] : call(kind, args);
}

interface Candidate {
  readonly value: Polynomial;
  readonly min: number;
  readonly max: number;
}

const candidateOf = (value: Polynomial): Candidate => {
  const [min, max] = rangeOf(value);
  return { value, min, max };
};

/** Replaces x and -x among the arguments of max by abs(x). */
function withAbs(kind: "min" | "max", args: readonly Polynomial[]): readonly Polynomial[] {
  if (kind === "min") return args;
  const byKey = new Map(args.map((each) => [polynomialKey(each), each]));
  const result: Polynomial[] = [];
  for (const [key, each] of byKey) {
    const negative = polynomialKey(negate(each));
    if (negative === key || !byKey.has(negative)) result.push(each);
    else if (each.terms[0].num > 0) result.push(call("abs", [each]));
    spend(key.length / 16);
  }
  return result;
}

/** Returns the flattened arguments of a min or max; abs(x) is max(-x, x). Other polynomials are their only argument. */
function argumentsOf(kind: "min" | "max", a: Polynomial): readonly Polynomial[] {
  const atom = soleAtom(a);
  if (kind === "max" && atom?.kind === "abs") return [negate(atom.args[0]), atom.args[0]];
  return atom?.kind === kind ? atom.args.flatMap((arg) => argumentsOf(kind, arg)) : [a];
}
