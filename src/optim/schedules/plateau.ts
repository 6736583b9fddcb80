/** A schedule that reduces the learning rate when a metric stops improving. */
import { Tensor } from "../../index.ts";
import { checkNumber, OptimError, shown } from "../checks.ts";
import { type AnyOptimizer, checkOptimizer } from "./scheduler.ts";

export interface ReduceLROnPlateauOptions {
  /** Whether a smaller or a larger metric is better. */
  readonly mode?: "min" | "max";
  /** The factor of each reduction. */
  readonly factor?: number;
  /** The number of epochs without improvement before a reduction. */
  readonly patience?: number;
  /** The smallest change that is an improvement, relative to the best metric or absolute. */
  readonly threshold?: number;
  readonly thresholdMode?: "rel" | "abs";
  /** The number of epochs after a reduction that are not counted. */
  readonly cooldown?: number;
  /** The smallest learning rate; one for all groups, or one for each. */
  readonly minLr?: number | readonly number[];
  /** Reductions by at most this are skipped. */
  readonly eps?: number;
}

export interface PlateauState {
  readonly best: number;
  readonly badEpochs: number;
  readonly cooldownLeft: number;
  readonly lastEpoch: number;
}

/** Multiplies the learning rate by `factor` (0.1) when a metric has not improved for more than `patience` (10) epochs. */
export class ReduceLROnPlateau {
  readonly optimizer: AnyOptimizer;
  lastEpoch = 0;
  /** The best metric so far. */
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
    if (mode !== "min" && mode !== "max")
      throw new OptimError(`${who}: mode must be "min" or "max", got ${shown(mode)}`);
    if (thresholdMode !== "rel" && thresholdMode !== "abs")
      throw new OptimError(`${who}: thresholdMode must be "rel" or "abs", got ${shown(thresholdMode)}`);
    const groups = optimizer.paramGroups.length;
    const min = typeof minLr === "number" ? Array<number>(groups).fill(minLr) : minLr;
    if (min.length !== groups) throw new OptimError(`${who}: expected ${groups} values for minLr, got ${min.length}`);
    this.optimizer = optimizer;
    this.best = mode === "min" ? Infinity : -Infinity;
    this.#options = { mode, factor, patience, threshold, thresholdMode, cooldown, minLr: min, eps };
    this.#lastLr = optimizer.paramGroups.map(({ lr }) => lr as number);
  }

  /** The current learning rates of the groups. */
  get lastLr(): readonly number[] {
    return this.#lastLr;
  }

  /** Records the metric of an epoch. A tensor is read. */
  step(metric: number | Tensor): void {
    if (typeof metric !== "number" && !(metric instanceof Tensor))
      throw new OptimError(
        `ReduceLROnPlateau.step: the metric must be a number or a tensor, as in step(loss), got ${shown(metric)}`,
      );
    const value = Number(metric instanceof Tensor ? metric.item() : metric);
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
    const bound = thresholdMode === "rel" ? this.best * (1 + sign * threshold) : this.best + sign * threshold;
    return mode === "min" ? value < bound : value > bound;
  }

  #reduce(): void {
    const { factor, minLr, eps } = this.#options;
    for (const [k, group] of this.optimizer.paramGroups.entries()) {
      const lower = Math.max(group.lr * factor, minLr[k] ?? 0);
      if (group.lr - lower > eps) group.lr = lower;
    }
  }
}
