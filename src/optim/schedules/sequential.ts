/** Schedules in sequence, and a warm-up built from them. */
import { checkNumber, OptimError, shown } from "../checks.ts";
import { ConstantLR, LinearLR } from "./curves.ts";
import { type AnyOptimizer, checkOptimizer, LRScheduler, type SchedulerState } from "./scheduler.ts";

export interface SequentialState {
  readonly lastEpoch: number;
  readonly schedulers: readonly SchedulerState[];
}

/** Runs each schedule until its milestone; the next one starts there, at its epoch 0. */
export class SequentialLR {
  readonly optimizer: AnyOptimizer;
  lastEpoch = 0;
  readonly #schedulers: readonly LRScheduler[];
  readonly #milestones: readonly number[];

  constructor(
    optimizer: AnyOptimizer,
    options: { readonly schedulers: readonly LRScheduler[]; readonly milestones: readonly number[] },
  ) {
    const who = "SequentialLR";
    checkOptimizer(who, optimizer);
    const { schedulers, milestones } = options ?? {};
    if (!Array.isArray(schedulers) || !Array.isArray(milestones))
      throw new OptimError(`${who}: needs two lists, { schedulers, milestones }, got ${shown(options)}`);
    if (schedulers.length === 0 || milestones.length !== schedulers.length - 1)
      throw new OptimError(
        `${who}: needs one more schedule than milestones, got ${schedulers.length} schedules and ${milestones.length} milestones`,
      );
    for (const [k, scheduler] of schedulers.entries()) {
      if (!(scheduler instanceof LRScheduler))
        throw new OptimError(
          `${who}: schedule ${k} is ${String((scheduler as object)?.constructor?.name)}, which has no epochs. Use one that extends LRScheduler`,
        );
      if (scheduler.optimizer !== optimizer)
        throw new OptimError(`${who}: schedule ${k} belongs to another optimizer. Create all of them for the same one`);
    }
    for (const [k, milestone] of milestones.entries())
      checkNumber(who, `milestones[${k}]`, milestone, { min: (milestones[k - 1] ?? 0) + 1, integer: true });
    this.optimizer = optimizer;
    this.#schedulers = schedulers;
    this.#milestones = milestones;
    (schedulers[0] as LRScheduler).restart(0);
  }

  /** The current learning rates of the groups. */
  get lastLr(): readonly number[] {
    return this.#current.lastLr;
  }

  step(): void {
    this.lastEpoch++;
    if (this.#milestones.includes(this.lastEpoch)) this.#current.restart(0);
    else this.#current.step();
  }

  stateDict(): SequentialState {
    return { lastEpoch: this.lastEpoch, schedulers: this.#schedulers.map((scheduler) => scheduler.stateDict()) };
  }

  loadStateDict({ lastEpoch, schedulers }: SequentialState): void {
    if (schedulers.length !== this.#schedulers.length)
      throw new OptimError(
        `SequentialLR.loadStateDict: the state has ${schedulers.length} schedules, but this one has ${this.#schedulers.length}. Create the same ones first`,
      );
    this.lastEpoch = lastEpoch;
    for (const [k, state] of schedulers.entries()) this.#schedulers[k]?.loadStateDict(state);
  }

  get #current(): LRScheduler {
    const passed = this.#milestones.filter((milestone) => milestone <= this.lastEpoch).length;
    return this.#schedulers[passed];
  }
}

export interface WarmupOptions {
  /** The number of steps in which the learning rate rises. */
  readonly steps: number;
  /** The initial fraction of the learning rate. Default: 1 / steps. */
  readonly startFactor?: number;
  /** Creates the schedule after the warm-up. Without it the learning rate stays constant. */
  readonly after?: (optimizer: AnyOptimizer) => LRScheduler;
}

/** A linear warm-up of the learning rate, followed by another schedule. */
export function warmup(optimizer: AnyOptimizer, options: WarmupOptions): SequentialLR {
  const { steps, startFactor, after } = options ?? {};
  checkNumber("warmup", "steps", steps, { min: 1, integer: true });
  const rise = new LinearLR(optimizer, { startFactor: startFactor ?? 1 / steps, totalIters: steps });
  const rest = after?.(optimizer) ?? new ConstantLR(optimizer, { factor: 1, totalIters: 0 });
  return new SequentialLR(optimizer, { schedulers: [rise, rest], milestones: [steps] });
}
