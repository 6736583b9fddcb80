/**
 * Which names of a kernel may change with a given one: through expressions, loop bounds, values, and what is stored and loaded again.
 * A name that is not among them certainly does not.
 */
import { statementBindings } from "./bindings.ts";
import { type Place, usesOf } from "./visit.ts";

/** The names whose values may depend on `name`, itself included. */
export function dependentsOf(places: readonly Place[], name: string): ReadonlySet<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const place of places) if (reads(place, found)) for (const made of changedBy(place)) found.add(made);
  }
  return found;
}

/** What is changed in a loop also depends on how often the loop runs. */
function reads({ statement, loops }: Place, found: ReadonlySet<string>): boolean {
  if (usesOf(statement).some((use) => found.has(use.name))) return true;
  const isChange = statement.kind === "store" || statement.kind === "accumulate";
  return isChange && loops.some(({ index }) => found.has(index));
}

/** The names that a statement gives a value. */
function changedBy({ statement }: Place): readonly string[] {
  if (statement.kind === "store") return [statement.buffer];
  if (statement.kind === "accumulate") return [statement.into];
  return statementBindings(statement).map(([name]) => name);
}
