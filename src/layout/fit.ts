/**
 * Which layouts a list of offsets is. The coalesced layout of a function is unique, so it can be read off the values:
 * the first mode is the longest run with one step, and the rest is the layout of the runs' starts.
 * This decides exactly, for any numbers, at the cost of looking at every value; the algebra uses it where its
 * divisibility rules do not apply.
 */

/** Why a list of offsets is no layout: the first value that breaks the pattern. */
export interface Misfit {
  readonly index: number;
  readonly expected: number;
  readonly found: number;
  readonly text: string;
}

export interface Fit {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
}

/**
 * The flat coalesced layout with result(i) = f(i) for 0 <= i < count, or the misfit if there is none.
 * f(0) must be 0. The first `straight` values are known to lie on one line.
 */
export function fitLayout(count: number, f: (index: number) => number, straight = 2): Fit | Misfit {
  const sizes: number[] = [];
  const strides: number[] = [];
  let unit = 1;
  let rest = count;
  while (rest > 1) {
    const stride = f(unit);
    let run = unit === 1 ? Math.min(Math.max(straight, 2), rest) : 2;
    while (run < rest && f(run * unit) === run * stride) run++;
    if (rest % run !== 0)
      return {
        index: run * unit,
        expected: run * stride,
        found: f(run * unit),
        text: `the offsets run ${run} steps of ${stride} and then turn to ${f(run * unit)}, but ${run} does not divide ${rest}`,
      };
    for (let index = run * unit; index < count; index += unit) {
      const digit = (index / unit) % run;
      const expected = f(index - digit * unit) + digit * stride;
      const found = f(index);
      if (found !== expected)
        return {
          index,
          expected,
          found,
          text: `the first ${run} offsets step by ${stride}, so index ${index} must have offset ${expected}, but it has ${found}`,
        };
    }
    sizes.push(run);
    strides.push(stride + 0);
    unit *= run;
    rest /= run;
  }
  return { sizes, strides };
}

export const isMisfit = (result: Fit | Misfit): result is Misfit => "found" in result;
