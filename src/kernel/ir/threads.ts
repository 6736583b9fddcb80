/**
 * The threads of a kernel: the loop over them, the barriers in it, and the values that are the same for all threads of a unit.
 *
 * A value is uniform if it cannot depend on the index of the threads loop, on elements of memory that the kernel stores to, which threads may
 * load at different times, or on the accumulators and memory of a thread.
 */
import { type Dependents, dependentsOf } from "./dependents.ts";
import type { Kernel, LoopStatement, Statement } from "./kernel.ts";
import { type NestedStatement, statementsOf, usesOf } from "./visit.ts";

/** Returns the loop over the threads of a unit, if a kernel has one. */
export function threadsLoopOf(statements: readonly NestedStatement[]): LoopStatement | undefined {
  for (const { statement } of statements)
    if (statement.kind === "loop" && statement.mode === "threads") return statement;
  return undefined;
}

/** True if the statement is a barrier, or has one in its body. */
export const hasBarrier = (statement: Statement): boolean =>
  statement.kind === "barrier" || ("body" in statement && statement.body.some(hasBarrier));

/** The differences between the threads of a unit. */
export interface Variance {
  /** True if the statement's own values, bounds or condition may differ, without those of its body. */
  readonly varies: (statement: Statement) => boolean;
  /** The reason why they may differ, as a clause: "which depends on n, n on the thread t". */
  readonly reason: (statement: Statement) => string;
}

/** Returns the differences between the threads of the loop. */
export function varianceOf(kernel: Pick<Kernel, "body">, threads: LoopStatement): Variance {
  const statements = statementsOf(kernel);
  const seeds = new Map([[threads.index, `the thread ${threads.index}`]]);
  for (const { statement, loops } of statements) {
    if (statement.kind === "store")
      seeds.set(statement.buffer, `elements of ${statement.buffer}, which the kernel stores to`);
    if (loops.includes(threads) && (statement.kind === "accumulator" || statement.kind === "allocate"))
      seeds.set(statement.name, `${statement.name}, which each thread has`);
  }
  const names = dependentsOf(statements, [...seeds.keys()]);
  const causeOf = (statement: Statement): string | undefined =>
    usesOf(statement).find(({ name }) => names.has(name))?.name;
  return {
    varies: (statement) => causeOf(statement) !== undefined,
    reason: (statement) => reasonFor(causeOf(statement) as string, names, seeds),
  };
}

function reasonFor(first: string, names: Dependents, seeds: ReadonlyMap<string, string>): string {
  let text = `which depends on ${seeds.get(first) ?? first}`;
  for (let name = first; names.get(name) !== name; ) {
    const cause = names.get(name) as string;
    text += `, ${name} on ${seeds.get(cause) ?? cause}`;
    name = cause;
  }
  return text;
}
