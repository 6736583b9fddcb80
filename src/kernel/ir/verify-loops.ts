/**
 * The rules about the form of loops: where the parallel loop stands, what a vector loop may hold, where memory and barriers belong.
 * An accumulator declared inside a vector loop belongs to one round, and its rounds may do with it what they like.
 */
import { substitute } from "../../expr/evaluate.ts";
import { range } from "../../expr/questions.ts";
import { accessesOf, reportMeetings } from "./accesses.ts";
import type { AccumulateStatement, Combination, LoopStatement } from "./kernel.ts";
import type { Inspection, KernelRule, Report } from "./verify-rule.ts";
import { usesOf } from "./visit.ts";

const isPowerOfTwo = (n: number): boolean => Number.isInteger(n) && n >= 1 && Number.isInteger(Math.log2(n));

export const loopsRule: KernelRule = {
  name: "loops",
  text: "The body is index statements and then one parallel loop from 0; unrolled loops have constant bounds.",
  check({ kernel, places }, report) {
    const last = kernel.body.at(-1);
    if (last?.kind !== "loop" || last.mode !== "parallel")
      report(last ?? kernel, "the last statement of a kernel is its parallel loop.");
    for (const statement of kernel.body)
      if (statement !== last && statement.kind !== "index")
        report(statement, "only index statements stand before the parallel loop.");
    for (const { statement, loops } of places) {
      if (statement.kind !== "loop") continue;
      const { mode, from, to, by } = statement;
      if (mode === "parallel" && loops.length > 0) report(statement, "a parallel loop stands inside another loop.");
      if (mode === "parallel" && from.value !== 0)
        report(statement, `the parallel loop starts at ${from}, and must start at 0.`);
      if (mode === "unrolled" && (from.value === undefined || to.value === undefined))
        report(statement, `an unrolled loop has constant bounds, got ${from} and ${to}.`);
      if (mode !== "vector" && by !== 1) report(statement, `only vector loops go by more than 1, got ${by}.`);
    }
  },
};

export const vectorRule: KernelRule = {
  name: "vector",
  text: "The rounds of a vector loop are independent: no element is touched by two of them if one stores to it, and an accumulator from outside is only added to, by one function.",
  check(inspection, report) {
    for (const { statement, loops } of inspection.places) {
      if (statement.kind !== "loop" || statement.mode !== "vector") continue;
      if (!isPowerOfTwo(statement.by)) report(statement, `a vector loop goes by a power of two, got ${statement.by}.`);
      if (loops.some(({ mode }) => mode === "vector")) report(statement, "a vector loop stands inside another one.");
      checkRounds(inspection, statement, report);
    }
  },
};

function checkRounds(inspection: Inspection, loop: LoopStatement, report: Report): void {
  const inside = inspection.places.filter(({ loops }) => loops.includes(loop)).map(({ statement }) => statement);
  const own = new Set(inside.flatMap((statement) => (statement.kind === "accumulator" ? [statement.name] : [])));
  const outer = inside.filter(
    (statement): statement is AccumulateStatement => statement.kind === "accumulate" && !own.has(statement.into),
  );
  const functions = new Map<string, Combination>();
  for (const statement of outer) {
    const { into, fn } = statement;
    const first = functions.get(into) ?? fn;
    functions.set(into, first);
    if (first !== fn) report(statement, `${into} is combined by ${first} and by ${fn} in one vector loop.`);
  }
  for (const statement of inside) {
    for (const { name, as } of usesOf(statement))
      if (as === "value" && functions.has(name))
        report(statement, `${name} is read in the vector loop that adds to it, where it has no value yet.`);
  }
  checkStores(inspection, loop, report);
}

/** No element is touched by two rounds if one of them stores to it. */
function checkStores(inspection: Inspection, loop: LoopStatement, report: Report): void {
  if (range(substitute(loop.to.sub(loop.from), inspection.settled().names))[1] <= 1) return;
  const accesses = accessesOf(inspection).filter(({ loops }) => loops.includes(loop));
  reportMeetings(inspection, loop, accesses, "round", report);
}

export const memoryRule: KernelRule = {
  name: "memory",
  text: "Memory is allocated inside the parallel loop and outside of vector loops, with a positive length; barriers stand there too.",
  check({ places }, report) {
    for (const { statement, loops } of places) {
      if (statement.kind !== "allocate" && statement.kind !== "barrier") continue;
      const what = statement.kind === "allocate" ? "memory is allocated" : "a barrier stands";
      if (!loops.some(({ mode }) => mode === "parallel")) report(statement, `${what} outside of the parallel loop.`);
      if (loops.some(({ mode }) => mode === "vector")) report(statement, `${what} inside a vector loop.`);
      if (statement.kind === "allocate" && !(Number.isSafeInteger(statement.length) && statement.length > 0))
        report(statement, `${statement.name} has length ${statement.length}. Give a positive integer.`);
    }
  },
};
