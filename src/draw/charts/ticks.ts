/**
 * Axes with ticks at round numbers: multiples of 1, 2 or 5 times a power of ten; on a logarithmic axis powers of ten and, if there are few, 2
 * and 5 times those.
 */

export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** An axis: a function from values to [0, 1], and the ticks. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly Tick[];
}

/** A number with up to four digits; in exponential notation if it is very small or large. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return value
      .toExponential(3)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

/** The multiples of a round step that cover `low` to `high` in about six steps, and the power of ten of the step. */
function roundSteps(low: number, high: number, minStep: number): { values: number[]; power: number } {
  const rough = Math.max((high - low) / 6, minStep);
  const power = Math.floor(Math.log10(rough));
  // The step is an integer times a power of ten, so that its multiples are exact: 3 / 10, not 3 * 0.1.
  const factor = [1, 2, 5, 10].find((f) => f * 10 ** power >= rough * (1 - 1e-9)) ?? 10;
  const multiple = (k: number): number => (power < 0 ? (k * factor) / 10 ** -power : k * factor * 10 ** power);
  const step = multiple(1);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return { values: Array.from({ length: last - first + 1 }, (_, k) => multiple(first + k)), power };
}

/** The text of a tick, with all digits down to the power of ten of the step, so that ticks differ. */
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
 * The axis for values from `low` to `high`, both finite. Its ends are ticks, and ticks are at least `minStep` apart. A single value gets a
 * margin on both sides.
 */
export function linearScale(low: number, high: number, minStep = 0): Scale {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low > 1e-10 * largest ? 0 : largest / 10 || 1;
  const { values, power } = roundSteps(low - margin, high + margin, minStep);
  const [start, end] = [values[0], values.at(-1) as number];
  return {
    at: (value) => (value - start) / (end - start),
    ticks: values.map((value) => ({ value, label: tickText(value, power, largest) })),
  };
}

/** The logarithmic axis for values from `low`, above 0, to `high`. */
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
