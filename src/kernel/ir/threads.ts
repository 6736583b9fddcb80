/**
 * The threads of a kernel: the loop over them, the barriers in it, and what is the same for all threads of a unit.
 *
 * A value is uniform if it cannot depend on the index of the threads loop. Elements of memory that the kernel stores to are not uniform, because
 * threads may load them at different times.
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

/** What differs between the threads of a unit. */
export interface Variance {
  /** True if the statement's own values, bounds or condition may differ, without those of its body. */
  readonly varies: (statement: Statement) => boolean;
  /** Why they may differ, as a clause: "which depends on n, n on the thread t". */
  readonly reason: (statement: Statement) => string;
}

/** Returns what differs between the threads of the loop. */
export function varianceOf(kernel: Pick<Kernel, "body">, threads: LoopStatement): Variance {
  const statements = statementsOf(kernel);
  const stored = statements.flatMap(({ statement }) => (statement.kind === "store" ? [statement.buffer] : []));
  const names = dependentsOf(statements, [threads.index, ...stored]);
  const causeOf = (statement: Statement): string | undefined =>
    usesOf(statement).find(({ name }) => names.has(name))?.name;
  return {
    varies: (statement) => causeOf(statement) !== undefined,
    reason: (statement) => reasonFor(causeOf(statement) as string, names, threads.index),
  };
}

function reasonFor(first: string, names: Dependents, thread: string): string {
  const chain = [first];
  for (let name = first; names.get(name) !== name; chain.push(name)) name = names.get(name) as string;
  const last = chain[chain.length - 1];
  const words = chain.map((name) =>
    name !== last ? name : name === thread ? `the thread ${name}` : `elements of ${name}, which the kernel stores to`,
  );
  return `which depends on ${words[0]}${words
    .slice(1)
    .map((word, i) => `, ${chain[i]} on ${word}`)
    .join("")}`;
}
