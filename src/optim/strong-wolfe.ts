/**
 * Line search for a step length that satisfies the strong Wolfe conditions: sufficient decrease of the loss and of the slope.
 * First the steps grow until two of them bracket such a length, then the bracket shrinks. Works on numbers; the caller evaluates steps.
 */

/** The evaluation of a step length: the loss, its slope along the direction, and the gradient. */
export interface Trial<G> {
  readonly length: number;
  readonly loss: number;
  readonly slope: number;
  readonly gradient: G;
}

export interface WolfeOptions {
  /** The largest change of a parameter at length 1. */
  readonly maxDirection: number;
  /** The search ends if the bracket changes every parameter by less. */
  readonly toleranceChange: number;
}

const c1 = 1e-4;
const c2 = 0.9;
const maxTrials = 25;

/** Returns the best trial, from `start` (length 0) and an initial guess of the length. */
export function strongWolfe<G>(
  start: Trial<G>,
  guess: number,
  at: (length: number) => Trial<G>,
  { maxDirection, toleranceChange }: WolfeOptions,
): Trial<G> {
  const violatesArmijo = ({ length, loss }: Trial<G>): boolean => loss > start.loss + c1 * length * start.slope;
  const meetsCurvature = ({ slope }: Trial<G>): boolean => Math.abs(slope) <= -c2 * start.slope;

  let before = start;
  let now = at(guess);
  let count = 0;
  for (; count < maxTrials; count++) {
    if (violatesArmijo(now) || (count > 1 && now.loss >= before.loss)) break;
    if (meetsCurvature(now)) return now;
    if (now.slope >= 0) break;
    const min = now.length + 0.01 * (now.length - before.length);
    const next = at(cubicMinimum(before, now, min, now.length * 10));
    before = now;
    now = next;
  }
  if (count === maxTrials) before = start;

  let [low, high] = before.loss <= now.loss ? [before, now] : [now, before];
  let wasAtEdge = false;
  for (; count < maxTrials && Math.abs(high.length - low.length) * maxDirection >= toleranceChange; count++) {
    const [left, right] = [Math.min(low.length, high.length), Math.max(low.length, high.length)];
    let length = cubicMinimum(low, high, left, right);
    // A length near an edge shrinks the bracket too slowly: the second in a row is moved inside.
    const margin = 0.1 * (right - left);
    const isAtEdge: boolean = Math.min(right - length, length - left) < margin;
    const isMoved: boolean = isAtEdge && (wasAtEdge || length >= right || length <= left);
    if (isMoved) length = right - length < length - left ? right - margin : left + margin;
    wasAtEdge = isAtEdge && !isMoved;
    const trial = at(length);
    if (violatesArmijo(trial) || trial.loss >= low.loss) {
      high = trial;
      if (high.loss < low.loss) [low, high] = [high, low];
      continue;
    }
    if (meetsCurvature(trial)) return trial;
    if (trial.slope * (high.length - low.length) >= 0) high = low;
    low = trial;
  }
  return low;
}

/** The minimum, between two bounds, of the cubic that interpolates two trials and their slopes. */
function cubicMinimum<G>(one: Trial<G>, other: Trial<G>, min: number, max: number): number {
  const [a, b] = one.length <= other.length ? [one, other] : [other, one];
  const mean = a.slope + b.slope - (3 * (a.loss - b.loss)) / (a.length - b.length);
  const square = mean * mean - a.slope * b.slope;
  if (!(square >= 0)) return (min + max) / 2;
  const root = Math.sqrt(square);
  const at = b.length - (b.length - a.length) * ((b.slope + root - mean) / (b.slope - a.slope + 2 * root));
  return Math.min(Math.max(at, min), max);
}
