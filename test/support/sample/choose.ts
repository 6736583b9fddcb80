/**
 * The choice of a sample: which tests of a file run. It depends on the seed and the names only, so that a failing sample
 * can be repeated, and every test is in the samples of some seeds.
 */
import { createHash } from "node:crypto";

/** Returns the names of the chosen tests of a file: this share of them, and one at least. */
export function chooseTests(seed: string, file: string, names: readonly string[], share: number): ReadonlySet<string> {
  const hash = (name: string): string =>
    createHash("sha256")
      .update(JSON.stringify([seed, file, name]))
      .digest("hex");
  const ranked = [...new Set(names)]
    .map((name) => ({ name, rank: hash(name) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const count = Math.max(1, Math.round(ranked.length * share));
  return new Set(ranked.slice(0, count).map(({ name }) => name));
}
