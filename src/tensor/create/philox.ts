/**
 * Philox4x32-10: four random words as a pure function of a 128-bit counter and a 64-bit key (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011). There is no state to share, so any element of any draw can be
 * computed anywhere. What the counter and the key stand for is `random-draw.ts`.
 */

/** The upper 32 bits of the unsigned product of two words. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const other = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

/** Writes the four words for a counter (four words, lowest first) and a key (two words) into `out` from `at` on, as signed words. */
export function philox(
  out: Int32Array,
  at: number,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
): void {
  let x0 = counter0 | 0;
  let x1 = counter1 | 0;
  let x2 = counter2 | 0;
  let x3 = counter3 | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = mulHigh(x0, 0xd2511f53);
    const high2 = mulHigh(x2, 0xcd9e8d57);
    const low0 = Math.imul(x0, 0xd2511f53);
    const low2 = Math.imul(x2, 0xcd9e8d57);
    x0 = high2 ^ x1 ^ k0;
    x1 = low2;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  out[at] = x0;
  out[at + 1] = x1;
  out[at + 2] = x2;
  out[at + 3] = x3;
}
