/**
 * The smallest and the largest of polynomials, and the absolute value, which is the larger of x and -x.
 * Arguments that another one always beats are left out; a call among the arguments gives its own arguments.
 */
import { call, rangeOf, sortBy } from "./bounds.ts";
import { spend } from "./budget.ts";
import { type Polynomial, polynomialKey, scale, soleAtom, subtract } from "./polynomial.ts";

const negate = (a: Polynomial): Polynomial => scale(a, -1);

/** The smallest or largest of several; arguments that another one always beats are left out. */
export function extreme(kind: "min" | "max", sides: readonly Polynomial[]): Polynomial {
  const [first, ...others] = sides as [Polynomial, ...Polynomial[]];
  // No argument of a call beats another one of it, so the first side is taken as it is.
  const kept = new Set(argumentsOf(kind, first).map(candidateOf));
  const byTerm = new Map<string, Candidate[]>();
  const enter = (candidate: Candidate): void => {
    for (const { key } of candidate.value.terms) {
      const same = byTerm.get(key);
      if (same) same.push(candidate);
      else byTerm.set(key, [candidate]);
    }
  };
  for (const candidate of kept) enter(candidate);
  for (const candidate of others.flatMap((side) => argumentsOf(kind, side)).map(candidateOf)) {
    // Their difference knows more than their ranges only if they have a term in common.
    const related = new Set(candidate.value.terms.flatMap(({ key }) => byTerm.get(key) ?? []));
    spend(kept.size / 16 + related.size);
    const beaten: Candidate[] = [];
    let isBeaten = false;
    for (const other of kept) {
      const [worse, better] = kind === "min" ? [candidate, other] : [other, candidate];
      // by how much the candidate loses to the other, at its best and at its worst
      const [least, most] = related.has(other)
        ? rangeOf(subtract(worse.value, better.value))
        : [worse.min - better.max, worse.max - better.min];
      isBeaten = least >= 0;
      if (isBeaten) break;
      if (most <= 0) beaten.push(other);
    }
    if (isBeaten) continue;
    for (const other of beaten) kept.delete(other);
    kept.add(candidate);
    enter(candidate);
  }
  const args = sortBy(
    withAbs(
      kind,
      [...kept].map(({ value }) => value),
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

/** max(x, -x) = abs(x), also among other arguments. */
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

/** The arguments of which it is the smallest or largest, abs(x) being max(-x, x). */
function argumentsOf(kind: "min" | "max", a: Polynomial): readonly Polynomial[] {
  const atom = soleAtom(a);
  if (kind === "max" && atom?.kind === "abs") return [negate(atom.args[0]), atom.args[0]];
  return atom?.kind === kind ? atom.args.flatMap((arg) => argumentsOf(kind, arg)) : [a];
}
