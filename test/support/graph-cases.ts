/**
 * Random graphs: their number is that of GRAPH_CASES (10,000 in `npm run laws`), their first seed that of GRAPH_SEED. Tensors of a case are freed, and
 * the event loop turns between cases, so that the heap does not overflow: calls with tensors outside of it are not compiled.
 */
import { scope } from "../../src/index.ts";

/** Numbers of cases, `standard` without GRAPH_CASES. */
export const graphCases = (standard: number): number => Number(process.env["GRAPH_CASES"] ?? standard);

/** The time limit of a test with such cases. */
export const graphTimeout = process.env["GRAPH_CASES"] === undefined ? 120_000 : 3_600_000;

/** Calls `check` for each seed. */
export async function forSeeds(count: number, check: (seed: number) => void): Promise<void> {
  const first = Number(process.env["GRAPH_SEED"] ?? 1);
  for (let seed = first; seed < first + count; seed++) {
    scope(() => {
      check(seed);
    });
    if (seed % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
