/**
 * The names whose values may depend on others: through expressions, bounds of loops, conditions, values, and elements that are stored and
 * loaded again.
 */
import { statementBindings } from "./bindings.ts";
import { type NestedStatement, usesOf } from "./visit.ts";

/** Each name that may depend on a seed, with the name that it depends on directly; a seed with itself. */
export type Dependents = ReadonlyMap<string, string>;

/** Returns the names that may depend on one of the seeds, themselves included. */
export function dependentsOf(statements: readonly NestedStatement[], seeds: readonly string[]): Dependents {
  const names = new Map(seeds.map((name) => [name, name]));
  for (let size = -1; size !== names.size; ) {
    size = names.size;
    for (const each of statements) {
      const cause = causeOf(each, names);
      if (cause === undefined) continue;
      for (const changed of changedBy(each)) if (!names.has(changed)) names.set(changed, cause);
    }
  }
  return names;
}

/** Returns a name in `names` that the statement uses. A value that is changed also depends on the loops and conditions around the change. */
function causeOf({ statement, loops, conditions }: NestedStatement, names: Dependents): string | undefined {
  const used = usesOf(statement).map(({ name }) => name);
  if (statement.kind === "store" || statement.kind === "accumulate")
    used.push(...loops.map(({ index }) => index), ...conditions.flatMap(usesOf).map(({ name }) => name));
  return used.find((name) => names.has(name));
}

/** The names whose values a statement sets. */
function changedBy({ statement }: NestedStatement): readonly string[] {
  if (statement.kind === "store") return [statement.buffer];
  if (statement.kind === "accumulate") return [statement.into];
  return statementBindings(statement).map(([name]) => name);
}
