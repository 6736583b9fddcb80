/**
 * The rules about units with several threads: the place of the threads loop and of the memory of units and threads, barriers that all threads
 * reach, and stores between two barriers that no other thread's access meets.
 */
import { accessesOf, type MemoryAccess, reportConflicts } from "./accesses.ts";
import type { LoopStatement, Statement } from "./kernel.ts";
import { hasBarrier, threadsLoopOf, varianceOf } from "./threads.ts";
import type { Inspection, KernelRule, Report } from "./verify-rule.ts";

/** The statements that may come before a threads loop: they run once for the unit. */
const shared: ReadonlySet<Statement["kind"]> = new Set(["index", "fetch", "walk", "let", "allocate"]);

export const threadsRule: KernelRule = {
  name: "threads",
  text: "A threads loop ends the list of the parallel loop, from 0 to a constant, after what its threads share; smem is allocated before it, rmem in it.",
  check({ statements }, report) {
    const threads = threadsLoopOf(statements);
    if (threads === undefined) return;
    for (const { statement, loops, conditions } of statements) {
      const isInside = loops.includes(threads);
      if (statement.kind === "loop" && statement.mode === "threads")
        checkLoop(statement, loops, conditions.length, report);
      if (statement.kind === "loop" && statement.mode === "threads" && statement !== threads)
        report(statement, "a kernel has one threads loop.");
      if (statement.kind === "allocate" && statement.space === "smem" && isInside)
        report(statement, `${statement.name} is shared by the threads. Allocate it before the threads loop.`);
      if (statement.kind === "allocate" && statement.space === "rmem" && !isInside)
        report(statement, `${statement.name} belongs to one thread. Allocate it in the threads loop.`);
      if (loops.length === 1 && !isInside && statement !== threads && !shared.has(statement.kind))
        report(statement, "it is computed once for all threads. Move it into the threads loop.");
    }
  },
};

function checkLoop(
  statement: LoopStatement,
  loops: readonly LoopStatement[],
  conditions: number,
  report: Report,
): void {
  const [parallel] = loops;
  if (loops.length !== 1 || conditions > 0 || parallel?.body.at(-1) !== statement)
    report(statement, "a threads loop is the last statement of the parallel loop.");
  const { from, to } = statement;
  if (from.value !== 0 || to.value === undefined || to.value < 1)
    report(statement, `a threads loop is from 0 to a constant of 1 or more, got ${from} and ${to}.`);
}

export const barriersRule: KernelRule = {
  name: "barriers",
  text: "All threads reach a barrier, or none: the conditions and bounds around it are the same for all threads, and read no memory that the kernel stores to.",
  check({ kernel, statements }, report) {
    const threads = threadsLoopOf(statements);
    if (threads === undefined) return;
    const variance = varianceOf(kernel, threads);
    for (const { statement, loops, conditions } of statements) {
      if (statement.kind !== "barrier") continue;
      const inner = loops.slice(loops.indexOf(threads) + 1);
      for (const around of [...inner, ...conditions]) {
        if (!variance.varies(around)) continue;
        const what = around.kind === "if" ? "is under the condition" : "is in the loop";
        report(
          statement,
          (textOf) => `the barrier ${what} "${textOf(around)}", ${variance.reason(around)}. Move it out.`,
        );
      }
    }
  },
};

export const racesRule: KernelRule = {
  name: "races",
  text: "Between two barriers, no two threads access one element if one of them stores to it.",
  check(inspection, report) {
    const threads = threadsLoopOf(inspection.statements);
    if (threads?.to.value === undefined || threads.to.value <= 1) return;
    for (const accesses of intervalsIn(inspection, threads))
      reportConflicts(inspection, threads, accesses, "thread", report);
  },
};

/** Returns the accesses of threads to memory that they share, those that may meet between two barriers together. */
function intervalsIn(inspection: Inspection, threads: LoopStatement): readonly (readonly MemoryAccess[])[] {
  const own = new Set(
    inspection.statements.flatMap(({ statement }) =>
      statement.kind === "allocate" && statement.space === "rmem" ? [statement.name] : [],
    ),
  );
  const intervalOf = intervalsOf(threads.body);
  const groups = new Map<number, MemoryAccess[]>();
  for (const access of accessesOf(inspection)) {
    if (!access.loops.includes(threads) || own.has(access.buffer)) continue;
    const interval = intervalOf(access.statement);
    groups.set(interval, [...(groups.get(interval) ?? []), access]);
  }
  return [...groups.values()];
}

/**
 * Numbers the intervals between barriers. The end of a loop with barriers belongs to the same interval as its start and as the statements
 * after the loop.
 */
function intervalsOf(list: readonly Statement[]): (statement: Statement) => number {
  const numbers = new Map<Statement, number>();
  const joined: number[] = [0];
  const rootOf = (number: number): number => (joined[number] === number ? number : rootOf(joined[number]));
  let current = 0;
  const visit = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      if (statement.kind === "barrier") current = joined.push(joined.length) - 1;
      numbers.set(statement, current);
      if (!("body" in statement)) continue;
      const before = current;
      visit(statement.body);
      if (!hasBarrier(statement)) continue;
      joined[rootOf(current)] = rootOf(before);
    }
  };
  visit(list);
  return (statement) => rootOf(numbers.get(statement) as number);
}
