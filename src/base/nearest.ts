/**
 * "Did you mean": the known name nearest to a misspelt one.
 */
import { listOf } from "./list-of.ts";

/** The candidate with the fewest edits (insert, delete, replace) from `name`, if at most a third of it differs. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.floor((name.length + 1) / 3) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = listOf(b.length + 1, (j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
