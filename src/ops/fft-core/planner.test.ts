/**
 * Plans and tables: every root is accurate, kinds follow the length, and cached plans stay within their limit.
 */
import { expect, test } from "vitest";
import { planFor, type Recent, recall } from "./planner.ts";
import { powersOf, rootTable } from "./roots.ts";

test("roots lie where they should, and symmetric ones are equal to the last bit", () => {
  for (const n of [1, 2, 3, 4, 8, 12, 97, 1000, 4096]) {
    const roots = rootTable(n);
    let [error, lopsided] = [0, 0];
    for (let k = 0; k < n; k++) {
      const angle = (2 * Math.PI * k) / n;
      const [re, im] = [roots[2 * k]!, roots[2 * k + 1]!];
      error = Math.max(error, Math.abs(re - Math.cos(angle)), Math.abs(im + Math.sin(angle)));
      error = Math.max(error, Math.abs(Math.hypot(re, im) - 1));
      if (re !== roots[2 * ((n - k) % n)]) lopsided++;
    }
    expect(error).toBeLessThan(1e-15);
    expect(lopsided).toBe(0);
    // The quarters of the circle are exact.
    if (n % 4 === 0)
      for (const [quarter, re, im] of [
        [1, 0, -1],
        [2, -1, 0],
        [3, 0, 1],
      ] as const) {
        expect(roots[(2 * quarter * n) / 4]).toBeCloseTo(re, 300);
        expect(roots[(2 * quarter * n) / 4 + 1]).toBeCloseTo(im, 300);
      }
  }
});

test("a root is the product of a coarse and a fine one", () => {
  for (const n of [5, 1024, 5000, 2 ** 20]) {
    const { coarse, fine } = powersOf(n);
    let error = 0;
    for (let e = 0; e < n; e += Math.max(1, Math.floor(n / 1013))) {
      const [c, f] = [2 * (e >> 10), 2 * (e & 1023)];
      const re = coarse[c]! * fine[f]! - coarse[c + 1]! * fine[f + 1]!;
      const im = coarse[c]! * fine[f + 1]! + coarse[c + 1]! * fine[f]!;
      error = Math.max(error, Math.hypot(re - Math.cos((2 * Math.PI * e) / n), im + Math.sin((2 * Math.PI * e) / n)));
    }
    expect(error).toBeLessThan(1.5e-15);
  }
});

test.each([
  [1, "passes"],
  [8192, "passes"],
  [47, "passes"],
  [53, "chirp"],
  [106, "split"],
  [16384, "split"],
  [10007, "chirp"],
] as const)("length %d is made of %s", (n, kind) => {
  expect(planFor(n).kind).toBe(kind);
  expect(planFor(n)).toBe(planFor(n));
});

test("a full cache evicts the least recently used plan, and never keeps one that is too large", () => {
  const recent: Recent<number[]> = { entries: new Map(), limit: 10, used: 0 };
  const lengths: number[] = [];
  const get = (n: number) =>
    recall(
      recent,
      n,
      (length) => {
        lengths.push(length);
        return new Array<number>(length).fill(0);
      },
      (list) => list.length,
    );
  for (const n of [4, 5, 4, 3, 4, 5, 11, 11, 4]) expect(get(n).length).toBe(n);
  // 3 drives out 5, not 4; then 5 drives out 3; 11 never fits, and drives out nothing.
  expect(lengths).toEqual([4, 5, 3, 5, 11, 11]);
  expect(recent.used).toBeLessThanOrEqual(10);
  expect([...recent.entries.values()].reduce((sum, entry) => sum + entry.size, 0)).toBe(recent.used);
});
