/**
 * Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten, or, on a logarithmic axis, powers of ten and, if there are
 * few, their doubles and fives. `scaleOf` says where a value lies between the two ends, and gives the ticks with their texts.
 */

export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** An axis: from values to a number between 0 and 1, and the ticks to draw. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly Tick[];
}

/** A number as short as it can be said in about four digits; 1e-5 and 2e6 for the very small and large. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return value
      .toExponential(3)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

/** Multiples of a round step from at or below `low` to at or above `high`, in about six steps, and the power of ten of the step. */
function roundSteps(low: number, high: number, leastStep: number): { values: number[]; power: number } {
  const rough = Math.max((high - low) / 6, leastStep);
  const power = Math.floor(Math.log10(rough));
  // The step as an integer times a power of ten, so that its multiples are exact: 3 * 0.1 is no tick, 3 / 10 is one.
  const factor = [1, 2, 5, 10].find((f) => f * 10 ** power >= rough * (1 - 1e-9)) ?? 10;
  const multiple = (k: number): number => (power < 0 ? (k * factor) / 10 ** -power : k * factor * 10 ** power);
  const step = multiple(1);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return { values: Array.from({ length: last - first + 1 }, (_, k) => multiple(first + k)), power };
}

/** A tick's text with all digits down to the power of ten of the step, so that no two are the same. */
function tickText(value: number, power: number, largest: number): string {
  if (value === 0) return "0";
  if (largest < 1e6 && power >= -4) return String(Number(value.toFixed(Math.max(0, -power))));
  const digits = Math.max(0, Math.floor(Math.log10(Math.abs(value)) + 1e-9) - power);
  return value
    .toExponential(digits)
    .replace(/(\.\d*?)0+e/, "$1e")
    .replace(/\.e/, "e")
    .replace("e+", "e");
}

/**
 * The axis for values from `low` to `high`, both finite; its ends are ticks, and no two are closer than `leastStep`. A single value gets room
 * on both sides.
 */
export function linearScale(low: number, high: number, leastStep = 0): Scale {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > 1e-10 * largest ? 0 : largest / 10 || 1;
  const { values, power } = roundSteps(low - room, high + room, leastStep);
  const [start, end] = [values[0], values.at(-1) as number];
  return {
    at: (value) => (value - start) / (end - start),
    ticks: values.map((value) => ({ value, label: tickText(value, power, largest) })),
  };
}

/** The same with equal steps for equal factors; `low` is above 0. */
export function logScale(low: number, high: number): Scale {
  const decades = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  if (decades[0] === decades[1]) decades[1]++;
  const count = decades[1] - decades[0];
  const every = Math.ceil(count / 8);
  const factors = count <= 2 ? [1, 2, 5] : [1];
  const values: number[] = [];
  for (let decade = decades[0]; decade <= decades[1]; decade += every)
    for (const factor of decade < decades[1] ? factors : [1])
      values.push(decade < 0 ? factor / 10 ** -decade : factor * 10 ** decade);
  return {
    at: (value) => (Math.log10(value) - decades[0]) / count,
    ticks: values.map((value) => ({ value, label: numberText(value) })),
  };
}
