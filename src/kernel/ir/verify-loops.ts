/**
 * The rules about loops and memory: the parallel loop is last, the iterations of vector loops are independent, memory is allocated inside the parallel
 * loop, indices into it are in bounds, and no two units access one element if one of them writes it. Bounds and independence are proved from
 * ranges. The bounds of buffers are not known here; callers are responsible for them.
 */
import { substitute } from "../../expr/evaluate.ts";
import { range } from "../../expr/proofs.ts";
import { accessesOf, reportConflicts } from "./accesses.ts";
import type { NameBinding } from "./bindings.ts";
import { extremes } from "./extent.ts";
import type { AccumulateStatement, Combination, LoopStatement } from "./kernel.ts";
import type { Inspection, KernelRule, Report } from "./verify-rule.ts";
import { usesOf } from "./visit.ts";

const isPowerOfTwo = (n: number): boolean => Number.isInteger(n) && n >= 1 && Number.isInteger(Math.log2(n));

export const loopsRule: KernelRule = {
  name: "loops",
  text: "The body is index statements and then one parallel loop from 0; unrolled loops have constant bounds.",
  check({ kernel, statements }, report) {
    const last = kernel.body.at(-1);
    if (last?.kind !== "loop" || last.mode !== "parallel")
      report(last ?? kernel, "the last statement of a kernel is its parallel loop.");
    for (const statement of kernel.body)
      if (statement !== last && statement.kind !== "index")
        report(statement, "only index statements may come before the parallel loop.");
    for (const { statement, loops } of statements) {
      if (statement.kind !== "loop") continue;
      const { mode, from, to, by } = statement;
      if (mode === "parallel" && loops.length > 0) report(statement, "a parallel loop is inside another loop.");
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
  text: "The iterations of a vector loop are independent: no two of them access one element if one stores to it, and an accumulator from outside is only combined, by one function.",
  check(inspection, report) {
    for (const { statement, loops } of inspection.statements) {
      if (statement.kind !== "loop" || statement.mode !== "vector") continue;
      if (!isPowerOfTwo(statement.by)) report(statement, `a vector loop goes by a power of two, got ${statement.by}.`);
      if (loops.some(({ mode }) => mode === "vector")) report(statement, "a vector loop is inside another one.");
      checkRounds(inspection, statement, report);
    }
  },
};

function checkRounds(inspection: Inspection, loop: LoopStatement, report: Report): void {
  const inside = inspection.statements.filter(({ loops }) => loops.includes(loop)).map(({ statement }) => statement);
  // An accumulator of an iteration itself may be used freely.
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
  // No two iterations may access one element if one of them stores to it.
  if (range(substitute(loop.to.sub(loop.from), inspection.resolvedNames().names))[1] <= 1) return;
  const accesses = accessesOf(inspection).filter(({ loops }) => loops.includes(loop));
  reportConflicts(inspection, loop, accesses, "iteration", report);
}

export const memoryRule: KernelRule = {
  name: "memory",
  text: "Memory is allocated inside the parallel loop and outside of vector loops, with a positive length; so are barriers.",
  check({ statements }, report) {
    for (const { statement, loops } of statements) {
      if (statement.kind !== "allocate" && statement.kind !== "barrier") continue;
      const what = statement.kind === "allocate" ? "memory is allocated" : "a barrier is";
      if (!loops.some(({ mode }) => mode === "parallel")) report(statement, `${what} outside of the parallel loop.`);
      if (loops.some(({ mode }) => mode === "vector")) report(statement, `${what} inside a vector loop.`);
      if (statement.kind === "allocate" && !(Number.isSafeInteger(statement.length) && statement.length > 0))
        report(statement, `the length of ${statement.name} must be a positive integer, got ${statement.length}.`);
    }
  },
};

export const boundsRule: KernelRule = {
  name: "bounds",
  text: "An index into allocated memory is 0 or more and less than its length.",
  check(inspection, report) {
    const settled = inspection.resolvedNames();
    for (const { buffer, index, statement, loops, isMasked } of accessesOf(inspection)) {
      const { length } = inspection.bindings.get(buffer) as NameBinding & { kind: "buffer" };
      if (length === undefined) continue;
      const value = substitute(index, settled.names);
      const [min, max] = range(value);
      const lows = extremes(value, loops, settled, "low").map((each) => ({ ...each, range: range(each.value) }));
      const highs = extremes(value, loops, settled, "high").map((each) => ({ ...each, range: range(each.value) }));
      const isAbove = min >= 0 || lows.some((low) => low.range[0] >= 0);
      const isBelow = max < length || highs.some((high) => high.range[1] < length);
      if (isAbove && isBelow) continue;
      const isOutside =
        max < 0 ||
        min >= length ||
        lows.some((low) => low.isExact && low.range[1] < 0) ||
        highs.some((high) => high.isExact && high.range[0] >= length);
      const element = `${buffer}[${index}]`;
      if (isOutside && !isMasked) report(statement, `${element} leaves the ${length} elements of ${buffer}.`);
      else report(statement, `${element} may leave the ${length} elements of ${buffer}.`, "unproved");
    }
  },
};

export const writesRule: KernelRule = {
  name: "writes",
  text: "No two units of the parallel loop access one element of a buffer if one of them writes it.",
  check(inspection, report) {
    const { kernel, bindings } = inspection;
    const parallel = kernel.body.find(
      (each): each is LoopStatement => each.kind === "loop" && each.mode === "parallel",
    );
    if (parallel === undefined || range(parallel.to)[1] <= 1) return;
    const accesses = accessesOf(inspection).filter(
      ({ buffer }) => (bindings.get(buffer) as NameBinding & { kind: "buffer" }).length === undefined,
    );
    reportConflicts(inspection, parallel, accesses, "unit", report);
  },
};
