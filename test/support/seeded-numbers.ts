/** Random choices that are the same in every run. */

/** A sequence of numbers below a bound, by a seed. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return (mixed >>> 8) % below;
  };
}
