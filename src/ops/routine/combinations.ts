/**
 * Combinations of r of n indices, in lexicographic order.
 */

/** Returns the number of combinations. */
export function combinationCount(n: number, r: number, withReplacement: boolean): number {
  const from = withReplacement && r > 0 ? n + r - 1 : n;
  if (r > from) return 0;
  let count = 1;
  // By symmetry the smaller of r and n - r suffices. The product grows with each factor, and stops once it exceeds all memory.
  const few = Math.min(r, from - r);
  for (let i = 1; i <= few && count < 2 ** 53; i++) count = (count * (from - few + i)) / i;
  return count;
}

/** Returns the combinations as rows of r ascending indices; an index repeats only `withReplacement`. */
export function combinations(n: number, r: number, withReplacement: boolean): Int32Array {
  const count = combinationCount(n, r, withReplacement);
  const rows = new Int32Array(count * r);
  const gap = withReplacement ? 0 : 1;
  if (count > 0) for (let j = 0; j < r; j++) rows[j] = j * gap;
  for (let row = 1; row < count; row++) {
    const base = row * r;
    // The last index that can grow is incremented; the later ones restart after it.
    let grows = r - 1;
    while (rows[base - r + grows] === n - 1 - (r - 1 - grows) * gap) grows--;
    for (let j = 0; j < r; j++)
      rows[base + j] = j < grows ? rows[base - r + j]! : rows[base - r + grows]! + 1 + (j - grows) * gap;
  }
  return rows;
}
