/**
 * The normal distribution with any mean and deviation, its exponential, and its part between two bounds.
 */
import { fillNormal, type RandomDraw } from "../../tensor/create/random-draw.ts";
import { type ElementStream, fillFromStream, type Parameter, valueAt } from "./uniform-words.ts";

type Floats = Float32Array | Float64Array;

/** The normal distribution of a mean and a standard deviation. */
export function fillNormalAround(
  target: Floats,
  draw: RandomDraw,
  mean: Parameter = 0,
  deviation: Parameter = 1,
  begin = 0,
  end = target.length,
): void {
  fillNormal(target, draw, begin, end);
  for (let i = begin; i < end; i++) target[i] = target[i]! * valueAt(deviation, i) + valueAt(mean, i);
}

/** Numbers whose logarithm has the normal distribution of a mean and a standard deviation. */
export function fillLogNormal(
  target: Floats,
  draw: RandomDraw,
  mean: Parameter = 0,
  deviation: Parameter = 1,
  begin = 0,
  end = target.length,
): void {
  fillNormal(target, draw, begin, end);
  for (let i = begin; i < end; i++) target[i] = Math.exp(target[i]! * valueAt(deviation, i) + valueAt(mean, i));
}

/** The normal distribution under the condition low <= x <= high; NaN where there is no such x. */
export function fillTruncatedNormal(
  target: Floats,
  draw: RandomDraw,
  mean: Parameter,
  deviation: Parameter,
  low: Parameter,
  high: Parameter,
  begin?: number,
  end?: number,
): void {
  const sample = (stream: ElementStream, i: number): number => {
    const center = valueAt(mean, i);
    const width = valueAt(deviation, i);
    const from = valueAt(low, i);
    const to = valueAt(high, i);
    const value = center + width * standardBetween(stream, (from - center) / width, (to - center) / width);
    return Math.min(Math.max(value, from), to);
  };
  fillFromStream(target, draw, sample, begin, end);
}

/** A standard normal number between a and b, by the proposals of Robert (1995): exact however far out they lie. */
function standardBetween(stream: ElementStream, a: number, b: number): number {
  if (!(a <= b) || a === Infinity || b === -Infinity) return NaN;
  if (b <= 0 && a < 0) return -standardBetween(stream, -b, -a);
  if (a < 0 && b - a > Math.sqrt(2 * Math.PI))
    for (;;) {
      const x = stream.normal();
      if (x >= a && x <= b) return x;
    }
  const root = Math.sqrt(a * a + 4);
  const isWide = a >= 0 && b > a + (2 / (a + root)) * Math.exp((a * (a - root)) / 4 + 0.5);
  const rate = (a + root) / 2;
  // The density is compared with an exponential one in the tail, else with its largest value between a and b.
  const peak = Math.max(a, 0);
  for (;;) {
    const x = isWide ? a - Math.log(stream.uniform()) / rate : a + (b - a) * stream.uniform();
    const height = isWide ? -((x - rate) ** 2) / 2 : ((peak - x) * (peak + x)) / 2;
    if (x <= b && Math.log(stream.uniform()) <= height) return x;
  }
}
