/**
 * The rules about memory that are proved from ranges: indices into allocated memory stay inside, and no element of a buffer is
 * touched by two units if one of them writes it. Where buffers lie is not known here, so their own bounds are the caller's.
 */
import { substitute } from "../../expr/evaluate.ts";
import { range } from "../../expr/questions.ts";
import { accessesOf, reportMeetings } from "./accesses.ts";
import type { Binding } from "./bindings.ts";
import { extremes } from "./extent.ts";
import type { LoopStatement } from "./kernel.ts";
import type { KernelRule } from "./verify-rule.ts";

export const boundsRule: KernelRule = {
  name: "bounds",
  text: "An index into allocated memory is 0 or more and less than its length.",
  check(inspection, report) {
    const settled = inspection.settled();
    for (const { buffer, index, statement, loops, isMasked } of accessesOf(inspection)) {
      const { length } = inspection.bindings.get(buffer) as Binding & { kind: "buffer" };
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
      const place = `${buffer}[${index}]`;
      if (isOutside && !isMasked) report(statement, `${place} leaves the ${length} elements of ${buffer}.`);
      else report(statement, `${place} may leave the ${length} elements of ${buffer}.`, "unproved");
    }
  },
};

export const writesRule: KernelRule = {
  name: "writes",
  text: "No element of a buffer is touched by two units of the parallel loop if one of them writes it.",
  check(inspection, report) {
    const { kernel, bindings } = inspection;
    const parallel = kernel.body.find(
      (each): each is LoopStatement => each.kind === "loop" && each.mode === "parallel",
    );
    if (parallel === undefined || range(parallel.to)[1] <= 1) return;
    const accesses = accessesOf(inspection).filter(
      ({ buffer }) => (bindings.get(buffer) as Binding & { kind: "buffer" }).length === undefined,
    );
    reportMeetings(inspection, parallel, accesses, "unit", report);
  },
};
