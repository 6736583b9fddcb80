/**
 * All ways to take r of n positions, in lexicographic order.
 */

/** How many combinations there are. */
export function combinationCount(n: number, r: number, withReplacement: boolean): number {
  const from = withReplacement && r > 0 ? n + r - 1 : n;
  if (r > from) return 0;
  let count = 1;
  // Of the taken and those that stay the fewer decide: the product grows with each factor, and ends once it is past all memory.
  const few = Math.min(r, from - r);
  for (let i = 1; i <= few && count < 2 ** 53; i++) count = (count * (from - few + i)) / i;
  return count;
}

/** The combinations as rows of r ascending positions; a position occurs more than once only `withReplacement`. */
export function combinations(n: number, r: number, withReplacement: boolean): Int32Array {
  const count = combinationCount(n, r, withReplacement);
  const rows = new Int32Array(count * r);
  const gap = withReplacement ? 0 : 1;
  if (count > 0) for (let j = 0; j < r; j++) rows[j] = j * gap;
  for (let row = 1; row < count; row++) {
    const base = row * r;
    // The last position that can still grow grows; those after it start again behind it.
    let grows = r - 1;
    while (rows[base - r + grows] === n - 1 - (r - 1 - grows) * gap) grows--;
    for (let j = 0; j < r; j++)
      rows[base + j] = j < grows ? rows[base - r + j]! : rows[base - r + grows]! + 1 + (j - grows) * gap;
  }
  return rows;
}
