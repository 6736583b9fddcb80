/** The one-cycle policy: the learning rate rises to its maximum and decays far below its initial value; the momentum does the opposite. */
import { checkNumber, OptimError, shown } from "../checks.ts";
import { type AnyOptimizer, checkOptimizer, LRScheduler } from "./scheduler.ts";

export interface OneCycleLROptions {
  /** The highest learning rate; one for all groups, or one for each. */
  readonly maxLr: number | readonly number[];
  /** The number of steps; alternatively pass `epochs` and `stepsPerEpoch`. */
  readonly totalSteps?: number;
  readonly epochs?: number;
  readonly stepsPerEpoch?: number;
  /** The fraction of the cycle in which the learning rate rises. */
  readonly pctStart?: number;
  readonly annealStrategy?: "cos" | "linear";
  readonly cycleMomentum?: boolean;
  readonly baseMomentum?: number;
  readonly maxMomentum?: number;
  /** The initial learning rate is maxLr / divFactor. */
  readonly divFactor?: number;
  /** The final learning rate is the initial one divided by this. */
  readonly finalDivFactor?: number;
  /** Adds a phase: the learning rate decays to its initial value, mirroring the rise, and then to its final value. */
  readonly threePhase?: boolean;
}

/** A phase of the cycle: its last step, and the learning rates and momenta that it interpolates. */
interface Phase {
  readonly end: number;
  readonly rate: readonly [Point, Point];
  readonly momentum: readonly [number, number];
}
type Point = "start" | "top" | "end";

const anneal = {
  cos: (from: number, to: number, part: number) => to + ((from - to) / 2) * (Math.cos(Math.PI * part) + 1),
  linear: (from: number, to: number, part: number) => from + (to - from) * part,
};

/** One cycle over all steps of a training. Call `step()` after each batch. */
export class OneCycleLR extends LRScheduler {
  readonly #momentumAt: ((epoch: number) => number) | null;

  constructor(optimizer: AnyOptimizer, options: OneCycleLROptions) {
    const who = "OneCycleLR";
    checkOptimizer(who, optimizer);
    const total = totalOf(who, options);
    const { pctStart = 0.3, annealStrategy = "cos", cycleMomentum = true, threePhase = false } = options;
    const { baseMomentum = 0.85, maxMomentum = 0.95, divFactor = 25, finalDivFactor = 1e4 } = options;
    checkNumber(who, "pctStart", pctStart, { max: 1 });
    checkNumber(who, "divFactor", divFactor, { min: Number.MIN_VALUE });
    checkNumber(who, "finalDivFactor", finalDivFactor, { min: Number.MIN_VALUE });
    const interpolate = anneal[annealStrategy];
    if (interpolate === undefined)
      throw new OptimError(`${who}: annealStrategy must be "cos" or "linear", got ${shown(annealStrategy)}`);
    const groups = optimizer.paramGroups.length;
    const tops = !Array.isArray(options.maxLr) ? Array<number>(groups).fill(options.maxLr as number) : options.maxLr;
    if (tops.length !== groups) throw new OptimError(`${who}: expected ${groups} values for maxLr, got ${tops.length}`);
    for (const top of tops) checkNumber(who, "maxLr", top);
    if (cycleMomentum && !("momentum" in optimizer.defaults) && !("betas" in optimizer.defaults))
      throw new OptimError(`${who}: the optimizer has no momentum to cycle. Pass cycleMomentum: false`);

    const up = pctStart * total - 1;
    const rise: Phase = { end: up, rate: ["start", "top"], momentum: [maxMomentum, baseMomentum] };
    const phases: readonly Phase[] = threePhase
      ? [
          rise,
          { end: 2 * up, rate: ["top", "start"], momentum: [baseMomentum, maxMomentum] },
          { end: total - 1, rate: ["start", "end"], momentum: [maxMomentum, maxMomentum] },
        ]
      : [rise, { end: total - 1, rate: ["top", "end"], momentum: [baseMomentum, maxMomentum] }];
    /** The phase of a step, and the fraction of it that is over. */
    const phaseAt = (step: number): [Phase, number] => {
      if (step > total)
        throw new OptimError(
          `${who}: tried to step ${step + 1} times, the specified number of total steps is ${total}. Pass a larger totalSteps`,
        );
      let k = 0;
      while (k < phases.length - 1 && step > phases[k].end) k++;
      const begin = k === 0 ? 0 : phases[k - 1].end;
      const phase = phases[k];
      return [phase, phase.end > begin ? Math.min(1, (step - begin) / (phase.end - begin)) : 1];
    };
    super(optimizer, (_base, step, group) => {
      const top = tops[group] as number;
      const points = { start: top / divFactor, top, end: top / divFactor / finalDivFactor };
      const [{ rate }, part] = phaseAt(step);
      return interpolate(points[rate[0]], points[rate[1]], part);
    });
    this.#momentumAt = cycleMomentum
      ? (step) => {
          const [{ momentum }, part] = phaseAt(step);
          return interpolate(momentum[0], momentum[1], part);
        }
      : null;
    this.restart(0);
  }

  protected override alsoSet(group: Record<string, unknown>, epoch: number): void {
    // The base constructor calls this before the field exists; the restart at the end of the constructor sets the momentum.
    if (!(#momentumAt in this) || this.#momentumAt === null) return;
    const momentum = this.#momentumAt(epoch);
    if ("betas" in group) group["betas"] = [momentum, ...(group["betas"] as number[]).slice(1)];
    else group["momentum"] = momentum;
  }
}

function totalOf(who: string, options: OneCycleLROptions): number {
  const { totalSteps, epochs, stepsPerEpoch } = options ?? {};
  if (totalSteps === undefined && (epochs === undefined || stepsPerEpoch === undefined))
    throw new OptimError(`${who}: needs totalSteps, or epochs and stepsPerEpoch, got ${shown(options)}`);
  const total = totalSteps ?? (epochs as number) * (stepsPerEpoch as number);
  checkNumber(who, "totalSteps", total, { min: 1, integer: true });
  return total;
}
