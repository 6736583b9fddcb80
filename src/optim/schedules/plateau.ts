/** A schedule that waits: the learning rate falls when a measure has not become better for a while. */
import { Tensor } from "../../index.ts";
import { checkNumber, OptimError, told } from "../checks.ts";
import { type AnyOptimizer, checkOptimizer } from "./scheduler.ts";

export interface ReduceLROnPlateauOptions {
  /** Whether smaller or larger is better. */
  readonly mode?: "min" | "max";
  /** What the learning rate is multiplied by. */
  readonly factor?: number;
  /** How many epochs without progress are borne. */
  readonly patience?: number;
  /** What counts as progress: so much better, as a part of the best or as a number. */
  readonly threshold?: number;
  readonly thresholdMode?: "rel" | "abs";
  /** How many epochs after a fall are not judged. */
  readonly cooldown?: number;
  /** The least learning rate; one for all groups, or one for each. */
  readonly minLr?: number | readonly number[];
  /** A fall by no more than this is left out. */
  readonly eps?: number;
}

export interface PlateauState {
  readonly best: number;
  readonly badEpochs: number;
  readonly cooldownLeft: number;
  readonly lastEpoch: number;
}

/** Times `factor` (0.1) when a measure has not become better for more than `patience` (10) epochs. */
export class ReduceLROnPlateau {
  readonly optimizer: AnyOptimizer;
  lastEpoch = 0;
  /** The best measure so far. */
  best: number;
  #badEpochs = 0;
  #cooldownLeft = 0;
  #lastLr: number[];
  readonly #options: Required<ReduceLROnPlateauOptions> & { readonly minLr: readonly number[] };

  constructor(optimizer: AnyOptimizer, options: ReduceLROnPlateauOptions = {}) {
    const who = "ReduceLROnPlateau";
    checkOptimizer(who, optimizer);
    const { mode = "min", factor = 0.1, patience = 10, threshold = 1e-4, thresholdMode = "rel" } = options;
    const { cooldown = 0, minLr = 0, eps = 1e-8 } = options;
    checkNumber(who, "factor", factor, { below: 1 });
    for (const [name, value] of Object.entries({ patience, threshold, cooldown, eps })) checkNumber(who, name, value);
    if (mode !== "min" && mode !== "max") throw new OptimError(`${who}: mode is "min" or "max", got ${told(mode)}`);
    if (thresholdMode !== "rel" && thresholdMode !== "abs")
      throw new OptimError(`${who}: thresholdMode is "rel" or "abs", got ${told(thresholdMode)}`);
    const groups = optimizer.paramGroups.length;
    const least = typeof minLr === "number" ? Array<number>(groups).fill(minLr) : minLr;
    if (least.length !== groups)
      throw new OptimError(`${who}: expected ${groups} values for minLr, got ${least.length}`);
    this.optimizer = optimizer;
    this.best = mode === "min" ? Infinity : -Infinity;
    this.#options = { mode, factor, patience, threshold, thresholdMode, cooldown, minLr: least, eps };
    this.#lastLr = optimizer.paramGroups.map(({ lr }) => lr as number);
  }

  /** The learning rates of the groups, as set last. */
  get lastLr(): readonly number[] {
    return this.#lastLr;
  }

  /** Takes note of a measure; a tensor is read. */
  step(measure: number | Tensor): void {
    if (typeof measure !== "number" && !(measure instanceof Tensor))
      throw new OptimError(
        `ReduceLROnPlateau.step: the measure is a number or a tensor, as in step(loss), got ${told(measure)}`,
      );
    const value = Number(measure instanceof Tensor ? measure.item() : measure);
    const { patience, cooldown } = this.#options;
    this.lastEpoch++;
    if (this.#isBetter(value)) {
      this.best = value;
      this.#badEpochs = 0;
    } else this.#badEpochs++;
    if (this.#cooldownLeft > 0) {
      this.#cooldownLeft--;
      this.#badEpochs = 0;
    }
    if (this.#badEpochs > patience) {
      this.#reduce();
      this.#cooldownLeft = cooldown;
      this.#badEpochs = 0;
    }
    this.#lastLr = this.optimizer.paramGroups.map(({ lr }) => lr as number);
  }

  stateDict(): PlateauState {
    const { best, lastEpoch } = this;
    return { best, badEpochs: this.#badEpochs, cooldownLeft: this.#cooldownLeft, lastEpoch };
  }

  loadStateDict({ best, badEpochs, cooldownLeft, lastEpoch }: PlateauState): void {
    this.best = best;
    this.#badEpochs = badEpochs;
    this.#cooldownLeft = cooldownLeft;
    this.lastEpoch = lastEpoch;
  }

  #isBetter(value: number): boolean {
    const { mode, threshold, thresholdMode } = this.#options;
    const sign = mode === "min" ? -1 : 1;
    const wanted = thresholdMode === "rel" ? this.best * (1 + sign * threshold) : this.best + sign * threshold;
    return mode === "min" ? value < wanted : value > wanted;
  }

  #reduce(): void {
    const { factor, minLr, eps } = this.#options;
    for (const [k, group] of this.optimizer.paramGroups.entries()) {
      const lower = Math.max(group.lr * factor, minLr[k] ?? 0);
      if (group.lr - lower > eps) group.lr = lower;
    }
  }
}
